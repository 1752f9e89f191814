import { FINDING_STATUSES, SEVERITIES } from '../../../schema/model.js';
import { picked, withValues, type Query } from '../address.js';
import { asFlag, asNumber, asText, filterBody, type Reading } from '../filter-body.js';
import type { Chip } from '../parts/chip.js';

/** What is not done yet. */
export const OPEN_STATUSES: readonly string[] = ['OPEN', 'IN_PROGRESS'];

/** Filters with a menu: the API counts their values (`GET /findings/facets`). */
export const FACETS = [
  ['severity', 'Severity'],
  ['status', 'Status'],
  ['engine', 'Engine'],
  ['provider', 'Provider'],
  ['account_id', 'Account'],
  ['region', 'Region'],
  ['resource_type', 'Type'],
] as const;
export type FacetName = (typeof FACETS)[number][0];

/** Values that are offered whether anything has them or not, in their order. */
export const FIXED_VALUES: Readonly<Partial<Record<FacetName, readonly string[]>>> = { severity: SEVERITIES, status: FINDING_STATUSES };

/** Filters that links and the search field set. */
const OTHERS: Readonly<Record<string, string>> = {
  q: 'Text',
  rule_id: 'Rule',
  resource_uid: 'Resource',
  scan_run_id: 'Run',
  first_seen_after: 'First seen after',
  first_seen_before: 'First seen before',
  last_seen_after: 'Last seen after',
  last_seen_before: 'Last seen before',
  cve: 'CVE',
  cvss_min: 'CVSS from',
  epss_min: 'EPSS from',
  known_exploited: 'Known exploited',
  assignee: 'Assignee',
  label: 'Label',
  resolved_after: 'Resolved after',
  due_before: 'Due before',
  overdue: 'Overdue',
  technique: 'Technique',
  has_ticket: 'Has a ticket',
  framework: 'Framework',
  control: 'Control',
  owner: 'Owner',
  environment: 'Environment',
  exposure: 'Exposure',
  tag: 'Tag',
};

/** Every filter with its name in words. What is not named here is not sent to the API, which refuses what it does not know. */
export const FILTERS: Readonly<Record<string, string>> = { ...Object.fromEntries(FACETS), ...OTHERS };
const NAMES = Object.keys(FILTERS).flatMap((name) => [name, `not_${name}`]);

export const filtersIn = (query: Query): Query => picked(query, NAMES);
/** Filters and order, as the list takes them. */
export const listQueryIn = (query: Query): Query => picked(query, [...NAMES, 'sort']);

/** The name of a filter in words: `not_region` as `Not region`. */
export const filterWord = (name: string): string =>
  name.startsWith('not_') ? `Not ${FILTERS[name.slice(4)]?.toLowerCase() ?? name}` : (FILTERS[name] ?? name);

/** The filters that are set, each with what is left when it is taken away. */
export const chipsOf = (query: Query): Chip[] =>
  [...filtersIn(query)].flatMap(([name, values]) =>
    values.map((value) => ({ name, value, without: withValues(query, { [name]: values.filter((one) => one !== value) }) })),
  );

/** How a body takes the filters that are no lists. */
const READINGS: Readonly<Record<string, Reading>> = {
  first_seen_after: asText,
  first_seen_before: asText,
  last_seen_after: asText,
  last_seen_before: asText,
  resolved_after: asText,
  due_before: asText,
  q: asText,
  cvss_min: asNumber,
  epss_min: asNumber,
  known_exploited: asFlag,
  overdue: asFlag,
  has_ticket: asFlag,
};

/** The filters as a body takes them, which an export does with all of them. */
export const filterBodyOf = (query: Query): Record<string, unknown> => filterBody(query, NAMES, READINGS);

/** What bulk triage takes as a filter; the rest of the filters select rows for the screen alone. */
const BULK: readonly string[] = [
  'engine',
  'severity',
  'provider',
  'status',
  'region',
  'account_id',
  'resource_type',
  'rule_id',
  'resource_uid',
  'scan_run_id',
  'cve',
  'first_seen_after',
  'last_seen_after',
  'q',
  'cvss_min',
  'epss_min',
  'known_exploited',
];

/** The filters as bulk triage takes them; null where it does not know one of them. */
export const bulkFilterOf = (query: Query): Record<string, unknown> | null =>
  [...filtersIn(query).keys()].every((name) => BULK.includes(name)) ? filterBodyOf(query) : null;
