import { TAB, NEWLINE, RETURN, SPACE } from './bytes.js';

const INITIAL_BYTES = 512 * 1024;

/** The part of a report that is in memory: bytes come in at the end and are let go at the front. */
export class ByteWindow {
  bytes: Buffer = Buffer.alloc(INITIAL_BYTES);
  /** Where reading stands, and where the bytes end. */
  at = 0;
  end = 0;
  /** The first byte that must stay although it was read; -1 when all that was read may go. */
  keep = -1;
  /** Whether no more bytes come. */
  ended = false;
  /** Offset in the report of `bytes[0]`. */
  private base = 0;

  push(chunk: Uint8Array): void {
    const from = this.keep === -1 ? this.at : this.keep;
    if (this.end + chunk.length > this.bytes.length) {
      const kept = this.end - from;
      const isRoomy = kept + chunk.length <= this.bytes.length / 2;
      const target = isRoomy ? this.bytes : Buffer.alloc(Math.max(this.bytes.length, 2 * (kept + chunk.length)));
      this.bytes.copy(target, 0, from, this.end);
      this.bytes = target;
      this.base += from;
      this.at -= from;
      if (this.keep !== -1) this.keep -= from;
      this.end = kept;
    }
    this.bytes.set(chunk, this.end);
    this.end += chunk.length;
  }

  /** The offset in the report of a place in `bytes`. */
  offset(at: number = this.at): number {
    return this.base + at;
  }

  text(from: number, to: number): string {
    return this.bytes.toString('utf8', from, Math.min(to, this.end));
  }

  /** Moves to the next byte that is no space and returns it; -1 when there is none yet. */
  next(): number {
    const { bytes, end } = this;
    let at = this.at;
    while (at < end) {
      const byte = bytes[at] as number;
      if (byte !== SPACE && byte !== NEWLINE && byte !== RETURN && byte !== TAB) {
        this.at = at;
        return byte;
      }
      at++;
    }
    this.at = at;
    return -1;
  }

  /** How many line breaks lie between two places. */
  lines(from: number, to: number): number {
    const part = this.bytes.subarray(from, to);
    let count = 0;
    for (let at = part.indexOf(NEWLINE); at !== -1; at = part.indexOf(NEWLINE, at + 1)) count++;
    return count;
  }
}
