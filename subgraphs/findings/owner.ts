import type { FindingStatus, Provider, Severity } from '../../schema/model.js';
import type { ControlReference, Reference, Remediation } from '../../schema/observations.js';
import { callEngine } from '../../kit/engine/call-engine.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { fieldPrefix } from '../../kit/engine/engine.js';
import { readRule, type ReadRule } from '../../kit/read/rules.js';
import { notFound } from '../../kit/base/errors.js';

/** A list item as the owning engine gives it over the graph. */
export interface FindingItem {
  finding_id: string;
  engine: string;
  rule_id: string;
  title: string;
  severity: Severity;
  status: FindingStatus;
  risk_score: number;
  provider: Provider;
  account_id: string | null;
  region: string;
  resource_type: string;
  resource_uid: string;
  resource_name: string | null;
  scan_run_id: string | null;
  first_seen_at: string | null;
  last_seen_at: string | null;
  regressed_at: string | null;
  version: number;
}

/** A finding's ticket as the owning engine gives it over the graph. */
export interface TicketLink {
  finding_id: string;
  engine: string;
  ticket_id: string;
  ticket_url: string;
  integration_id: string | null;
  linked_by: string;
  linked_at: string;
}

/** A finding with its evidence as the owning engine gives it over the graph. */
export interface FindingRecord {
  finding: FindingItem;
  description: string | null;
  remediation: Remediation | null;
  references: Reference[];
  controls: ControlReference[];
  mitre_techniques: string[];
  mitre_tactics: string[];
  evidence: Record<string, unknown>;
  extensions: Record<string, unknown>;
  rule_type: string;
  ticket: TicketLink | null;
  module: string;
  module_label: string;
  subcategory: string;
  subcategory_label: string;
}

const ITEM = `finding_id engine rule_id title severity status risk_score provider account_id region resource_type resource_uid
  resource_name scan_run_id first_seen_at last_seen_at regressed_at version`;
const TICKET = 'finding_id engine ticket_id ticket_url integration_id linked_by linked_at';
const RECORD = `finding { ${ITEM} } description remediation references controls mitre_techniques mitre_tactics evidence extensions
  rule_type module module_label subcategory subcategory_label ticket { ${TICKET} }`;
const EVENTS = 'items { seq action at actor_email from to note scan_run_id } total page page_size has_more';
const CHANGE = 'finding_id engine status previous_status note changed_by changed_at version';

const operations = (prefix: string) => ({
  record: `query($id: ID!) { result: ${prefix}_finding(finding_id: $id) { ${RECORD} } }`,
  related: `query($uids: [String!]!, $limit: Int!) { result: ${prefix}_findings_on(resource_uids: $uids, limit: $limit) { resource_uid items { ${ITEM} } } }`,
  timeline: `query($id: ID!, $page: Int!, $page_size: Int!) { result: ${prefix}_timeline(finding_id: $id, page: $page, page_size: $page_size) { ${EVENTS} } }`,
  setStatus: `mutation($id: ID!, $status: FindingStatus!, $note: String, $version: Int) { result: ${prefix}_set_status(finding_id: $id, status: $status, note: $note, expected_version: $version) { ${CHANGE} } }`,
  setTicket: `mutation($id: ID!, $ticket_id: String, $ticket_url: String, $integration_id: String) { result: ${prefix}_set_ticket(finding_id: $id, ticket_id: $ticket_id, ticket_url: $ticket_url, integration_id: $integration_id) { ${TICKET} } }`,
});
type Operation = keyof ReturnType<typeof operations>;

/** Calls the owning engine. @throws PalisadeError as the engine answers, UPSTREAM_UNAVAILABLE when it does not */
export function ask<R>(
  context: EngineContext,
  engine: string,
  operation: Operation,
  variables: Record<string, unknown>,
  timeoutMs?: number,
): Promise<R> {
  return call(context, engine, operations(fieldPrefix(engine))[operation], variables, timeoutMs);
}

/** The rule behind a finding; null when there is none, or when it cannot be had in time: the finding is shown all the same. */
export const ruleOf = (context: EngineContext, ruleId: string): Promise<ReadRule | null> =>
  readRule(context, ruleId, context.services.config.FAN_OUT_TIMEOUT_MS).catch(() => null);

/** Calls an engine by name, as the caller of `context`. @throws as `ask` */
export function call<R>(
  { auth, signal, services }: EngineContext,
  engine: string,
  query: string,
  variables: Record<string, unknown>,
  timeoutMs?: number,
): Promise<R> {
  return callEngine(services.caller, { engine, query, variables, auth, signal, timeoutMs });
}

/** The engine behind a view segment. @throws PalisadeError NOT_FOUND */
export function engineOfSegment({ services }: EngineContext, segment: string): string {
  const found = services.findingEngines.find(({ viewSegment }) => viewSegment === segment);
  if (!found) throw notFound('Finding');
  return found.engine;
}
