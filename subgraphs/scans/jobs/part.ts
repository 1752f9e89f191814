import { conflict, notFound, PalisadeError } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema, readSharedSchema } from '../../../kit/engine/read-schema.js';
import { askToStop, findFollowed, jobView } from '../../../kit/work/followed-jobs.js';
import { jobs } from '../../../kit/work/jobs.js';
import { IMPORT_REPORT } from '../records.js';
import { cancelScanRun } from '../run-control.js';

async function findJob(context: EngineContext, id: string) {
  const row = await findFollowed(context.collection(jobs), context.auth, id);
  return row && jobView(row);
}

/** @throws PalisadeError NOT_FOUND; CONFLICT for a job that has ended */
async function cancelJob(context: EngineContext, id: string) {
  const rows = context.collection(jobs);
  const row = await findFollowed(rows, context.auth, id);
  if (!row) throw notFound('Job');
  if (row.kind === IMPORT_REPORT && row.state !== 'done') await cancelScanRun(context, String(row.payload['scan_run_id'])).catch(ifEnded);
  const stopped = await askToStop(rows, row, context.services.clock.now());
  if (!stopped) throw conflict(`The job is ${jobView(row).state} already`);
  return jobView(stopped);
}

/** A run that has ended meanwhile needs no end; what becomes of its job is seen by the job. */
function ifEnded(error: unknown): void {
  if (!(error instanceof PalisadeError) || error.code !== 'CONFLICT') throw error;
}

/** The tenant's jobs that people follow, of any kind. */
export const jobsPart: EnginePart = {
  prefixes: ['jobs'],
  typeDefs: readSharedSchema('job') + readSchema(import.meta.url),
  resolvers: {
    Query: { job: (_, { id }: { id: string }, context) => findJob(context, id) },
    Mutation: { cancel_job: (_, { id }: { id: string }, context) => cancelJob(context, id) },
  },
  routes: [
    { method: 'GET', path: '/jobs/{id}', field: 'job', tag: 'jobs' },
    { method: 'DELETE', path: '/jobs/{id}', field: 'cancel_job', tag: 'jobs' },
  ],
};
