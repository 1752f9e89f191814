import type { FindingStatus } from '../../../schema/model.js';
import { permissionsOf } from '../../../schema/permissions.js';
import { systemAuthContext, type AuthContext } from '../../../kit/base/auth-context.js';
import { callEngine } from '../../../kit/engine/call-engine.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { fieldPrefix } from '../../../kit/engine/engine.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import type { DigestFinding } from './digest-finding.js';
import { askedFilters, passedFilters, type FindingFilter } from '../../../kit/findings/filters.js';
import { presentOwner } from '../../../kit/findings/present-owner.js';
import { ITEM_SELECTION, type FindingItemJson } from '../../../kit/findings/item.js';

/** A finding as its engine gives it over the graph. */
export type ReadFinding = FindingItemJson & DigestFinding;

/** A finding with its ticket and its description. */
export interface ReadRecord {
  finding: ReadFinding;
  description: string | null;
  ticket: { ticket_id: string; integration_id: string | null } | null;
}

export interface FindingListArguments extends FindingFilter {
  sort?: string;
  page: number;
  page_size: number;
}

/** Findings asked for at once by their ids. */
const AT_ONCE = 1_000;

/**
 * Who reads and changes findings when no person does.
 * @param actor what the audit log names: `integration:<name>`
 */
export const workerAuth = (tenantId: string, actor: string): AuthContext => ({
  // finding engines go by tenant and permissions alone
  ...systemAuthContext({ tenant_id: tenantId, organization_id: 'system', plan: 'starter' }, 'tenant_admin', permissionsOf('tenant_admin')),
  email: actor,
});

/** Reads findings of their engines, as `auth`. Errors are those of `callEngine`. */
export class FindingReader {
  constructor(
    private readonly services: Pick<EngineServices, 'caller' | 'database' | 'findingEngines'>,
    private readonly auth: AuthContext,
    private readonly signal?: AbortSignal,
  ) {}

  /** The engine behind a view segment, or null. */
  engineOf(segment: string): FindingFacts | null {
    return this.services.findingEngines.find(({ viewSegment }) => viewSegment === segment) ?? null;
  }

  /** The engine that holds a finding: the one of a view segment, or the one that it has moved to from there; with the finding. Null when there is none. */
  async held(segment: string, id: string): Promise<{ engine: string; record: ReadRecord } | null> {
    const asked = this.engineOf(segment);
    const record = asked && (await this.record(asked.engine, id));
    return record ? { engine: this.engineOf(record.finding.engine)!.engine, record } : null;
  }

  /** A finding with its ticket, also by an engine that held it formerly. */
  async record(engine: string, id: string): Promise<ReadRecord | null> {
    const found = await this.recordOf(engine, id);
    const holder = found ? null : await presentOwner(this.services, this.auth, engine, id);
    return holder === null ? found : this.recordOf(holder, id);
  }

  private recordOf(engine: string, id: string): Promise<ReadRecord | null> {
    const field = `${fieldPrefix(engine)}_finding`;
    return this.ask(
      engine,
      `query($id: ID!) { result: ${field}(finding_id: $id) { finding { ${ITEM_SELECTION} } description ticket { ticket_id integration_id } } }`,
      { id },
    );
  }

  async byIds(engine: string, ids: readonly string[]): Promise<ReadFinding[]> {
    const query = `query($ids: [ID!]!) { result: ${fieldPrefix(engine)}_findings_by_id(finding_ids: $ids) { ${ITEM_SELECTION} } }`;
    const found: ReadFinding[] = [];
    for (let start = 0; start < ids.length; start += AT_ONCE)
      found.push(...(await this.ask<ReadFinding[]>(engine, query, { ids: ids.slice(start, start + AT_ONCE) })));
    return found;
  }

  list(engine: string, args: FindingListArguments): Promise<{ items: ReadFinding[]; total: number; has_more: boolean }> {
    const { variables, values } = passedFilters(askedFilters(args));
    const query = `query($sort: String, $page: Int!, $page_size: Int! ${variables}) {
      result: ${fieldPrefix(engine)}_findings(sort: $sort, page: $page, page_size: $page_size ${values}) { items { ${ITEM_SELECTION} } total has_more }
    }`;
    return this.ask(engine, query, { ...args });
  }

  async setStatus(engine: string, id: string, status: FindingStatus, note: string, version: number): Promise<void> {
    const field = `${fieldPrefix(engine)}_set_status`;
    const query = `mutation($id: ID!, $status: FindingStatus!, $note: String, $version: Int) {
      result: ${field}(finding_id: $id, status: $status, note: $note, expected_version: $version) { version } }`;
    await this.ask(engine, query, { id, status, note, version });
  }

  async setTicket(engine: string, id: string, ticket: { ticket_id: string; ticket_url: string; integration_id: string }): Promise<void> {
    const field = `${fieldPrefix(engine)}_set_ticket`;
    const query = `mutation($id: ID!, $ticket_id: String, $ticket_url: String, $integration_id: String) {
      result: ${field}(finding_id: $id, ticket_id: $ticket_id, ticket_url: $ticket_url, integration_id: $integration_id) { ticket_id } }`;
    await this.ask(engine, query, { id, ...ticket });
  }

  private ask<R>(engine: string, query: string, variables: Record<string, unknown>): Promise<R> {
    return callEngine<R>(this.services.caller, { engine, query, variables, auth: this.auth, signal: this.signal });
  }
}
