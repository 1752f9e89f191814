import { forbidden, invalid } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import { findingCondition, type FindingFilter } from '../../../kit/findings/filters.js';
import { countFindings } from '../../../kit/findings/query.js';
import { findings } from '../../../kit/findings/row.js';
import type { Triage } from '../../../kit/findings/triage/decide.js';
import { triageFindings, type Triaged } from '../../../kit/findings/triage/write.js';
import { jobView } from '../../../kit/work/followed-jobs.js';
import { assigneeOf } from '../assignment/people.js';
import { readable } from '../suppressions/matched.js';
import { checkFilter, checkSelection, checkTriage, MAX_AT_ONCE, type BulkInput } from './input.js';
import { countOutcomes, itemOf, refusal, type BulkItem } from './items.js';
import { BULK_TRIAGE } from './job.js';
import { namedFindings, type Named } from './select.js';

/** Findings that one job triages. */
const MAX_BY_JOB = 100_000;

/**
 * Triages the findings that a call names, or that its filter selects.
 * @throws PalisadeError VALIDATION_ERROR; FORBIDDEN for an engine that a filter names and the caller may not read; as one finding is refused,
 *   where it is all or nothing
 */
export async function bulkTriage(context: EngineContext, input: BulkInput) {
  checkSelection(input);
  const asked = checkTriage(input);
  const { restrictedEngines } = readable(context);
  const answer = { dry_run: input.dry_run ?? false, restrictedEngines, job: null };
  if (input.finding_ids) {
    const items = await triageNamed(context, await namedFindings(context, input.finding_ids), asked, input);
    return { ...answer, matched: items.length, ...countOutcomes(items), items };
  }
  const { engines, filter } = checkFilter(context, input.filter!);
  const holding = await countsOf(context, engines, filter);
  const matched = holding.reduce((sum, { count }) => sum + count, 0);
  const facts = holding.map((one) => one.facts);
  if (matched <= MAX_AT_ONCE || answer.dry_run) {
    const items = await triageNamed(context, await selected(context, facts, filter), asked, input);
    return { ...answer, matched, ...countOutcomes(items), items };
  }
  if (input.all_or_nothing)
    throw invalid([{ path: 'all_or_nothing', message: `is for at most ${MAX_AT_ONCE} findings; the filter selects ${matched}` }]);
  if (matched > MAX_BY_JOB)
    throw invalid([{ path: 'filter', message: `selects ${matched} findings; a job triages at most ${MAX_BY_JOB}` }]);
  const job = await startJob(context, facts, filter, await withAssignee(context, facts, asked), matched);
  return { ...answer, matched, changed: 0, unchanged: 0, refused: 0, items: [], job };
}

/** The engines that hold findings of a filter, and how many. */
async function countsOf({ auth, services }: EngineContext, engines: readonly FindingFacts[], filter: FindingFilter) {
  const tenant = services.database.tenant(auth.tenant_id);
  const counts = await Promise.all(
    engines.map(async (facts) => ({ facts, count: await countFindings(tenant.engine(facts.engine), filter) })),
  );
  return counts.filter(({ count }) => count > 0);
}

/** The first findings that a filter selects. */
async function selected({ auth, services }: EngineContext, engines: readonly FindingFacts[], filter: FindingFilter): Promise<Named[]> {
  const found: Named[] = [];
  for (const facts of engines) {
    const rows = services.database.tenant(auth.tenant_id).engine(facts.engine).collection(findings);
    const limit = MAX_AT_ONCE - found.length;
    if (limit === 0) break;
    for (const { finding_id } of await rows.find(findingCondition(filter), { limit, fields: ['finding_id'] }))
      found.push({ id: finding_id, facts, error: null });
  }
  return found;
}

/** Triages findings in one transaction. @returns what came of each, in their order */
async function triageNamed(
  context: EngineContext,
  named: readonly Named[],
  asked: Triage,
  { all_or_nothing, dry_run }: Pick<BulkInput, 'all_or_nothing' | 'dry_run'>,
): Promise<BulkItem[]> {
  const refused = named.find(({ error }) => error !== null);
  if (all_or_nothing && refused) throw refused.error!;
  const engines = [...new Set(named.flatMap(({ facts }) => facts ?? []))];
  const wanted = await withAssignee(context, engines, asked);
  const at = context.services.clock.now();
  const done = await context.transaction(async (transaction) => {
    const all = new Map<string, Triaged>();
    for (const facts of engines) {
      const ids = named.filter((one) => one.facts === facts).map(({ id }) => id);
      const batch = { ids, asked: wanted, at, dryRun: dry_run ?? false, allOrNothing: all_or_nothing ?? false };
      for (const one of await triageFindings(context, facts, batch, transaction)) all.set(`${facts.engine} ${one.id}`, one);
    }
    return all;
  });
  return named.map((one) => (one.error ? refusal(null, one.id, one.error) : itemOf(one.facts, done.get(`${one.facts.engine} ${one.id}`)!)));
}

const withAssignee = async (context: EngineContext, engines: readonly FindingFacts[], asked: Triage): Promise<Triage> =>
  asked.assignee ? { ...asked, assignee: await assigneeOf(context, engines, asked.assignee) } : asked;

async function startJob(context: EngineContext, engines: readonly FindingFacts[], filter: FindingFilter, asked: Triage, total: number) {
  const { auth, services } = context;
  if (auth.support) throw forbidden(`A support access triages at most ${MAX_AT_ONCE} findings at once`);
  const payload = { engines: engines.map(({ engine }) => engine), filter, asked };
  const followed = { readers: [...new Set(engines.map(({ permission }) => permission))], total };
  const job = await context.transaction((transaction) => services.jobs.addFollowed(transaction, auth, BULK_TRIAGE, payload, followed));
  services.jobs.wake();
  return jobView(job);
}
