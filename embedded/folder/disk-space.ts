import { statfsSync } from 'node:fs';
import { CommandError } from '../errors.js';

const MiB = 1024 * 1024;
/** Room that the database needs for what it does by itself, merging tables above all. */
const NEEDED = 64 * MiB;
/** Of a small disk: this share of it. */
const SHARE = 0.05;
/** Milliseconds for which an answer of the file system holds. */
const HOLDS = 1000;

let looked = { folder: '', at: -Infinity, room: true };

/** Throws OutOfDiskSpace while the disk of a folder is too full to write to. Reads go on, and writes when there is room again. */
export function assertRoom(folder: string): void {
  const now = performance.now();
  if (looked.folder !== folder || now - looked.at > HOLDS) looked = { folder, at: now, room: hasRoom(folder) };
  if (!looked.room) throw new CommandError(14031, 'available disk space is below what the store needs to write');
}

function hasRoom(folder: string): boolean {
  const { bsize, blocks, bavail } = statfsSync(folder);
  return bavail * bsize > Math.min(NEEDED, blocks * bsize * SHARE);
}
