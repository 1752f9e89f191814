import { isTooLong, type RecordLimits } from '../limits.js';
import { RowParser, STRAY_QUOTE, UNCLOSED, type ParsedRow, type RowSyntax } from './row-parser.js';
import type { CsvItem } from './row.js';

/** How rows become records. */
export interface RowRules {
  readonly syntax: RowSyntax;
  readonly columns: readonly string[];
  /** Whether rows may leave out cells at their end. */
  readonly isRagged: boolean;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** Bytes that are parsed at a time: their rows are in memory together. */
const PIECE = 64 * 1024;
/** Bytes that may be read again on the way back from faults: of each byte of the report this many, and some to begin with. */
const AGAIN_PER_BYTE = 4;
const AGAIN_AT_FIRST = 16 * 1024 ** 2;

/**
 * Reads the rows of a CSV text that comes in pieces. A quote that is not closed takes in what is behind it, up to the next quote; so after a
 * fault reading goes on at the next line, and what is no whole row there is the rest of the broken one.
 */
export class CsvScan {
  /** What the last piece brought. */
  readonly items: CsvItem[] = [];
  private parser: RowParser;
  /** The bytes that are here, where the next row begins in them and in the report, and where the parser began in the report. */
  private window: Buffer = Buffer.alloc(0);
  private at = 0;
  private parserStart: number;
  private again = AGAIN_AT_FIRST;
  /** Whether the rest of the line belongs to a broken row; whether what follows may. */
  private inBrokenLine = false;
  private afterFault = false;

  /** @param line and offset of the first row */
  constructor(
    private readonly rules: RowRules,
    private readonly limits: RecordLimits,
    private line: number,
    private offset: number,
  ) {
    this.parser = new RowParser(rules.syntax);
    this.parserStart = offset;
  }

  /** Where reading is. */
  get place(): string {
    return `line ${this.line}`;
  }

  /** Takes the next bytes; `items` then holds what they brought. */
  take(chunk: Buffer): void {
    this.items.length = 0;
    this.again += AGAIN_PER_BYTE * chunk.length;
    this.window = this.left === 0 ? chunk : Buffer.concat([this.window.subarray(this.at), chunk]);
    this.at = 0;
    this.parse(this.inBrokenLine ? this.leaveLine() : chunk, false);
  }

  /** Takes the end of the report; `items` then holds what it brought. */
  finish(): void {
    this.items.length = 0;
    if (!this.inBrokenLine) this.parse(Buffer.alloc(0), true);
  }

  /** Parses bytes, and after each fault what is behind it. */
  private parse(bytes: Buffer | undefined, isEnd: boolean): void {
    for (let next = bytes; next !== undefined;) {
      const fault = this.feed(next);
      const isLarge = this.left > this.limits.maxRecordBytes;
      const reason = fault ?? (isLarge ? `is larger than ${this.limits.maxRecordBytes} bytes` : undefined);
      if (reason !== undefined) next = this.breakRow(reason);
      else if (isEnd) next = this.parseEnd();
      else return;
    }
  }

