import type { ImportItem, ImportOptions } from '../types.js';
import { resourcesOfEntry } from './map.js';
import { assetsOf } from './read.js';
import type { Item } from './value.js';

/** The assets that an entry of a list tells that AWS answers; none where the table does not know it. @param at where it stands in the report */
export function awsAssets(list: string, entry: Item, at: string, format: string, options: ImportOptions): Generator<ImportItem> {
  const place = { account: options.account_id, region: options.region };
  return assetsOf(resourcesOfEntry(list, entry, place, at), format, options);
}
