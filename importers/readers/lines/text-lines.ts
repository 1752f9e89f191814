import { RECORD_LIMITS, type RecordLimits } from '../limits.js';
import { damageOf, isDamage } from '../source.js';
import type { ReportSource } from '../../types.js';
import type { ReadItem } from '../record.js';

/** A line without its end, and its number. Its position is `line 12`. */
export interface TextLine {
  readonly text: string;
  readonly number: number;
}

/** What stands in a report of lines. */
export type LineItem = ReadItem<TextLine>;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Reads the lines of a text, blank ones included, one at a time; a line end is a line feed, with a carriage return before it or not. A line
 * of more than `maxTextBytes` is broken; the others go on. Damaged compression is `truncated`. Throws what the source throws.
 *
 * @param limits of one line; what is left out is that of RECORD_LIMITS
 */
export async function* readTextLines(source: ReportSource, limits: Partial<RecordLimits> = {}): AsyncGenerator<LineItem, void, undefined> {
  const { maxTextBytes } = { ...RECORD_LIMITS, ...limits };
  for await (const { bytes, number, offset, damage } of byteLines(source, maxTextBytes)) {
    const at = { position: `line ${number}`, offset };
    if (damage !== undefined) yield { kind: 'truncated', ...at, reason: damage };
    else if (bytes === undefined) yield { kind: 'broken', ...at, reason: `the line is longer than ${maxTextBytes} bytes` };
    else yield { kind: 'value', ...at, value: { text: bytes.toString(), number } };
  }
}

/** A line as bytes, without its end. */
export interface ByteLine {
  /** Undefined when it is longer than allowed. */
  readonly bytes: Buffer | undefined;
  readonly number: number;
  readonly offset: number;
  /** Whether the report ends in it, without a line end. */
  readonly isLast: boolean;
  /** Why nothing can be read from here on; this line is then no line. */
  readonly damage?: string;
}

/** The lines of a report as bytes, of at most `maxBytes` each; the last one where it is not empty. */
export async function* byteLines(source: ReportSource, maxBytes: number): AsyncGenerator<ByteLine, void, undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  let number = 1;
  let offset = 0;
  const take = (isLast: boolean): ByteLine => {
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    const bytes = whole.at(-1) === RETURN && !isLast ? whole.subarray(0, -1) : whole;
    const line = { bytes: length > maxBytes ? undefined : bytes, number, offset, isLast };
    offset += length + 1;
    number++;
    parts = [];
    length = 0;
    return line;
  };
  const add = (part: Buffer) => {
    length += part.length;
    if (length <= maxBytes) parts.push(part);
    else parts = [];
  };
  try {
    for await (const chunk of source.open() as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, end));
        start = end + 1;
        yield take(false);
      }
      if (start < chunk.length) add(chunk.subarray(start));
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    yield { bytes: undefined, number, offset, isLast: true, damage: damageOf(error) };
    return;
  }
  if (length > 0) yield take(true);
}
