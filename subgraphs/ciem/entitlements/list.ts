import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import type { Sort } from '../../../kit/store/query.js';
import { containsText } from '../../../kit/store/text-filter.js';
import { ciemEntitlements, type EntitlementRow } from './records.js';

export interface EntitlementFilter extends PageArguments {
  provider?: string[] | null;
  account_id?: string[] | null;
  resource_type?: string[] | null;
  identity_uid?: string[] | null;
  kind?: string[] | null;
  administrator?: boolean | null;
  unused?: boolean | null;
  evidence?: 'sufficient' | 'insufficient_evidence' | null;
  share_used_max?: number | null;
  last_used_before?: Date | null;
  q?: string | null;
  sort?: string | null;
}

const COLUMNS = {
  provider: 'provider',
  account_id: 'account_id',
  resource_type: 'resource_type',
  identity_uid: 'resource_uid',
  kind: 'kind',
} as const;
const SORTS: Readonly<Record<string, string>> = {
  unused_rights: 'unused_rights',
  share_used: 'share_used',
  granted_rights: 'granted_rights',
  last_used_at: 'last_used_at',
  identity_uid: 'resource_uid',
};

/** Entitlements, those with the most unused rights first. @throws PalisadeError BAD_REQUEST for an unknown order, and a share that is none */
export async function listEntitlements(context: EngineContext, args: EntitlementFilter) {
  const window = pageWindow(args);
  const condition = conditionOf(args);
  const rows = context.collection(ciemEntitlements);
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: orderOf(args.sort), skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  return toPage(items, total, window);
}

function conditionOf(args: EntitlementFilter): Record<string, unknown> {
  const { share_used_max, last_used_before, administrator, unused, evidence, q } = args;
  if (share_used_max != null && !(share_used_max >= 0 && share_used_max <= 1)) throw badRequest('share_used_max must be from 0 to 1');
  const condition: Record<string, unknown> = {};
  for (const [name, column] of Object.entries(COLUMNS) as [keyof typeof COLUMNS, string][])
    if (args[name]) condition[column] = { $in: args[name] };
  if (administrator != null) condition['admin'] = administrator ? 'allowed' : { $ne: 'allowed' };
  if (unused != null) condition['unused'] = unused;
  if (evidence) condition['is_proven'] = evidence === 'sufficient';
  if (share_used_max != null) condition['share_used'] = { $lte: share_used_max };
  if (last_used_before) condition['last_used_at'] = { $lt: last_used_before };
  if (q) Object.assign(condition, containsText(['resource_uid', 'resource_name'], q));
  return condition;
}

function orderOf(sort: string | null | undefined): Sort {
  if (!sort) return { unused_rights: -1, resource_uid: 1 };
  const way = sort.startsWith('-') ? -1 : 1;
  const column = SORTS[way === -1 ? sort.slice(1) : sort];
  if (column === undefined) throw badRequest(`sort must be one of ${Object.keys(SORTS).join(', ')}, with - in front for descending`);
  return column === 'unused_rights' ? { [column]: way, resource_uid: way === -1 ? 1 : -1 } : { [column]: way, resource_uid: way };
}

/** Whether an answer about every right is a yes; null where it hangs on something. */
export const isAdministrator = ({ admin }: EntitlementRow): boolean | null =>
  admin === 'allowed' ? true : admin === 'denied' ? false : null;
