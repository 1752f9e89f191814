import { Readable } from 'node:stream';
import { BodyTooLong } from './bounded-body.js';
import { storageEndpoint } from './bucket-fields.js';
import { guardedHandler } from './guarded-handler.js';
import type { Outbound } from './outbound.js';

/** Where a bucket is, and the id of the key that may write there. */
export interface BucketTarget {
  /** Address of the service; null for AWS. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  readonly access_key_id: string;
  /** Whether the bucket is named in the path instead of the host name. */
  readonly path_style: boolean;
}

/** The service did not take a file. The message may be shown to the tenant. */
export class BucketRefused extends Error {
  override readonly name = 'BucketRefused';

  constructor(
    message: string,
    /** The status that it answered; absent where it said too much. */
    readonly status?: number,
  ) {
    super(message);
  }
}

/** Bytes read of an answer: there is little to say of a file that was put. */
const MOST = 65_536;

/** A file that is read while it is put. Its size in bytes and its digest, in hexadecimal, are signed, so that no other bytes are taken. */
export interface BucketStream {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly size: number;
  readonly sha256: string;
}

const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** The one thing that is done with a bucket. */
export interface Bucket {
  /** Writes a file, over the one that is there. @throws BucketRefused; what fetch throws */
  put(key: string, body: Buffer | BucketStream, contentType: string): Promise<void>;
}

/**
 * Opens a bucket of an S3-compatible service.
 * @param secretAccessKey the opened secret
 * @param timeoutMs milliseconds that one file may take
 */
export async function openBucket(
  outbound: Outbound,
  target: BucketTarget,
  secretAccessKey: string,
  timeoutMs: number,
  signal = new AbortController().signal,
): Promise<Bucket> {
  // the client is large, and most deployments never need it
  const { PutObjectCommand, S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({
    endpoint: storageEndpoint(target),
    region: target.region,
    forcePathStyle: target.path_style,
    credentials: { accessKeyId: target.access_key_id, secretAccessKey },
    maxAttempts: 1,
    // without one it writes to the console
    logger: SILENT,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    requestHandler: guardedHandler(outbound, { signal, timeoutMs, mostBytes: MOST }),
  });
  return {
    async put(key, body, contentType) {
      const named = { Bucket: target.bucket, Key: key, ContentType: contentType };
      const command = Buffer.isBuffer(body)
        ? new PutObjectCommand({ ...named, Body: body })
        : new PutObjectCommand({ ...named, Body: Readable.from(body.bytes, { objectMode: false }), ContentLength: body.size });
      if (!Buffer.isBuffer(body))
        command.middlewareStack.add(
          (next) => (args) => {
            (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = body.sha256;
            return next(args);
          },
          { step: 'build', name: 'palisadeDigestOfStream' },
        );
      await client.send(command).catch((error: { name?: string; $metadata?: { httpStatusCode?: number } }) => {
        if (error instanceof BodyTooLong) throw new BucketRefused(error.message);
        const status = error.$metadata?.httpStatusCode;
        throw status ? new BucketRefused(`the object storage answered ${status} (${String(error.name).slice(0, 60)})`, status) : error;
      });
    },
  };
}
