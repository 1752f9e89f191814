import { RECORD_LIMITS, type RecordLimits } from '../limits.js';
import { readLines, type ByteLine } from './read-lines.js';
import type { ReportSource } from '../../types.js';
import type { ReadItem } from '../record.js';

/** A line without its end, and its number. Its position is `line 12`. */
export interface TextLine {
  readonly text: string;
  readonly number: number;
}

/** What stands in a report of lines. */
export type LineItem = ReadItem<TextLine>;

/**
 * Reads the lines of a text, blank ones included, one at a time; a line end is a line feed, with a carriage return before it or not. A line
 * of more than `maxTextBytes` is broken; the others go on. Damaged compression is `truncated`. Throws what the source throws.
 *
 * @param limits of one line; what is left out is that of RECORD_LIMITS
 */
export function readTextLines(source: ReportSource, limits: Partial<RecordLimits> = {}): AsyncGenerator<LineItem, void, undefined> {
  const { maxTextBytes } = { ...RECORD_LIMITS, ...limits };
  return readLines(source, maxTextBytes, ({ bytes, number }: ByteLine) =>
    bytes === undefined
      ? { kind: 'broken', reason: `the line is longer than ${maxTextBytes} bytes` }
      : { kind: 'value', value: { text: bytes.toString(), number } },
  );
}
