import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreDamagedError } from './errors.js';
import { fragmentAt, FIRST, FULL, LAST, nextOffset } from './log-fragments.js';

/** What a record of the manifest says, by the number before it (db/version_edit.cc of LevelDB). */
const COMPARATOR = 1;
const COMPACT_POINTER = 5;
const DELETED_FILE = 6;
const NEW_FILE = 7;

/**
 * The tables that a database rests on, by its manifest: not those that are being written, nor those that a merge has left behind that did not come to
 * its end, whose names LevelDB gives to others.
 * @throws StoreDamagedError
 */
export function liveTables(rows: string): Set<string> {
  const manifest = readFileSync(join(rows, 'CURRENT'), 'latin1').trim();
  const file = join(rows, manifest);
  if (!existsSync(file)) throw new StoreDamagedError(`the file ${manifest} is missing from ${rows}`);
  const live = new Set<string>();
  for (const record of recordsOf(readFileSync(file))) apply(record, live);
  return live;
}

/** The records of a log up to its end, or to one that is not written completely. */
function* recordsOf(bytes: Buffer): Generator<Buffer> {
  let begun: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const fragment = fragmentAt(bytes, at);
    if (!fragment) return;
    if (fragment.type === FULL || fragment.type === FIRST) begun = [];
    begun.push(bytes.subarray(fragment.start, fragment.end));
    if (fragment.type === FULL || fragment.type === LAST) yield Buffer.concat(begun);
    at = nextOffset(fragment.end);
  }
}

/** Adds and removes the tables that a record adds and removes. */
function apply(record: Buffer, live: Set<string>): void {
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = record[at++];
      if (byte === undefined) throw new StoreDamagedError('a record of the manifest is too short');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const skip = (): void => {
    const length = number();
    at += length;
  };
  while (at < record.length) {
    const tag = number();
    if (tag === COMPARATOR) skip();
    else if (tag === COMPACT_POINTER) {
      number();
      skip();
    } else if (tag === DELETED_FILE) {
      number();
      live.delete(nameOf(number()));
    } else if (tag === NEW_FILE) {
      number();
      live.add(nameOf(number()));
      number();
      skip();
      skip();
    } else number();
  }
}

/** A level stands before the number of a table, its size and its first and last key behind it. */
const nameOf = (table: number): string => `${String(table).padStart(6, '0')}.ldb`;
