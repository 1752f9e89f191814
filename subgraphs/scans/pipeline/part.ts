import type { RunState } from '../../../schema/model.js';
import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import { showPresence, workerPresence } from '../../../kit/work/worker-presence.js';
import { listPipelineRuns, pipelineRun } from './pipeline.js';

/** The pipeline as it is watched. */
export const pipelinePart: EnginePart = {
  prefixes: ['pipeline'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      pipeline_runs: (_, args: PageArguments & { state?: RunState[] | null }, context) => listPipelineRuns(context, args),
      pipeline_run: (_, args: { scan_run_id: string }, context) => pipelineRun(context, args.scan_run_id),
    },
  },
  routes: [
    { method: 'GET', path: '/pipeline/runs', field: 'pipeline_runs', tag: 'pipeline' },
    { method: 'GET', path: '/pipeline/runs/{scan_run_id}', field: 'pipeline_run', tag: 'pipeline' },
  ],
  collections: [workerPresence],
  background: [{ name: 'scans.presence', run: showPresence }],
};
