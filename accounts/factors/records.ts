import { defineSystemCollection, type RowOf } from '../../kit/store/collection.js';
import { date, nullable, number, readonlyList, text, textOf } from '../../kit/store/fields.js';
import type { SignInMethod } from '../session-record.js';

/** Milliseconds that a second step and the setting up of a factor may take. */
export const STEP_LIFE = 10 * 60_000;

/** A sign-in whose first factor was right and whose second step is awaited. `_id` is a random secret: who names it has shown the first factor. */
export const secondSteps = defineSystemCollection(
  'second_steps',
  {
    user_id: text,
    /** Where the user was found to be at home, best first. */
    tenant_ids: readonlyList(text),
    method: textOf<SignInMethod>(),
    sso_tenant_id: nullable(text),
    user_agent: text,
    /** The password that the user had when it was begun, as `passwordVersion` names it: whatever replaces that one ends the sign-in, too. */
    password_version: text,
    /** The secret of an authenticator app that is to be set up on the way, sealed for `_id`; null when the user has a second factor. */
    totp_sealed: nullable(text),
    /** Codes tried so far. */
    tries: number,
    expires_at: date,
  },
  [{ key: { user_id: 1 } }, { key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);
export type SecondStepRow = RowOf<typeof secondSteps>;

/** The secret of an authenticator app that a signed-in user is setting up; `_id` is the session. */
export const pendingTotp = defineSystemCollection(
  'pending_totp',
  {
    user_id: text,
    /** Sealed for `_id`. */
    totp_sealed: text,
    expires_at: date,
  },
  [{ key: { user_id: 1 } }, { key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);
export type PendingTotpRow = RowOf<typeof pendingTotp>;

const DAY = 86_400;

/** The newest code that a user was sent; `_id` is the user. An older one is worth nothing. */
export const mailedCodes = defineSystemCollection(
  'mailed_codes',
  {
    /** The sign-in or the session that the code was asked for by. */
    subject: nullable(text),
    /** HMAC under a key outside the store; null once the code was used. */
    hash: nullable(text),
    tries: number,
    expires_at: date,
    /** Mails sent since the present window began, and its end. */
    sent: number,
    window_ends_at: date,
  },
  [{ key: { window_ends_at: 1 }, options: { expireAfterSeconds: DAY } }],
);
export type MailedCodeRow = RowOf<typeof mailedCodes>;
