import type { LogSpan } from '../../../kit/engine/event-pack.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { cloudEventCoverage, coverageRowId, type Span } from './records.js';

const DAY = 86_400_000;
/** A log that is brought file by file has nothing between the last event of one and the first of the next. */
const GAP = DAY;
const MOST_SPANS = 400;
const MOST_REGIONS = 60;

/** Notes for which times logs are held. */
export async function noteCoverage(tenant: TenantDatabase, spans: readonly LogSpan[], transaction: TransactionOf): Promise<void> {
  const rows = tenant.collection(cloudEventCoverage);
  const byId = new Map(spans.map((span) => [coverageRowId(tenant.tenantId, span.provider, span.account_id, span.log), span]));
  const stored = await rows.find({ _id: { $in: [...byId.keys()] } }, { transaction });
  const known = new Map(stored.map((row) => [row._id, row]));
  const updates = [...byId].flatMap(([_id, { provider, account_id, log, regions, from, to }]) => {
    const before = known.get(_id);
    const merged = mergeSpans([...(before?.spans ?? []), { from, to }]);
    const all = [...new Set([...(before?.regions ?? []), ...regions])].sort().slice(0, MOST_REGIONS);
    if (before && isSame(before.spans, merged) && before.regions.length === all.length) return [];
    const row = { provider, account_id, log, regions: all, spans: merged, last_at: merged.at(-1)!.to };
    return [{ _id, update: { $set: row }, upsert: true }];
  });
  await rows.bulkUpdate(updates, { transaction });
}

/** Spans in the order of time, those that meet as one. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const sorted = [...spans].sort((a, b) => a.from.getTime() - b.from.getTime());
  const merged: Span[] = [];
  for (const { from, to } of sorted) {
    const last = merged.at(-1);
    if (last === undefined || from.getTime() - last.to.getTime() > GAP) merged.push({ from, to });
    else if (to > last.to) last.to = to;
  }
  return merged.slice(-MOST_SPANS);
}

const isSame = (one: readonly Span[], other: readonly Span[]): boolean =>
  one.length === other.length &&
  one.every(({ from, to }, at) => from.getTime() === other[at]!.from.getTime() && to.getTime() === other[at]!.to.getTime());
