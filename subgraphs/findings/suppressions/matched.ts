import { holds } from '../../../kit/base/auth-context.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import { comparing, DEFAULT_SORT, KEY_FIELDS, type Key } from '../../../kit/findings/order.js';
import { findings, type FindingRow } from '../../../kit/findings/row.js';
import type { Filter } from '../../../kit/store/query.js';

/** What is shown of a finding that a rule takes. */
const SHOWN = [
  'engine',
  'finding_id',
  'rule_id',
  'title',
  'severity',
  'status',
  'account_id',
  'region',
  'resource_uid',
  'first_seen_at',
] as const;

/** The finding engines that the caller may read, and the view segments of the others. */
export function readable({ auth, services }: EngineContext): { engines: FindingFacts[]; restrictedEngines: string[] } {
  const engines = services.findingEngines.filter(({ permission }) => holds(auth, permission));
  const restricted = services.findingEngines.filter((facts) => !engines.includes(facts));
  return { engines, restrictedEngines: restricted.map(({ viewSegment }) => viewSegment) };
}

const rowsOf = ({ auth, services }: EngineContext, engines: readonly FindingFacts[]) =>
  services.database
    .tenant(auth.tenant_id)
    .engines(engines.map(({ engine }) => engine))
    .collection(findings);

/** How many findings of these engines meet a condition. */
export const countMatched = (context: EngineContext, engines: readonly FindingFacts[], condition: Filter): Promise<number> =>
  rowsOf(context, engines).count(condition);

/** The worst findings of these engines that meet a condition. */
export async function worstMatched(context: EngineContext, engines: readonly FindingFacts[], condition: Filter, limit: number) {
  const rows = rowsOf(context, engines);
  const fields = [...new Set([...SHOWN, ...KEY_FIELDS])];
  const found: FindingRow[][] = await Promise.all(
    engines.map(({ engine }) => rows.find({ $and: [condition, { engine }] }, { sort: DEFAULT_SORT, limit, fields })),
  );
  const segments = new Map(engines.map(({ engine, viewSegment }) => [engine, viewSegment]));
  return worstOf(found.flat(), limit).map((row) => ({ ...row, engine: segments.get(row.engine)! }));
}

/** The first findings in the order of lists. */
export const worstOf = <Row extends Key>(rows: readonly Row[], limit: number): Row[] =>
  [...rows].sort(comparing(DEFAULT_SORT)).slice(0, limit);
