import { FINDING_STATUSES, PROVIDERS, SEVERITIES, type FindingStatus, type Provider, type Severity } from '../../schema/model.js';
import type { FindingRow } from './row.js';
import { CLOSABLE } from './lifecycle.js';
import { severityRank } from './risk-score.js';
import type { Filter, Sort } from '../store/query.js';
import { containsText } from '../store/text-filter.js';

type Column = keyof FindingRow;

/** One filter of a finding list. */
export interface FilterDeclaration<Value> {
  /** Type of its argument in the graph. */
  readonly type: string;
  readonly description: string;
  /** The columns that it looks at. */
  readonly columns: readonly Column[];
  /** The database's condition for a value. */
  condition(value: Value): Filter;
  /**
   * How counters tell its values apart: by the cells of each row, by a row for each value, or by a row for each moment; null where findings
   * must be counted.
   */
  readonly counted: 'cell' | 'value' | 'moment' | null;
  /** All values that there are, where they are few: what is not one of some is one of the others. */
  readonly values?: readonly string[];
}

interface Text {
  description: string;
  column: Column;
  counted?: 'cell' | 'value';
  values?: readonly string[];
}

/** Any of several values: OR within one filter, AND between filters. */
const anyOf = <V extends string>(
  type: string,
  { description, column, counted, values: all }: Text,
  stored: (value: V) => unknown = (value) => value,
): FilterDeclaration<readonly V[]> => ({
  type: `[${type}!]`,
  description,
  columns: [column],
  counted: counted ?? null,
  values: all,
  condition: (values) => ({ [column]: values.length === 1 ? stored(values[0]!) : { $in: values.map(stored) } }),
});

const seen = (side: '$gt' | '$lt', column: Column, description: string): FilterDeclaration<Date> => ({
  type: 'DateTime',
  description,
  columns: [column],
  counted: 'moment',
  condition: (moment) => ({ [column]: { [side]: moment } }),
});

const flagged = (column: Column, yes: Filter, no: Filter, description: string): FilterDeclaration<boolean> => ({
  type: 'Boolean',
  description,
  columns: [column],
  counted: null,
  condition: (wanted) => (wanted ? yes : no),
});

const atLeast = (column: Column, description: string): FilterDeclaration<number> => ({
  type: 'Float',
  description,
  columns: [column],
  counted: null,
  condition: (number) => ({ [column]: { $gte: number } }),
});

/** The filters of every finding list (decision 7). Arguments, types, conditions and what counters know derive from this table. */
export const FINDING_FILTERS = {
  severity: anyOf<Severity>(
    'Severity',
    { description: 'Only these severities.', column: 'severity_rank', counted: 'cell', values: SEVERITIES },
    severityRank,
  ),
  provider: anyOf<Provider>('Provider', { description: 'Only these providers.', column: 'provider', counted: 'cell', values: PROVIDERS }),
  status: anyOf<FindingStatus>('FindingStatus', {
    description: 'Only these statuses; without it everything but SUPPRESSED.',
    column: 'status',
    counted: 'cell',
    values: FINDING_STATUSES,
  }),
  region: anyOf<string>('String', { description: 'Only these regions.', column: 'region', counted: 'value' }),
  account_id: anyOf<string>('String', { description: 'Only these accounts.', column: 'account_id', counted: 'value' }),
  resource_type: anyOf<string>('String', { description: 'Only these resource types.', column: 'resource_type', counted: 'value' }),
  rule_id: anyOf<string>('String', { description: 'Only these rules.', column: 'rule_id', counted: 'value' }),
  resource_uid: anyOf<string>('String', { description: 'Only these resources.', column: 'resource_uid', counted: 'value' }),
  scan_run_id: anyOf<string>('String', {
    description: 'Only findings that these runs produced or last confirmed.',
    column: 'scan_run_id',
    counted: 'value',
  }),
  first_seen_after: seen('$gt', 'first_seen_at', 'Only findings first seen after this moment.'),
  last_seen_after: seen('$gt', 'last_seen_at', 'Only findings last seen after this moment.'),
  q: {
    type: 'String',
    description: 'Only findings whose title or resource name holds this text, in any case.',
    columns: ['title', 'resource_name'],
    counted: null,
    condition: (text: string) => (text === '' ? {} : containsText(['title', 'resource_name'], text)),
  },
} as const satisfies Record<string, FilterDeclaration<never>>;

