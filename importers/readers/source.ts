import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DETECT_BYTES, type ReportSource } from '../types.js';

/** How a source is read. */
export interface SourceOptions {
  /** The largest report in bytes, counted after decompression; reading past it throws ReportTooLarge. Default 4 GiB. */
  maxBytes?: number;
  /** The name the file had, where the bytes do not come from a named file. */
  filename?: string;
}

/** The report is larger than allowed, counted after decompression (413). */
export class ReportTooLarge extends Error {
  override readonly name = 'ReportTooLarge';
  /** @param maxBytes the limit that was passed, in bytes */
  constructor(readonly maxBytes: number) {
    super(`the report is larger than ${maxBytes} bytes when decompressed`);
  }
}

const DEFAULT_MAX_BYTES = 4 * 1024 ** 3;
const CHUNK_BYTES = 256 * 1024;

/**
 * A report in a file. Gzip (RFC 1952, by its magic bytes) is decompressed, a byte order mark dropped, UTF-16 of either
 * order decoded to UTF-8. Throws at once when the file cannot be opened; reading throws ReportTooLarge past `maxBytes`.
 */
export function fileSource(path: string, options: SourceOptions = {}): ReportSource {
  const fd = openSync(path, 'r');
  try {
    const magic = Buffer.alloc(2);
    const compressed = readSync(fd, magic, 0, 2, 0) === 2 && isGzip(magic);
    const open = () => decoded(createReadStream(path, { highWaterMark: CHUNK_BYTES }), options.maxBytes ?? DEFAULT_MAX_BYTES);
    return { open, filename: options.filename ?? basename(path), ...(compressed ? {} : { size: fstatSync(fd).size }) };
  } finally {
    closeSync(fd);
  }
}

/** A report in memory, decoded like that of `fileSource`. */
export function bufferSource(bytes: Uint8Array, options: SourceOptions = {}): ReportSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    open: () =>
      decoded(Readable.from(slices(buffer), { objectMode: false, highWaterMark: CHUNK_BYTES }), options.maxBytes ?? DEFAULT_MAX_BYTES),
    ...(isGzip(buffer) ? {} : { size: buffer.length }),
    ...(options.filename === undefined ? {} : { filename: options.filename }),
  };
}

/** The first bytes of a report as text, for `ReportFormat.detect`: at most `limit` bytes, never a half character at the end. */
export async function readHead(source: ReportSource, limit: number = DETECT_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of source.open() as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= limit) break;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  return new TextDecoder('utf-8').decode(Buffer.concat(chunks).subarray(0, limit), { stream: true });
}

/** Whether an error says that the compressed bytes are damaged: what was read before it stands. */
export function isDamage(error: unknown): error is Error {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === 'Z_DATA_ERROR' || code === 'Z_BUF_ERROR' || code === 'Z_STREAM_ERROR';
}

/** How damage of a report is described. */
export const damageOf = (error: Error): string => `the compressed data is damaged (${error.message})`;

function isGzip(bytes: Uint8Array): boolean {
  return bytes.length >= 2 && bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function* slices(buffer: Buffer): Generator<Buffer> {
  for (let at = 0; at < buffer.length; at += CHUNK_BYTES) yield buffer.subarray(at, at + CHUNK_BYTES);
}

/** The text of a report as UTF-8 bytes without a mark, whatever it was packed and encoded in. */
function decoded(raw: Readable, maxBytes: number): Readable {
  return Readable.from(utf8(limited(inflated(raw), maxBytes)), { objectMode: false, highWaterMark: CHUNK_BYTES });
}

async function* inflated(raw: Readable): AsyncGenerator<Buffer> {
  const chunks = withFirst(raw, 2);
  const first = await chunks.next();
  if (first.done === true) return;
  if (!isGzip(first.value)) {
    yield first.value;
    yield* chunks;
    return;
  }
  // A file that ends too early is damaged like any other: its text alone may not show that more was to come.
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  const input = Readable.from(prepend(first.value, chunks));
  input.on('error', (error) => gunzip.destroy(error));
  try {
    yield* input.pipe(gunzip) as AsyncIterable<Buffer>;
  } finally {
    input.destroy();
    gunzip.destroy();
  }
}

async function* limited(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) throw new ReportTooLarge(maxBytes);
    yield chunk;
  }
}

async function* utf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const rest = withFirst(chunks, 3);
  const first = await rest.next();
  if (first.done === true) return;
  const head = first.value;
  const encoding = head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : undefined;
  if (encoding === undefined) {
    const marked = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
    yield marked ? head.subarray(3) : head;
    yield* rest;
    return;
  }
  const decoder = new TextDecoder(encoding);
  for await (const chunk of prepend(head, rest)) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== '') yield Buffer.from(text);
  }
  const last = decoder.decode();
  if (last !== '') yield Buffer.from(last);
}

/** The same bytes, the first chunk having at least `bytes` of them where there are so many; also where they end in an error. */
export async function* withFirst(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer, undefined> {
  let first: Buffer | undefined;
  let started = false;
  try {
    for await (const chunk of chunks) {
      if (started) {
        yield chunk;
        continue;
      }
      first = first === undefined ? chunk : Buffer.concat([first, chunk]);
      if (first.length < bytes) continue;
      started = true;
      yield first;
    }
  } catch (error) {
    if (!started && first !== undefined) yield first;
    throw error;
  }
  if (!started && first !== undefined) yield first;
}

async function* prepend(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}
