import { join, resolve } from 'node:path';
import { statOf } from '../unreadable.js';

/** Files of values that were named for charts. A name stands for the file of each chart that has it, or for the one file that lies there from here. */
export class ValueFiles {
  private readonly used = new Set<string>();
  private hasCharts = false;

  constructor(private readonly names: readonly string[]) {}

  /** Those of a chart, by where they lie, in the order that they were named in. */
  of(chart: string): string[] {
    this.hasCharts = true;
    return this.names.flatMap((name) => {
      const file = [join(chart, name), name].find((path) => statOf(path)?.isFile() === true);
      if (file === undefined) return [];
      this.used.add(name);
      return [resolve(file)];
    });
  }

  /** Those that no chart has taken; none where there are no charts. */
  unused(): string[] {
    return this.hasCharts ? this.names.filter((name) => !this.used.has(name)) : [];
  }
}
