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
    const { size } = fstatSync(fd);
    const range = (start: number, end: number) =>
      start >= end ? Readable.from([]) : createReadStream(path, { start, end: end - 1, highWaterMark: CHUNK_BYTES });
    const source = streamSource(() => createReadStream(path, { highWaterMark: CHUNK_BYTES }), {
      ...options,
      filename: options.filename ?? basename(path),
    });
    return { ...source, stored: { size, range }, ...(compressed ? {} : { size }) };
  } finally {
    closeSync(fd);
  }
}

/** A report in memory, decoded like that of `fileSource`. */
export function bufferSource(bytes: Uint8Array, options: SourceOptions = {}): ReportSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const range = (start: number, end: number) =>
    Readable.from(slices(buffer.subarray(start, end)), { objectMode: false, highWaterMark: CHUNK_BYTES });
  const source = streamSource(() => range(0, buffer.length), options);
  return { ...source, stored: { size: buffer.length, range }, ...(isGzip(buffer) ? {} : { size: buffer.length }) };
}

/** A report in a stream that can be opened again and again, decoded like that of `fileSource`. */
export function streamSource(open: () => Readable, { maxBytes = DEFAULT_MAX_BYTES, filename }: SourceOptions = {}): ReportSource {
  return { open: () => decoded(open(), maxBytes), maxBytes, ...(filename === undefined ? {} : { filename }) };
}

/** The same report, which tells how many bytes of it are read. */
export function countedSource(source: ReportSource, onBytes: (bytes: number) => void): ReportSource {
  async function* chunks() {
    for await (const chunk of source.open() as AsyncIterable<Buffer>) {
      onBytes(chunk.length);
      yield chunk;
    }
  }
  return { ...source, open: () => Readable.from(chunks(), { objectMode: false }) };
}

/** The first bytes of a report as text, for `ReportFormat.detect`: at most `limit` bytes, never a half character at the end. */
export async function readHead(source: ReportSource, limit: number = DETECT_BYTES): Promise<string> {
  return textOfHead(await readBytes(source, limit));
}

/** Bytes that may end inside of a character as text, without that one. */
export const textOfHead = (bytes: Buffer): string => new TextDecoder('utf-8').decode(bytes, { stream: true });

/** The first bytes of a report: at most `limit`, fewer where it ends or is damaged, which `onDamage` is told. */
export async function readBytes(source: ReportSource, limit: number, onDamage?: (error: Error) => void): Promise<Buffer> {
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
    onDamage?.(error);
  }
  return Buffer.concat(chunks).subarray(0, limit);
}

/** Whether an error says that the compressed bytes are damaged: what was read before it stands. */
export function isDamage(error: unknown): error is Error {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === 'Z_DATA_ERROR' || code === 'Z_BUF_ERROR' || code === 'Z_STREAM_ERROR';
}

/** Bytes that are packed into something are damaged: what was read before stands, as with damaged compression. */
export class DamagedBytes extends Error {
  override readonly name = 'DamagedBytes';
  readonly code = 'Z_DATA_ERROR';
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
