import { statfsSync } from 'node:fs';
import { CommandError } from '../errors.js';

const MiB = 1024 * 1024;
/** Room that the database needs for what it does by itself, merging tables above all. */
const NEEDED = 64 * MiB;
/** Of a small disk: this share of it. */
const SHARE = 0.05;
/** Milliseconds for which an answer of the file system holds. */
const HOLDS = 1000;

/** The room on the disk of a folder. */
export class DiskSpace {
  #lookedAt = -Infinity;
  #isEnough = true;

  constructor(private readonly folder: string) {}

  /** Throws OutOfDiskSpace while the disk is too full to write to. Reads go on, and writes when there is room again. */
  assertEnough(): void {
    const now = performance.now();
    if (now - this.#lookedAt > HOLDS) {
      this.#lookedAt = now;
      this.#isEnough = this.#look();
    }
    if (!this.#isEnough) throw new CommandError(14031, 'available disk space is below what the store needs to write');
  }

  #look(): boolean {
    const { bsize, blocks, bavail } = statfsSync(this.folder);
    return bavail * bsize > Math.min(NEEDED, blocks * bsize * SHARE);
  }
}
