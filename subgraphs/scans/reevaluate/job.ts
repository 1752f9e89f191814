import { createTimeSlice } from '../../../kit/base/time-slice.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { asTenant } from '../../../kit/engine/create-context.js';
import type { JobHandler, JobRun } from '../../../kit/engine/job.js';
import { derivations } from '../../../kit/engine/kept-rows.js';
import { ruleResults } from '../../../kit/findings/rule-results.js';
import { concludeRun } from '../conclude.js';
import { Evaluator } from '../evaluator.js';
import { BringingUp, type BroughtUp } from './bring-up.js';

/** Resources that are looked at together. */
const BATCH = 50;

const NOTHING: BroughtUp = { opened: 0, closed: 0, changed: 0, left_out: 0 };

/** How far a pass is, as the job's row keeps it. */
interface Progress extends BroughtUp {
  resources: number;
}

/**
 * Brings the findings of posture rules to what the tenant has chosen: the profile, which rules are on, and their severities. It goes by the results that
 * are stored, so nothing is evaluated anew and no result changes. Whatever is chosen meanwhile begins the pass again, so that the newest choice has the
 * last word; doing it again changes nothing, and a second try goes on where the first ended.
 */
export const reevaluateJob: JobHandler = {
  async run(job) {
    const { context } = job;
    if (job.position === null && job.payload['run'] === undefined && (await isDone(context))) return;
    let from = readPosition(job.position);
    for (let isNewest = false; !isNewest; from = null) isNewest = await pass(job, from);
    const run = { scan_run_id: runId(job, 'end'), at: context.services.clock.now() };
    await concludeRun(asTenant(context), run, false);
  },
  async giveUp({ context }, reason) {
    context.services.logger.error({ tenant: context.auth.tenant_id, reason }, 'findings were not brought to the rules of the tenant');
  },
};

interface Position {
  revision: number;
  after: string;
}

function readPosition(text: string | null): Position | null {
  const [revision, after] = text?.split('|', 2) ?? [];
  return revision === undefined || after === undefined ? null : { revision: Number(revision), after };
}

const runId = ({ payload }: JobRun, revision: number | 'end'): string =>
  `reevaluation-${revision}${payload['run'] === undefined ? '' : `-${String(payload['run'])}`}`;

/** Goes through all resources. @returns whether what it went by is what the tenant wants still */
async function pass(job: JobRun, begun: Position | null): Promise<boolean> {
  const { context } = job;
  const { services } = context;
  const evaluator = await Evaluator.alone(context);
  const { revision } = evaluator.tenant;
  try {
    const isResumed = begun?.revision === revision;
    let after = isResumed ? begun.after : '';
    let progress: Progress = isResumed && job.result ? (job.result as unknown as Progress) : { ...NOTHING, resources: 0 };
    const run = { scan_run_id: runId(job, revision), at: services.clock.now() };
    const bringing = new BringingUp(context, evaluator, run);
    const slice = createTimeSlice();
    // what was written by an earlier choice is known to be, so that nothing else counts as the end of it
    if (!isResumed) await note(job, revision, after, progress);
    for (;;) {
      job.alive();
      await slice();
      const rows = await context.collection(ruleResults).find({ _id: { $gt: after } }, { sort: { _id: 1 }, limit: BATCH });
      const last = rows.at(-1);
      if (!last) break;
      const brought = await bringing.bring(rows);
      after = last._id;
      progress = {
        resources: progress.resources + rows.length,
        opened: progress.opened + brought.opened,
        closed: progress.closed + brought.closed,
        changed: progress.changed + brought.changed,
        left_out: progress.left_out + brought.left_out,
      };
      await note(job, revision, after, progress);
      if ((await services.ingest.rulesRevision(context)) !== revision) return false;
    }
    if ((await services.ingest.rulesRevision(context)) !== revision) return false;
    await noteDone(context, revision);
    return true;
  } finally {
    evaluator.close();
  }
}

const note = ({ context, advance }: JobRun, revision: number, after: string, progress: Progress): Promise<void> =>
  context.transaction((transaction) =>
    advance(transaction, { done: progress.resources, position: `${revision}|${after}`, result: { ...progress } }),
  );

const doneId = ({ auth }: EngineContext): string => `${auth.tenant_id}|reevaluation`;

/** Whether a job has gone through all resources by what the tenant wants now. */
async function isDone(context: EngineContext): Promise<boolean> {
  const row = await context.collection(derivations).findOne({ _id: doneId(context) });
  return row?.no === (await context.services.ingest.rulesRevision(context));
}

const noteDone = async (context: EngineContext, revision: number): Promise<void> => {
  await context.collection(derivations).bulkUpdate([{ _id: doneId(context), update: { $max: { no: revision } }, upsert: true }]);
};
