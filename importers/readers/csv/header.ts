import { parse } from 'csv-parse/sync';
import { RECORD_LIMITS } from '../limits.js';

/** The line of a CSV report that names its columns. */
export interface CsvHeader {
  /** The names of the columns, normalized (`columnName`); of several alike the later ones are numbered: `name 2`. */
  readonly columns: readonly string[];
  readonly delimiter: string;
  /** Where the first row begins: its line, and its first byte. */
  readonly nextLine: number;
  readonly end: number;
}

/** What tells the header of a format. */
export interface HeaderRules {
  /** Columns that it has, in any order and beside any others. */
  readonly columns: readonly string[];
  /** How many lines may stand before it; 0 when left out. */
  readonly preamble?: number;
}

/** Enough of a report to hold its header and what may stand before it. */
export const CSV_HEAD_BYTES = 64 * 1024;
const DELIMITERS = [',', ';', '\t', '|'];
/** Lines that one header may take. */
const MAX_HEADER_LINES = 10;
/** A byte order mark, a byte a character. */
const MARK = '\u00ef\u00bb\u00bf';
/** Excel writes this before the header where the delimiter is not that of its locale. */
const SEPARATOR = /^"?sep=.?"?$/i;

/** The name of a column as rows are keyed by it: trimmed, in lower case, with single spaces, without a byte order mark. */
export const columnName = (name: string): string =>
  name
    .replace(/^\uFEFF/, '')
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase();

let last: { head: string; lines: HeaderLines } | undefined;

/**
 * The header of a report by its head, which may be cut anywhere: for format detection. Undefined when no line that may be it has the
 * columns; of a comma, semicolon, tab and bar, the delimiter is what parts a line into the most fields.
 */
export function findCsvHeader(head: string, rules: HeaderRules): CsvHeader | undefined {
  if (last?.head !== head) last = { head, lines: new HeaderLines(Buffer.from(head.slice(0, CSV_HEAD_BYTES))) };
  return last.lines.find(rules);
}

/** As `findCsvHeader`, of bytes. */
export const headerOfBytes = (head: Buffer, rules: HeaderRules): CsvHeader | undefined =>
  new HeaderLines(head.subarray(0, CSV_HEAD_BYTES)).find(rules);

/** The first lines of a head that are not blank, each read as a header once it is looked at. */
class HeaderLines {
  private readonly read: CsvHeader[] = [];
  private readonly lines: Generator<CsvHeader, void>;

  constructor(head: Buffer) {
    this.lines = headerLines(head);
  }

  find({ columns, preamble = 0 }: HeaderRules): CsvHeader | undefined {
    const wanted = columns.map(columnName);
    for (let n = 0; n <= preamble; n++) {
      const line = this.read[n] ?? this.next();
      if (line === undefined || wanted.every((name) => line.columns.includes(name))) return line;
    }
    return undefined;
  }

  private next(): CsvHeader | undefined {
    const { value } = this.lines.next();
    if (value !== undefined) this.read.push(value);
    return value ?? undefined;
  }
}

function* headerLines(head: Buffer): Generator<CsvHeader, void> {
  // a byte is a character here, so that places in the text are places in the bytes
  const text = head.toString('latin1');
  for (let start = text.startsWith(MARK) ? MARK.length : 0, line = 1; start < text.length;) {
    const end = endOfLine(text, start);
    // white space beyond ASCII may be part of a character here
    const raw = text.slice(start, end).replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
    line += text.slice(start, end).split(/\r\n|\n|\r/).length - 1;
    if (raw !== '' && !SEPARATOR.test(raw)) yield { ...readHeader(raw), nextLine: line, end };
    start = end;
  }
}

/** Where the line that begins at `start` ends, with its line break: line breaks in quotes are part of it. */
function endOfLine(text: string, start: number): number {
  let quotes = 0;
  let end = start;
  for (let lines = 0; lines < MAX_HEADER_LINES && end < text.length; lines++) {
    const found = /\r\n|\n|\r/.exec(text.slice(end));
    const next = found === null ? text.length : end + found.index + found[0].length;
    quotes += text.slice(end, next).split('"').length - 1;
    end = next;
    if (quotes % 2 === 0) return end;
  }
  // quotes that nothing closes are no quotes
  const found = /\r\n|\n|\r/.exec(text.slice(start));
  return found === null ? text.length : start + found.index + found[0].length;
}

function readHeader(raw: string): Pick<CsvHeader, 'columns' | 'delimiter'> {
  const readings = DELIMITERS.map((delimiter) => ({ delimiter, fields: fieldsOf(raw, delimiter) }));
  const best = readings.reduce((one, other) => (other.fields.length > one.fields.length ? other : one));
  const seen = new Map<string, number>();
  const columns = best.fields.slice(0, RECORD_LIMITS.maxFields + 1).map((field) => {
    const name = columnName(Buffer.from(field, 'latin1').toString());
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  });
  return { columns, delimiter: best.delimiter };
}

function fieldsOf(raw: string, delimiter: string): string[] {
  try {
    return parse(raw, { delimiter, trim: true, relax_column_count: true })[0] ?? [];
  } catch {
    return raw.split(delimiter);
  }
}
