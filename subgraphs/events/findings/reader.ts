import type { FindingStatus } from '../../../schema/model.js';
import { permissionsOf } from '../../../schema/permissions.js';
import { systemAuthContext, type AuthContext } from '../../../kit/base/auth-context.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import type { DigestFinding } from './digest-finding.js';
import type { FindingFilter } from '../../../kit/findings/filters.js';
import type { FindingItemJson } from '../../../kit/findings/item.js';
import { askFindings, askHolder, listFindings, type FindingsCaller } from '../../../kit/read/findings.js';

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

/** Reads findings of their engines, as `auth`. Errors are those of `askFindings`. */
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
  record(engine: string, id: string): Promise<ReadRecord | null> {
    return askHolder(this.caller, engine, 'record', { id });
  }

  async byIds(engine: string, ids: readonly string[]): Promise<ReadFinding[]> {
    const found: ReadFinding[] = [];
    for (let start = 0; start < ids.length; start += AT_ONCE)
      found.push(...(await askFindings(this.caller, engine, 'byIds', { ids: ids.slice(start, start + AT_ONCE) })));
    return found;
  }

  list(engine: string, args: FindingListArguments): Promise<{ items: ReadFinding[]; total: number; has_more: boolean }> {
    return listFindings(this.caller, engine, args);
  }

  async setStatus(engine: string, id: string, status: FindingStatus, note: string, version: number): Promise<void> {
    await askFindings(this.caller, engine, 'setStatus', { id, status, note, version });
  }

  async setTicket(engine: string, id: string, ticket: { ticket_id: string; ticket_url: string; integration_id: string }): Promise<void> {
    await askFindings(this.caller, engine, 'setTicket', { id, ...ticket });
  }

  private get caller(): FindingsCaller {
    return { auth: this.auth, services: this.services, signal: this.signal };
  }
}
