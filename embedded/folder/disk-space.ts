import { statfsSync } from 'node:fs';
import { diskFull } from '../errors.js';

const MiB = 1024 * 1024;
/** Room that the database needs for what it does by itself, merging tables above all. */
const NEEDED = 64 * MiB;
/** Of a small disk: this share of it, and what it takes to open the database again, which makes tables of its logs. */
const SHARE = 0.05;
const LEAST = 24 * MiB;

/**
 * Throws OutOfDiskSpace while the disk of a folder is too full to write to. Reads go on, and writes when there is room again. Looked at before each
 * write: one that the disk has no room for would leave half a record behind.
 */
export function assertRoom(folder: string): void {
  const { bsize, blocks, bavail } = statfsSync(folder);
  if (bavail * bsize > Math.min(NEEDED, Math.max(LEAST, blocks * bsize * SHARE))) return;
  throw diskFull();
}
