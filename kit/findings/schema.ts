import type { FindingFacts } from '../engine/finding-facts.js';
import { fieldPrefix } from '../engine/engine.js';
import { filterArguments } from './filters.js';
import { ITEM_TYPE } from './item.js';
import { SORT_ARGUMENT } from './order.js';
import { readSharedSchema } from '../engine/read-schema.js';

const shared = ITEM_TYPE + readSharedSchema('findings') + readSharedSchema('triage');

/** What every finding engine adds to the graph. */
export function findingSchema(
  label: string,
  { engine, permission, viewSegment, vulnerabilities }: Pick<FindingFacts, 'engine' | 'permission' | 'viewSegment' | 'vulnerabilities'>,
): string {
  const filters = filterArguments(vulnerabilities ?? false);
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
  ${prefix}_findings(${filters}${SORT_ARGUMENT}
  ): FindingPage! ${read}

  "Counts the findings of the ${label} engine by severity and status and names the top rules and resources, under the same filters as the list."
  ${prefix}_summary(${filters}
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

  "The ATT&CK techniques that the ${label} findings name, with how many do, without suppressed ones."
  ${prefix}_techniques: [TechniqueCount!]! @graphOnly ${read}

  "Pages through the life of one ${label} finding, newest first. The REST view is /views/finding/${viewSegment}/{id}/timeline."
  ${prefix}_timeline(
    "Id of the finding."
    finding_id: ID!
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
