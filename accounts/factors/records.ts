import { defineSystemCollection } from '../../kit/store/collection.js';
import type { SignInMethod } from '../session-record.js';

/** Milliseconds that a second step and the setting up of a factor may take. */
export const STEP_LIFE = 10 * 60_000;

/** A sign-in whose first factor was right and whose second step is awaited. */
export interface SecondStepRow {
  /** A random secret: who names it has shown the first factor. */
  _id: string;
  user_id: string;
  /** Where the user was found to be at home, best first. */
  tenant_ids: readonly string[];
  method: SignInMethod;
  sso_tenant_id: string | null;
  user_agent: string;
  /** The password that the user had when it was begun, as `passwordVersion` names it: whatever replaces that one ends the sign-in, too. */
  password_version: string;
  /** The secret of an authenticator app that is to be set up on the way, sealed for `_id`; null when the user has a second factor. */
  totp_sealed: string | null;
  /** Codes tried so far. */
  tries: number;
  expires_at: Date;
}

export const secondSteps = defineSystemCollection<SecondStepRow>(
  'second_steps',
  {
    user_id: { type: String, required: true },
    tenant_ids: [String],
    method: String,
    sso_tenant_id: String,
    user_agent: String,
    password_version: String,
    totp_sealed: String,
    tries: Number,
    expires_at: Date,
  },
  [{ key: { user_id: 1 } }, { key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);

/** The secret of an authenticator app that a signed-in user is setting up; `_id` is the session. */
export interface PendingTotpRow {
  _id: string;
  user_id: string;
  /** Sealed for `_id`. */
  totp_sealed: string;
  expires_at: Date;
}

export const pendingTotp = defineSystemCollection<PendingTotpRow>(
  'pending_totp',
  { user_id: { type: String, required: true }, totp_sealed: String, expires_at: Date },
  [{ key: { user_id: 1 } }, { key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);

/** The newest code that a user was sent; `_id` is the user. An older one is worth nothing. */
export interface MailedCodeRow {
  _id: string;
  /** The sign-in or the session that the code was asked for by. */
  subject: string | null;
  /** HMAC under a key outside the store; null once the code was used. */
  hash: string | null;
  tries: number;
  expires_at: Date;
  /** Mails sent since the present window began, and its end. */
  sent: number;
  window_ends_at: Date;
}

const DAY = 86_400;

export const mailedCodes = defineSystemCollection<MailedCodeRow>(
  'mailed_codes',
  { subject: String, hash: String, tries: Number, expires_at: Date, sent: Number, window_ends_at: Date },
  [{ key: { window_ends_at: 1 }, options: { expireAfterSeconds: DAY } }],
);
