import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import { list, text } from '../../../kit/store/fields.js';
import type { Filter, TransactionOf } from '../../../kit/store/query.js';
import { findByParts, folded, partsOf } from '../../../kit/store/text-parts.js';
import type { AssetRow } from '../records.js';

/** Letters from a part to the next: what is searched is looked up from its first four letters on. */
const STEP = 4;
/** Letters of a text of which parts are kept; an asset with a longer one is looked at in every search. */
const LONGEST = 256;
/** Assets that a search looks at one by one; of more, a page is soon met on the way through all in order. */
const MOST = 1_000;

/** Identifier and name of an asset in parts by which a search finds them; `_id` is that of the asset's row. */
export const assetTexts = defineCollection('asset_texts', { parts: list(text) }, [{ key: { tenant_id: 1, parts: 1 } }]);
type AssetTextsRow = RowOf<typeof assetTexts>;

type Named = Pick<AssetRow, '_id' | 'resource_uid' | 'resource_name'>;

/** The row of an asset's texts, without the tenant. A name that stands in the identifier is found by that. */
function textsOf({ _id, resource_uid, resource_name }: Named): Pick<AssetTextsRow, '_id' | 'parts'> {
  const texts = resource_name && !folded(resource_uid).includes(folded(resource_name)) ? [resource_uid, resource_name] : [resource_uid];
  return { _id, parts: partsOf(texts.some(({ length }) => length > LONGEST) ? null : texts, STEP) };
}

/** Writes the texts of assets that are new or have another name. */
export async function writeTexts(tenant: TenantDatabase, named: readonly Named[], transaction: TransactionOf): Promise<void> {
  const updates = named.map(textsOf).map(({ _id, parts }) => ({ _id, update: { $set: { parts } }, upsert: true }));
  await tenant.collection(assetTexts).bulkUpdate(updates, { transaction });
}

/** Removes the texts of assets, by the ids of their rows. */
export async function removeTexts(tenant: TenantDatabase, ids: readonly string[], transaction: TransactionOf): Promise<void> {
  if (ids.length > 0) await tenant.collection(assetTexts).remove({ _id: { $in: ids } }, { transaction });
}

/** The condition of the assets among which those are whose identifier or name holds a text; of all where they are many. */
export async function amongTexts(tenant: TenantDatabase, wanted: string): Promise<Filter> {
  const ids = await findByParts(tenant.collection(assetTexts), wanted, { step: STEP, most: MOST });
  return ids ? { _id: { $in: ids } } : {};
}
