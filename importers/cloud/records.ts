import { readJson } from '../readers/json/records.js';
import type { ImportItem, ReportSource } from '../types.js';
import { isItem, type Item } from './value.js';

/**
 * What the objects at some paths of a report become, one in memory at a time: each is a record, and what `assetsOf` makes of it.
 * @param paths as `readJson` takes them
 */
export async function* readRecords(
  source: ReportSource,
  paths: readonly string[],
  assetsOf: (record: Item, position: string) => Iterable<ImportItem>,
): AsyncGenerator<ImportItem> {
  const cut: ImportItem[] = [];
  for await (const item of readJson(source, paths)) {
    const { position } = item;
    if (item.kind === 'truncated') cut.push({ kind: 'truncated', position, reason: item.reason });
    else if (item.kind === 'broken') yield { kind: 'broken', position, reason: item.reason };
    else if (item.kind === 'value') {
      if (!isItem(item.value)) {
        yield { kind: 'broken', position, reason: 'the entry is not an object' };
        continue;
      }
      yield { kind: 'record' };
      yield* assetsOf(item.value, position);
    }
  }
  yield* cut;
}
