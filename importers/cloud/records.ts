import { readJson } from '../readers/json/records.js';
import { readTopLevel, type TopLevel } from '../readers/json/top-level.js';
import type { ImportItem, ReportSource } from '../types.js';
import { isItem, type Item } from './item.js';

/**
 * What the objects at some paths of a report become, one in memory at a time: each is a record, and what `assetsOf` makes of it.
 * @param paths as `readJson` takes them
 * @param onList called for each list on the way that is entered, were it empty
 */
export async function* readRecords(
  source: ReportSource,
  paths: readonly string[],
  assetsOf: (record: Item, position: string) => Iterable<ImportItem>,
  onList: (path: string) => Iterable<ImportItem> = () => [],
): AsyncGenerator<ImportItem> {
  const cut: ImportItem[] = [];
  for await (const item of readJson(source, paths)) {
    const { position } = item;
    if (item.kind === 'truncated') cut.push({ kind: 'truncated', position, reason: item.reason });
    else if (item.kind === 'broken') yield { kind: 'broken', position, reason: item.reason };
    else if (item.kind === 'array') yield* onList(item.path);
    else if (!isItem(item.value)) yield { kind: 'broken', position, reason: 'the entry is not an object' };
    else {
      yield { kind: 'record' };
      yield* assetsOf(item.value, position);
    }
  }
  yield* cut;
}

/** The records of a report without what they become: for what has to be known of all before the first is read. */
export async function eachRecord(
  source: ReportSource,
  paths: readonly string[],
  note: (record: Item, position: string) => void,
): Promise<void> {
  for await (const item of readJson(source, paths)) if (item.kind === 'value' && isItem(item.value)) note(item.value, item.position);
}

/** The top level of a report's first object: of the object that it is, or of the first in its array. */
export const firstRecord = (head: string): TopLevel => readTopLevel(head.replace(/^\s*\[\s*/, ''));

/** Whether a report is an array. */
export const isArrayReport = (head: string): boolean => /^\s*\[/.test(head);
