import { FINDING_ITEM, STANDARD_COLUMNS } from '../../../kit/findings/item.js';

/** The graph's part of the comparison of runs. The columns of a finding are those of every list. */
export const diffSchema = `
"What became of a finding since the run that is compared with."
enum ScanRunChangeKind {
  "It was raised for the first time."
  new
  "It was resolved, and has come back."
  regressed
  "It is there as before, and the report tells something else of it: another severity, title or evidence."
  changed
  "It was closed, because it passed or was not seen in the completed scope."
  resolved
}

"How a finding stood before a run."
type FindingBefore {
  "Where it stood."
  status: FindingStatus!
  "How bad it was."
  severity: Severity!
}

"What a run did to one finding, with the finding as it is today."
type ScanRunChange {
  "What became of it."
  change: ScanRunChangeKind!
  "The run that did it: the one that is asked for, or one of \`between\`."
  scan_run_id: String!
  "How it stood before; null for what is new."
  before: FindingBefore
  "View segment of the engine that owns the finding."
  engine: String!
${STANDARD_COLUMNS.map((name) => `  "${FINDING_ITEM[name][1]}"\n  ${name}: ${FINDING_ITEM[name][0]}`).join('\n')}
}

"How many findings became what."
type ScanRunDiffCounts {
  "Raised for the first time."
  new: Int!
  "Come back after they had been resolved."
  regressed: Int!
  "There as before, and told of differently."
  changed: Int!
  "Closed."
  resolved: Int!
}

"A scan run that others are compared with."
type ComparedRun {
  "Its id."
  scan_run_id: String!
  "Provider of what it saw, where that is one."
  provider: Provider
  "The account that it was narrowed to."
  account_id: String
  "When it became final."
  completed_at: DateTime
  "Findings that it saw."
  total_findings: Int
}

"What a scan run changed since the last completed run of the same scope; one page of it."
type ScanRunDiff {
  "The run."
  scan_run_id: String!
  "Where it stands; what a run that is not final has done so far is told."
  state: ScanRunState!
  "The last run before it that was completed, of the same format, account, region and artifact; null when there was none."
  against: ComparedRun
  "Runs of the same scope since then that were not completed; what they did counts, too. The newest hundred."
  between: [String!]!
  "How many findings became what, in the engines that the caller may read."
  counts: ScanRunDiffCounts!
  "The changes of this page: by kind, then by engine, the worst first."
  items: [ScanRunChange!]!
  "Exact number of changes of the kinds and engines that are asked for."
  total: Int!
  "Number of this page, from 1."
  page: Int!
  "Rows a page."
  page_size: Int!
  "Whether another page follows."
  has_more: Boolean!
  "View segments of engines that the caller may not read; nothing of them is counted."
  restrictedEngines: [String!]!
}

extend type Query {
  """
  What a scan run changed: findings that are new, changed, resolved or come back since the last completed run of the same scope; null when the tenant has
  no run of this id.
  """
  scan_run_diff(
    "Id of the run." scan_run_id: String!
    "Number of the page, from 1." page: Int = 1
    "Rows a page, 1 to 200." page_size: Int = 50
    "Only changes of these kinds." change: [ScanRunChangeKind!]
    "Only findings of these engines, by view segment." engine: [String!]
  ): ScanRunDiff @permission(requires: "scans:read")
}
`;
