import type { Filter } from '../../store/query.js';
import type { FindingRow } from '../row.js';

/** Which findings a suppression takes: OR within one list, AND between them; a list that is empty is no condition. */
export interface SuppressionScope {
  /** View segments. */
  engine: string[];
  rule_id: string[];
  /** Resources, or patterns of them: `*` stands for any characters, `?` for one. */
  resource_uid: string[];
  /** Tags of the resource: `name`, or `name=value`. */
  tag: string[];
  account_id: string[];
  region: string[];
  cve: string[];
}

/** What a scope looks at in a finding. */
export const SCOPED_FIELDS = ['rule_id', 'resource_uid', 'account_id', 'region', 'cve'] as const;
export type ScopedFinding = Pick<FindingRow, (typeof SCOPED_FIELDS)[number]>;

/** The tags of a resource by name. */
export type Tags = Readonly<Record<string, unknown>>;

/** Whether a list takes a value; an empty one is no condition. */
export const hasOneOf = (list: readonly string[], value: string | null): boolean =>
  list.length === 0 || (value !== null && list.includes(value));

const isPattern = (text: string): boolean => /[*?]/.test(text);

/** Whether a text is of a pattern; takes at most (length of both multiplied) steps, whatever the pattern. */
export function matchesPattern(pattern: string, text: string): boolean {
  let [p, t, star, retry] = [0, 0, -1, 0];
  while (t < text.length) {
    if (pattern[p] === '*') [star, retry] = [p++, t];
    else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) [p, t] = [p + 1, t + 1];
    else if (star >= 0) [p, t] = [star + 1, ++retry];
    else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

const isOfResource = (wanted: readonly string[], uid: string): boolean =>
  wanted.length === 0 || wanted.some((one) => (isPattern(one) ? matchesPattern(one, uid) : one === uid));

const hasTag = (wanted: readonly string[], tags: Tags): boolean =>
  wanted.length === 0 || Object.entries(tags).some(([name, value]) => wanted.includes(name) || wanted.includes(`${name}=${String(value)}`));

/** Whether a scope takes a finding of an engine. @param tags those of the finding's resource */
export const takes = (scope: SuppressionScope, segment: string, finding: ScopedFinding, tags: Tags): boolean =>
  hasOneOf(scope.engine, segment) &&
  hasOneOf(scope.rule_id, finding.rule_id) &&
  hasOneOf(scope.account_id, finding.account_id) &&
  hasOneOf(scope.region, finding.region) &&
  hasOneOf(scope.cve, finding.cve) &&
  isOfResource(scope.resource_uid, finding.resource_uid) &&
  hasTag(scope.tag, tags);

/** Whether the condition of a scope says all that it asks for. */
export const isExact = ({ tag, resource_uid }: SuppressionScope): boolean => tag.length === 0 && !resource_uid.some(isPattern);

/** A condition that all findings meet which a scope takes; those that `takes` refuses may meet it, too. */
export function scopeCondition(scope: SuppressionScope): Filter {
  const exact = (['rule_id', 'account_id', 'region', 'cve'] as const).filter((column) => scope[column].length > 0);
  return { ...Object.fromEntries(exact.map((column) => [column, { $in: scope[column] }])), ...resourceCondition(scope.resource_uid) };
}

function resourceCondition(wanted: readonly string[]): Filter {
  const patterns = wanted.filter(isPattern);
  const exact = { resource_uid: { $in: wanted.filter((one) => !isPattern(one)) } };
  if (patterns.length === 0) return wanted.length === 0 ? {} : exact;
  const beginnings = patterns.map((pattern) => pattern.slice(0, pattern.search(/[*?]/)));
  if (beginnings.includes('')) return {};
  return { $or: [exact, ...beginnings.map((text) => ({ resource_uid: { $gte: text, $lte: `${text}\u{10FFFF}` } }))] };
}
