import { existsSync, rmSync } from 'node:fs';
import type { Database } from '../storage/database.js';
import { Checksums } from './checksums.js';
import { CommitMark } from './commit-mark.js';
import { prepareRows } from './convert.js';
import { StoreDamagedError } from './errors.js';
import { checksumsPath, commitMarkPath, formerPath, rowsPath } from './files.js';
import { checkLogs } from './write-ahead-log.js';

/** The folder of a store that outlives its process: what makes sure that everything is still there. */
export class LastingFolder {
  private constructor(
    private readonly dir: string,
    private readonly checksums: Checksums,
    private readonly commits: CommitMark,
    /** What somebody should know. */
    readonly warnings: readonly string[],
    private readonly converted: boolean,
  ) {}

  /** Makes a locked folder ready, and looks at what LevelDB would not. @throws StoreDamagedError */
  static async open(dir: string): Promise<LastingFolder> {
    const rows = rowsPath(dir);
    const warnings = [];
    const there = existsSync(rows);
    const checksums = new Checksums(rows, checksumsPath(dir));
    if (there) {
      checksums.checkChanged();
      warnings.push(...checkLogs(rows, dir));
    }
    warnings.push(...(await prepareRows(dir)));
    return new LastingFolder(dir, checksums, new CommitMark(commitMarkPath(dir)), warnings, !there);
  }

  /** Notes what LevelDB has written as it opened. @throws StoreDamagedError when it holds less than what was brought to the disk */
  async assertWhole(database: Database): Promise<void> {
    const noted = this.commits.read();
    const { version } = database.current;
    if (version < noted)
      throw new StoreDamagedError(`the database holds ${version} commits, and ${noted} were on the disk`, rowsPath(this.dir));
    await this.checksums.note();
  }

  /** Removes the files that the database was made from, at the second start on it. */
  forgetFormer(): void {
    if (!this.converted) rmSync(formerPath(this.dir), { recursive: true, force: true });
  }

  /** Notes how many commits the disk holds. */
  mark(commits: number): void {
    this.commits.write(commits);
  }

  /** Notes what LevelDB has written, and looks at some of what it wrote before. @throws StoreDamagedError */
  async look(): Promise<void> {
    await this.checksums.note();
    this.checksums.checkNext();
  }

  /** After the database was closed. */
  async close(): Promise<void> {
    await this.checksums.note();
    this.commits.close();
  }
}
