import { z } from 'zod';
import { beginAttempt, secondFactorOf } from '../../../accounts/attempts.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { forbidden, invalid, type PalisadeError, unauthenticated, violationsOf } from '../../../kit/base/errors.js';
import { memberships, tenants, users, type UserRow } from '../../../accounts/records.js';
import { sessions } from '../../../accounts/session-record.js';
import { speaksForAccount } from '../../../accounts/whole-account.js';
import { checkCode, checkMailed, setFactor, type ConfirmedFactor, type ShownCode } from '../../../accounts/factors/factors.js';
import { sendCode } from '../../../accounts/factors/mailed-codes.js';
import { needsSecondFactor } from '../../../accounts/factors/policy.js';
import { pendingTotp, STEP_LIFE } from '../../../accounts/factors/records.js';
import { newTotpSecret, sealTotp, totpStepOf, unsealTotp } from '../../../accounts/factors/totp.js';

const code = z.string().min(1).max(64).nullish();
const inputSchema = z.strictObject({ method: z.enum(['none', 'totp', 'email']), code, current_code: code });
type Input = z.infer<typeof inputSchema>;

const refuse = (field: keyof Input, message: string): PalisadeError => invalid([{ path: field, message }]);
const wrong = (field: 'code' | 'current_code') => refuse(field, 'The code is wrong, was used already or has expired');

/**
 * Begins to set up, change or remove the caller's second factor, or with a code confirms it.
 * @throws PalisadeError FORBIDDEN when the session does not speak for the whole account; VALIDATION_ERROR for a wrong code, and for what role or policy do not allow; RATE_LIMITED after too many wrong codes
 */
export async function setMyMfa(context: EngineContext, input: unknown) {
  const parsed = inputSchema.safeParse(input);
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  const user = await context.services.database.system(users).findOne({ _id: context.auth.user_id });
  if (!user) throw unauthenticated();
  if (!(await speaksForAccount(context)))
    throw forbidden('Sign in with your own password: this identity provider speaks for you in its tenant only');
  if (parsed.data.method === 'none') await assertRemovable(context, user);
  return parsed.data.code == null ? begin(context, user, parsed.data) : confirm(context, user, parsed.data, parsed.data.code);
}

async function begin(context: EngineContext, user: UserRow, { method }: Input) {
  const { auth, services } = context;
  const pending = { status: 'pending', method, current_method: user.mfa, expires_in: STEP_LIFE / 1000 };
  if (method === 'email' && !services.mailer.configured) throw refuse('method', 'This deployment sends no mail');
  // the code of the factor that is set up now comes by mail, too
  if (method === 'email' || user.mfa === 'email') await sendCode(services, user, auth.session_id);
  if (method !== 'totp') return pending;
  const { secret, otpauth_url } = newTotpSecret(user.email);
  const row = {
    user_id: user._id,
    totp_sealed: sealTotp(services.masterKey, auth.session_id, secret),
    expires_at: new Date(services.clock.now().getTime() + STEP_LIFE),
  };
  await services.database.system(pendingTotp).update({ _id: auth.session_id }, { $set: row }, { upsert: true });
  return { ...pending, secret, otpauth_url };
}

