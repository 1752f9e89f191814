import type { RunStart, SeenAsset } from '../../../kit/engine/ingest-input.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import type { AssetRow } from '../records.js';
import { diffDescriptions } from './diff.js';
import { descriptionDigest } from './note.js';
import { assetChanges } from './records.js';
import { digestOf } from '../../../kit/store/row-id.js';

/** A description that counts less than the one in force. */
interface Outranked {
  asset: SeenAsset & { configuration: Record<string, unknown> };
  inForce: AssetRow;
}

/** Notes what a run says otherwise of assets than the sources that go before it: once, however often it says so. */
export async function noteDisagreements(
  tenant: TenantDatabase,
  run: RunStart,
  outranked: readonly Outranked[],
  transaction: TransactionOf,
): Promise<void> {
  const made = outranked.flatMap(({ asset, inForce }) => {
    const { resource_uid, resource_type, account_id = null, configuration, tags = {}, unknown_paths = [], sensitive_paths = [] } = asset;
    const stored = { ...inForce, configuration: inForce.configuration ?? {} };
    const { paths, more } = diffDescriptions(stored, { configuration, tags, unknown_paths, sensitive_paths });
    if (paths.length === 0) return [];
    return [
      {
        _id: digestOf([tenant.tenantId, resource_uid, inForce.description_digest, descriptionDigest(asset)]),
        ...{ tenant_id: tenant.tenantId, resource_uid, resource_type, account_id, event: 'disagreed' as const },
        ...{ scan_run_id: run.scan_run_id, changed_at: run.at, paths, more_paths: more },
      },
    ];
  });
  if (made.length === 0) return;
  const rows = tenant.collection(assetChanges);
  const noted = new Set(
    (await rows.find({ _id: { $in: made.map(({ _id }) => _id) } }, { fields: ['_id'], transaction })).map(({ _id }) => _id),
  );
  const fresh = new Map(made.filter(({ _id }) => !noted.has(_id)).map((row) => [row._id, row]));
  await rows.insertMany([...fresh.values()], { transaction });
}
