import type { ErrorCode } from '../../schema/error-table.js';
import { PalisadeError } from '../../kit/base/errors.js';
import type { SignInMethod } from '../../accounts/session-record.js';
import type { AuthParts, Client } from '../parts.js';

/** A sign-in through an identity provider that is refused. The message is ours and may be shown; `reason` is for the audit log. */
export class SignInRefused extends PalisadeError {
  constructor(
    code: Extract<ErrorCode, 'BAD_REQUEST' | 'FORBIDDEN'>,
    message: string,
    readonly reason: string,
  ) {
    super(code, message);
  }
}

/** What a sign-in says that was begun, or checked, under other settings than the present ones. */
export const settingsChanged = () => new SignInRefused('BAD_REQUEST', 'The settings of the tenant have changed meanwhile', 'settings');

/** Notes a refused sign-in in the audit log of the tenant whose provider was asked. @param email as the provider has vouched for it; null before that */
export async function auditRefusedSso(
  parts: AuthParts,
  client: Client,
  tenantId: string,
  method: SignInMethod,
  reason: string,
  email: string | null,
): Promise<void> {
  await parts.database.transaction((transaction) =>
    parts.audit.append(transaction, tenantId, parts.clock.now(), [
      {
        action: 'user.login',
        actor_email: email ?? 'unknown',
        target: `tenant:${tenantId}`,
        ip_address: client.ip_address,
        result: 'failure',
        detail: { method, reason },
      },
    ]),
  );
}
