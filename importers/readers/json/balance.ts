import { NEWLINE, QUOTE, OPEN_ARRAY, BACKSLASH, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT } from './bytes.js';

/** Deeper than this the kinds of brackets are no longer distinguished; such values are refused anyway. */
const TRACKED_DEPTH = 1024;

const ENDS_SCALAR = new Uint8Array(256);
for (const byte of [0x20, 0x09, 0x0d, NEWLINE, 0x2c, CLOSE_ARRAY, CLOSE_OBJECT]) ENDS_SCALAR[byte] = 1;
const IS_SPECIAL = new Uint8Array(256);
for (const byte of [QUOTE, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT]) IS_SPECIAL[byte] = 1;

/**
 * Finds the end of one JSON value in bytes that come in pieces, by strings and brackets alone. It never fails: in a damaged
 * value a closing bracket closes what is open above its partner, and a string ends at the end of its line at the latest
 * (RFC 8259 allows no raw line break in it), so that damage stays inside the value wherever the bytes allow.
 */
export class ValueBalance {
  /** The deepest nesting seen in the value. */
  deepest = 0;
  /** The longest string seen in the value, in bytes of the report. */
  longest = 0;
  private length = 0;
  private depth = 0;
  private readonly open = new Uint8Array(TRACKED_DEPTH);
  private inString = false;
  private escaped = false;
  private scalar = false;
  private begun = false;

  /** Starts with a value whose first byte is at `at`; returns this. */
  start(bytes: Uint8Array, at: number): this {
    const first = bytes[at];
    this.deepest = 0;
    this.longest = 0;
    this.length = 0;
    this.depth = 0;
    this.inString = false;
    this.escaped = false;
    this.scalar = first !== OPEN_OBJECT && first !== OPEN_ARRAY && first !== QUOTE;
    this.begun = false;
    return this;
  }

  /** Goes on from `at`; returns the offset after the value's last byte, or -1 when it goes on past `end`. */
  scan(bytes: Uint8Array, at: number, end: number): number {
    if (this.scalar) {
      if (!this.begun && at < end) {
        this.begun = true;
        at++;
      }
      while (at < end) {
        if (ENDS_SCALAR[bytes[at] as number] === 1) return at;
        at++;
      }
      return -1;
    }
    while (at < end) {
      if (this.inString) {
        const from = at;
        at = this.scanString(bytes, at, end);
        this.length += at - from;
        if (this.length > this.longest) this.longest = this.length;
        if (this.inString) return -1;
        this.length = 0;
        if (this.depth === 0) return at;
        continue;
      }
      const byte = bytes[at++] as number;
      if (IS_SPECIAL[byte] === 0) continue;
      if (byte === QUOTE) this.inString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (this.depth < TRACKED_DEPTH) this.open[this.depth] = byte;
        if (++this.depth > this.deepest) this.deepest = this.depth;
      } else if (this.close(byte)) return at;
    }
    return -1;
  }

  /** Takes a closing bracket; returns whether the value ends with it. */
  private close(byte: number): boolean {
    const partner = byte === CLOSE_OBJECT ? OPEN_OBJECT : OPEN_ARRAY;
    if (this.depth <= TRACKED_DEPTH && this.open[this.depth - 1] !== partner) {
      const at = this.open.subarray(0, this.depth).lastIndexOf(partner);
      if (at === -1) return false;
      this.depth = at + 1;
    }
    this.depth--;
    return this.depth === 0;
  }

  private scanString(bytes: Uint8Array, at: number, end: number): number {
    if (this.escaped && at < end) {
      this.escaped = false;
      at++;
    }
    while (at < end) {
      const byte = bytes[at++];
      if (byte === QUOTE) {
        this.inString = false;
        return at;
      }
      if (byte === BACKSLASH) {
        if (at === end) this.escaped = true;
        else at++;
      } else if (byte === NEWLINE) {
        this.inString = false;
        return at;
      }
    }
    return at;
  }
}
