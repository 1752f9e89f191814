import { randomUUID } from 'node:crypto';
import type { RunStart, SeenAsset } from '../../../kit/engine/ingest-input.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { assets, type AssetRow } from '../records.js';
import { diffDescriptions, type Described } from './diff.js';
import { assetChanges, inventoryRunId, inventoryRuns, type AssetChangeRow, type AssetEvent } from './records.js';
import { digestOf } from '../../../kit/store/row-id.js';

type Configured = SeenAsset & { configuration: Record<string, unknown> };

const describe = ({ configuration, tags = {}, unknown_paths = [], sensitive_paths = [] }: Configured): Described => ({
  configuration,
  tags,
  unknown_paths,
  sensitive_paths,
});

/** Digest of all that a description says: another one may be a change, the same one is none. */
export const descriptionDigest = (asset: Configured): string => digestOf(describe(asset), 22);

/** Whether a source describes the asset: a finding only names it. */
export const isConfigured = (asset: SeenAsset): asset is Configured => asset.configuration !== null;

/**
 * Notes which assets of a batch are described otherwise than they are stored, in the batch's transaction and before its rows are written. A batch
 * that is delivered once more finds its rows written, and notes nothing.
 * @param latest what the batch says of each asset at last, by `_id`
 * @param digests the stored digests of the assets' descriptions, by `_id`; of those that are described already
 */
export async function noteChanges(
  tenant: TenantDatabase,
  run: RunStart,
  latest: ReadonlyMap<string, SeenAsset>,
  digests: ReadonlyMap<string, string | undefined>,
  transaction: TransactionOf,
): Promise<void> {
  const described = [...latest].filter(([, asset]) => isConfigured(asset));
  await noteEvents(
    tenant,
    run,
    'added',
    described.flatMap(([_id, { resource_uid, resource_type, account_id = null }]) =>
      digests.has(_id) ? [] : [{ resource_uid, resource_type, account_id }],
    ),
    transaction,
  );
  if (described.length > 0)
    await noteRun(
      tenant,
      run,
      described.map(([, { account_id = null }]) => account_id),
      transaction,
    );
  const others = [...latest].filter(
    ([_id, asset]) => isConfigured(asset) && digests.has(_id) && digests.get(_id) !== descriptionDigest(asset),
  );
  if (others.length === 0) return;
  const fields = ['configuration', 'tags', 'unknown_paths', 'sensitive_paths'];
  const stored = await tenant.collection(assets).find({ _id: { $in: others.map(([_id]) => _id) } }, { fields, transaction });
  const known = new Map(stored.map((row) => [row._id, row]));
  const changes = others.flatMap(([_id, asset]) => changeOf(tenant.tenantId, run, known.get(_id), asset as Configured) ?? []);
  await tenant.collection(assetChanges).insertMany(changes, { transaction });
}

/** The change of one asset; null for one that no source has described before, and where nothing that is known differs. */
function changeOf(
  tenantId: string,
  run: RunStart,
  stored: Pick<AssetRow, keyof Described> | undefined,
  asset: Configured,
): AssetChangeRow | null {
  if (!stored?.configuration) return null;
  const { resource_uid, resource_type, account_id = null } = asset;
  const { paths, more } = diffDescriptions({ ...stored, configuration: stored.configuration }, describe(asset));
  if (paths.length === 0) return null;
  return {
    _id: randomUUID(),
    tenant_id: tenantId,
    ...{ resource_uid, resource_type, account_id, event: 'changed' },
    scan_run_id: run.scan_run_id,
    changed_at: run.at,
    paths,
    more_paths: more,
  };
}

/** Notes that assets came, went or came back with a run. */
export async function noteEvents(
  tenant: TenantDatabase,
  run: RunStart,
  event: AssetEvent,
  of: readonly Pick<AssetRow, 'resource_uid' | 'resource_type' | 'account_id'>[],
  transaction: TransactionOf,
): Promise<void> {
  const rows = of.map(({ resource_uid, resource_type, account_id }) => ({
    ...{ _id: randomUUID(), tenant_id: tenant.tenantId, resource_uid, resource_type, account_id, event },
    ...{ scan_run_id: run.scan_run_id, changed_at: run.at, paths: [], more_paths: 0 },
  }));
  await tenant.collection(assetChanges).insertMany(rows, { transaction });
}

/** Notes a run that describes assets, and the accounts of these. */
export async function noteRun(
  tenant: TenantDatabase,
  run: RunStart,
  accounts: readonly (string | null)[],
  transaction: TransactionOf,
): Promise<void> {
  const { scan_run_id, at, observed_at = null } = run;
  const named = [...new Set(accounts)].filter((account) => account !== null);
  const update = { $set: { scan_run_id, at, observed_at }, $addToSet: { accounts: { $each: named } } };
  await tenant
    .collection(inventoryRuns)
    .bulkUpdate([{ _id: inventoryRunId(tenant.tenantId, scan_run_id), update, upsert: true }], { transaction });
}
