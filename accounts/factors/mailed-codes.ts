import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { EngineServices } from '../../kit/engine/context.js';
import { PalisadeError } from '../../kit/base/errors.js';
import type { MasterKey } from '../../kit/keys/master-key.js';
import type { UserRow } from '../records.js';
import { mailedCodes } from './records.js';

export type FactorServices = Pick<EngineServices, 'database' | 'masterKey' | 'clock' | 'mailer' | 'logger'>;

/** Milliseconds that a code lives, tries at one code, and mails in a window of milliseconds. */
const LIFE = 10 * 60_000;
const TRIES = 5;
const MAILS = 5;
const WINDOW = 15 * 60_000;

export const MAILED_CODE = /^\d{8}$/;

const hashOf = (masterKey: MasterKey, userId: string, subject: string, code: string): string =>
  createHmac('sha256', masterKey.derive('mailed-codes'))
    .update(JSON.stringify([userId, subject, code]))
    .digest('base64url');

/**
 * Mails the user a code of eight digits, which counts for `subject` alone: a sign-in or a session. The mail goes out at once instead of
 * through the queue, where it could wait behind an import: somebody looks at the screen.
 * @returns the seconds that the code lives
 * @throws PalisadeError RATE_LIMITED after five mails in a quarter of an hour; UPSTREAM_UNAVAILABLE when the mail server does not take it
 */
export async function sendCode(services: FactorServices, user: Pick<UserRow, '_id' | 'email'>, subject: string): Promise<number> {
  const { database, masterKey, clock, mailer, logger } = services;
  const rows = database.system(mailedCodes);
  const now = clock.now();
  const code = String(randomInt(100_000_000)).padStart(8, '0');
  const fresh = { sent: 0, window_ends_at: new Date(now.getTime() + WINDOW) };
  const empty = { subject: null, hash: null, tries: 0, expires_at: now };
  await rows.update({ _id: user._id }, { $setOnInsert: { ...empty, ...fresh } }, { upsert: true }).catch(ignoreDuplicate);
  await rows.update({ _id: user._id, window_ends_at: { $lte: now } }, { $set: fresh });
  const sent = await rows.findAndUpdate(
    { _id: user._id, sent: { $lt: MAILS } },
    {
      $inc: { sent: 1 },
      $set: { subject, hash: hashOf(masterKey, user._id, subject, code), tries: 0, expires_at: new Date(now.getTime() + LIFE) },
    },
  );
  if (sent === null) {
    const ends = (await rows.findOne({ _id: user._id }))?.window_ends_at.getTime() ?? now.getTime();
    const retry_after = Math.max(1, Math.ceil((ends - now.getTime()) / 1000));
    throw new PalisadeError('RATE_LIMITED', 'Too many codes were sent', { window: 'sign-in', limit: MAILS, retry_after });
  }
  const text = `${code} is your code for Palisade. It is good for ${LIFE / 60_000} minutes and for one use.

Nobody of Palisade ever asks for it. If you did not ask for a code, somebody knows your password: change it.
`;
  await mailer.send({ to: user.email, subject: 'Your code for Palisade', text }).catch((error: unknown) => {
    logger.error({ err: error, user: user._id }, 'a code could not be mailed');
    throw new PalisadeError('UPSTREAM_UNAVAILABLE', 'The mail server does not take mail now');
  });
  return LIFE / 1000;
}

/** The stored hash of the code if it is the right one, for its single use; each call is one of five tries. */
export async function checkMailedCode(
  { database, masterKey, clock }: FactorServices,
  userId: string,
  subject: string,
  code: string,
): Promise<string | null> {
  const row = await database
    .system(mailedCodes)
    .findAndUpdate({ _id: userId, subject, tries: { $lt: TRIES }, expires_at: { $gt: clock.now() } }, { $inc: { tries: 1 } });
  if (!row || row.hash === null) return null;
  const given = Buffer.from(hashOf(masterKey, userId, subject, code));
  const stored = Buffer.from(row.hash);
  return given.length === stored.length && timingSafeEqual(given, stored) ? row.hash : null;
}

function ignoreDuplicate(error: unknown): void {
  if ((error as { code?: number }).code !== 11_000) throw error;
}
