import type { AuthParts, Client } from '../parts.js';

/**
 * Notes a refused sign-in in the tenant's audit log.
 * @param email as a verified answer names it; null where nothing is known of the person
 */
export async function auditRefused(
  parts: AuthParts,
  client: Client,
  tenantId: string,
  email: string | null,
  reason: string,
): Promise<void> {
  await parts.database.transaction((transaction) =>
    parts.audit.append(transaction, tenantId, parts.clock.now(), [
      {
        action: 'user.login',
        actor_email: email ?? '',
        ip_address: client.ip_address,
        result: 'failure',
        detail: { method: 'saml', reason },
      },
    ]),
  );
}
