import { randomBytes } from 'node:crypto';
import { factorsOf, type SecondFactor } from '../../accounts/factors/factors.js';
import { secondSteps, STEP_LIFE, type SecondStepRow } from '../../accounts/factors/records.js';
import { newTotpSecret, sealTotp } from '../../accounts/factors/totp.js';
import type { SignedIn } from '../signed-in.js';
import type { SecondStepResult } from '../login-result.js';
import type { AuthParts, Client } from '../parts.js';
import { passwordVersion } from '../passwords/version.js';

/** What may be set up on the way; codes by e-mail need a mail server. */
export const enrollable = ({ mailer }: Pick<AuthParts, 'mailer'>): SecondFactor[] => (mailer.configured ? ['totp', 'email'] : ['totp']);

/** Notes that the first factor was right, and asks for the second; who has none sets one up on the way. */
export async function beginSecondStep(parts: AuthParts, client: Client, signedIn: SignedIn): Promise<SecondStepResult> {
  const { user, homes, method, sso_tenant_id } = signedIn;
  const challenge_id = randomBytes(24).toString('base64url');
  const totp = user.mfa === 'none' ? newTotpSecret(user.email) : null;
  const row: SecondStepRow = {
    _id: challenge_id,
    user_id: user._id,
    tenant_ids: homes.map(({ tenant }) => tenant.tenant_id),
    method,
    sso_tenant_id,
    user_agent: client.user_agent,
    password_version: passwordVersion(user),
    totp_sealed: totp && sealTotp(parts.masterKey, challenge_id, totp.secret),
    tries: 0,
    expires_at: new Date(parts.clock.now().getTime() + STEP_LIFE),
  };
  await parts.database.system(secondSteps).insert(row);
  const asked = { challenge_id, expires_in: STEP_LIFE / 1000 };
  return totp === null
    ? { status: 'mfa_required', ...asked, methods: factorsOf(user) }
    : { status: 'mfa_enrollment_required', ...asked, methods: enrollable(parts), totp };
}
