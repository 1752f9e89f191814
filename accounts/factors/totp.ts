import { createGuardrails, generateSecret, generateURI, verifySync } from 'otplib';
import { seal, unseal } from '../../kit/keys/seal.js';
import type { MasterKey } from '../../kit/keys/master-key.js';

/** Seconds of a step; a code counts in its own step and the ones beside it (RFC 6238, section 5.2). */
const PERIOD = 30;
/** Secrets of a deployment's own choice may be as short as RFC 4226 knew them in practice: 80 bits. */
const GUARDRAILS = createGuardrails({ MIN_SECRET_BYTES: 10 });

const ISSUER = 'Palisade';
const keyOf = (masterKey: MasterKey) => masterKey.derive('totp');

/** What an authenticator app is given: the secret in base32, alone and as a URL that apps read. */
export interface TotpSecret {
  secret: string;
  otpauth_url: string;
}

/** A new secret of 160 bits. */
export const newTotpSecret = (email: string): TotpSecret => describeTotpSecret(email, generateSecret());

export const describeTotpSecret = (email: string, secret: string): TotpSecret => ({
  secret,
  otpauth_url: generateURI({ issuer: ISSUER, label: email, secret }),
});

/** @param owner the user, or what holds the secret until the user has confirmed it */
export const sealTotp = (masterKey: MasterKey, owner: string, secret: string): string => seal(keyOf(masterKey), owner, Buffer.from(secret));

/** @throws when it was sealed for another owner or under another master key */
export const unsealTotp = (masterKey: MasterKey, owner: string, sealed: string): string =>
  unseal(keyOf(masterKey), owner, sealed).toString();

/** The step whose code this is (Unix time over 30 seconds), or null: SHA-1, six digits (RFC 6238). */
export function totpStepOf(secret: string, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const epoch = Math.floor(now.getTime() / 1000);
  const result = verifySync({
    secret: secret.replace(/=+$/, ''),
    token: code,
    epoch,
    period: PERIOD,
    epochTolerance: PERIOD,
    guardrails: GUARDRAILS,
  });
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}