  /** Parses bytes up to a fault, which it returns. */
  private feed(bytes: Buffer): string | undefined {
    for (let at = 0; at < bytes.length; at += PIECE) {
      const { rows, fault } = this.parser.feed(bytes.subarray(at, at + PIECE));
      this.takeRows(rows, false);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Parses the last row. @returns what is to be read behind a fault in it */
  private parseEnd(): Buffer | undefined {
    const { rows, fault } = this.parser.finish();
    this.takeRows(rows, true);
    if (fault !== UNCLOSED || this.hasWholeRowBehind()) return fault === undefined ? undefined : this.breakRow(fault);
    this.passBlank();
    this.items.push({ kind: 'truncated', ...this.here, reason: `the report ends in the middle of ${this.place}` });
    return undefined;
  }

  private takeRows(rows: readonly ParsedRow[], isEnd: boolean): void {
    for (const { fields, end } of rows) {
      this.passBlank();
      const size = this.parserStart + end - this.offset;
      const isCut = isEnd && !this.endsLine(this.at + size - 1);
      const item = this.itemOf(fields, size, isCut);
      if (item !== undefined) this.items.push(item);
      this.advance(size);
    }
  }

  private itemOf(fields: readonly string[], size: number, isCut: boolean): CsvItem | undefined {
    const { columns, isRagged } = this.rules;
    if (fields.every((field) => field === '')) return undefined;
    if (this.afterFault && fields.length !== columns.length) return undefined;
    this.afterFault = false;
    if (fields.length < columns.length && !isRagged) {
      if (isCut) return { kind: 'truncated', ...this.here, reason: `the report ends in the middle of ${this.place}` };
      return this.broken(`has ${fields.length} fields, and the header has ${columns.length}`);
    }
    if (fields.slice(columns.length).some((field) => field !== ''))
      return this.broken(`has ${fields.length} fields, and the header has ${columns.length}`);
    const { maxRecordBytes, maxTextBytes } = this.limits;
    if (size > maxRecordBytes) return this.broken(`is larger than ${maxRecordBytes} bytes`);
    if (size > maxTextBytes && fields.some((field) => isTooLong(field, this.limits)))
      return this.broken(`holds a text of more than ${maxTextBytes} bytes`);
    const value: Record<string, string> = {};
    for (const [n, name] of columns.entries()) value[name] = fields[n] ?? '';
    return { kind: 'value', value, ...this.here };
  }

  private broken(fault: string): CsvItem {
    return { kind: 'broken', ...this.here, reason: `the record ${fault}` };
  }

  /** Gives the next row up. @returns what is here behind its line; undefined when its line goes on */
  private breakRow(fault: string): Buffer | undefined {
    this.passBlank();
    // what follows a broken row may be the rest of it, and so may be broken itself
    if (!this.afterFault) this.items.push(this.broken(fault));
    this.afterFault ||= fault !== STRAY_QUOTE;
    this.again -= this.left;
    if (this.again < 0) this.advance(this.left);
    return this.leaveLine();
  }

  /** Moves behind the line that is here. @returns as `breakRow` */
  private leaveLine(): Buffer | undefined {
    const end = this.window.indexOf(this.lineEnd, this.at);
    this.inBrokenLine = end === -1;
    this.advance(end === -1 ? this.left : end + 1 - this.at);
    this.parser = new RowParser(this.rules.syntax);
    this.parserStart = this.offset;
    return this.inBrokenLine ? undefined : this.window.subarray(this.at);
  }

  /** Whether the row whose quote is not closed has taken in whole ones. */
  private hasWholeRowBehind(): boolean {
    const end = this.window.indexOf(this.lineEnd, this.at);
    if (end === -1) return false;
    const { length } = this.rules.columns;
    const parser = new RowParser(this.rules.syntax);
    const rows = [...parser.feed(this.window.subarray(end + 1)).rows, ...parser.finish().rows];
    return length > 1 && rows.some(({ fields }) => fields.length === length);
  }

  /** Moves behind line ends, so that a row begins here. */
  private passBlank(): void {
    let passed = 0;
    while (this.endsLine(this.at + passed)) passed++;
    if (passed > 0) this.advance(passed);
  }

  private advance(bytes: number): void {
    const { window, lineEnd } = this;
    const to = this.at + bytes;
    for (let at = window.indexOf(lineEnd, this.at); at !== -1 && at < to; at = window.indexOf(lineEnd, at + 1)) this.line++;
    this.at = to;
    this.offset += bytes;
  }

  private endsLine(at: number): boolean {
    const byte = this.window[at];
    return byte === NEWLINE || byte === RETURN;
  }

  /** How many bytes are here from the next row on. */
  private get left(): number {
    return this.window.length - this.at;
  }

  private get lineEnd(): number {
    return this.rules.syntax.oldLineEnds ? RETURN : NEWLINE;
  }

  private get here(): { position: string; offset: number } {
    return { position: this.place, offset: this.offset };
  }
}
