import { createHash, type Hash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';

/** The first two bytes of a gzip file (RFC 1952). */
const GZIP = [0x1f, 0x8b] as const;

/**
 * Passes bytes on as they are and takes the SHA-256 of what they hold: of a gzip file, that of its content, so that a report has one
 * digest, compressed or not. A gzip file that is damaged, or holds more than `maxBytes`, is digested as the bytes that it is.
 */
export class ContentDigest extends Transform {
  private readonly plain = createHash('sha256');
  private content: Hash | null = null;
  private gunzip: Gunzip | null = null;
  private head = Buffer.alloc(0);
  private held = 0;

  /** @param maxBytes of content that is decompressed for its digest */
  constructor(private readonly maxBytes: number) {
    super();
  }

  /** The digest as lower-case hex, once the stream has ended. */
  hex(): string {
    return (this.content ?? this.plain).digest('hex');
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.plain.update(chunk);
    const before = this.head;
    if (before.length < GZIP.length) {
      this.head = Buffer.concat([before, chunk.subarray(0, GZIP.length)]).subarray(0, GZIP.length);
      if (GZIP.every((byte, at) => this.head[at] === byte)) this.open(before);
    }
    this.feed(chunk, () => done(null, chunk));
  }

  override _flush(done: TransformCallback): void {
    const { gunzip } = this;
    if (gunzip === null) return done();
    this.settle(() => done(), gunzip);
    gunzip.end();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.gunzip?.destroy();
    done(error);
  }

  /** @param before what came ahead of the chunk that shows the second byte */
  private open(before: Buffer): void {
    const [gunzip, content] = [createGunzip(), createHash('sha256')];
    [this.gunzip, this.content] = [gunzip, content];
    gunzip.on('error', () => this.giveUp());
    gunzip.on('data', (data: Buffer) => {
      this.held += data.length;
      if (this.held > this.maxBytes) this.giveUp();
      else content.update(data);
    });
    gunzip.write(before);
  }

  private feed(chunk: Buffer, done: () => void): void {
    const { gunzip } = this;
    if (gunzip === null) return done();
    const isFull = !gunzip.write(chunk);
    if (!isFull) return done();
    this.settle(done, gunzip, 'drain');
  }

  /** Calls `done` once, when the decompressor has come that far or is given up. */
  private settle(done: () => void, gunzip: Gunzip, event: 'drain' | 'end' = 'end'): void {
    const once = () => {
      for (const name of [event, 'close', 'error']) gunzip.off(name, once);
      done();
    };
    for (const name of [event, 'close', 'error']) gunzip.once(name, once);
  }

  private giveUp(): void {
    this.gunzip?.destroy();
    this.gunzip = null;
    this.content = null;
  }
}
