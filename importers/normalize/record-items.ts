import { BrokenRecord, asObject, kindOf, type JsonObject } from '../readers/json/fields.js';
import type { JsonItem } from '../readers/json/item.js';
import type { ImportItem } from '../types.js';

/** A value of a report together with its place. */
export type JsonValueItem = Extract<JsonItem, { kind: 'value' }>;

/**
 * Turns the records of a report into import items: what `convert` makes of each, then one `record`; one `broken` for each
 * that cannot be read, whatever went wrong in it. `convert` throws BrokenRecord for a record without its required facts.
 * `onArray` is called for each array that may hold records, even an empty one.
 */
export async function* importRecords(
  items: AsyncIterable<JsonItem>,
  convert: (record: JsonObject, item: JsonValueItem) => ImportItem[],
  onArray: () => void = () => undefined,
): AsyncGenerator<ImportItem, void, undefined> {
  for await (const item of items) {
    if (item.kind === 'array') {
      onArray();
      continue;
    }
    if (item.kind !== 'value') {
      yield item.kind === 'truncated'
        ? { kind: 'truncated', position: item.position, reason: item.reason }
        : { kind: 'broken', position: item.position, reason: `${item.reason} (byte ${item.offset})` };
      continue;
    }
    const converted = tryConvert(item, convert);
    if (typeof converted === 'string') {
      yield { kind: 'broken', position: item.position, reason: `${converted} (byte ${item.offset})` };
      continue;
    }
    yield* converted;
    yield { kind: 'record' };
  }
}

function tryConvert(item: JsonValueItem, convert: (record: JsonObject, item: JsonValueItem) => ImportItem[]): ImportItem[] | string {
  const record = asObject(item.value);
  if (record === undefined) return `the record should be an object, found ${kindOf(item.value)}`;
  try {
    return convert(record, item);
  } catch (error) {
    if (error instanceof BrokenRecord) return error.message;
    return `the record has an unexpected shape: ${error instanceof Error ? error.message : 'unknown error'}`;
  }
}