async function confirm(context: EngineContext, user: UserRow, input: Input, given: string) {
  const { auth, services } = context;
  const action = user.mfa === 'none' ? ('mfa.enroll' as const) : ('mfa.change' as const);
  const entry = {
    action,
    actor_email: auth.email,
    target: `user:${user._id}`,
    target_email: user.email,
    ip_address: auth.ip_address,
    detail: { from: user.mfa, to: input.method },
  };
  // a code that was mailed to the same address proves both factors
  const needsBoth = user.mfa === 'totp' || (user.mfa === 'email' && input.method === 'totp');
  if (input.method !== 'none' && needsBoth && input.current_code == null)
    throw refuse('current_code', 'Changing a second factor takes a code of the present one');
  const secret = input.method === 'totp' ? await getPendingSecret(context) : '';
  const attempt = await beginAttempt(services, secondFactorOf(user._id));
  let refused = false;
  try {
    const shown = await readCodes(context, user, input, given, secret);
    const recovery_codes = await context.transaction(async (transaction) => {
      for (const [field, code] of shown.codes) if (!(await code.use(transaction))) throw wrong(field);
      const codes = await setFactor(services, transaction, user, shown.factor, auth.session_id);
      if (codes === null) throw wrong('code');
      const change = { $set: { second_factor: shown.factor.mfa !== 'none' } };
      const { matched } = await services.database.system(sessions).update({ _id: auth.session_id }, change, { transaction });
      if (matched === 0) throw unauthenticated();
      await context.audit(transaction, { ...entry, result: 'success' });
      return codes;
    });
    return { status: input.method === 'none' ? 'removed' : 'active', method: input.method, current_method: input.method, recovery_codes };
  } catch (error) {
    refused = (error as Partial<PalisadeError>).code === 'VALIDATION_ERROR';
    if (refused) await context.transaction((transaction) => context.audit(transaction, { ...entry, result: 'failure' }));
    throw error;
  } finally {
    await attempt.settle(!refused);
  }
}

/** What the codes of a confirmation prove: the new factor, and the present one where there is one. */
async function readCodes(
  { auth: { session_id }, services }: EngineContext,
  user: UserRow,
  { method, current_code }: Input,
  given: string,
  secret: string,
): Promise<{ factor: ConfirmedFactor; codes: ['code' | 'current_code', ShownCode][] }> {
  const current = async (field: 'code' | 'current_code', text: string): Promise<['code' | 'current_code', ShownCode]> => {
    const shown = await checkCode(services, user, session_id, text);
    if (!shown) throw wrong(field);
    return [field, shown];
  };
  if (method === 'none') return { factor: { mfa: 'none' }, codes: [await current('code', given)] };
  const codes = current_code == null || user.mfa === 'none' ? [] : [await current('current_code', current_code)];
  if (method === 'email') {
    const shown = await checkMailed(services, user._id, session_id, given.replace(/[\s-]/g, ''));
    if (!shown) throw wrong('code');
    return { factor: { mfa: 'email' }, codes: [...codes, ['code', shown]] };
  }
  const step = totpStepOf(secret, given.replace(/\s/g, ''), services.clock.now());
  if (step === null) throw wrong('code');
  return { factor: { mfa: 'totp', totp_sealed: sealTotp(services.masterKey, user._id, secret), totp_last_step: step }, codes };
}

/** @throws PalisadeError VALIDATION_ERROR when the session has begun nothing, or too long ago */
async function getPendingSecret({ auth: { session_id }, services }: EngineContext): Promise<string> {
  const row = await services.database.system(pendingTotp).findOne({ _id: session_id, expires_at: { $gt: services.clock.now() } });
  if (!row) throw refuse('code', 'Begin with a call without a code: it gives the secret of the authenticator app');
  return unsealTotp(services.masterKey, session_id, row.totp_sealed);
}

/** @throws PalisadeError VALIDATION_ERROR when there is no factor, or when a role or tenant of the user asks for one */
async function assertRemovable({ services: { database } }: EngineContext, user: UserRow): Promise<void> {
  if (user.mfa === 'none') throw refuse('method', 'No second factor is set up');
  const own = await database.system(memberships).find({ user_id: user._id });
  const rows = await database.system(tenants).find({ _id: { $in: own.map(({ tenant_id }) => tenant_id) } }, { fields: ['mfa_policy'] });
  const policies = new Map(rows.map(({ _id, mfa_policy }) => [_id, mfa_policy]));
  if (own.some(({ role, tenant_id }) => needsSecondFactor(role, policies.get(tenant_id) ?? 'none')))
    throw refuse('method', 'A role of yours or the policy of a tenant asks for a second factor');
}
