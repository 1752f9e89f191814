import { auditLog } from '../../../kit/audit/audit.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';

export interface AuditFilter extends PageArguments {
  action?: string[] | null;
  actor?: string[] | null;
  target?: string[] | null;
  result?: string | null;
  after?: Date | null;
  before?: Date | null;
}

export async function listAuditLog(context: EngineContext, args: AuditFilter) {
  const window = pageWindow(args);
  const condition: Record<string, unknown> = {};
  if (args.action) condition['action'] = { $in: args.action };
  if (args.actor) condition['actor_email'] = { $in: args.actor };
  if (args.target) condition['target'] = { $in: args.target };
  if (args.result) condition['result'] = args.result;
  if (args.after || args.before)
    condition['timestamp'] = { ...(args.after && { $gt: args.after }), ...(args.before && { $lt: args.before }) };
  const rows = context.collection(auditLog);
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { seq: -1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  return toPage(items, total, window);
}
