import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { scanEntries, type ProvenEntry } from '../../../kit/audit/entries.js';
import type { AuditFilter } from './service.js';

export interface AuditRowsArguments extends AuditFilter {
  after_seq: number;
  limit: number;
}

const MOST = 1_000;

/** What of some entries of the tenant's log a filter selects, in their order, and where the next ones begin. @throws PalisadeError BAD_REQUEST */
export async function auditRows({ services, auth }: EngineContext, args: AuditRowsArguments) {
  if (args.limit < 1 || args.limit > MOST) throw badRequest(`limit must be from 1 to ${MOST}`);
  const items: ProvenEntry[] = [];
  let looked = 0;
  for await (const entry of scanEntries(services.database.tenant(auth.tenant_id), args.after_seq)) {
    if (isMeant(entry, args)) items.push(entry);
    looked += 1;
    if (looked === args.limit) return { items, next: entry.seq };
  }
  return { items, next: null };
}

const isMeant = (entry: ProvenEntry, { action, actor, target, result, after, before }: AuditFilter): boolean =>
  (!action || action.includes(entry.action)) &&
  (!actor || actor.includes(entry.actor_email)) &&
  (!target || (entry.target !== undefined && target.includes(entry.target))) &&
  (!result || entry.result === result) &&
  (!after || entry.timestamp > after) &&
  (!before || entry.timestamp < before);
