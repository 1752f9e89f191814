import { ValueBalance } from './balance.js';
import { NEWLINE, COMMA, CLOSE_ARRAY, OPEN_OBJECT } from './bytes.js';

const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);
const MAX_ATTEMPTS = 500;

/** Whether a value looks like its undamaged neighbours: an object with at least half of their member names. */
export function isShaped(value: unknown, shape: ReadonlySet<string> | undefined): boolean {
  if (shape === undefined) return true;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  let common = 0;
  for (const key of Object.keys(value)) if (shape.has(key)) common++;
  return 2 * common >= shape.size;
}

/**
 * Where, between `start` and `end`, the first whole neighbour of a damaged record begins; -1 when none does. A neighbour is
 * an object after a comma (`perLine`: at the start of a line) that parses and looks like the records before the damage.
 */
export function findNextRecord(
  bytes: Buffer,
  start: number,
  end: number,
  shape: ReadonlySet<string> | undefined,
  perLine: boolean,
): number {
  if (shape === undefined) return -1;
  const balance = new ValueBalance();
  let attempts = 0;
  for (let at = bytes.indexOf(OPEN_OBJECT, start + 1); at !== -1 && at < end; at = bytes.indexOf(OPEN_OBJECT, at + 1)) {
    if (perLine ? bytes[at - 1] !== NEWLINE : before(bytes, at) !== COMMA) continue;
    const key = firstKey(bytes, at, end);
    if (key === undefined || !shape.has(key)) continue;
    if (++attempts > MAX_ATTEMPTS) return -1;
    const stop = balance.start(bytes, at).scan(bytes, at, end);
    if (stop === -1) continue;
    try {
      if (isShaped(JSON.parse(bytes.toString('utf8', at, stop)), shape)) return at;
    } catch {
      continue;
    }
  }
  return -1;
}

/** Whether an array goes on in good order at `at`: with a comma and another object, with its end, or out of sight. */
export function isCleanEnd(bytes: Buffer, at: number, end: number): boolean {
  const next = skip(bytes, at, end);
  if (next === end || bytes[next] === CLOSE_ARRAY) return true;
  if (bytes[next] !== COMMA) return false;
  const after = skip(bytes, next + 1, end);
  return after === end || bytes[after] === OPEN_OBJECT;
}

function skip(bytes: Buffer, at: number, end: number): number {
  while (at < end && SPACES.has(bytes[at] as number)) at++;
  return at;
}

function before(bytes: Buffer, at: number): number | undefined {
  do at--;
  while (at >= 0 && SPACES.has(bytes[at] as number));
  return bytes[at];
}

function firstKey(bytes: Buffer, at: number, end: number): string | undefined {
  const from = skip(bytes, at + 1, end);
  return /^"([^"\\]{1,200})"\s*:/.exec(bytes.toString('latin1', from, Math.min(from + 220, end)))?.[1];
}
