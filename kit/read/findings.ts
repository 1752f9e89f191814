import type { FindingStatus } from '../../schema/model.js';
import type { ControlReference, Reference, Remediation } from '../../schema/observations.js';
import { holds } from '../base/auth-context.js';
import { missingPermission, notFound, PalisadeError } from '../base/errors.js';
import type { EngineServices } from '../engine/context.js';
import { fieldPrefix } from '../engine/engine.js';
import type { FindingFacts } from '../engine/finding-facts.js';
import { runOperation, type EngineOperation, type OperationCaller } from '../engine/operation.js';
import { askedFilters, passedFilters, type FilterName, type FindingFilter } from '../findings/filters.js';
import { ITEM_SELECTION, type FindingItemJson } from '../findings/item.js';
import { presentOwner } from '../findings/present-owner.js';
import type { PageArguments } from '../store/paging.js';
import type { TechniqueCount } from '../findings/techniques.js';

/** Who reads findings; an EngineContext is one. */
export interface FindingsCaller extends OperationCaller {
  readonly services: Pick<EngineServices, 'caller' | 'database' | 'findingEngines'>;
}

/** A finding's ticket as the owning engine gives it. */
export interface TicketLink {
  finding_id: string;
  engine: string;
  ticket_id: string;
  ticket_url: string;
  integration_id: string | null;
  linked_by: string;
  linked_at: string;
}

