import type { EngineContext } from '../../../kit/engine/context.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { EntryPages } from './page.js';

export interface AuditFilter extends PageArguments {
  action?: string[] | null;
  actor?: string[] | null;
  target?: string[] | null;
  result?: 'success' | 'failure' | null;
  after?: Date | null;
  before?: Date | null;
}

export async function listAuditLog({ services, auth }: EngineContext, args: AuditFilter) {
  const window = pageWindow(args);
  const { action = null, actor, target = null, result = null, after, before } = args;
  const rest = {
    ...(actor && { actor_email: { $in: actor } }),
    ...((after || before) && { timestamp: { ...(after && { $gt: after }), ...(before && { $lt: before }) } }),
  };
  const pages = new EntryPages(services.database, auth.tenant_id, { actions: action, targets: target, result, rest });
  const { items, total } = await pages.read(window.skip, window.limit);
  return toPage(items, total, window);
}
