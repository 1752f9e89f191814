import { isDeepStrictEqual } from 'node:util';
import { allowancesOf } from '../../../kit/base/quotas.js';
import type { IngestSinks } from '../../../kit/engine/context.js';
import { repeatOnDuplicate } from '../../../kit/store/database.js';
import { countUsage, readUsage } from '../../../kit/store/tenant-usage.js';
import type { BulkUpdate } from '../../../kit/store/query.js';
import type { IndicatorInput } from '../../../schema/observations.js';
import { indicatorRowId, keyOf, threatIndicators, type IndicatorRow } from './records.js';

/** What is counted of stored values. */
export const STORED_INDICATORS = 'indicators';
/** For how long it is remembered that something was taken back. */
const REMEMBERED = 400 * 86_400_000;

type Content = Omit<IndicatorRow, '_id' | 'tenant_id' | 'scan_run_id'>;

/**
 * Takes indicators in. A version that is older than what is stored changes nothing, nor does one that says the same: what a run changes is of that run. Values
 * that a later version does not name any more are taken back with it.
 */
export const ingestIndicators: IngestSinks['indicators'] = ({ services, auth, transaction }, { scan_run_id, at }, indicators) => {
  const tenant = services.database.tenant(auth.tenant_id);
  const allowed = allowancesOf(services.config, auth.plan).indicators;
  const latest = latestOf(indicators);
  return transaction(async (within) => {
    const rows = tenant.collection(threatIndicators);
    const stored = new Map<string, IndicatorRow[]>([...latest.keys()].map((id) => [id, []]));
    for (const row of await rows.find({ indicator_id: { $in: [...latest.keys()] } }, { transaction: within }))
      stored.get(row.indicator_id)?.push(row);
    let room = allowed - ((await readUsage(tenant, STORED_INDICATORS, within)) ?? 0);
    let [added, leftOut] = [0, 0];
    const [made, updates]: [IndicatorRow[], BulkUpdate[]] = [[], []];
    for (const indicator of latest.values()) {
      const own = new Map((stored.get(indicator.indicator_id) ?? []).map((row) => [row.key, row]));
      if (isOlder(indicator, [...own.values()])) continue;
      const contents = contentsOf(indicator, [...own.values()], at);
      const fresh = contents.filter(({ key }) => !own.has(key)).length;
      if (fresh > room) {
        leftOut += fresh;
        continue;
      }
      room -= fresh;
      added += fresh;
      for (const content of contents) {
        const _id = indicatorRowId(auth.tenant_id, indicator.indicator_id, content.key);
        const row = own.get(content.key);
        if (row === undefined) made.push({ _id, tenant_id: auth.tenant_id, ...content, scan_run_id });
        else if (!isSame(content, row)) updates.push({ _id, update: { $set: { ...content, scan_run_id } } });
        // a new version that says the same is not of the run: it has nothing to be held against events for
        else if (timeOf(content.modified) !== timeOf(row.modified)) updates.push({ _id, update: { $set: { modified: content.modified } } });
      }
    }
    await rows.insertMany(made, { transaction: within }).catch(repeatOnDuplicate);
    await rows.bulkUpdate(updates, { transaction: within });
    if (added > 0) await countUsage(tenant, STORED_INDICATORS, added, { transaction: within });
    return leftOut;
  });
};

const timeOf = (modified: Date | null | undefined): number => modified?.getTime() ?? Number.NEGATIVE_INFINITY;

/** Of several versions in one batch the latest; of those of one time the last. */
function latestOf(indicators: readonly IndicatorInput[]): ReadonlyMap<string, IndicatorInput> {
  const latest = new Map<string, IndicatorInput>();
  for (const one of indicators)
    if (timeOf(one.modified) >= timeOf(latest.get(one.indicator_id)?.modified)) latest.set(one.indicator_id, one);
  return latest;
}

const isOlder = ({ modified }: IndicatorInput, own: readonly IndicatorRow[]): boolean =>
  own.some((row) => timeOf(row.modified) > timeOf(modified));

/** What is to stand of an indicator's values, those that it named before included. */
function contentsOf(indicator: IndicatorInput, own: readonly IndicatorRow[], at: Date): Content[] {
  const { indicator_id, values, name = null, labels, confidence = null, valid_from = null, valid_until = null, revoked } = indicator;
  const shared = { indicator_id, name, labels, confidence, valid_from, valid_until, modified: indicator.modified ?? null };
  const remembered = new Date(at.getTime() + REMEMBERED);
  const named = values.map(({ kind, value }): Content => {
    const key = keyOf({ kind, value });
    return { ...shared, key, kind, value, revoked, ends_at: revoked ? remembered : valid_until };
  });
  const keys = new Set(named.map(({ key }) => key));
  const gone = own
    .filter(({ key }) => !keys.has(key))
    .map(({ key, kind, value }): Content => ({ ...shared, key, kind, value, revoked: true, ends_at: remembered }));
  return [...named, ...gone];
}

/** Whether a row says so already; its version, and from when on what was taken back is forgotten, say nothing. */
function isSame(content: Content, row: IndicatorRow): boolean {
  const { indicator_id, key, kind, value, name, labels, confidence, valid_from, valid_until, revoked, ends_at } = row;
  const shown = { indicator_id, name, labels, confidence, valid_from, valid_until, modified: content.modified, key, kind, value, revoked };
  return isDeepStrictEqual({ ...shown, ends_at: revoked ? content.ends_at : ends_at }, content);
}