/** A finding with its evidence as the owning engine gives it. */
export interface FindingRecord {
  finding: FindingItemJson;
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

/** What a change of status answers (decision 35). */
export interface StatusChange {
  finding_id: string;
  engine: string;
  status: FindingStatus;
  previous_status: FindingStatus;
  note: string | null;
  changed_by: string;
  changed_at: string;
  version: number;
}

/** A page of one engine's findings. */
export interface FindingsPage {
  items: FindingItemJson[];
  total: number;
  has_more: boolean;
}

type Id = { id: string };

/** The operations that every finding engine has: what each takes, and what it gives. */
interface Operations {
  record: [Id, FindingRecord | null];
  onResources: [{ uids: readonly string[]; limit: number }, { resource_uid: string; items: FindingItemJson[] }[]];
  byIds: [{ ids: readonly string[] }, FindingItemJson[]];
  timeline: [Id & PageArguments, object | null];
  techniques: [object, TechniqueCount[]];
  setStatus: [Id & { status: FindingStatus; note?: string | null; version?: number | null }, StatusChange];
  setTicket: [Id & { ticket_id?: string | null; ticket_url?: string | null; integration_id?: string | null }, TicketLink];
}
type OperationName = keyof Operations;
type Arguments<Name extends OperationName> = Operations[Name][0];
type Answer<Name extends OperationName> = Operations[Name][1];

const TICKET = 'finding_id engine ticket_id ticket_url integration_id linked_by linked_at';
const RECORD = `finding { ${ITEM_SELECTION} } description remediation references controls mitre_techniques mitre_tactics evidence extensions
  rule_type absent_since former_engines module module_label subcategory subcategory_label ticket { ${TICKET} }`;
const EVENTS = 'items { seq action at actor_email from to note assignee due_at scan_run_id } total page page_size has_more';
const CHANGE = 'finding_id engine status previous_status note changed_by changed_at version';

const TEXTS: Readonly<Record<OperationName, (prefix: string) => string>> = {
  record: (prefix) => `query($id: ID!) { result: ${prefix}_finding(finding_id: $id) { ${RECORD} } }`,
  onResources: (prefix) => `query($uids: [String!]!, $limit: Int!) {
    result: ${prefix}_findings_on(resource_uids: $uids, limit: $limit) { resource_uid items { ${ITEM_SELECTION} } } }`,
  byIds: (prefix) => `query($ids: [ID!]!) { result: ${prefix}_findings_by_id(finding_ids: $ids) { ${ITEM_SELECTION} } }`,
  timeline: (prefix) => `query($id: ID!, $page: Int, $page_size: Int) {
    result: ${prefix}_timeline(finding_id: $id, page: $page, page_size: $page_size) { ${EVENTS} } }`,
  techniques: (prefix) => `query { result: ${prefix}_techniques { technique_id total open } }`,
  setStatus: (prefix) => `mutation($id: ID!, $status: FindingStatus!, $note: String, $version: Int) {
    result: ${prefix}_set_status(finding_id: $id, status: $status, note: $note, expected_version: $version) { ${CHANGE} } }`,
  setTicket: (prefix) => `mutation($id: ID!, $ticket_id: String, $ticket_url: String, $integration_id: String) {
    result: ${prefix}_set_ticket(finding_id: $id, ticket_id: $ticket_id, ticket_url: $ticket_url, integration_id: $integration_id) { ${TICKET} } }`,
};

/** The list with some of the filters: an engine compiles a text once, and there are few in use. */
function listText(engine: string, filters: readonly FilterName[]): string {
  const { variables, values } = passedFilters(filters);
  return `query($sort: String, $page: Int!, $page_size: Int! ${variables}) {
    result: ${fieldPrefix(engine)}_findings(sort: $sort, page: $page, page_size: $page_size ${values}) { items { ${ITEM_SELECTION} } total has_more } }`;
}

/** Every operation that is asked of a finding engine, for the check at start. */
export const findingOperations = (engine: string): EngineOperation<never, unknown>[] => [
  ...Object.values(TEXTS).map((text) => ({ engine, query: text(fieldPrefix(engine)) })),
  { engine, query: listText(engine, []) },
];

/**
 * Asks one finding engine with the caller's own permissions.
 * @throws PalisadeError FORBIDDEN for an engine that the caller may not read; as the engine answers; UPSTREAM_UNAVAILABLE when it does not
 */
export function askFindings<Name extends OperationName>(
  caller: FindingsCaller,
  engine: string,
  name: Name,
  variables: Arguments<Name>,
  timeoutMs?: number,
): Promise<Answer<Name>> {
  return ask(caller, { engine, query: TEXTS[name](fieldPrefix(engine)) }, { ...variables }, timeoutMs);
}

/** A page of one engine's findings, filtered and sorted as its list is. @throws as `askFindings` */
export function listFindings(
  caller: FindingsCaller,
  engine: string,
  args: FindingFilter & { sort?: string; page: number; page_size: number },
  timeoutMs?: number,
): Promise<FindingsPage> {
  return ask(caller, { engine, query: listText(engine, askedFilters(args)) }, { ...args }, timeoutMs);
}

async function ask<Result>(
  caller: FindingsCaller,
  operation: EngineOperation<Record<string, unknown>, Result>,
  variables: Record<string, unknown>,
  timeoutMs?: number,
): Promise<Result> {
  const facts = caller.services.findingEngines.find(({ engine }) => engine === operation.engine);
  if (facts && !holds(caller.auth, facts.permission)) throw missingPermission(facts.permission);
  return runOperation(caller, operation, variables, timeoutMs);
}

/** The finding engine behind a view segment. @throws PalisadeError NOT_FOUND */
export function engineOfSegment({ services }: FindingsCaller, segment: string): string {
  const found = services.findingEngines.find(({ viewSegment }) => viewSegment === segment);
  if (!found) throw notFound('Finding');
  return found.engine;
}

/**
 * Asks an engine about one finding, or the engine that holds it now where it has moved on from there (decision 37).
 * @throws as `askFindings`
 */
export async function askHolder<Name extends 'record' | 'timeline' | 'setStatus' | 'setTicket'>(
  caller: FindingsCaller,
  engine: string,
  name: Name,
  variables: Arguments<Name>,
): Promise<Answer<Name> | null> {
  let refusal: PalisadeError | null = null;
  const found = await askFindings(caller, engine, name, variables).catch((error: unknown) => {
    if (!(error instanceof PalisadeError) || error.code !== 'NOT_FOUND') throw error;
    refusal = error;
    return null;
  });
  if (found !== null) return found;
  const holder = await presentOwner(caller.services, caller.auth, engine, variables.id);
  if (holder !== null) return askFindings(caller, holder, name, variables);
  if (refusal !== null) throw refusal as PalisadeError;
  return null;
}

/** What several engines gave. */
export interface FindingsAcross<Result> {
  /** The answers, in the order of the list. */
  answers: { facts: FindingFacts; result: Result }[];
  /** View segments of engines that the caller may not read: they are never asked. */
  restrictedEngines: string[];
  /** View segments of engines that did not answer. */
  degradedEngines: string[];
}

/** Errors that say that an engine is away or broken, and nothing of what was asked. */
const AWAY: readonly string[] = ['UPSTREAM_UNAVAILABLE', 'INTERNAL'];

/**
 * Asks every finding engine that the caller may read (decision 39); the others are named, and so are those that do not answer.
 * @throws PalisadeError as an engine answers that is there: a FORBIDDEN stays a FORBIDDEN
 */
export async function acrossEngines<Result>(
  { auth, services }: FindingsCaller,
  read: (facts: FindingFacts) => Promise<Result>,
): Promise<FindingsAcross<Result>> {
  const across: FindingsAcross<Result> = { answers: [], restrictedEngines: [], degradedEngines: [] };
  const asked = await Promise.all(
    services.findingEngines.map(async (facts) => {
      if (!holds(auth, facts.permission)) return { facts, outcome: 'restricted' } as const;
      try {
        return { facts, outcome: 'answered', result: await read(facts) } as const;
      } catch (error) {
        if (error instanceof PalisadeError && AWAY.includes(error.code)) return { facts, outcome: 'away' } as const;
        throw error;
      }
    }),
  );
  for (const { facts, ...one } of asked) {
    if (one.outcome === 'answered') across.answers.push({ facts, result: one.result });
    else if (one.outcome === 'away') across.degradedEngines.push(facts.viewSegment);
    else across.restrictedEngines.push(facts.viewSegment);
  }
  return across;
}
