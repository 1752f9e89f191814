import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { secondFactorOf } from '../accounts/attempts.js';
import type { AuditInput } from '../kit/audit/entry.js';
import { invalid, PalisadeError, unauthenticated } from '../kit/base/errors.js';
import { PROOF_MINUTES } from '../kit/base/person.js';
import { checkCode, factorsOf, SECOND_FACTORS, type ShownCode } from '../accounts/factors/factors.js';
import { sendCode } from '../accounts/factors/mailed-codes.js';
import { users, type UserRow } from '../accounts/records.js';
import { sessions } from '../accounts/session-record.js';
import { authenticateSession, supportOf } from './authenticate.js';
import { clientOf, type AuthParts, type Client } from './parts.js';
import { isPasswordOf, ownPasswordOf } from './passwords/check.js';
import { waysToProve } from './reauthentication.js';
import { sessionEnded } from './session-end.js';
import type { LiveSession } from './sessions.js';

export const reauthenticateBody = z
  .strictObject({
    password: z.string().min(1).max(1_024).meta({ format: 'password', description: "The caller's password." }),
    code: z
      .string()
      .trim()
      .min(1)
      .max(64)
      .optional()
      .describe('A code of the second factor, where one is set up; without it, the answer says what to show.'),
  })
  .describe('A proof of who the caller is.');

export const reauthenticatedAnswer = z
  .strictObject({
    status: z.literal('ok').describe('What takes a proof of who the caller is can be called.'),
    authenticated_at: z.iso.datetime().describe('When it was given.'),
    expires_in: z.int().describe('Seconds for which it counts.'),
  })
  .describe('The proof counts.');
export const codeMissingAnswer = z
  .strictObject({
    status: z.literal('mfa_required').describe('Call again with the password and a code.'),
    methods: z.array(z.enum(SECOND_FACTORS)).describe('What may be shown; a code by e-mail is on its way.'),
  })
  .describe('The password was right; a code of the second factor is asked for beside it.');
/** A proof of who the caller is, or what it lacks. */
export type ReauthenticateResult = z.infer<typeof reauthenticatedAnswer> | z.infer<typeof codeMissingAnswer>;

const wrongCode = () => invalid([{ path: 'code', message: 'The code is wrong, was used already or has expired' }]);

/**
 * Takes a proof of who the caller is, as a sign-in would: the password, and a code of the second factor where there is one. Without the code
 * it says what to show, and mails it where codes come by mail. The session and its cookie stay.
 * @throws PalisadeError UNAUTHENTICATED without a session, and for one that an identity provider vouches for, which says where to prove it;
 *   VALIDATION_ERROR for a wrong password or code; RATE_LIMITED after too many of them
 */
export async function reauthenticate(
  parts: AuthParts,
  request: FastifyRequest,
  parse: () => z.infer<typeof reauthenticateBody>,
): Promise<ReauthenticateResult> {
  const live = await authenticateSession(parts, request);
  const ways = waysToProve(live);
  if (ways.method === 'sso')
    throw new PalisadeError('UNAUTHENTICATED', 'Sign in again through your identity provider', { reauthenticate: ways });
  const { password, code } = parse();
  const client = clientOf(request);
  const user = await parts.database.system(users).findOne({ _id: live.user._id });
  if (!user) throw unauthenticated();
  if (!(await isPasswordOf(parts, client, user, password, ownPasswordOf(user)))) {
    await auditRefusal(parts, client, live, 'password');
    throw invalid([{ path: 'password', message: 'is not your password' }]);
  }
  if (user.mfa === 'none') return prove(parts, client, live, null);
  if (code !== undefined) return withCode(parts, client, live, user, code);
  if (user.mfa === 'email') await sendCode(parts, user, live.session._id);
  return { status: 'mfa_required', methods: factorsOf(user) };
}

async function withCode(parts: AuthParts, client: Client, live: LiveSession, user: UserRow, text: string): Promise<ReauthenticateResult> {
  const attempt = await parts.bruteForce.begin(client.ip_address, secondFactorOf(user._id));
  let refused = false;
  try {
    const code = await checkCode(parts, user, live.session._id, text);
    if (!code) throw wrongCode();
    return await prove(parts, client, live, code);
  } catch (error) {
    refused = error instanceof PalisadeError && error.code === 'VALIDATION_ERROR';
    if (refused) await auditRefusal(parts, client, live, 'second_factor');
    throw error;
  } finally {
    await attempt.settle(!refused);
  }
}

/** @throws PalisadeError VALIDATION_ERROR when the code was used meanwhile; UNAUTHENTICATED when the session has ended meanwhile */
async function prove(parts: AuthParts, client: Client, live: LiveSession, code: ShownCode | null): Promise<ReauthenticateResult> {
  const now = parts.clock.now();
  await parts.database.transaction(async (transaction) => {
    if (code && !(await code.use(transaction))) throw wrongCode();
    const change = { authenticated_at: now, ...(code && { second_factor: true }) };
    const { matched } = await parts.database.system(sessions).update({ _id: live.session._id }, { $set: change }, { transaction });
    // a change of password or factor ends sessions, so the one that is left has shown the present ones
    if (matched === 0) throw sessionEnded();
    const entry = entryOf(client, live);
    const entries: AuditInput[] = [{ ...entry, result: 'success', detail: { second_factor: code?.method ?? null } }];
    if (code?.method === 'recovery') entries.push({ ...entry, action: 'mfa.recovery_use', result: 'success' });
    await parts.audit.append(transaction, live.tenant.tenant_id, now, entries);
  });
  return { status: 'ok', authenticated_at: now.toISOString(), expires_in: PROOF_MINUTES * 60 };
}

const auditRefusal = (parts: AuthParts, client: Client, live: LiveSession, reason: string) =>
  parts.database.transaction((transaction) =>
    parts.audit.append(transaction, live.tenant.tenant_id, parts.clock.now(), [
      { ...entryOf(client, live), result: 'failure', detail: { reason } },
    ]),
  );

const entryOf = (client: Client, live: LiveSession) =>
  ({
    action: 'user.reauthenticate',
    actor_email: live.user.email,
    target: `user:${live.user._id}`,
    role: live.role,
    ip_address: client.ip_address,
    ...supportOf(live),
  }) as const;
