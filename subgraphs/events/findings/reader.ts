import type { FindingStatus } from '../../../schema/model.js';
import { permissionsOf } from '../../../schema/permissions.js';
import { systemAuthContext, type AuthContext } from '../../../kit/base/auth-context.js';
import { callEngine } from '../../../kit/engine/call-engine.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { fieldPrefix } from '../../../kit/engine/engine.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import type { DigestFinding } from './digest-finding.js';

/** A finding as its engine gives it over the graph. */
export interface ReadFinding extends DigestFinding {
  status: FindingStatus;
  last_seen_at: string;
  regressed_at: string | null;
  risk_score: number;
  version: number;
}

/** A finding with its ticket and its description. */
export interface ReadRecord {
  finding: ReadFinding;
  description: string | null;
  ticket: { ticket_id: string; integration_id: string | null } | null;
}

export interface FindingListArguments {
  status?: readonly FindingStatus[];
  severity?: readonly string[];
  provider?: readonly string[];
  account_id?: readonly string[];
  rule_id?: readonly string[];
  resource_type?: readonly string[];
  sort?: string;
  page: number;
  page_size: number;
}

const ITEM = `engine finding_id title severity status risk_score provider account_id region resource_type resource_uid resource_name rule_id
  first_seen_at last_seen_at regressed_at version`;
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
    private readonly services: Pick<EngineServices, 'caller' | 'findingEngines'>,
    private readonly auth: AuthContext,
    private readonly signal?: AbortSignal,
  ) {}

  /** The engine behind a view segment, or null. */
  engineOf(segment: string): FindingFacts | null {
    return this.services.findingEngines.find(({ viewSegment }) => viewSegment === segment) ?? null;
  }

  record(engine: string, id: string): Promise<ReadRecord | null> {
    const field = `${fieldPrefix(engine)}_finding`;
    return this.ask(
      engine,
      `query($id: ID!) { result: ${field}(finding_id: $id) { finding { ${ITEM} } description ticket { ticket_id integration_id } } }`,
      { id },
    );
  }

  async byIds(engine: string, ids: readonly string[]): Promise<ReadFinding[]> {
    const query = `query($ids: [ID!]!) { result: ${fieldPrefix(engine)}_findings_by_id(finding_ids: $ids) { ${ITEM} } }`;
    const found: ReadFinding[] = [];
    for (let start = 0; start < ids.length; start += AT_ONCE)
      found.push(...(await this.ask<ReadFinding[]>(engine, query, { ids: ids.slice(start, start + AT_ONCE) })));
    return found;
  }

  list(engine: string, args: FindingListArguments): Promise<{ items: ReadFinding[]; total: number; has_more: boolean }> {
    const query = `query($status: [FindingStatus!], $severity: [Severity!], $provider: [Provider!], $account_id: [String!], $rule_id: [String!],
      $resource_type: [String!], $sort: String, $page: Int!, $page_size: Int!) {
      result: ${fieldPrefix(engine)}_findings(status: $status, severity: $severity, provider: $provider, account_id: $account_id, rule_id: $rule_id,
        resource_type: $resource_type, sort: $sort, page: $page, page_size: $page_size) { items { ${ITEM} } total has_more }
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
