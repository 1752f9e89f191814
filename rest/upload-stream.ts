import type { IncomingMessage } from 'node:http';
import { pipeline, Transform, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { badRequest, PalisadeError } from '../kit/base/errors.js';

/** A gzip stream that grows more than this is a bomb; reports of scanners stay under 60. */
const MAX_RATIO = 250;
/** Decompressed bytes below which no ratio is judged. */
const RATIO_FLOOR = 8_388_608;

/** The encoding of an upload. @throws PalisadeError UNSUPPORTED_MEDIA_TYPE for any but gzip */
export function uploadEncoding(header: string | undefined): 'gzip' | 'identity' {
  const encoding = (header ?? 'identity').trim().toLowerCase();
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip';
  if (encoding === 'identity' || encoding === '') return 'identity';
  throw new PalisadeError('UNSUPPORTED_MEDIA_TYPE', 'The content encoding is not accepted here; send gzip or identity');
}

export const tooLarge = (maxBytes: number): PalisadeError =>
  new PalisadeError('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes`, { max_bytes: maxBytes });

/** The caller went away before the body was whole. */
export class UploadAborted extends Error {
  override readonly name = 'UploadAborted';
}

/** The body of an upload, decompressed, and how many bytes came over the wire so far. */
export interface UploadStream {
  readonly stream: Readable;
  received(): number;
}

/**
 * Opens the body of a request for reading. Both sizes are bounded: that on the wire here, that after decompression by whoever reads;
 * and the ratio between them, so that a bomb stops early. The request itself is never destroyed, because its socket carries the answer.
 * The stream fails with PAYLOAD_TOO_LARGE, with UploadAborted, or with zlib's own error.
 * @param maxBytes on the wire
 */
export function openUpload(request: IncomingMessage, encoding: 'gzip' | 'identity', maxBytes: number): UploadStream {
  let received = 0;
  const wire = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      if (received > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
  });
  const abort = () => void wire.destroy(new UploadAborted('the caller went away'));
  request.once('error', abort);
  request.once('close', () => {
    if (!request.readableEnded) abort();
  });
  // Whoever reads learns of an error; this listener is for one that comes before anybody reads.
  wire.on('error', () => undefined);
  request.pipe(wire);
  if (encoding === 'identity') return { stream: wire, received: () => received };
  let grown = 0;
  const guard = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      grown += chunk.length;
      if (grown > RATIO_FLOOR && grown > received * MAX_RATIO)
        done(new PalisadeError('PAYLOAD_TOO_LARGE', `The body grows more than ${MAX_RATIO} times when decompressed`));
      else done(null, chunk);
    },
  });
  guard.on('error', () => undefined);
  const stream = pipeline(wire, createGunzip(), guard, () => undefined);
  return { stream, received: () => received };
}

/** What an error of an upload's stream says to the caller; zlib's own codes start with Z_. */
export function uploadError(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && code.startsWith('Z_') ? badRequest('The body is not valid gzip') : error;
}
