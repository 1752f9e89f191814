import type { Criticality, ExposureLevel } from '../../schema/model.js';
import type { Database } from '../store/database.js';
import type { TransactionOf } from '../store/query.js';

/** What a resource adds to the risk of its findings (decision 21). */
export interface RiskContext {
  /** How far the internet reaches it; null where that is not known. */
  readonly exposure: ExposureLevel | null;
  /** How much it matters to its owner; null where nobody has said. */
  readonly criticality: Criticality | null;
}

/** Tells of those resources of a tenant that the inventory knows what they add to the risk of their findings, as it stands within `transaction`. */
export type RiskContextFinder = (
  services: { readonly database: Database },
  tenantId: string,
  resourceUids: readonly string[],
  transaction: TransactionOf,
) => Promise<ReadonlyMap<string, RiskContext>>;
