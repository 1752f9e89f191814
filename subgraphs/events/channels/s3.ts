import { BucketRefused, openBucket } from '../../../kit/outbound/bucket.js';
import { ForbiddenTarget, type Outbound } from '../../../kit/outbound/outbound.js';
import { ChannelError, isForNow } from './channel-error.js';
import type { WebhookMessage } from './webhook.js';

/** Milliseconds that one file may take: a test must fit into the budget of an engine's call. */
const PUT_TIMEOUT = 5_000;

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
  { url, ...settings }: S3Settings,
  { access_key_id, secret_access_key }: S3Credentials,
  name: string,
  message: WebhookMessage,
): Promise<void> {
  const bucket = await openBucket(outbound, { ...settings, endpoint: url, access_key_id }, secret_access_key, PUT_TIMEOUT);
  try {
    await bucket.put(keyOf({ url, ...settings }, `${name}.json`), Buffer.from(`${JSON.stringify(message)}\n`), 'application/json');
  } catch (error) {
    if (error instanceof BucketRefused) throw new ChannelError(error.message, error.status !== undefined && isForNow(error.status));
    if (error instanceof ForbiddenTarget) throw new ChannelError(error.message, false);
    throw new ChannelError('the other side cannot be reached', true);
  }
}
