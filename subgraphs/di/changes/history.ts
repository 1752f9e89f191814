import type { EngineContext } from '../../../kit/engine/context.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { findAssetOrGone } from '../service.js';
import { assetChanges } from './records.js';

/** What became of an asset, newest first; null when the tenant has no such asset. */
export async function assetHistory(context: EngineContext, { resource_uid, ...page }: PageArguments & { resource_uid: string }) {
  const window = pageWindow(page);
  if (!(await findAssetOrGone(context, resource_uid))) return null;
  const rows = context.collection(assetChanges);
  const { skip, limit } = window;
  const [items, total] = await Promise.all([
    rows.find({ resource_uid }, { sort: { changed_at: -1, _id: 1 }, skip, limit }),
    rows.count({ resource_uid }),
  ]);
  return toPage(
    items.map((row) => ({ ...row, event: row.event ?? 'changed' })),
    total,
    window,
  );
}
