import type { TransactionOf } from '../../kit/store/query.js';
import { users, type UserRow } from '../records.js';
import { sessions } from '../session-record.js';
import { checkMailedCode, MAILED_CODE, type FactorServices } from './mailed-codes.js';
import { newRecoveryCodes, readRecoveryCode, recoveryHashes } from './recovery-codes.js';
import { mailedCodes, pendingTotp, secondSteps } from './records.js';
import { totpStepOf, unsealTotp } from './totp.js';

/** What may be shown as a second factor. */
export const SECOND_FACTORS = ['totp', 'email', 'recovery'] as const;
export type SecondFactor = (typeof SECOND_FACTORS)[number];

/** A right code that has not been used yet. */
export interface ShownCode {
  readonly method: SecondFactor;
  /** Uses the code within the transaction of what it was shown for. @returns false when it has been used meanwhile */
  use(transaction: TransactionOf): Promise<boolean>;
}

/** What a user can show: the factor that is set up, and recovery codes while any are left. */
export function factorsOf(user: Pick<UserRow, 'mfa' | 'recovery_codes'>): SecondFactor[] {
  if (user.mfa === 'none') return [];
  return user.recovery_codes?.length ? [user.mfa, 'recovery'] : [user.mfa];
}

/** What kind of code somebody has typed: they differ in form. */
function kindOf(typed: string): SecondFactor | null {
  if (/^\d{6}$/.test(typed)) return 'totp';
  if (MAILED_CODE.test(typed)) return 'email';
  return readRecoveryCode(typed) === null ? null : 'recovery';
}

/**
 * Checks a code of a user's second factor. Guesses are to be counted by the caller.
 * @param subject the sign-in or session that a mailed code was sent for
 * @param only the one method that is accepted; every one of the user's when absent
 * @returns null for a wrong, used or expired code
 */
export async function checkCode(
  services: FactorServices,
  user: UserRow,
  subject: string,
  code: string,
  only?: SecondFactor,
): Promise<ShownCode | null> {
  const typed = code.replace(/[\s-]/g, '');
  const method = kindOf(typed);
  if (method === null || !factorsOf(user).includes(method) || (only !== undefined && only !== method)) return null;
  if (method === 'totp') return checkTotp(services, user, typed);
  return method === 'email' ? checkMailed(services, user._id, subject, typed) : checkRecovery(services, user, typed);
}

/** A code of the user's authenticator app; each time step counts once. */
function checkTotp({ database, masterKey, clock }: FactorServices, user: UserRow, code: string): ShownCode | null {
  const sealed = user.totp_sealed;
  const step = sealed === null ? null : totpStepOf(unsealTotp(masterKey, user._id, sealed), code, clock.now());
  if (step === null) return null;
  const unused = { $or: [{ totp_last_step: null }, { totp_last_step: { $lt: step } }] };
  return {
    method: 'totp',
    use: async (transaction) => {
      const filter = { _id: user._id, totp_sealed: sealed, ...unused };
      return (await database.system(users).update(filter, { $set: { totp_last_step: step } }, { transaction })).matched === 1;
    },
  };
}

/** The newest code that the user was mailed for `subject`. */
export async function checkMailed(services: FactorServices, userId: string, subject: string, code: string): Promise<ShownCode | null> {
  const hash = await checkMailedCode(services, userId, subject, code);
  if (hash === null) return null;
  const rows = services.database.system(mailedCodes);
  return {
    method: 'email',
    use: async (transaction) => (await rows.update({ _id: userId, hash }, { $set: { hash: null } }, { transaction })).matched === 1,
  };
}

function checkRecovery({ database, masterKey }: FactorServices, user: UserRow, typed: string): ShownCode | null {
  const hashes = recoveryHashes(masterKey, user._id, typed.toLowerCase());
  const hash = user.recovery_codes?.find((stored) => hashes.includes(stored));
  if (hash === undefined) return null;
  return {
    method: 'recovery',
    use: async (transaction) => {
      const filter = { _id: user._id, recovery_codes: hash };
      return (await database.system(users).update(filter, { $pull: { recovery_codes: hash } }, { transaction })).matched === 1;
    },
  };
}

/** A factor to set up: confirmed by a code of it. */
export type ConfirmedFactor = { mfa: 'totp'; totp_sealed: string; totp_last_step: number } | { mfa: 'email' } | { mfa: 'none' };

/**
 * Puts a factor in the place of the user's and makes new recovery codes. Every other session of the user ends with it, and so do sign-ins
 * that are under way.
 * @param kept the session that goes on; null when none does
 * @returns the recovery codes, to be shown once; null when the user's factor has changed meanwhile
 */
export async function setFactor(
  { database, masterKey }: Pick<FactorServices, 'database' | 'masterKey'>,
  transaction: TransactionOf,
  user: Pick<UserRow, '_id' | 'mfa' | 'totp_sealed'>,
  factor: ConfirmedFactor,
  kept: string | null,
): Promise<readonly string[] | null> {
  const { codes, hashes } = factor.mfa === 'none' ? { codes: [], hashes: [] } : newRecoveryCodes(masterKey, user._id);
  const changes = { totp_sealed: null, totp_last_step: null, ...factor, recovery_codes: hashes };
  const filter = { _id: user._id, mfa: user.mfa, totp_sealed: user.totp_sealed };
  if ((await database.system(users).update(filter, { $set: changes }, { transaction })).matched === 0) return null;
  const theirs = { user_id: user._id };
  await database.system(sessions).remove({ ...theirs, ...(kept !== null && { _id: { $ne: kept } }) }, { transaction });
  await database.system(secondSteps).remove(theirs, { transaction });
  await database.system(pendingTotp).remove(theirs, { transaction });
  return codes;
}
