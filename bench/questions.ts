// What bench/answers asks a server: every list and every figure, with the filters that grow with a tenant's size.
import { estateObservation } from './estate.js';

export const LIST = '/api/v1/check/findings';
const SUMMARY = '/api/v1/check/summary';

/** The values of each filter: one that many findings have, one that few have, one that none has. */
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  severity: ['critical', 'info', 'critical&severity=high'],
  provider: ['aws', 'ibm'],
  status: ['OPEN', 'FALSE_POSITIVE', 'OPEN&status=IN_PROGRESS'],
  account_id: ['account-0', 'account-39', 'none'],
  region: ['region-0', 'region-19', 'none', 'region-0&region=region-1'],
  resource_type: ['type_0', 'type_59', 'none'],
  rule_id: ['rule_0', 'rule_299', 'none'],
  resource_uid: [estateObservation(0).resource_uid, 'none'],
  scan_run_id: ['run-0', 'none'],
  first_seen_after: ['2026-01-01T06:00:00Z', '2100-01-01T00:00:00Z'],
  last_seen_after: ['2026-01-01T06:00:00Z', '2100-01-01T00:00:00Z'],
  q: ['setting', 'estate-77', 'nowhere'],
};
const SORTS = ['severity', 'risk_score', 'last_seen_at', 'first_seen_at'].flatMap((sort) => [sort, `-${sort}`]);

const alone = Object.entries(FILTERS).flatMap(([name, values]) => values.map((value) => `${name}=${value}`));
const pairs = Object.entries(FILTERS).flatMap(([one, [value]], n) =>
  Object.entries(FILTERS)
    .slice(n + 1)
    .map(([other, [second]]) => `${one}=${value}&${other}=${second}`),
);

/** What is asked of a server: a call without a body is a GET. */
export interface Question {
  readonly path: string;
  readonly body?: object;
}

/** Filters of the list over all engines, by themselves and beside others. */
const ACROSS_FILTERS = [
  '',
  'engine=check',
  'severity=critical',
  'not_severity=info',
  'not_account_id=account-0&not_region=region-0',
  'tag=team%3Dteam-3',
  'environment=production',
  'not_rule_id=rule_0&status=OPEN&account_id=account-3',
  'overdue=true',
  'first_seen_after=2026-01-01T06:00:00Z&q=setting',
];
const SORTS_ACROSS = ['due_at', '-last_seen_at', 'risk_score'];
const GROUPINGS = ['rule', 'resource', 'account', 'owner', 'cve', 'engine'];
/** Of words in every finding, in few and in none; with a slip; in another order. */
const SEARCHES = ['setting', 'estate-77', 'nowhere', 'benchmrk', 'switched setting', 'bcuket', 'adxin'];
const SCOPES: readonly object[] = [
  { rule_id: ['rule_0'] },
  { resource_uid: ['arn:aws:s3:::estate-7*'] },
  { account_id: ['account-0'], region: ['region-0'] },
  { tag: ['team=team-3'] },
  { engine: ['check'] },
];

/** What is asked of all engines at once. */
const across = (): [string, Question][] => [
  ...[
    '/dashboard',
    '/dashboard/trends',
    '/sla-policy',
    ...ACROSS_FILTERS.map((filter) => `/findings?${filter}`),
    ...SORTS_ACROSS.map((sort) => `/findings?sort=${sort}`),
    '/findings?page=100',
    ...ACROSS_FILTERS.map((filter) => `/findings/facets?${filter}`),
    ...ACROSS_FILTERS.map((filter) => `/findings/ageing?${filter}`),
    ...GROUPINGS.map((by) => `/findings/groups?group_by=${by}`),
    ...['severity=critical', 'not_account_id=account-0', 'status=OPEN&region=region-1'].flatMap((filter) =>
      ['rule', 'resource', 'owner'].map((by) => `/findings/groups?group_by=${by}&${filter}`),
    ),
    ...['', 'from=now', 'kind=resolved', 'severity=critical'].map((filter) => `/findings/changes?${filter}`),
    ...SEARCHES.map((q) => `/search?q=${encodeURIComponent(q)}`),
  ].map((path): [string, Question] => [path.slice(1), { path: `/api/v1${path}` }]),
  ...SCOPES.map((scope): [string, Question] => [
    `suppressions/preview ${JSON.stringify(scope)}`,
    { path: '/api/v1/suppressions/preview', body: { scope } },
  ]),
];

/** What is asked, by name. */
export function questions(findingId: string): Map<string, Question> {
  const asked: string[] = [
    LIST,
    ...[100, 2_000].map((page) => `${LIST}?page=${page}`),
    ...SORTS.flatMap((sort) => [`${LIST}?sort=${sort}`, `${LIST}?sort=${sort}&page=100`]),
    ...[...alone, ...pairs].map((filter) => `${LIST}?${filter}`),
    SUMMARY,
    ...alone.map((filter) => `${SUMMARY}?${filter}`),
    `/api/v1/views/finding/check/${findingId}`,
    `/api/v1/views/finding/check/${findingId}/timeline`,
    ...['', 'result=failure', 'result=success', 'action=finding.open', 'action=user.login', 'page=2000', 'after=2100-01-01T00:00:00Z'].map(
      (filter) => `/api/v1/audit-logs?${filter}`,
    ),
    '/api/v1/inventory/summary',
    ...[
      '',
      'region=region-0',
      'region=none',
      'resource_type=type_0',
      'account_id=account-0',
      'provider=aws',
      'q=estate-77',
      'q=nowhere',
      'page=200',
    ].map((filter) => `/api/v1/inventory/assets?${filter}`),
    '/api/v1/compliance/frameworks',
    '/api/v1/compliance/framework/aws_fsbp/report',
  ];
  const named = asked.map((path): [string, Question] => [path.replace('/api/v1/', '').replace(findingId, '{id}'), { path }]);
  return new Map([...across(), ...named]);
}
