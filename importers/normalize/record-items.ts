import { asObject, kindOf, type JsonObject } from '../readers/json/fields.js';
import { BrokenRecord, type ReadItem } from '../readers/record.js';
import type { JsonItem } from '../readers/json/item.js';
import type { LineItem, TextLine } from '../readers/lines/text-lines.js';
import type { XmlElement, XmlItem } from '../readers/xml/element.js';
import type { ImportItem } from '../types.js';

/** An element of a report together with its place. */
export type XmlValueItem = Extract<XmlItem, { kind: 'value' }>;
/** The beginning of an element together with its place. */
export type XmlOpenItem = Extract<XmlItem, { kind: 'open' }>;
type ArrayItem = Extract<JsonItem, { kind: 'array' }>;

/**
 * Turns the objects of a report (of `readJson`, `readJsonLines`, `readCsv`) into import items: what `convert` makes of each, then one
 * `record`; one `broken` for each that cannot be read, whatever went wrong in it. `convert` throws BrokenRecord for a record without its
 * required facts. `onArray` is called for each array that may hold records, even an empty one.
 * @param beside what values of these paths say beside the records; they are no records, and nothing may throw in it
 */
export async function* importRecords<Item extends ReadItem<unknown> | ArrayItem>(
  items: AsyncIterable<Item>,
  convert: (record: JsonObject, item: Extract<Item, { kind: 'value' }>) => ImportItem[],
  onArray: () => void = () => undefined,
  beside: Readonly<Record<string, (record: JsonObject, item: Extract<Item, { kind: 'value' }>) => ImportItem[]>> = {},
): AsyncGenerator<ImportItem, void, undefined> {
  for await (const item of items) {
    const besides = 'path' in item && Object.hasOwn(beside, item.path) ? beside[item.path] : undefined;
    if (item.kind === 'array') onArray();
    else if (besides !== undefined && item.kind === 'value')
      yield* besides(asObject(item.value) ?? {}, item as Extract<Item, { kind: 'value' }>);
    // a type parameter is not narrowed by its member
    else yield* itemsOf(item as Exclude<Item, ArrayItem>, (found) => convert(requireRecord(found.value), found));
  }
}

/**
 * As `importRecords`, of the elements of an XML report.
 * @param onOpen what the beginning of an element says that was asked for by `…/@`: a scope, say; it is no record
 * @param around what elements of these paths say, which records need to be understood; they are no records, and nothing may throw in it
 */
export async function* importElements(
  items: AsyncIterable<XmlItem>,
  convert: (element: XmlElement, item: XmlValueItem) => ImportItem[],
  onOpen: (element: XmlElement, item: XmlOpenItem) => ImportItem[] = () => [],
  around: Readonly<Record<string, (element: XmlElement, item: XmlValueItem) => ImportItem[]>> = {},
): AsyncGenerator<ImportItem, void, undefined> {
  for await (const item of items) {
    if (item.kind === 'open') yield* onOpen(item.value, item);
    else if (item.kind === 'value' && Object.hasOwn(around, item.path)) yield* around[item.path]?.(item.value, item) ?? [];
    else yield* itemsOf(item, (value) => convert(value.value, value));
  }
}

/** As `importRecords`, of the lines of a text; a line of which `convert` makes nothing (null) is no record. */
export async function* importLines(
  items: AsyncIterable<LineItem>,
  convert: (line: TextLine) => ImportItem[] | null,
): AsyncGenerator<ImportItem, void, undefined> {
  for await (const item of items) yield* itemsOf(item, ({ value }) => convert(value));
}

function itemsOf<Item extends ReadItem<unknown>>(
  item: Item,
  convert: (item: Extract<Item, { kind: 'value' }>) => ImportItem[] | null,
): ImportItem[] {
  if (item.kind === 'truncated') return [{ kind: 'truncated', position: item.position, reason: item.reason }];
  if (item.kind === 'broken') return [brokenAt(item, item.reason)];
  try {
    const converted = convert(item as Extract<Item, { kind: 'value' }>);
    return converted === null ? [] : [...converted, { kind: 'record' }];
  } catch (error) {
    if (error instanceof BrokenRecord) return [brokenAt(item, error.message)];
    return [brokenAt(item, `the record has an unexpected shape: ${error instanceof Error ? error.message : 'unknown error'}`)];
  }
}

const brokenAt = ({ position, offset }: { position: string; offset?: number }, reason: string): ImportItem => ({
  kind: 'broken',
  position,
  reason: offset === undefined ? reason : `${reason} (byte ${offset})`,
});

function requireRecord(value: unknown): JsonObject {
  const record = asObject(value);
  if (record === undefined) throw new BrokenRecord(`the record should be an object, found ${kindOf(value)}`);
  return record;
}
