import type { EnginePart } from '../../../kit/engine/engine.js';
import { diffOfRun, type DiffArguments } from './diff.js';
import { diffSchema } from './schema.js';

/** What a scan run changed since the one before. */
export const runDiffPart: EnginePart = {
  prefixes: ['scan-runs'],
  typeDefs: diffSchema,
  resolvers: { Query: { scan_run_diff: (_, args: DiffArguments, context) => diffOfRun(context, args) } },
  routes: [{ method: 'GET', path: '/scan-runs/{scan_run_id}/diff', field: 'scan_run_diff', tag: 'scan-runs' }],
};
