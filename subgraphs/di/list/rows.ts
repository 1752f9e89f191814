import { badRequest, missingPermission } from '../../../kit/base/errors.js';
import { holds } from '../../../kit/base/auth-context.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { readerOf } from '../../../kit/findings/readers.js';
import { businessContextOf } from '../business/set.js';
import { assets } from '../records.js';
import { EXPOSURE_PERMISSION, exposureOf, openFindingsOf, riskOf } from '../risk/shown.js';
import { assetCondition, type AssetFilter } from './filter.js';
import { amongTexts } from './texts.js';

export type AssetRowsArguments = AssetFilter & { after?: string | null; limit: number };

const MOST = 1_000;

/** A run of the tenant's assets that a filter selects, by resource_uid, and where the next begins: nothing is counted. @throws PalisadeError FORBIDDEN, BAD_REQUEST */
export async function assetRowsBehind(context: EngineContext, { after, limit, ...filter }: AssetRowsArguments) {
  if (limit < 1 || limit > MOST) throw badRequest(`limit must be from 1 to ${MOST}`);
  if (filter.exposure && !holds(context.auth, EXPOSURE_PERMISSION)) throw missingPermission(EXPOSURE_PERMISSION);
  const { services, auth } = context;
  const reader = readerOf(services.findingEngines, auth);
  const among = filter.q ? await amongTexts(services.database.tenant(auth.tenant_id), filter.q) : {};
  const condition = { $and: [{ ...assetCondition(filter, reader), ...among }, after == null ? {} : { resource_uid: { $gt: after } }] };
  const rows = await context.collection(assets).find(condition, { sort: { resource_uid: 1 }, limit });
  const items = rows.map((row) => ({
    ...{ resource_uid: row.resource_uid, resource_type: row.resource_type, resource_name: row.resource_name },
    ...{ provider: row.provider, account_id: row.account_id, region: row.region, tags: row.tags },
    ...businessContextOf(row),
    open_findings: openFindingsOf(context, row).total,
    risk: riskOf(context, row).max,
    exposure: exposureOf(context, row),
    planned: row.planned === true,
    scan_run_id: row.scan_run_id,
    first_seen_at: row.first_seen_at,
    last_seen_at: row.last_seen_at,
  }));
  // sums of a key that reads other engines than any role are nobody's column
  const least = filter.risk_min;
  const shown = least != null && reader === null ? items.filter(({ risk }) => risk >= least) : items;
  return { items: shown, next: rows.length === limit ? rows.at(-1)!.resource_uid : null };
}
