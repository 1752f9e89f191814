import type { FindingStatus } from '../../../schema/model.js';
import { severityRank } from '../../../kit/findings/risk-score.js';
import type { RuleEvent } from '../channels/digest.js';
import type { FindingListArguments, FindingReader, ReadFinding } from '../findings/reader.js';
import type { RuleFilter } from './records.js';

/** The statuses in which a finding asks for something to be done. */
export const PENDING: readonly FindingStatus[] = ['OPEN', 'IN_PROGRESS'];
const has = <T>(list: readonly T[], value: T | null) => list.length === 0 || (value !== null && list.includes(value));

/** Whether a rule's filter takes a finding. */
export const matches = (filter: RuleFilter, finding: ReadFinding): boolean =>
  has(filter.engine, finding.engine) &&
  has(filter.severity, finding.severity) &&
  has<string>(filter.provider, finding.provider) &&
  has(filter.account_id, finding.account_id) &&
  has(filter.rule_id, finding.rule_id) &&
  has(filter.resource_type, finding.resource_type);

/** Whether a finding that asks for something to be done was due before. */
export const isOverdue = ({ status, due_at }: ReadFinding, now: Date): boolean =>
  due_at != null && PENDING.includes(status) && new Date(due_at) < now;

export const worstFirst = (one: ReadFinding, other: ReadFinding): number =>
  severityRank(other.severity) - severityRank(one.severity) ||
  other.risk_score - one.risk_score ||
  one.finding_id.localeCompare(other.finding_id);

/** The arguments of a list that a filter means; an empty list is no condition. */
export const listArguments = (filter: RuleFilter): Omit<FindingListArguments, 'page' | 'page_size'> => {
  const { severity, provider, account_id, rule_id, resource_type } = filter;
  const given = Object.entries({ severity, provider, account_id, rule_id, resource_type }).filter(([, values]) => values.length > 0);
  return { status: PENDING, ...Object.fromEntries(given) };
};

/** What of a rule's findings matches now. */
export interface Matches {
  total: number;
  /** Whether all findings were looked at. */
  total_is_exact: boolean;
  items: ReadFinding[];
}

/** Findings shown, findings a page, and pages looked through in one engine. */
const SHOWN = 10;
const PAGE = 200;
const MOST_PAGES = 25;

/** What a rule would tell if all that is open came up now. */
export async function matchNow(
  reader: FindingReader,
  engines: readonly string[],
  event: RuleEvent,
  filter: RuleFilter,
  now: Date,
): Promise<Matches> {
  const found = await Promise.all(
    engines.map(async (engine) => {
      if (event !== 'new') return lookThrough(reader, engine, event, filter, now);
      const { items, total } = await reader.list(engine, { ...listArguments(filter), page: 1, page_size: SHOWN });
      return { total, items, total_is_exact: true };
    }),
  );
  return {
    total: found.reduce((sum, { total }) => sum + total, 0),
    total_is_exact: found.every((one) => one.total_is_exact),
    items: found
      .flatMap(({ items }) => items)
      .sort(worstFirst)
      .slice(0, SHOWN),
  };
}

/** The oldest findings first: what is overdue stands among them. */
async function lookThrough(reader: FindingReader, engine: string, event: RuleEvent, filter: RuleFilter, now: Date): Promise<Matches> {
  const is = (finding: ReadFinding) => (event === 'regressed' ? finding.regressed_at !== null : isOverdue(finding, now));
  const items: ReadFinding[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const list = await reader.list(engine, { ...listArguments(filter), sort: 'first_seen_at', page, page_size: PAGE });
    items.push(...list.items.filter(is));
    if (!list.has_more) return { total: items.length, total_is_exact: true, items };
  }
  return { total: items.length, total_is_exact: false, items };
}
