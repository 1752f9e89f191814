import { BucketRefused, openBucket, type BucketStream } from '../../../kit/outbound/bucket.js';
import { ForbiddenTarget, type Outbound } from '../../../kit/outbound/outbound.js';
import { ChannelError, isForNow } from './channel-error.js';
import type { WebhookMessage } from './webhook.js';

/** Milliseconds that a message may take: a test must fit into the budget of an engine's call. */
const PUT_TIMEOUT = 5_000;
/** Milliseconds that a file may take, and bytes that go over in one of them at least. */
const FILE_TIMEOUT = 60_000;
const BYTES_IN_ONE = 500;

/** A bucket of an S3-compatible service, and what names of files in it begin with. */
export interface S3Settings {
  /** Address of the service; null for AWS. */
  url: string | null;
  region: string;
  bucket: string;
  prefix: string;
  path_style: boolean;
}

export interface S3Credentials {
  access_key_id: string;
  secret_access_key: string;
}

/** The name of a file below the prefix of its bucket. */
const keyOf = ({ prefix }: S3Settings, name: string): string => [prefix.replace(/\/$/, ''), name].filter(Boolean).join('/');

/**
 * Writes a message as a file of JSON; the same name again replaces it, so that a try that was not told of does no harm.
 * @param name of the file, without extension
 * @throws ChannelError
 */
export async function putMessage(
  outbound: Outbound,
  settings: S3Settings,
  credentials: S3Credentials,
  name: string,
  message: WebhookMessage,
): Promise<void> {
  const body = Buffer.from(`${JSON.stringify(message)}\n`);
  await put(outbound, settings, credentials, { key: keyOf(settings, `${name}.json`), body, media_type: 'application/json' }, PUT_TIMEOUT);
}

/**
 * Writes a file while it is read; the same name again replaces it.
 * @param name of the file below the bucket's prefix
 * @returns the name that it has in the bucket
 * @throws ChannelError
 */
export async function putFile(
  outbound: Outbound,
  settings: S3Settings,
  credentials: S3Credentials,
  { name, media_type, ...body }: BucketStream & { name: string; media_type: string },
  signal: AbortSignal,
): Promise<string> {
  const key = keyOf(settings, name);
  await put(outbound, settings, credentials, { key, body, media_type }, FILE_TIMEOUT + body.size / BYTES_IN_ONE, signal);
  return key;
}

async function put(
  outbound: Outbound,
  { url, ...settings }: S3Settings,
  { access_key_id, secret_access_key }: S3Credentials,
  { key, body, media_type }: { key: string; body: Buffer | BucketStream; media_type: string },
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const bucket = await openBucket(outbound, { ...settings, endpoint: url, access_key_id }, secret_access_key, Math.ceil(timeoutMs), signal);
  try {
    await bucket.put(key, body, media_type);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof BucketRefused) throw new ChannelError(error.message, error.status !== undefined && isForNow(error.status));
    if (error instanceof ForbiddenTarget) throw new ChannelError(error.message, false);
    throw new ChannelError('the other side cannot be reached', true);
  }
}
