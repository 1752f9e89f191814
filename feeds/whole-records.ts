import type { JsonItem } from '../importers/readers/json/item.js';
import type { ReadItem } from '../importers/readers/record.js';
import { NotOfFeed } from './kinds.js';

/**
 * The records of a file that must be whole.
 * @param where what stands before a record's place in the message
 * @throws NotOfFeed at the first that cannot be read
 */
export async function* wholeRecords<Value>(
  items: AsyncIterable<ReadItem<Value> | Exclude<JsonItem, { kind: 'value' }>>,
  where = '',
): AsyncGenerator<{ readonly value: Value; readonly position: string }> {
  for await (const item of items) {
    if (item.kind === 'array') continue;
    if (item.kind !== 'value') throw new NotOfFeed(`${where}${item.position}: ${item.reason}`);
    yield item;
  }
}
