import { BodyTooLong } from '../../../kit/outbound/bounded-body.js';
import { guardedHandler } from '../../../kit/outbound/guarded-handler.js';
import type { Outbound } from '../../../kit/outbound/outbound.js';
import { DeliveryFailed } from './failure.js';
import { storageEndpoint } from './input.js';
import type { ObjectStorageTarget } from './records.js';

/** Milliseconds that one file may take. */
const PUT_TIMEOUT = 60_000;
/** Bytes read of an answer: there is little to say of a file that was put. */
const MOST = 65_536;

/** The one thing that an export does with a bucket. */
export interface Bucket {
  /** Writes a file, over the one that is there. @throws DeliveryFailed when the service refuses; what fetch throws */
  put(key: string, body: Buffer, contentType: string): Promise<void>;
}

/**
 * Opens a bucket of an S3-compatible service.
 * @param secretAccessKey the opened secret
 */
export async function openBucket(
  outbound: Outbound,
  target: ObjectStorageTarget,
  secretAccessKey: string,
  signal: AbortSignal,
): Promise<Bucket> {
  // the client is large, and most deployments never need it
  const { PutObjectCommand, S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({
    endpoint: storageEndpoint(target),
    region: target.region,
    forcePathStyle: target.path_style,
    credentials: { accessKeyId: target.access_key_id, secretAccessKey },
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    requestHandler: guardedHandler(outbound, { signal, timeoutMs: PUT_TIMEOUT, mostBytes: MOST }),
  });
  return {
    async put(key, body, contentType) {
      const command = new PutObjectCommand({ Bucket: target.bucket, Key: key, Body: body, ContentType: contentType });
      await client.send(command).catch((error: { name?: string; $metadata?: { httpStatusCode?: number } }) => {
        if (error instanceof BodyTooLong) throw new DeliveryFailed(error.message);
        const status = error.$metadata?.httpStatusCode;
        throw status ? new DeliveryFailed(`the object storage answered ${status} (${String(error.name).slice(0, 60)})`) : error;
      });
    },
  };
}
