// LevelDB's logs hold what it has not written to a table yet. When it opens a database it passes over records that do not match their checksum:
// so we look first, and refuse what it would leave out.
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StoreDamagedError } from './errors.js';
import { FIRST, FULL, fragmentAt, HEADER, LAST, nextOffset } from './log-fragments.js';

/** A batch begins with the number of its first change, and the number of its changes. */
const BATCH_HEADER = 12;
const NOTHING = Buffer.alloc(0);

/** Whether a whole fragment lies anywhere behind an offset: then what stands at the offset is no end, but damage. */
function goesOn(bytes: Buffer, offset: number): boolean {
  for (let at = offset + 1; at + HEADER <= bytes.length; at++) if (fragmentAt(bytes, at)) return true;
  return false;
}

interface ReadLog {
  /** Number of the first change, and of the one after the last. */
  readonly first: number | undefined;
  readonly next: number | undefined;
  /** Where an end begins that was not written completely. */
  readonly tornAt: number | undefined;
}

/** @throws StoreDamagedError for damage that is not the end */
function readLog(file: string, expected: number | undefined): ReadLog {
  const bytes = readFileSync(file);
  let first: number | undefined;
  let next = expected;
  /** Where the record under way begins, and the first bytes of its batch; a fragment may hold fewer. */
  let begun: number | undefined;
  let head = NOTHING;
  for (let at = 0; at < bytes.length;) {
    const fragment = fragmentAt(bytes, at);
    if (!fragment) {
      if (goesOn(bytes, at)) throw new StoreDamagedError('a record of the log does not match its checksum', file, at);
      return { first, next, tornAt: begun ?? at };
    }
    if ((fragment.type === FULL || fragment.type === FIRST) !== (begun === undefined))
      throw new StoreDamagedError('fragments of the log do not follow each other', file, at);
    begun ??= at;
    if (head.length < BATCH_HEADER) head = Buffer.concat([head, bytes.subarray(fragment.start, fragment.end)]).subarray(0, BATCH_HEADER);
    if (fragment.type === FULL || fragment.type === LAST) {
      if (head.length < BATCH_HEADER) throw new StoreDamagedError('a record of the log is too short', file, begun);
      const number = Number(head.readBigUInt64LE(0));
      if (next !== undefined && number !== next)
        throw new StoreDamagedError(`changes ${next} to ${number - 1} are missing from the log`, file, begun);
      first ??= number;
      next = number + head.readUInt32LE(BATCH_HEADER - 4);
      [begun, head] = [undefined, NOTHING];
    }
    at = nextOffset(fragment.end);
  }
  return { first, next, tornAt: begun };
}

/**
 * Reads the logs of a database that is not open. An end that was not written completely, as a power failure leaves it, is copied: LevelDB removes it.
 * @param copies the folder for that
 * @returns warnings
 * @throws StoreDamagedError for damage before the end, naming file and offset
 */
export function checkLogs(rows: string, copies: string): string[] {
  const logs = readdirSync(rows)
    .filter((name) => /^\d+\.log$/.test(name))
    .sort((a, b) => parseInt(a, 10) - parseInt(b, 10))
    .map((name) => join(rows, name));
  const warnings: string[] = [];
  let next: number | undefined;
  let torn: { file: string; at: number } | undefined;
  for (const file of logs) {
    const read = readLog(file, next);
    if (torn && read.first !== undefined)
      throw new StoreDamagedError('the log ends within a record, and another follows it', torn.file, torn.at);
    next = read.next;
    if (read.tornAt !== undefined) torn = { file, at: read.tornAt };
  }
  if (torn) {
    const copy = join(copies, `torn-${basename(torn.file)}`);
    copyFileSync(torn.file, copy);
    warnings.push(`${torn.file}: the last record, at offset ${torn.at}, was not written completely and is left out; ${copy} is a copy`);
  }
  return warnings;
}
