import { plainText } from '../../readers/json/fields.js';
import { readColumns } from '../../normalize/columns.js';
import type { ReportSource } from '../../types.js';

/** Ways told of one package: many projects have thousands. */
const MOST = 20;

/**
 * The ways from projects to their vulnerable packages. Snyk tells a vulnerability anew for each of them, while one package with one
 * vulnerability is one finding: its ways are gathered first.
 */
export class DependencyPaths {
  private readonly ways = new Map<string, { paths: Set<string>; count: number }>();

  static async read(source: ReportSource, lists: readonly string[]): Promise<DependencyPaths> {
    const gathered = new DependencyPaths();
    for await (const { list, indices, values } of readColumns(source, lists, ['id', 'name', 'package', 'packageName', 'version', 'from'])) {
      const name = values.name ?? values.package ?? values.packageName;
      if (!Array.isArray(values.from)) continue;
      const key = keyOf(list, indices, values.id, name, values.version);
      const found = gathered.ways.get(key) ?? { paths: new Set(), count: 0 };
      found.count++;
      if (found.paths.size < MOST) found.paths.add(values.from.filter((step) => typeof step === 'string').join(' > '));
      gathered.ways.set(key, found);
    }
    return gathered;
  }

  /** The first ways to a package, and how many there are. */
  of(list: string, indices: readonly number[], id: string, name: string, version: string | undefined): { paths: string[]; count: number } {
    const found = this.ways.get(keyOf(list, indices, id, name, version));
    return { paths: [...(found?.paths ?? [])], count: found?.count ?? 0 };
  }
}

/** Of a project: what stands before the last index. */
const keyOf = (list: string, indices: readonly number[], ...names: unknown[]): string =>
  `${list} ${indices.slice(0, -1).join()} ${names.map(plainText).join('\n')}`;
