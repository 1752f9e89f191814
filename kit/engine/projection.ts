import type { TransactionOf } from '../store/query.js';
import type { Provider } from '../../schema/model.js';
import type { TenantDatabase } from '../store/database.js';

/** An asset as it stands in the inventory now; its configuration is null where only findings name it. */
export interface InventoryAsset {
  /** The id of its row. */
  readonly _id: string;
  readonly resource_uid: string;
  readonly resource_type: string;
  readonly resource_name: string | null;
  readonly provider: Provider;
  readonly account_id: string | null;
  readonly region: string;
  readonly configuration: Record<string, unknown> | null;
  readonly unknown_paths: readonly string[];
  readonly sensitive_paths: readonly string[];
  readonly first_seen_at: Date;
  readonly last_seen_at: Date;
}

/** A view of the inventory that an engine keeps: a row an asset of its types, written and removed with the asset. */
export interface AssetProjection {
  /** Name of its collection. */
  readonly name: string;
  /** The resource types that it covers. */
  readonly types: ReadonlySet<string>;
  /** Changes when what it makes of an asset does. */
  readonly version: string;
  /** Writes the rows of assets of its types, in the transaction that writes the assets; idempotent. */
  write(tenant: TenantDatabase, assets: readonly InventoryAsset[], transaction: TransactionOf): Promise<void>;
  /** Removes the rows of assets, by the ids of the assets' rows. */
  remove(tenant: TenantDatabase, ids: readonly string[], transaction: TransactionOf): Promise<void>;
}
