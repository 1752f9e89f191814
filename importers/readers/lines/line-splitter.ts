/** A line as bytes, without its end. */
export interface ByteLine {
  /** Undefined when it is longer than allowed. */
  readonly bytes: Buffer | undefined;
  /** Its number, from 1, and its first byte. */
  readonly number: number;
  readonly offset: number;
  /** Whether the report ends in it, without a line end. */
  readonly isLast: boolean;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Parts a text that comes in pieces into lines of at most `maxBytes` each. */
export class LineSplitter {
  private parts: Buffer[] = [];
  private length = 0;
  private number = 1;
  private offset = 0;

  constructor(private readonly maxBytes: number) {}

  /** Where reading is. */
  get place(): { position: string; offset: number } {
    return { position: `line ${this.number}`, offset: this.offset };
  }

  /** The lines that end in the next piece. Their bytes are parts of it: they are good until the next call. */
  take(piece: Buffer): ByteLine[] {
    const lines: ByteLine[] = [];
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      this.add(piece.subarray(start, end));
      start = end + 1;
      lines.push(this.line(false));
    }
    if (start < piece.length) this.add(piece.subarray(start));
    return lines;
  }

  /** What stands behind the last line end; undefined when there is nothing. */
  finish(): ByteLine | undefined {
    return this.length === 0 ? undefined : this.line(true);
  }

  private add(part: Buffer): void {
    this.length += part.length;
    if (this.length <= this.maxBytes) this.parts.push(part);
    else this.parts.length = 0;
  }

  private line(isLast: boolean): ByteLine {
    const whole = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts);
    const bytes = !isLast && whole.at(-1) === RETURN ? whole.subarray(0, -1) : whole;
    const line = { bytes: this.length > this.maxBytes ? undefined : bytes, number: this.number, offset: this.offset, isLast };
    this.offset += this.length + 1;
    this.number++;
    this.parts = [];
    this.length = 0;
    return line;
  }
}
