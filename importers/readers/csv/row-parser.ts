import { Parser } from 'csv-parse';

/** A row of fields, and where it ends in the bytes that the parser was given. */
export interface ParsedRow {
  fields: string[];
  end: number;
}

/** How a report's rows are written. */
export interface RowSyntax {
  delimiter: string;
  /** Whether lines end in a carriage return alone. */
  oldLineEnds: boolean;
  /** Whether quotes may stand in fields that are not quoted. */
  bareQuotes: boolean;
}

/** csv-parse without its stream: rows come at once, each with its end. */
export class RowParser extends Parser {
  private rows: ParsedRow[] = [];

  constructor({ delimiter, oldLineEnds, bareQuotes }: RowSyntax) {
    super({
      delimiter,
      record_delimiter: oldLineEnds ? ['\r'] : ['\r\n', '\n'],
      relax_column_count: true,
      relax_quotes: bareQuotes,
      skip_empty_lines: true,
      trim: true,
    });
  }

  /** Takes what the parser gives, instead of the stream's reader. */
  override push(fields: string[] | null): boolean {
    if (fields !== null) this.rows.push({ fields, end: this.info.bytes });
    return true;
  }

  /** Parses more bytes. @returns the rows that end in them, and what is wrong with the next one, where something is */
  feed(bytes: Buffer): { rows: ParsedRow[]; fault: string | undefined } {
    let fault: string | undefined;
    this._transform(bytes, 'utf8', (error) => (fault = faultOf(error)));
    return this.taken(fault);
  }

  /** Parses what is left when there are no more bytes. */
  finish(): { rows: ParsedRow[]; fault: string | undefined } {
    let fault: string | undefined;
    this._flush((error) => (fault = faultOf(error)));
    return this.taken(fault);
  }

  private taken(fault: string | undefined): { rows: ParsedRow[]; fault: string | undefined } {
    const { rows } = this;
    this.rows = [];
    return { rows, fault };
  }
}

function faultOf(error: Error | null | undefined): string | undefined {
  if (error === null || error === undefined) return undefined;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'INVALID_OPENING_QUOTE') return STRAY_QUOTE;
  if (code === 'CSV_INVALID_CLOSING_QUOTE' || code === 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE')
    return 'has text behind a closing quote';
  if (code === 'CSV_QUOTE_NOT_CLOSED') return UNCLOSED;
  return `cannot be read: ${error.message}`;
}

/** The fault of a row that has a quote in a field without quotes: it ends with its line all the same. */
export const STRAY_QUOTE = 'has a quote inside of a field that is not quoted';

/** The fault of a row whose quote is still open where the report ends. */
export const UNCLOSED = 'has a quote that is not closed';