/** Further filters of every finding list, for what few ask. */
export const STANDING_FILTERS = {
  stands_for: {
    type: '[String!]',
    description: 'Only findings of other rules that stand for failures of these rules on the same resource.',
    columns: ['evidence', 'rule_id'],
    counted: null,
    condition: (ids: readonly string[]) => ({ 'evidence.implied': { $in: ids }, rule_id: { $nin: ids } }),
  },
} as const satisfies Record<string, FilterDeclaration<never>>;

/** Further filters of engines whose findings are vulnerabilities. */
export const VULNERABILITY_FILTERS = {
  cve: anyOf<string>('String', { description: 'Only these CVEs.', column: 'cve' }, (id) => id.toUpperCase()),
  cvss_min: atLeast('cvss', 'Only findings with a CVSS base score of at least this.'),
  epss_min: atLeast('epss', 'Only findings with an exploit prediction (EPSS, 0 to 1) of at least this.'),
  known_exploited: flagged(
    'known_exploited',
    { known_exploited: true },
    { known_exploited: { $in: [false, null] } },
    'Only findings that are known to be exploited, or, when false, all others.',
  ),
} as const satisfies Record<string, FilterDeclaration<never>>;

/** Further filters of the list over all engines, beside those of vulnerabilities. */
export const ACROSS_FILTERS = {
  assignee: anyOf<string>('String', { description: 'Only findings that these people work on, by e-mail address.', column: 'assignee' }),
  label: anyOf<string>('String', { description: 'Only findings that triage rules have given one of these labels.', column: 'labels' }),
  due_before: {
    type: 'DateTime',
    description: 'Only findings that are to be fixed before this moment.',
    columns: ['due_at'],
    counted: null,
    condition: (moment: Date) => ({ due_at: { $lt: moment } }),
  },
  resolved_after: {
    type: 'DateTime',
    description: 'Only findings that were resolved after this moment, and have not come back since.',
    columns: ['resolved_at'],
    counted: null,
    condition: (moment: Date) => ({ resolved_at: { $gt: moment } }),
  },
  overdue: {
    type: 'Boolean',
    description: 'Only findings that are open or worked on and were to be fixed before now, or, when false, all others.',
    columns: ['due_at', 'status'],
    counted: null,
    // the moment is added by who reads the list, so that what is kept of an answer names it
    condition: (moment: boolean | Date) => ({
      $or: [{ status: { $in: CLOSABLE }, due_at: { $lt: moment instanceof Date ? moment : new Date() } }],
    }),
  },
  technique: {
    type: '[String!]',
    description: 'Only findings of these ATT&CK techniques, by id; a technique takes its sub-techniques in.',
    columns: ['mitre_techniques'],
    counted: null,
    condition: (ids: readonly string[]) => ({
      mitre_techniques: { $in: ids.flatMap((id) => [id, ...(/^T\d{4}$/.test(id) ? [new RegExp(`^${id}\\.`)] : [])]) },
    }),
  },
  first_seen_before: seen('$lt', 'first_seen_at', 'Only findings first seen before this moment.'),
  last_seen_before: seen('$lt', 'last_seen_at', 'Only findings last seen before this moment.'),
  has_ticket: flagged(
    'ticket',
    { ticket: { $ne: null } },
    { ticket: null },
    'Only findings with a ticket, or, when false, those without one.',
  ),
} as const satisfies Record<string, FilterDeclaration<never>>;

type ValueOf<D> = D extends { condition(value: infer Value): Filter } ? Value : never;
type ValuesOf<Table> = { readonly [Name in keyof Table]?: ValueOf<Table[Name]> | null };

