import type { RunStart, SeenAsset } from '../../../kit/engine/ingest-input.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { assetRowId, assets } from '../records.js';

/** What a plan tells is not there yet; what a state tells was there when Terraform ran last; all else was looked at. */
const RANKS: Readonly<Record<string, number>> = { terraform_plan: 1, terraform_state: 2, tfstate: 2 };
const LIVE = 3;
const rankOf = (format: string | undefined): number => RANKS[format ?? ''] ?? LIVE;

/** Whether a source tells what shall be. */
export const isPlanned = ({ source }: Pick<SeenAsset, 'source'>): boolean => source?.format === 'terraform_plan';

/** When what a run reports was observed. */
export const observedAt = (run: RunStart): Date => run.observed_at ?? run.at;

/**
 * The assets of a batch, without the descriptions that others outrank: of one resource the live goes before a state and this before a plan, and among
 * their like the later observed. Of what is outranked the identity is left.
 */
export async function withoutOutranked(
  tenant: TenantDatabase,
  run: RunStart,
  seen: readonly SeenAsset[],
  transaction: TransactionOf,
): Promise<SeenAsset[]> {
  const described = seen.filter(({ configuration }) => configuration !== null);
  if (described.length === 0) return [...seen];
  const ids = described.map(({ resource_uid }) => assetRowId(tenant.tenantId, resource_uid));
  const fields = ['resource_uid', 'source', 'observed_at'];
  const stored = await tenant.collection(assets).find({ _id: { $in: ids }, observed_at: { $exists: true } }, { fields, transaction });
  const known = new Map(stored.map((row) => [row.resource_uid, row]));
  const at = observedAt(run).getTime();
  return seen.map((asset) => {
    const before = known.get(asset.resource_uid);
    if (!before?.source || asset.configuration === null) return asset;
    const [own, other] = [rankOf(asset.source?.format), rankOf(before.source.format)];
    return own < other || (own === other && at < before.observed_at!.getTime()) ? { ...asset, configuration: null } : asset;
  });
}
