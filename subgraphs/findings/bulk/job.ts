import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import type { JobHandler, JobRun } from '../../../kit/engine/job.js';
import { findingCondition, type FindingFilter } from '../../../kit/findings/filters.js';
import { findingRowId, findings } from '../../../kit/findings/row.js';
import type { Triage } from '../../../kit/findings/triage/decide.js';
import { triageFindings } from '../../../kit/findings/triage/write.js';
import { ownerNow } from '../../../kit/read/owner.js';
import { countOutcomes, itemOf, type BulkItem } from './items.js';

export const BULK_TRIAGE = 'findings.bulk_triage';

/** Findings of one transaction: deciding on them takes the thread for some milliseconds. */
const BATCH = 200;
/** Refusals that a job tells. */
const TOLD = 100;

/** What came of the findings so far. */
interface Progress extends Record<string, unknown> {
  matched: number;
  changed: number;
  unchanged: number;
  refused: number;
  /** The first that were refused. */
  errors: BulkItem[];
}

/**
 * Triages the findings that a filter selects, each once, in the order of their ids. How far it is stands in the transaction of each batch, so a
 * second try goes on where the first ended. Its owner's rights are read again at each batch (decision 58).
 */
export const bulkTriageJob: JobHandler = {
  async run(job) {
    let result: Progress = (job.result as Progress | null) ?? { matched: 0, changed: 0, unchanged: 0, refused: 0, errors: [] };
    const { engines } = job.payload as { engines: string[] };
    for (let place = placeOf(job, engines); place !== null;) {
      job.alive();
      const facts = job.context.services.findingEngines.find(({ engine }) => engine === place!.engine);
      const next: { place: Place | null; result: Progress } = facts ? await batch(job, facts, place, result) : { place: null, result };
      result = next.result;
      place = next.place ?? firstOf(engines, engines.indexOf(place.engine) + 1);
    }
  },
  async giveUp({ context }, reason) {
    context.services.logger.error({ tenant: context.auth.tenant_id, reason }, 'a bulk triage was given up');
  },
};

/** The last finding that was looked at. */
interface Place {
  readonly engine: string;
  readonly after: string;
}

const firstOf = (engines: readonly string[], at: number): Place | null =>
  at < engines.length ? { engine: engines[at]!, after: '' } : null;

const placeOf = ({ position }: JobRun, engines: readonly string[]): Place | null =>
  position === null ? firstOf(engines, 0) : (JSON.parse(position) as Place);

async function batch(job: JobRun, facts: FindingFacts, { engine, after }: Place, before: Progress) {
  const context = await ownerNow(job.context, ['scans:create', facts.permission]);
  const { auth, services } = context;
  const rows = services.database.tenant(auth.tenant_id).engine(engine).collection(findings);
  return context.transaction(async (transaction) => {
    const beyond = { _id: { $gt: findingRowId(auth.tenant_id, engine, after) } };
    const condition = { $and: [findingCondition(job.payload['filter'] as FindingFilter), beyond] };
    const found = await rows.find(condition, { sort: { _id: 1 }, limit: BATCH, fields: ['finding_id'], transaction });
    const last = found.at(-1);
    if (!last) return { place: null, result: before };
    const ids = found.map(({ finding_id }) => finding_id);
    const asked = job.payload['asked'] as Triage;
    const triaged = await triageFindings(context, facts, { ids, asked, at: services.clock.now() }, transaction);
    const items = triaged.map((one) => itemOf(facts, one));
    const counts = countOutcomes(items);
    const refused = items.filter(({ outcome }) => outcome === 'refused');
    const result: Progress = {
      matched: before.matched + items.length,
      changed: before.changed + counts.changed,
      unchanged: before.unchanged + counts.unchanged,
      refused: before.refused + counts.refused,
      errors: [...before.errors, ...refused].slice(0, TOLD),
    };
    const place: Place = { engine, after: last.finding_id };
    await job.advance(transaction, { done: result.matched, position: JSON.stringify(place), result });
    return { place, result };
  });
}
