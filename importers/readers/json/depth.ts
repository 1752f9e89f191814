import { CLOSE_ARRAY, CLOSE_OBJECT, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './bytes.js';

const BACKSLASH = 0x5c;

/** How deep a place in a JSON text lies, byte by byte: what stands beside no bracket lies at 0. */
export class JsonDepth {
  value = 0;
  private inText = false;
  private isEscaped = false;

  /** Takes the next byte. @returns whether it is neither a bracket nor in a text */
  take(byte: number): boolean {
    if (this.inText) {
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) this.inText = false;
      return false;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.value++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.value--;
    else {
      this.inText = byte === QUOTE;
      return true;
    }
    return false;
  }
}
