import { PalisadeError } from '../../kit/base/errors.js';
import { ssoSettings, type SsoKind, type SsoSettingsRow } from '../../accounts/providers/records.js';
import type { Role } from '../../schema/permissions.js';
import type { AuthParts, Client } from '../parts.js';
import type { SsoAssertion } from './assertion.js';
import { findArrival } from './provision.js';

/** Who asked for a test sign-in. */
export interface Tester {
  readonly user_id: string;
  readonly email: string;
}

const isAdmin = (role: string | null): boolean => role === 'tenant_admin' || role === 'org_admin';

/** What a sign-in would come to: a role, or the reason why it would be refused. */
export type SignInPreview = { role: Role } | { refused: string };

/** What a sign-in with `assertion` would come to. Nothing is changed. */
async function preview(parts: AuthParts, settings: SsoSettingsRow, assertion: SsoAssertion): Promise<SignInPreview> {
  try {
    return { role: (await findArrival(parts, settings, assertion)).role };
  } catch (error) {
    if (error instanceof PalisadeError && error.code === 'FORBIDDEN') return { refused: error.message };
    throw error;
  }
}

/**
 * Notes that an administrator has signed in through the provider as it is set now: Require SSO may be turned on from here. Nothing happens
 * when the settings were changed meanwhile, or when `role` administers nothing.
 * @param settings as they were read when the sign-in was checked
 */
export async function noteVerified(parts: AuthParts, settings: SsoSettingsRow, role: Role | null): Promise<void> {
  if (settings.verified_at !== null || !isAdmin(role)) return;
  await parts.database
    .tenant(settings.tenant_id)
    .collection(ssoSettings)
    .update({ _id: settings.tenant_id, updated_at: settings.updated_at }, { $set: { verified_at: parts.clock.now() } });
}

/** How a test sign-in ended: with what the provider says of somebody, or with the reason why it was refused (ours, never the provider's words). */
export type TestOutcome = { assertion: SsoAssertion } | { refused: string };

/**
 * Ends a test sign-in: notes what came of it in the settings and in the audit log, and counts as the verification where it would have signed
 * in an administrator. No session comes of it.
 * @returns what a sign-in would come to
 */
export async function recordTest(
  parts: AuthParts,
  client: Client,
  settings: SsoSettingsRow,
  kind: SsoKind,
  tester: Tester,
  outcome: TestOutcome,
): Promise<SignInPreview> {
  const { tenant_id, updated_at } = settings;
  const assertion = 'assertion' in outcome ? outcome.assertion : null;
  const would = 'refused' in outcome ? outcome : await preview(parts, settings, outcome.assertion);
  const role = 'role' in would ? would.role : null;
  const now = parts.clock.now();
  const message = 'refused' in would ? would.refused : `Signs in as ${would.role}`;
  const last_test = {
    kind,
    at: now,
    ok: role !== null,
    message,
    email: assertion?.email ?? null,
    groups: (assertion?.groups ?? []).slice(0, 100),
    role,
  };
  await parts.database.transaction(async (transaction) => {
    const verified = isAdmin(role) && settings.verified_at === null ? { verified_at: now } : {};
    await parts.database
      .tenant(tenant_id)
      .collection(ssoSettings)
      .update({ _id: tenant_id, updated_at }, { $set: { last_test, ...verified } }, { transaction });
    await parts.audit.append(transaction, tenant_id, now, [
      {
        action: 'sso.test',
        actor_email: tester.email,
        target: `tenant:${tenant_id}`,
        ...(assertion && { target_email: assertion.email }),
        ip_address: client.ip_address,
        result: role === null ? 'failure' : 'success',
        detail: { kind, message },
      },
    ]);
  });
  return would;
}
