import { loadDetections, type DetectionRules } from '../../../catalog/detections/rule-set.js';
import { createTimeSlice } from '../../../kit/base/time-slice.js';
import { asTenant } from '../../../kit/engine/create-context.js';
import type { JobHandler, JobRun } from '../../../kit/engine/job.js';
import { raised } from '../detections/raise.js';
import { tenantPrefix, timeText } from '../events/records.js';
import { eventRetention } from '../events/retention.js';
import { FindingWriter, RUN_PREFIX } from './findings.js';
import { judgeNext } from './judge.js';
import { forgetNext } from './forget.js';

const DAY = 86_400_000;

/** The job that holds stored events against rules which have changed. */
export const JUDGE_AGAIN = 'cdr.judge-again';

/** Which rules, from which day on, and what the findings are said to come from. */
interface Asked {
  readonly rules: ReadonlySet<string>;
  readonly since: Date;
  readonly run: { readonly scan_run_id: string; readonly at: Date };
}

/** How far it is: what rules saw before is forgotten, then the events are gone through, and then findings are made of what was seen. */
type Stage = 'forget' | 'judge' | 'raise';
interface Place {
  readonly stage: Stage;
  readonly after: string;
}

/**
 * Holds the events of some days against rules that have changed: what they see becomes findings as if they had been there when the log was read, and what they see no
 * more is resolved. What people have resolved stays so. Killed in the middle it goes on where it was.
 */
export const judgeAgainJob: JobHandler = {
  run: (job) => judgeAgain(job, loadDetections()),
  async giveUp({ context }, reason) {
    context.services.logger.error({ tenant: context.auth.tenant_id, reason }, 'stored events were not judged by rules that have changed');
  },
};

/** @param rules of this release */
export async function judgeAgain(job: JobRun, rules: DetectionRules): Promise<void> {
  const { context } = job;
  const { tenant_id } = context.auth;
  const asked = await askedOf(job);
  const slice = createTimeSlice();
  let done = Number(job.result?.['events'] ?? 0);
  let place = placeOf(job.position);
  const to = async (next: Place, work: (after: string) => Promise<{ last: string; events?: number } | null>): Promise<void> => {
    for (;;) {
      job.alive();
      await slice();
      const step = await work(place.after);
      if (step === null) break;
      done += step.events ?? 0;
      place = { ...place, after: step.last };
    }
    place = next;
    await context.transaction((transaction) => job.advance(transaction, progressOf(done, place)));
  };
  if (place.stage === 'forget') {
    const start = { stage: 'judge', after: `${tenantPrefix(tenant_id)}${timeText(asked.since)}` } as const;
    await to(start, (after) => forgetNext(job, asked, after));
  }
  if (place.stage === 'judge')
    await to({ stage: 'raise', after: '' }, (after) =>
      judgeNext(context, rules, asked, after, (transaction, { last, events }) =>
        job.advance(transaction, progressOf(done + events, { stage: 'judge', after: last })),
      ),
    );
  const writer = new FindingWriter(context, asked.run);
  for await (const one of raised(context, asked.run.scan_run_id, rules.all, true)) {
    job.alive();
    await writer.take(one);
  }
  await writer.flush();
  await context.services.ingest.conclude(asTenant(context), asked.run);
}

async function askedOf({ payload, context }: JobRun): Promise<Asked> {
  const { rules, since, run } = payload as { rules: readonly string[]; since: string; run: string };
  const at = context.services.clock.now();
  const whole = await firstWholeDay(context, at);
  return {
    rules: new Set(rules),
    since: new Date(Math.max(Date.parse(since), whole.getTime())),
    run: { scan_run_id: `${RUN_PREFIX}${run}`, at },
  };
}

/**
 * The first day of which all events are stored, and will be for another day: of a day that retention has begun to remove, a rule would count less than it saw.
 */
async function firstWholeDay({ services, auth }: JobRun['context'], now: Date): Promise<Date> {
  const { event_retention_days } = await services.ingest.importSettings(services, auth.tenant_id);
  const kept = event_retention_days ?? eventRetention.standard ?? 0;
  return new Date((Math.ceil(now.getTime() / DAY - kept) + 1) * DAY);
}

const progressOf = (events: number, { stage, after }: Place) => ({ done: events, position: `${stage} ${after}`, result: { events } });

function placeOf(position: string | null): Place {
  const [stage = 'forget', after = ''] = position?.split(' ') ?? [];
  return { stage: stage as Stage, after };
}
