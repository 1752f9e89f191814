import { createHmac, randomBytes } from 'node:crypto';
import type { MasterKey } from '../../../kit/keys/master-key.js';
import { seal, unseal } from '../../../kit/keys/seal.js';
import type { SealedSecret, WebhookRow } from './records.js';

/** Standard Webhooks: 24 to 64 bytes, base64 behind this prefix. */
const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** How long a replaced secret still signs, in milliseconds. */
export const ROTATION_OVERLAP = 24 * 3_600_000;

const keyOf = (masterKey: MasterKey) => masterKey.derive('webhook-secrets');

/** A new signing secret: as it is shown once, and as it is stored. @param owner `_id` of the webhook's row */
export function createSecret(masterKey: MasterKey, owner: string): { shown: string; stored: SealedSecret } {
  const secret = randomBytes(SECRET_BYTES);
  return { shown: PREFIX + secret.toString('base64'), stored: { sealed: seal(keyOf(masterKey), owner, secret), until: null } };
}

/** The secrets after a rotation at `now`: the new one in front, the one before for the overlap, older ones for what is left of theirs. */
export function rotated(secrets: readonly SealedSecret[], next: SealedSecret, now: Date): SealedSecret[] {
  const until = new Date(now.getTime() + ROTATION_OVERLAP);
  return [next, ...inForce(secrets, now).map((secret) => ({ ...secret, until: secret.until ?? until }))];
}

/** The secrets that sign at `now`. */
export const inForce = (secrets: readonly SealedSecret[], now: Date): SealedSecret[] =>
  secrets.filter(({ until }) => until === null || until > now);

/**
 * The headers of one try (Standard Webhooks 1.0): HMAC-SHA256 over id, timestamp and body, one signature for each secret in force.
 * @param id the same for every try of a message
 */
export function signedHeaders(masterKey: MasterKey, webhook: WebhookRow, id: string, now: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signatures = inForce(webhook.secrets, now).map(({ sealed }) => {
    const secret = unseal(keyOf(masterKey), webhook._id, sealed);
    return `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
