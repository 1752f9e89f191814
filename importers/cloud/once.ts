import type { ImportItem } from '../types.js';

/** Several answers tell the same thing: it is told once. @param told what was told before, of the same report */
export async function* once(items: AsyncIterable<ImportItem> | Iterable<ImportItem>, told = new Set<string>()): AsyncGenerator<ImportItem> {
  for await (const item of items) {
    const key = item.kind === 'asset' ? item.asset.resource_uid : item.kind === 'listed' ? `listed\n${item.types.join()}` : undefined;
    if (key !== undefined) {
      if (told.has(key)) continue;
      told.add(key);
    }
    yield item;
  }
}
