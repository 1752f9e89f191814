import type { ExposureLevel } from '../../schema/model.js';
import type { Database } from '../store/database.js';
import type { TransactionOf } from '../store/query.js';

/** Takes note of how far the internet reaches resources, null where that is not known any more, in the transaction that keeps it. */
export type ExposureSink = (
  services: { readonly database: Database },
  tenantId: string,
  exposures: ReadonlyMap<string, ExposureLevel | null>,
  transaction: TransactionOf,
) => Promise<void>;
