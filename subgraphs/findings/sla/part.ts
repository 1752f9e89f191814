import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { slaPolicies } from '../../../kit/findings/sla/records.js';
import { slaTask } from '../../../kit/findings/sla/recompute.js';
import { setSlaPolicy, slaPolicy } from './service.js';

/** In how many days findings are to be fixed. */
export const slaPart: EnginePart = {
  prefixes: ['sla-policy'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: { sla_policy: (_, _args, context) => slaPolicy(context) },
    Mutation: { set_sla_policy: (_, args: { input: { windows: unknown } }, context) => setSlaPolicy(context, args.input) },
  },
  routes: [
    { method: 'GET', path: '/sla-policy', field: 'sla_policy', tag: 'sla' },
    { method: 'PUT', path: '/sla-policy', field: 'set_sla_policy', tag: 'sla' },
  ],
  collections: [slaPolicies],
  background: [slaTask],
};
