import type { ControlReference, Reference, Remediation } from '../../schema/observations.js';
import { callEngine } from '../../kit/engine/call-engine.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { fieldPrefix } from '../../kit/engine/engine.js';
import { readRule, type ReadRule } from '../../kit/read/rules.js';
import { notFound, PalisadeError } from '../../kit/base/errors.js';
import { presentOwner } from '../../kit/findings/present-owner.js';
import { ITEM_SELECTION, type FindingItemJson } from '../../kit/findings/item.js';

export type FindingItem = FindingItemJson;

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
  absent_since: string | null;
  former_engines: string[];
  module: string;
  module_label: string;
  subcategory: string;
  subcategory_label: string;
}

const TICKET = 'finding_id engine ticket_id ticket_url integration_id linked_by linked_at';
const RECORD = `finding { ${ITEM_SELECTION} } description remediation references controls mitre_techniques mitre_tactics evidence extensions
  rule_type absent_since former_engines module module_label subcategory subcategory_label ticket { ${TICKET} }`;
const EVENTS = 'items { seq action at actor_email from to note scan_run_id } total page page_size has_more';
const CHANGE = 'finding_id engine status previous_status note changed_by changed_at version';

const operations = (prefix: string) => ({
  record: `query($id: ID!) { result: ${prefix}_finding(finding_id: $id) { ${RECORD} } }`,
  related: `query($uids: [String!]!, $limit: Int!) { result: ${prefix}_findings_on(resource_uids: $uids, limit: $limit) { resource_uid items { ${ITEM_SELECTION} } } }`,
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

/**
 * Asks the engine of a view segment for one finding, or the engine that holds it now where it has moved on from there (decision 37).
 * @throws as `ask`
 */
export async function askHolder<R>(
  context: EngineContext,
  segment: string,
  operation: Operation,
  variables: { id: string } & Record<string, unknown>,
): Promise<R | null> {
  const engine = engineOfSegment(context, segment);
  let refusal: unknown = null;
  const found = await ask<R | null>(context, engine, operation, variables).catch((error: unknown) => {
    if (!(error instanceof PalisadeError) || error.code !== 'NOT_FOUND') throw error;
    refusal = error;
    return null;
  });
  if (found !== null && refusal === null) return found;
  const holder = await presentOwner(context.services, context.auth, engine, variables.id);
  if (holder !== null) return ask(context, holder, operation, variables);
  if (refusal !== null) throw refusal;
  return found;
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
