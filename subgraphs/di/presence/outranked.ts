import type { RunStart, SeenAsset } from '../../../kit/engine/ingest-input.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { noteDisagreements } from '../changes/disagree.js';
import { isConfigured } from '../changes/note.js';
import { assetRowId, assets, type AssetRow } from '../records.js';
import { completed } from './completed.js';

/** What a plan tells is not there yet; what a state tells was there when Terraform ran last; all else was looked at. */
const RANKS: Readonly<Record<string, number>> = { terraform_plan: 1, terraform_state: 2, tfstate: 2 };
const LIVE = 3;
const rankOf = (format: string | undefined): number => RANKS[format ?? ''] ?? LIVE;

/** Whether a source tells what shall be. */
export const isPlanned = ({ source }: Pick<SeenAsset, 'source'>): boolean => source?.format === 'terraform_plan';

/** Whether a source has looked at what there is. */
export const isLive = (source: SeenAsset['source'] | null): boolean => rankOf(source?.format) === LIVE;

/** When what a run reports was observed. */
export const observedAt = (run: RunStart): Date => run.observed_at ?? run.at;

/**
 * The assets of a batch as they are to be stored: of one resource the live goes before a state and this before a plan, and among their like the later
 * observed. What the one in force leaves open the other fills, field by field, but for what is only planned. Of what is outranked and adds nothing the
 * identity is left; that it says otherwise is in the history.
 */
export async function withoutOutranked(
  tenant: TenantDatabase,
  run: RunStart,
  seen: readonly SeenAsset[],
  transaction: TransactionOf,
): Promise<SeenAsset[]> {
  const described = seen.filter(isConfigured);
  if (described.length === 0) return [...seen];
  const ids = described.map(({ resource_uid }) => assetRowId(tenant.tenantId, resource_uid));
  const light = ['resource_uid', 'source', 'observed_at', 'description_digest'];
  const stored = await tenant
    .collection(assets)
    .find({ _id: { $in: ids }, observed_at: { $exists: true } }, { fields: light, transaction });
  const known = new Map(stored.map((row) => [row.resource_uid, row]));
  const at = observedAt(run).getTime();
  const loses = ({ resource_uid, source }: SeenAsset): boolean => {
    const before = known.get(resource_uid);
    if (!before?.source) return false;
    const [own, other] = [rankOf(source?.format), rankOf(before.source.format)];
    return own < other || (own === other && at < before.observed_at!.getTime());
  };
  const whole = await wholeRows(
    tenant,
    described.filter((asset) => known.has(asset.resource_uid) && (loses(asset) || isOpen(asset))),
    transaction,
  );
  const lost: { asset: SeenAsset & { configuration: Record<string, unknown> }; inForce: AssetRow }[] = [];
  const taken = seen.map((asset): SeenAsset => {
    const before = whole.get(asset.resource_uid);
    if (!isConfigured(asset) || !before?.configuration) return asset;
    const told = { ...before, configuration: before.configuration };
    if (!loses(asset)) return isPlanned({ source: before.source ?? undefined }) ? asset : { ...asset, ...completed(asset, told) };
    lost.push({ asset, inForce: before });
    if (isPlanned(asset) || !isOpen(before)) return { ...asset, configuration: null };
    return { ...asset, ...completed(told, asset), source: before.source ?? undefined };
  });
  await noteDisagreements(tenant, run, lost, transaction);
  return taken;
}

/** Whether a source leaves open what it does not show. */
const isOpen = ({ unknown_paths = [] }: { unknown_paths?: readonly string[] | undefined }): boolean =>
  unknown_paths.some((path) => path.endsWith('*'));

async function wholeRows(
  tenant: TenantDatabase,
  of: readonly SeenAsset[],
  transaction: TransactionOf,
): Promise<ReadonlyMap<string, AssetRow>> {
  if (of.length === 0) return new Map();
  const ids = of.map(({ resource_uid }) => assetRowId(tenant.tenantId, resource_uid));
  const rows: AssetRow[] = await tenant.collection(assets).find({ _id: { $in: ids } }, { transaction });
  return new Map(rows.map((row) => [row.resource_uid, row]));
}
