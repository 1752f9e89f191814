import { faultOfValue, RECORD_LIMITS, type RecordLimits } from '../limits.js';
import { ValueBalance } from '../json/balance.js';
import { NotOfFormat, type ReportSource } from '../../types.js';
import { byteLines } from './text-lines.js';
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
export async function* readJsonLines(
  source: ReportSource,
  limits: Partial<RecordLimits> = {},
): AsyncGenerator<JsonLineItem, void, undefined> {
  const all = { ...RECORD_LIMITS, ...limits };
  let isFirst = true;
  for await (const { bytes, number, offset, isLast, damage } of byteLines(source, all.maxRecordBytes)) {
    const at = { position: `line ${number}`, offset };
    if (damage !== undefined) {
      if (isFirst) throw new NotOfFormat(`expected JSON lines: ${damage}`);
      yield { kind: 'truncated', ...at, reason: damage };
      return;
    }
    const start = bytes?.findIndex((byte) => !SPACES.has(byte)) ?? 0;
    if (start === -1) continue;
    if (isFirst && bytes !== undefined && !OPENING.has(bytes[start] as number))
      throw new NotOfFormat(`expected JSON lines, found other text in line ${number}`);
    isFirst = false;
    yield bytes === undefined
      ? { kind: 'broken', ...at, reason: `the record is larger than ${all.maxRecordBytes} bytes` }
      : { ...parseLine(bytes, start, isLast, all), ...at };
  }
  if (isFirst) throw new NotOfFormat('expected JSON lines, found nothing');
}

type Parsed = { kind: 'value'; value: unknown } | { kind: 'broken' | 'truncated'; reason: string };

const balance = new ValueBalance();

function parseLine(bytes: Buffer, start: number, isLast: boolean, limits: RecordLimits): Parsed {
  balance.start(bytes, start).scan(bytes, start, bytes.length);
  if (balance.deepest > limits.maxDepth) return { kind: 'broken', reason: `the record is nested deeper than ${limits.maxDepth} levels` };
  const text = bytes.toString('utf8', start);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (isLast) return { kind: 'truncated', reason: 'the report ends in the middle of this line' };
    return { kind: 'broken', reason: 'the record is not valid JSON' };
  }
  // most records show by their bytes that they keep to the limits: only the others are walked
  const fault = balance.longest > limits.maxTextBytes || text.includes('\\u0000') ? faultOfValue(value, limits) : null;
  return fault === null ? { kind: 'value', value } : { kind: 'broken', reason: `the record ${fault}` };
}
