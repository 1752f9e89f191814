import { faultOfValue, RECORD_LIMITS, type RecordLimits } from '../limits.js';
import { NotOfFormat, type ReportSource } from '../../types.js';
import { readLines, type ByteLine, type LineContent } from './read-lines.js';
import type { ReadItem } from '../record.js';

/** What stands in a report of JSON lines. A value's position is its line: `line 12`. */
export type JsonLineItem = ReadItem<unknown>;

/** RFC 7464 puts this before each text of a sequence. */
const RECORD_SEPARATOR = 0x1e;
const SPACES = new Set([0x20, 0x09, 0x0d, RECORD_SEPARATOR]);
const OPENING = new Set([0x7b, 0x5b]);

/**
 * Reads a report of one JSON value a line (JSON lines, also RFC 7464), one at a time. A line that is no JSON or is beyond the limits is
 * broken; the others go on; blank lines are passed over. Where values may stand in several lines each, `readJson` with the path `$` reads
 * them.
 *
 * Throws NotOfFormat when the first line that is not blank does not begin as an object or an array; and what the source throws
 * (ReportTooLarge, file errors). A last line that is cut and damaged compression are `truncated`.
 *
 * @param limits of one value; what is left out is that of RECORD_LIMITS
 */
export function readJsonLines(source: ReportSource, limits: Partial<RecordLimits> = {}): AsyncGenerator<JsonLineItem, void, undefined> {
  const all = { ...RECORD_LIMITS, ...limits };
  let isFirst = true;
  const read = ({ bytes, number, isLast }: ByteLine): LineContent<unknown> => {
    const start = bytes === undefined ? 0 : startOf(bytes);
    if (start === bytes?.length) return undefined;
    if (isFirst && bytes !== undefined && !OPENING.has(bytes[start] as number))
      throw new NotOfFormat(`expected JSON lines, found other text in line ${number}`);
    isFirst = false;
    if (bytes === undefined) return { kind: 'broken', reason: `the record is larger than ${all.maxRecordBytes} bytes` };
    return parseLine(bytes.toString('utf8', start), isLast, all);
  };
  return readLines(source, all.maxRecordBytes, read, (damage) => {
    if (isFirst) throw new NotOfFormat(`expected JSON lines, found ${damage ?? 'nothing'}`);
  });
}

function startOf(bytes: Buffer): number {
  let start = 0;
  while (SPACES.has(bytes[start] ?? -1)) start++;
  return start;
}

function parseLine(text: string, isLast: boolean, limits: RecordLimits): LineContent<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (isLast) return { kind: 'truncated', reason: 'the report ends in the middle of this line' };
    return { kind: 'broken', reason: 'the record is not valid JSON' };
  }
  const fault = mayExceed(text, limits) ? faultOfValue(value, limits) : null;
  return fault === null ? { kind: 'value', value } : { kind: 'broken', reason: `the record ${fault}` };
}

/** Whether a value must be walked to see that it keeps to the limits: most show it by their text. */
function mayExceed(text: string, { maxTextBytes, maxDepth }: RecordLimits): boolean {
  return text.length > maxTextBytes / 3 || text.includes('\\u0000') || has(text, '{', maxDepth) || has(text, '[', maxDepth);
}

/** Whether a character stands at least `count / 2` times in a text. */
function has(text: string, character: string, count: number): boolean {
  let left = count / 2;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) if (--left <= 0) return true;
  return false;
}
