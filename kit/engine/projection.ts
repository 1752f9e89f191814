import type { WeighedFacts } from '../../schema/facts.js';
import type { TransactionOf } from '../store/query.js';
import type { ResourceIdentity } from '../../schema/model.js';
import type { CollectionDefinition } from '../store/collection.js';
import type { TenantDatabase } from '../store/database.js';

/** An asset as it stands in the inventory now; its configuration is null where only findings name it. */
export interface InventoryAsset extends Readonly<ResourceIdentity> {
  /** The id of its row. */
  readonly _id: string;
  readonly configuration: Record<string, unknown> | null;
  readonly unknown_paths: readonly string[];
  readonly sensitive_paths: readonly string[];
  readonly first_seen_at: Date;
  readonly last_seen_at: Date;
  /** Whether a plan alone tells of it. */
  readonly planned: boolean;
  /** What scanners have told of it; absent where they have not. */
  readonly facts?: WeighedFacts;
}

/** What every view keeps of an asset; the row's `_id` is that of the asset's row. */
export interface ProjectionRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly resource_uid: string;
  readonly resource_type: string;
}

/** A view of the inventory that an engine keeps: a row an asset of its types, written and removed with the asset. */
export interface AssetProjection {
  /** Name of its collection. */
  readonly name: string;
  /** The resource types that it covers. */
  readonly types: ReadonlySet<string>;
  /** Changes when what it makes of an asset does: rows of another version are made anew. */
  readonly version: string;
  /** Its collection, which has an index of resource_type and resource_uid. */
  readonly rows: CollectionDefinition<ProjectionRow>;
  /**
   * Writes the rows of assets of its types, in the transaction that writes the assets; idempotent.
   * @returns the ids of those that had no row
   */
  write(tenant: TenantDatabase, assets: readonly InventoryAsset[], transaction: TransactionOf): Promise<string[]>;
  /** Removes the rows of assets, by the ids of the assets' rows. */
  remove(tenant: TenantDatabase, ids: readonly string[], transaction: TransactionOf): Promise<void>;
}
