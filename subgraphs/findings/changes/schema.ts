import { ENGINE_FILTERS } from '../../../kit/findings/every-filter.js';
import { argumentsOf } from '../../../kit/findings/filters.js';
import { CHANGE_KINDS } from '../../../kit/findings/feed/records.js';

const KINDS: Readonly<Record<(typeof CHANGE_KINDS)[number], string>> = {
  opened: 'A run raised it for the first time.',
  changed: 'Something that a person sees of it is otherwise: severity, title, evidence, who reports it, when it is due by the policy.',
  triaged: 'A person, or a rule of theirs, has done something to it: status, assignee, due date, tags, ticket, suppression.',
  regressed: 'A run saw it again after it had been resolved.',
  resolved: 'It is resolved, by a run or by a person.',
  removed: 'It is stored no more, or not under this engine: retention has removed it, or a run has told which engine it belongs to.',
};

export const typeDefs = `
"What became of a finding."
enum FindingChangeKind {
${CHANGE_KINDS.map((kind) => `  "${KINDS[kind]}"\n  ${kind}`).join('\n')}
}

"One change of a finding. What one transaction does to a finding is one change."
type FindingChange {
  "Number of the change in the tenant: it only grows, in the order in which changes were stored. The same number is the same change."
  seq: Int!
  "What became of the finding."
  kind: FindingChangeKind!
  "When the change was stored."
  at: DateTime!
  "View segment of the engine that owns the finding."
  engine: String!
  "The finding's id."
  finding_id: ID!
  "The finding's version after the change: a finding that is answered with a higher one has changed again since."
  version: Int!
  "The status after the change."
  status: FindingStatus!
  "The status before it; null where it was the same, and where there was no finding."
  previous_status: FindingStatus
  "The severity after the change."
  severity: Severity!
  "The severity before it; null where it was the same, and where there was no finding."
  previous_severity: Severity
  "The finding as it stands now; null where it is stored no more."
  finding: Finding
}

"Changes of findings in their order, behind a cursor."
type FindingChangeFeed {
  "The changes, oldest first; there may be fewer than asked for, or none, before the end of the feed."
  items: [FindingChange!]!
  "What to send as \`after\` for the changes behind these; it stays good until what follows it is not kept any more."
  next_cursor: String!
  "Whether changes that are stored already follow."
  has_more: Boolean!
  "View segments of the engines that the caller's role may not read; nothing of theirs is shown."
  restrictedEngines: [String!]!
}

"Where a feed that is read for the first time begins."
enum FeedStart {
  "With the oldest change that is kept."
  oldest
  "Behind the newest change: with what comes from now on."
  now
}

extend type Query {
  """
  Tells changes of findings in the order in which they were stored, from a cursor on: each at least once and none left out, whatever
  is written meanwhile. A cursor behind which changes are kept no more is 410 (GONE); changes are kept for 30 days unless the tenant says otherwise.
  """
  finding_changes(
    "The next_cursor of the answer before; without it the feed begins where \`from\` says."
    after: String
    "Where to begin without a cursor."
    from: FeedStart = oldest
    "Changes an answer, 1 to 500."
    limit: Int = 100
    "Only changes of these kinds."
    kind: [FindingChangeKind!]
    "Only changes of findings that have one of these severities after the change, or had it before."
    severity: [Severity!]${argumentsOf(ENGINE_FILTERS)}
  ): FindingChangeFeed! @permission(requires: "check:read")
}
`;
