import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { siemDelivery } from './delivery.js';
import { siemExports } from './records.js';
import { getSiemExport, setSiemExport } from './service.js';

export const siemPart: EnginePart = {
  prefixes: ['audit-logs'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: { siem_export: (_, _args, context) => getSiemExport(context) },
    Mutation: { set_siem_export: (_, args: { input: unknown }, context) => setSiemExport(context, args.input) },
  },
  routes: [
    { method: 'GET', path: '/audit-logs/siem-export', field: 'siem_export', tag: 'audit' },
    { method: 'PUT', path: '/audit-logs/siem-export', field: 'set_siem_export', tag: 'audit' },
  ],
  collections: [siemExports],
  background: [siemDelivery],
};
