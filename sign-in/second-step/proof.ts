import type { AuditInput } from '../../kit/audit/entry.js';
import type { TransactionOf } from '../../kit/store/query.js';
import { checkCode, checkMailed, setFactor, type ConfirmedFactor, type SecondFactor } from '../../accounts/factors/factors.js';
import { MAILED_CODE } from '../../accounts/factors/mailed-codes.js';
import { sealTotp, totpStepOf, unsealTotp } from '../../accounts/factors/totp.js';
import type { AuthParts, Client } from '../parts.js';
import { refusedStep, type Challenge } from './challenge.js';

/** A right code of a second step, not used yet. */
export interface StepProof {
  readonly shown: SecondFactor;
  /**
   * Uses the code, and sets up the factor where it is new.
   * @returns recovery codes, where a factor was set up
   * @throws PalisadeError UNAUTHENTICATED when the code has been used meanwhile
   */
  use(transaction: TransactionOf, tenantId: string, client: Client): Promise<readonly string[] | null>;
}

/** @throws PalisadeError UNAUTHENTICATED for a wrong, used or expired code */
export function proveStep(parts: AuthParts, challenge: Challenge, code: string, method?: SecondFactor): Promise<StepProof> {
  return challenge.isEnrollment ? proveNew(parts, challenge, code, method) : provePresent(parts, challenge, code, method);
}

async function provePresent(parts: AuthParts, { row, user }: Challenge, text: string, method?: SecondFactor): Promise<StepProof> {
  const code = await checkCode(parts, user, row._id, text, method);
  if (!code) throw refusedStep();
  return {
    shown: code.method,
    use: async (transaction, tenantId, client) => {
      if (!(await code.use(transaction))) throw refusedStep();
      if (code.method === 'recovery')
        await append(parts, transaction, tenantId, client, {
          ...entryOf(user.email, user._id),
          action: 'mfa.recovery_use',
          detail: { left: (user.recovery_codes?.length ?? 1) - 1 },
        });
      return null;
    },
  };
}

async function proveNew(parts: AuthParts, challenge: Challenge, text: string, method?: SecondFactor): Promise<StepProof> {
  const { row, user } = challenge;
  const typed = text.replace(/[\s-]/g, '');
  const shown = method ?? (MAILED_CODE.test(typed) ? 'email' : 'totp');
  if (!challenge.methods.includes(shown)) throw refusedStep();
  const mailed = shown === 'email' ? await checkMailed(parts, user._id, row._id, typed) : null;
  const factor: ConfirmedFactor | null = shown === 'email' ? mailed && { mfa: 'email' } : confirmTotp(parts, challenge, typed);
  if (!factor) throw refusedStep();
  return {
    shown,
    use: async (transaction, tenantId, client) => {
      if (mailed && !(await mailed.use(transaction))) throw refusedStep();
      const codes = await setFactor(parts, transaction, user, factor, null);
      if (codes === null) throw refusedStep();
      const detail = { from: user.mfa, to: factor.mfa };
      await append(parts, transaction, tenantId, client, { ...entryOf(user.email, user._id), action: 'mfa.enroll', detail });
      return codes;
    },
  };
}

function confirmTotp({ masterKey, clock }: AuthParts, { row, user }: Challenge, typed: string): ConfirmedFactor | null {
  const secret = unsealTotp(masterKey, row._id, row.totp_sealed!);
  const step = totpStepOf(secret, typed, clock.now());
  return step === null ? null : { mfa: 'totp', totp_sealed: sealTotp(masterKey, user._id, secret), totp_last_step: step };
}

const entryOf = (email: string, userId: string) =>
  ({ actor_email: email, target: `user:${userId}`, target_email: email, result: 'success' }) as const;

const append = ({ audit, clock }: AuthParts, transaction: TransactionOf, tenantId: string, client: Client, entry: AuditInput) =>
  audit.append(transaction, tenantId, clock.now(), [{ ...entry, ip_address: client.ip_address }]);
