import { PLACED } from '../../../kit/findings/placed-cells.js';
import { MISSING_ENGINES, SELECTION_ARGUMENTS } from '../list/schema.js';

export const typeDefs = `
"What findings are grouped by."
enum FindingGrouping {
  "The rule, check or advisory."
  rule
  "The resource."
  resource
  "The account, subscription or project."
  account
  "The CVE; findings without one are in no group."
  cve
  "The engine, by view segment."
  engine
  "The owner of the resource, as the inventory knows it now: set by a person, or told by its tags."
  owner
}

"What could be changed in a rule whose findings are often false positives."
enum RuleProposal {
  "Switch the rule off (PUT /rules/{rule_id}/settings): four of five of its findings, or more, are false positives."
  switch_off
  "Set its parameters, or suppress it where it is wrong (POST /suppressions): one of five of its findings, or more, is a false positive."
  narrow
}

"Findings of all engines that the caller may read which have something in common."
type FindingGroup {
  "What they are grouped by."
  group_by: FindingGrouping!
  "What they have in common; null for findings without an account, or on resources without an owner."
  value: String
  "The title of the rule or the CVE, the type of the resource, the label of the engine; null for accounts and owners."
  label: String
  "View segments of the engines that they are of."
  engines: [String!]!
  "How many they are, of every status."
  total: Int!
  "How many are OPEN or IN_PROGRESS."
  open: Int!
  "How many were first seen within the last 7 days, whatever became of them."
  new: Int!
  "How many are RESOLVED."
  resolved: Int!
  "How many are SUPPRESSED."
  suppressed: Int!
  "How many are FALSE_POSITIVE."
  false_positive: Int!
  "The share of false positives among them, from 0 to 1."
  false_positive_rate: Float!
  "Of a rule with five false positives or more, under filters that name no status, what could be changed in it; otherwise null."
  proposal: RuleProposal
  "The worst severity of those that are open; null where none is."
  worst: Severity
  "When the one that is open for longest was first seen; null where none is open."
  oldest: DateTime
}

"One page of groups, those with most open findings first."
type FindingGroupPage {
  "The groups of this page."
  items: [FindingGroup!]!
  "Exact number of groups in the whole list."
  total: Int!
  "Number of this page, from 1."
  page: Int!
  "Groups a page."
  page_size: Int!
  "Whether another page follows."
  has_more: Boolean!${MISSING_ENGINES}
}

"A value of a filter, and how many findings it would select beside the other filters."
type FacetValue {
  "The value; null for findings without an account."
  value: String
  "Number of findings."
  count: Int!
}

"The values that findings have in the column of one filter."
type Facet {
  "How many values there are."
  distinct: Int!
  "The values, most findings first, at most 200."
  values: [FacetValue!]!
}

"The values by which findings can be filtered on. Each facet goes by all filters but its own."
type FindingFacets {
  "Exact number of findings under all filters."
  total: Int!
  "By engine, by view segment."
  engine: Facet!${PLACED.map((column) => `\n  "By ${column}."\n  ${column}: Facet!`).join('')}${MISSING_ENGINES}
}

extend type Query {
  "Groups the findings of every engine that the caller may read, with the filters of their list; suppressed ones are counted apart unless \`status\` says otherwise."
  finding_groups(
    "What they are grouped by."
    group_by: FindingGrouping = rule
    "Number of the page, from 1."
    page: Int = 1
    "Groups a page, 1 to 200."
    page_size: Int = 50${SELECTION_ARGUMENTS}
  ): FindingGroupPage! @permission(requires: "check:read")

  "Counts the findings of every engine that the caller may read by the values of filters, to fill the menus of filters."
  finding_facets(${SELECTION_ARGUMENTS}
  ): FindingFacets! @permission(requires: "check:read")
}
`;
