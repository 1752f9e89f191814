import { z } from 'zod';
import { assertClientId } from '../../../kit/base/client-id.js';
import { invalid, notFound, violationsOf } from '../../../kit/base/errors.js';
import { setMembers } from '../../../kit/base/set-members.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { findingOrder } from '../../../kit/findings/order.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, flag, nullable, object, text } from '../../../kit/store/fields.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';

/** Filters of lists that people keep; `_id` is `<tenant>|<owner's user id>|<id>`. */
export const savedFilters = defineCollection(
  'saved_filters',
  {
    id: text,
    name: text,
    filter: object<Record<string, unknown>>(),
    sort: nullable(text),
    shared: flag,
    owner_id: text,
    owner: text,
    created_at: date,
    updated_at: date,
  },
  [{ key: { tenant_id: 1, owner_id: 1, id: 1 } }, { key: { tenant_id: 1, shared: 1, id: 1 } }],
);
type SavedFilterRow = RowOf<typeof savedFilters>;

/** Saved filters that one person may have. */
const MOST = 200;

const nameSchema = z.string().trim().min(1).max(100);

export interface SavedFilterInput {
  name: string;
  filter: object;
  sort?: string | null;
  shared?: boolean | null;
}

const rowId = ({ auth }: EngineContext, id: string): string => `${auth.tenant_id}|${auth.user_id}|${id}`;
const view = ({ auth }: EngineContext, row: SavedFilterRow) => ({ ...row, own: row.owner_id === auth.user_id });

export async function listSavedFilters(context: EngineContext, args: PageArguments) {
  const window = pageWindow(args);
  const rows = context.collection(savedFilters);
  const { user_id } = context.auth;
  const [own, others] = [{ owner_id: user_id }, { shared: true, owner_id: { $ne: user_id } }];
  const [mine, total] = await Promise.all([rows.count(own), rows.count({ $or: [own, others] })]);
  const first = await rows.find(own, { sort: { id: 1 }, skip: window.skip, limit: window.limit });
  const left = window.limit - first.length;
  const rest = left === 0 ? [] : await rows.find(others, { sort: { id: 1, _id: 1 }, skip: Math.max(0, window.skip - mine), limit: left });
  return toPage(
    [...first, ...rest].map((row) => view(context, row)),
    total,
    window,
  );
}

/** @throws PalisadeError VALIDATION_ERROR; BAD_REQUEST for an order that there is not */
export async function setSavedFilter(context: EngineContext, id: string, { filter, sort = null, ...input }: SavedFilterInput) {
  assertClientId(id);
  const name = nameSchema.safeParse(input.name);
  if (!name.success) throw invalid(violationsOf(name.error).map(({ message }) => ({ path: 'name', message })));
  findingOrder(sort);
  const { auth, services } = context;
  const now = services.clock.now();
  const given = { name: name.data, filter: setMembers(filter), sort, shared: input.shared ?? false, owner: auth.email, updated_at: now };
  const _id = rowId(context, id);
  const row: SavedFilterRow = { _id, tenant_id: auth.tenant_id, id, ...given, owner_id: auth.user_id, created_at: now };
  const rows = context.collection(savedFilters);
  return context.transaction(async (transaction) => {
    const before = await rows.findOne({ _id }, { transaction });
    if (!before && (await rows.count({ owner_id: auth.user_id }, { transaction })) >= MOST)
      throw invalid([{ path: 'id', message: `a person may have ${MOST} saved filters` }]);
    if (before) await rows.update({ _id }, { $set: given }, { transaction });
    else await rows.insert(row, { transaction });
    return view(context, before ? { ...before, ...given } : row);
  });
}

/** @throws PalisadeError NOT_FOUND for a filter that is not the caller's own */
export async function removeSavedFilter(context: EngineContext, id: string): Promise<true> {
  if ((await context.collection(savedFilters).remove({ _id: rowId(context, id) })) === 0) throw notFound('Saved filter');
  return true;
}
