import type { AuditEntry } from '../../../kit/audit/entries.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import type { TransactionOf } from '../../../kit/store/query.js';

/**
 * Somebody who is told what happened in a tenant: webhooks, notification rules, the SIEM export. The dispatcher hands out the entries of the
 * tenant's audit log, in their order, each range once; what a consumer writes of it stands in the same transaction as the note that the
 * range was handed out, so an event is neither lost nor doubled when a process ends in the middle.
 */
export interface EventConsumer {
  readonly name: string;
  /** Whether anybody in the tenant listens at all; the entries are read only if so. A consumer without it is always asked. */
  listens?(services: EngineServices, tenantId: string): Promise<boolean>;
  /**
   * Reads what it needs (the tenant's webhooks, the findings behind the entries) before the transaction; null where nobody in the tenant
   * listens to these entries. What it throws is logged, and the same entries come again, so it throws only for what may pass.
   */
  prepare(
    services: EngineServices,
    tenantId: string,
    entries: readonly AuditEntry[],
  ): Promise<((transaction: TransactionOf) => Promise<void>) | null>;
}
