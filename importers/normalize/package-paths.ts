import type { JsonObject } from '../readers/json/fields.js';
import type { ReportSource } from '../types.js';
import { readColumns } from './columns.js';

/** Paths told of one package: a repository may have it in hundreds of places. */
const MOST = 20;

/**
 * The places in which an artifact has a package. Scanners tell a vulnerability anew for each of them, while one package with one vulnerability is one
 * finding: its places are gathered first.
 */
export class PackagePaths {
  private readonly places = new Map<string, Set<string>>();

  /** @param placeOf what a record says of its package, of the `members` that are read: undefined where it says no path */
  static async read<Name extends string>(
    source: ReportSource,
    lists: readonly string[],
    members: readonly Name[],
    placesOf: (
      values: JsonObject,
      at: { list: string; indices: readonly number[] },
    ) => { key: string; paths: readonly string[] } | undefined,
  ): Promise<PackagePaths> {
    const gathered = new PackagePaths();
    for await (const { values, list, indices } of readColumns(source, lists, members)) {
      const found = placesOf(values, { list, indices });
      if (found === undefined) continue;
      const known = gathered.places.get(found.key) ?? new Set();
      for (const path of found.paths) if (known.size < MOST) known.add(path);
      gathered.places.set(found.key, known);
    }
    return gathered;
  }

  of(key: string): string[] {
    return [...(this.places.get(key) ?? [])].sort();
  }
}
