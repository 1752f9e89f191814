import type { FindingRow } from './row.js';

/**
 * What a list shows of a finding: field -> its type in the graph and what it says. The one declaration of the item: the graph's
 * type, the fields read from the store, the TypeScript types and the selections of other engines derive from it.
 */
export const FINDING_ITEM = {
  finding_id: ['ID!', 'Stable id, unique per tenant and engine: the same report again gives the same id.'],
  rule_id: ['String!', 'The rule, check or advisory that the resource breaks.'],
  title: ['String!', 'What is wrong, in one line.'],
  severity: ['Severity!', 'How bad it is.'],
  status: ['FindingStatus!', 'Where it stands.'],
  risk_score: [
    'Int!',
    'Risk from 0 to 100, from severity, exploitability, whether the internet reaches the resource, and how critical the resource is.',
  ],
  provider: ['Provider!', 'The platform the resource lives on.'],
  account_id: ['String', 'Account, subscription or project of the resource; null where the report names none.'],
  region: ['String!', 'Region of the resource; `global` for what has none.'],
  resource_type: ['String!', 'Terraform type name of the resource, or a name in its style.'],
  resource_uid: ['String!', 'Cloud-neutral identifier of the resource.'],
  resource_name: ['String', 'Human name of the resource; null where the report names none.'],
  scan_run_id: ['String!', 'The run that produced or last confirmed the finding.'],
  first_seen_at: ['DateTime!', 'When a run first raised it.'],
  last_seen_at: ['DateTime!', 'When a run last saw it.'],
  regressed_at: ['DateTime', 'When it came back after having been resolved; null when it never did.'],
  assignee: ['String', 'E-mail address of whoever works on it; null where nobody is assigned.'],
  labels: ['[String!]', 'What triage rules have called it; null where none has.'],
  due_at: ['DateTime', 'By when it is to be fixed; null where nothing says so.'],
  cve: ['String', 'The CVE of a vulnerability; null for what has none.'],
  cvss: ['Float', 'CVSS base score from 0 to 10; null where the report names none.'],
  epss: ['Float', 'Probability from 0 to 1 that it is exploited within 30 days; null where the report names none.'],
  known_exploited: ['Boolean', 'Whether it is known to be exploited; null where the report does not tell.'],
  version: ['Int!', 'Grows with every change that a person can see; send it in If-Match to guard an update.'],
  provider_metadata: ['JSON!', 'Provider-specific extras that do not normalize.'],
} as const satisfies Partial<Record<keyof FindingRow, readonly [type: string, description: string]>>;

type ItemField = keyof typeof FINDING_ITEM;

/** The 14 standard columns (decision 2), in their order. */
export const STANDARD_COLUMNS = [
  'finding_id',
  'title',
  'severity',
  'status',
  'risk_score',
  'provider',
  'account_id',
  'region',
  'resource_type',
  'resource_uid',
  'resource_name',
  'rule_id',
  'first_seen_at',
  'last_seen_at',
] as const satisfies readonly ItemField[];

/** The fields of a row that a list item shows. */
export const ITEM_FIELDS = Object.keys(FINDING_ITEM) as ItemField[];

/** A finding as the graph gives it; `engine` is the view segment. */
export type FindingItem = Pick<FindingRow, ItemField> & { engine: string };

/** A value as JSON carries it. */
type AsJson<T> = T extends Date ? string : T;

/** A finding as another engine gets it over the graph, where moments are texts. */
export type FindingItemJson = { [Field in keyof FindingItem]: AsJson<FindingItem[Field]> };

/** The selection of a whole item, but for what is large. */
export const ITEM_SELECTION = ['engine', ...ITEM_FIELDS.filter((field) => field !== 'provider_metadata')].join(' ');

/** The graph's type of an item. */
export const ITEM_TYPE = `"One finding as every list shows it: the base item of the contract with the standard columns."
type Finding @shareable @page(of: "findings") {
  "View segment of the engine that owns the finding, as used in /views/finding/{engine}/{id}."
  engine: String!
${Object.entries(FINDING_ITEM)
  .map(([name, [type, description]]) => `  "${description}"\n  ${name}: ${type}`)
  .join('\n')}
  "The resource in the inventory."
  asset: Asset @graphOnly
  "The rule behind it."
  rule: Rule @graphOnly
}
`;
