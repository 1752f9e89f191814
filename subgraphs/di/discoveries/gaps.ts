import type { IngestSinks } from '../../../kit/engine/context.js';
import type { CoverageGap } from '../../../kit/engine/ingest-input.js';
import type { RetentionRule } from '../../../kit/engine/retention-rule.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, nullable, text, textOf } from '../../../kit/store/fields.js';
import type { Filter } from '../../../kit/store/query.js';
import { GLOBAL_REGION, type Provider } from '../../../schema/model.js';

/** A service of an account's region that could not be looked at, or not wholly; `_id` is `<tenant_id>|<JSON of the place>`. */
export const coverageGaps = defineCollection(
  'coverage_gaps',
  {
    provider: textOf<Provider>(),
    account_id: nullable(text),
    region: text,
    service: text,
    state: textOf<'skipped' | 'denied' | 'failed'>(),
    missing_permission: nullable(text),
    /** What people are told of it. */
    reason: text,
    scan_run_id: text,
    seen_at: date,
  },
  [{ key: { tenant_id: 1, account_id: 1 } }, { key: { tenant_id: 1, seen_at: 1 } }],
);
export type CoverageGapRow = RowOf<typeof coverageGaps>;

export const gapRetention: RetentionRule = {
  what: 'gaps of coverage',
  setting: 'discovery_retention_days',
  standard: null,
  collection: coverageGaps,
  time: 'seen_at',
};

const DENIED = [/\bpermission (\S+) is missing/i, /^(\S+): the permission is missing/i];
const LONGEST = 500;

const permissionOf = (reason: string): string | null =>
  DENIED.map((form) => form.exec(reason)?.[1]).find((one) => one !== undefined) ?? null;

/** What of several gaps of a place is told: a missing permission tells more than what failed, and that more than what was left out. */
const WEIGHT = { skipped: 0, failed: 1, denied: 2 };

/** The gaps of a run, one a place. */
function* rowsOf(tenantId: string, account_id: string | null, gaps: readonly CoverageGap[]) {
  const places = new Map<string, Omit<CoverageGapRow, 'tenant_id' | 'scan_run_id' | 'seen_at'>>();
  for (const { provider, service, region = GLOBAL_REGION, reason, isSkipped } of gaps) {
    const _id = [tenantId, JSON.stringify([provider, account_id, region, service])].join('|');
    const missing_permission = isSkipped ? null : permissionOf(reason);
    const state = isSkipped ? 'skipped' : missing_permission === null ? 'failed' : 'denied';
    const before = places.get(_id)?.state;
    if (before && WEIGHT[before] >= WEIGHT[state]) continue;
    places.set(_id, { _id, provider, account_id, region, service, state, missing_permission, reason: reason.slice(0, LONGEST) });
  }
  yield* places.values();
}

/** Takes note of the places at which a run got no answer; those that it asked again, with an answer, are no gaps any more. */
export const noteGaps: IngestSinks['notCovered'] = async (context, run, { account_id, regions = [], services = [], asked }, gaps) => {
  const { tenant_id } = context.auth;
  const rows = [...rowsOf(tenant_id, account_id, gaps)];
  const own = context.collection(coverageGaps);
  const answered: Filter = {
    account_id,
    scan_run_id: { $ne: run.scan_run_id },
    seen_at: { $lte: run.at },
    ...(regions.length > 0 && { region: { $in: [...regions, GLOBAL_REGION] } }),
    ...(services.length > 0 && { service: { $in: services } }),
  };
  await context.transaction(async (transaction) => {
    await own.bulkUpdate(
      rows.map(({ _id, ...row }) => ({
        _id,
        update: { $set: { ...row, scan_run_id: run.scan_run_id, seen_at: run.at } },
        upsert: true,
      })),
      { transaction },
    );
    if (asked) await own.remove(answered, { transaction });
  });
};
