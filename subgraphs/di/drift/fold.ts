import { createTimeSlice } from '../../../kit/base/time-slice.js';
import type { AssetChangeRow } from '../changes/records.js';

export type DriftKind = 'added' | 'changed' | 'removed';

/** An asset that has changed between two runs, and how often its configuration has. */
export interface Drifted {
  readonly resource_uid: string;
  readonly resource_type: string | null;
  readonly account_id: string | null;
  readonly kind: DriftKind;
  readonly changes: number;
}

type Change = Pick<AssetChangeRow, 'resource_uid' | 'resource_type' | 'account_id' | 'event' | 'changed_at'>;

/** Whether an asset was there before an event, and is after it. Rows without one are of changed configurations. */
const PRESENCE: Readonly<Record<string, { was: boolean; is: boolean }>> = {
  added: { was: false, is: true },
  returned: { was: false, is: true },
  changed: { was: true, is: true },
  gone: { was: true, is: false },
};

/** Changes in the order of their time, put together asset by asset. What came and went is left out, and so is what only was away for a while. */
export async function foldChanges(rows: AsyncIterable<Change>): Promise<Drifted[]> {
  const byAsset = new Map<string, { last: Change; began: Date; was: boolean; is: boolean; changes: number }>();
  const pause = createTimeSlice();
  for await (const row of rows) {
    await pause();
    const event = row.event ?? 'changed';
    const presence = PRESENCE[event];
    if (!presence) continue;
    const known = byAsset.get(row.resource_uid);
    const changes = (known?.changes ?? 0) + Number(event === 'changed');
    // a run that brings an asset back and sees it changed notes both at the same time
    const isFirst = !known || (known.began.getTime() === row.changed_at.getTime() && !presence.was);
    byAsset.set(row.resource_uid, {
      last: row,
      began: known?.began ?? row.changed_at,
      was: isFirst ? presence.was : known.was,
      is: presence.is,
      changes,
    });
  }
  return [...byAsset].flatMap(([resource_uid, { last, was, is, changes }]) => {
    if (!was && !is) return [];
    const kind = was ? (is ? 'changed' : 'removed') : 'added';
    if (kind === 'changed' && changes === 0) return [];
    return [{ resource_uid, resource_type: last.resource_type ?? null, account_id: last.account_id ?? null, kind, changes }];
  });
}
