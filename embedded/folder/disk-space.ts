import { statfsSync } from 'node:fs';
import { CommandError } from '../errors.js';

const MiB = 1024 * 1024;
/** Room that the database needs for what it does by itself, merging tables above all. */
const NEEDED = 64 * MiB;
/** Of a small disk: this share of it. */
const SHARE = 0.05;

/**
 * Throws OutOfDiskSpace while the disk of a folder is too full to write to. Reads go on, and writes when there is room again. Looked at before each
 * write: one that the disk has no room for would leave half a record behind.
 */
export function assertRoom(folder: string): void {
  const { bsize, blocks, bavail } = statfsSync(folder);
  if (bavail * bsize > Math.min(NEEDED, blocks * bsize * SHARE)) return;
  throw new CommandError(14031, 'available disk space is below what the store needs to write');
}
