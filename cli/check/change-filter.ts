import type { AssetInput } from '../../importers/index.js';
import type { InventorySource, Skipped } from '../../sources/types.js';
import type { Changes } from './changes.js';
import type { Unchanged } from './report.js';

/** Takes what has changed, and counts what has not; everything where nobody asks for changes. */
export class ChangeFilter {
  private readonly files = new Set<string>();
  private counts = { resources: 0, skipped: 0 };

  constructor(private readonly changes: Changes | undefined) {}

  /** Whether a resource is judged. Those that are not surround the others all the same. */
  wants(source: InventorySource, asset: AssetInput): boolean {
    if (source.wants?.(asset) === false) return false;
    if (this.changes === undefined) return true;
    const { file } = source.placeOf(asset);
    if (this.changes.has(file, source)) return true;
    this.files.add(file);
    this.counts.resources += 1;
    return false;
  }

  /** What is told of what was passed over. */
  skipped(skipped: readonly Skipped[], source?: InventorySource): readonly Skipped[] {
    const { changes } = this;
    if (changes === undefined) return skipped;
    const told = skipped.filter(({ file }) => changes.has(file, source));
    this.counts.skipped += skipped.length - told.length;
    return told;
  }

  get unchanged(): Unchanged | undefined {
    return this.changes && { since: this.changes.since, files: this.files.size, ...this.counts };
  }
}
