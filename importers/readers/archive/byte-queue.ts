import type { Readable } from 'node:stream';
import { DamagedBytes, isDamage } from '../source.js';

/** Takes bytes off a stream in pieces of the sizes that are asked for. */
export class ByteQueue {
  /** How many bytes were taken or passed over. */
  offset = 0;
  private readonly chunks: AsyncIterator<Buffer>;
  private held: Buffer = Buffer.alloc(0);
  private damage: Error | undefined;

  constructor(private readonly stream: Readable) {
    this.chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  /** The next bytes; fewer where the stream ends or is damaged. */
  async upTo(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = size;
    while (missing > 0 && (this.held.length > 0 || (await this.fill()))) {
      const part = this.held.subarray(0, missing);
      parts.push(part);
      this.held = this.held.subarray(part.length);
      missing -= part.length;
    }
    this.offset += size - missing;
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  /** The next bytes. @throws damage when there are fewer */
  async take(size: number): Promise<Buffer> {
    const bytes = await this.upTo(size);
    if (bytes.length < size) throw this.whyEnded;
    return bytes;
  }

  /** Passes over bytes. @throws damage when there are fewer */
  async skip(size: number): Promise<void> {
    let missing = size;
    while (missing > 0 && (this.held.length > 0 || (await this.fill()))) {
      const passed = Math.min(missing, this.held.length);
      this.held = this.held.subarray(passed);
      missing -= passed;
    }
    this.offset += size - missing;
    if (missing > 0) throw this.whyEnded;
  }

  /** The bytes that follow, up to `size` of them, as they come. @throws damage when there are fewer */
  async *stretch(size: number): AsyncGenerator<Buffer> {
    for (let missing = size; missing > 0;) {
      if (this.held.length === 0 && !(await this.fill())) throw this.whyEnded;
      const part = this.held.subarray(0, missing);
      this.held = this.held.subarray(part.length);
      this.offset += part.length;
      missing -= part.length;
      yield part;
    }
  }

  /** Why there are no more bytes than there were. */
  get whyEnded(): Error {
    return this.damage ?? new DamagedBytes('it ends early');
  }

  /** Whether the stream ended by damage. */
  get isDamaged(): boolean {
    return this.damage !== undefined;
  }

  /** Lets the stream go. */
  close(): void {
    this.stream.destroy();
  }

  private async fill(): Promise<boolean> {
    if (this.damage !== undefined) return false;
    try {
      const { done, value } = await this.chunks.next();
      if (done === true) return false;
      this.held = value;
      return true;
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.damage = error;
      return false;
    }
  }
}