/** The values of filters that a list was asked for; null and absent ask for nothing. */
export type FindingFilter = ValuesOf<typeof FINDING_FILTERS> &
  ValuesOf<typeof STANDING_FILTERS> &
  ValuesOf<typeof VULNERABILITY_FILTERS> &
  ValuesOf<typeof ACROSS_FILTERS>;
export type FilterName = keyof FindingFilter;

const ALL: Readonly<Record<FilterName, FilterDeclaration<never>>> = {
  ...FINDING_FILTERS,
  ...STANDING_FILTERS,
  ...VULNERABILITY_FILTERS,
  ...ACROSS_FILTERS,
};
/** The names of all filters. */
export const FILTER_NAMES = Object.keys(ALL) as readonly FilterName[];

/** The declaration of a filter. */
export const filterOf = (name: FilterName): FilterDeclaration<never> => ALL[name];

/** The names of the filters that are asked for. */
export const askedFilters = (filter: FindingFilter): FilterName[] =>
  FILTER_NAMES.filter((name) => filter[name] !== null && filter[name] !== undefined);

/** The filters that are asked for with their values: what tells one question from another. */
export const askedValues = (filter: FindingFilter): [FilterName, unknown][] => askedFilters(filter).map((name) => [name, filter[name]]);

/** The statuses that count when `status` asks for none: all but SUPPRESSED (decision 8). */
export const SHOWN: readonly FindingStatus[] = FINDING_STATUSES.filter((status) => status !== 'SUPPRESSED');
const RANKS = SEVERITIES.map(severityRank);

/** The database's condition for what each filter that is asked for says by itself. */
export const conditionsOf = (filter: FindingFilter): Filter[] =>
  askedFilters(filter).map((name) => ALL[name].condition(filter[name] as never));

/** The database's condition for a filter. */
export function findingCondition(filter: FindingFilter): Filter {
  const conditions: Record<string, unknown> = { status: { $in: SHOWN } };
  const more: Filter[] = [];
  for (const condition of conditionsOf(filter)) {
    // two bounds of one moment stand beside each other
    if (Object.keys(condition).some((key) => key !== 'status' && key in conditions)) more.push(condition);
    else Object.assign(conditions, condition);
  }
  return more.length === 0 ? conditions : { ...conditions, $and: more };
}

/**
 * As `findingCondition`, for a page in an order. It names every severity where the order or the filter is by `last_seen_at`, which stands
 * behind severity in the indexes: five sorted ranges are merged then, instead of all findings sorted.
 */
export function listCondition(filter: FindingFilter, sort: Sort): Filter {
  const condition = findingCondition(filter);
  const byLastSeen = Object.keys(sort)[0] === 'last_seen_at' || Boolean(filter.last_seen_after ?? filter.last_seen_before);
  return byLastSeen && !filter.severity ? { ...condition, severity_rank: { $in: RANKS } } : condition;
}

/** Arguments in the graph's language. */
export const argumentsOf = (table: Readonly<Record<string, { readonly type: string; readonly description: string }>>): string =>
  Object.entries(table)
    .map(([name, { type, description }]) => `\n    "${description}"\n    ${name}: ${type}`)
    .join('');

/** The arguments of filters in the graph's language. @param vulnerability whether those of vulnerabilities are among them */
export const filterArguments = (vulnerability: boolean): string =>
  argumentsOf({ ...FINDING_FILTERS, ...STANDING_FILTERS, ...(vulnerability && VULNERABILITY_FILTERS) });

/** The declarations of all filters, in the order of the lists' arguments. */
export const allFilters = (): Readonly<Record<FilterName, FilterDeclaration<never>>> => ALL;

/** The parts of a graph operation that passes filters on: its variables, and the arguments made of them. */
export const passedFilters = (names: readonly FilterName[]): { variables: string; values: string } => ({
  variables: names.map((name) => `$${name}: ${ALL[name].type}`).join(', '),
  values: names.map((name) => `${name}: $${name}`).join(', '),
});
