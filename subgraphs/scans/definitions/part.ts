import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import type { ScanRunRow } from '../records.js';
import { findScan, listScans, runRef, type ScanListArguments } from './list.js';
import { scans } from './records.js';
import { startScan, type ScanInput } from './start.js';

const tag = 'scans';

/** Scans of connected accounts. */
export const scansPart: EnginePart = {
  prefixes: ['scans'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    ScanRun: {
      scope: ({ scope, coverage }: ScanRunRow) => (coverage ? { ...scope, account_id: coverage.account_id } : scope),
    },
    Query: {
      scans: (_, args: ScanListArguments, context) => listScans(context, args),
      scan: (_, args: { scan_id: string }, context) => findScan(context, args.scan_id),
    },
    Mutation: { start_scan: async (_, { input }: { input: ScanInput }, context) => runRef(await startScan(context, input)) },
  },
  routes: [
    { method: 'GET', path: '/scans', field: 'scans', tag },
    { method: 'POST', path: '/scans', field: 'start_scan', status: 202, tag },
    { method: 'GET', path: '/scans/{scan_id}', field: 'scan', tag },
  ],
  collections: [scans],
};
