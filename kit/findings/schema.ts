import type { FindingFacts } from '../engine/finding-facts.js';
import { fieldPrefix } from '../engine/engine.js';
import { readSharedSchema } from '../engine/read-schema.js';

const shared = readSharedSchema('findings') + readSharedSchema('triage');

/** The filter arguments of every finding list, as decision 7 names them. */
const FILTERS = `
    "Only these severities."
    severity: [Severity!]
    "Only these providers."
    provider: [Provider!]
    "Only these statuses; without it everything but SUPPRESSED."
    status: [FindingStatus!]
    "Only these regions."
    region: [String!]
    "Only these accounts."
    account_id: [String!]
    "Only these resource types."
    resource_type: [String!]
    "Only these rules."
    rule_id: [String!]
    "Only these resources."
    resource_uid: [String!]
    "Only findings that these runs produced or last confirmed."
    scan_run_id: [String!]
    "Only findings first seen after this moment."
    first_seen_after: DateTime
    "Only findings last seen after this moment."
    last_seen_after: DateTime
    "Only findings whose title or resource name holds this text, in any case."
    q: String`;

const PAGING = `
    "Number of the page, from 1."
    page: Int = 1
    "Rows a page, 1 to 200."
    page_size: Int = 50`;

const SORT = `
    "severity, risk_score, last_seen_at or first_seen_at, with - in front for descending; without it worst severity first, then newest, then finding_id."
    sort: String`;

/** What every finding engine adds to the graph. */
export function findingSchema(
  label: string,
  { engine, permission, viewSegment }: Pick<FindingFacts, 'engine' | 'permission' | 'viewSegment'>,
): string {
  const prefix = fieldPrefix(engine);
  const read = `@permission(requires: "${permission}")`;
  const triage = `@permission(requires: "${permission}+scans:create")`;
  return `${shared}
extend type Asset {
  "${label} findings on this resource, worst first, without suppressed ones."
  ${prefix}_findings(
    "At most this many, 1 to 200."
    limit: Int = 50
  ): [Finding!] @graphOnly ${read}
}

type Query {
  "Lists the findings of the ${label} engine with filters, sort and pages."
  ${prefix}_findings(${PAGING}${FILTERS}${SORT}
  ): FindingPage! ${read}

  "Counts the findings of the ${label} engine by severity and status and names the top rules and resources, under the same filters as the list."
  ${prefix}_summary(${FILTERS}
  ): EngineSummary! ${read}

  "One ${label} finding with its evidence; null when the tenant has none of this id. The REST view is /views/finding/${viewSegment}/{id}."
  ${prefix}_finding(
    "Id of the finding."
    finding_id: ID!
  ): FindingRecord @graphOnly ${read}

  "The ${label} findings of several resources at once, worst first, without suppressed ones."
  ${prefix}_findings_on(
    "The resources, at most 200."
    resource_uids: [String!]!
    "At most this many a resource, 1 to 200."
    limit: Int = 50
  ): [FindingsOnResource!]! @graphOnly ${read}

  "Several ${label} findings by their ids, in no particular order; ids that the tenant does not have are left out."
  ${prefix}_findings_by_id(
    "Ids of the findings, at most 1,000."
    finding_ids: [ID!]!
  ): [Finding!]! @graphOnly ${read}

  "Pages through the life of one ${label} finding, newest first. The REST view is /views/finding/${viewSegment}/{id}/timeline."
  ${prefix}_timeline(
    "Id of the finding."
    finding_id: ID!${PAGING}
  ): TimelinePage @graphOnly ${read}
}

type Mutation {
  "Moves one ${label} finding to another status, with an audit entry. The REST view is PATCH /views/finding/${viewSegment}/{id}/status."
  ${prefix}_set_status(
    "Id of the finding."
    finding_id: ID!
    "The status to move to."
    status: FindingStatus!
    "Justification, stored in the audit log."
    note: String
    "The version that the caller has seen; another one is PRECONDITION_FAILED."
    expected_version: Int
  ): FindingStatusChange! @graphOnly ${triage}

  "Links one ${label} finding to a ticket, or unlinks it, with an audit entry. The REST view is /views/finding/${viewSegment}/{id}/ticket."
  ${prefix}_set_ticket(
    "Id of the finding."
    finding_id: ID!
    "Id of the ticket in its tracker; without one the finding is unlinked."
    ticket_id: String
    "Address of the ticket."
    ticket_url: String
    "The integration that the ticket was made or found through."
    integration_id: String
  ): TicketLink @graphOnly ${triage}
}
`;
}
