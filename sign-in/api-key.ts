import { unlessDiskFull } from '../kit/store/disk-full.js';
import type { FastifyRequest } from 'fastify';
import { permissionsOf, type Permission } from '../schema/permissions.js';
import type { AuthContext } from '../kit/base/auth-context.js';
import { badRequest, unauthenticated } from '../kit/base/errors.js';
import { isSecretOf, readKeyText } from '../accounts/api-keys/key-text.js';
import { apiKeys, ownsStill, type ApiKeyRow } from '../accounts/api-keys/records.js';
import { hasSessionCookie } from './cookie.js';
import type { AuthParts } from './parts.js';
import { canActIn } from './reach.js';
import { MEMBERSHIP_STATUS, type Joined } from './membership-status.js';

/** Milliseconds: how exactly the last use is known. */
const NOTED_EVERY = 60_000;

const BEARER = /^Bearer(?:\s+(.*))?$/i;

/** Whether a request shows a bearer token: then it is meant for no other way of telling who calls. */
export const hasBearer = ({ headers }: FastifyRequest): boolean => BEARER.test(headers.authorization ?? '');

/**
 * The caller behind `Authorization: Bearer psk_…`: the key's owner, with those of the key's permissions that the owner's present role holds.
 * One round trip; the store's present word decides, so a revoked key and a removed owner are refused at once. The rules of the tenant for
 * signing in (second factor, identity provider) were met when the key was made, and no browser sends it by itself: CSRF checks do not apply.
 * @throws PalisadeError BAD_REQUEST beside a session cookie; UNAUTHENTICATED for every other token
 */
export async function authenticateKey(parts: Pick<AuthParts, 'database' | 'clock'>, request: FastifyRequest): Promise<AuthContext> {
  if (hasSessionCookie(request)) throw badRequest('Send the session cookie or an API key, not both');
  const text = readKeyText(BEARER.exec(request.headers.authorization ?? '')?.[1]?.trim() ?? '');
  if (!text) throw refused();
  const [row] = await parts.database
    .system(apiKeys)
    .aggregateAcross<Joined<ApiKeyRow>>([{ $match: { _id: text.prefix } }, ...MEMBERSHIP_STATUS]);
  if (!row || !isSecretOf(text.secret, row.secret_hash)) throw refused();
  const {
    user: [user],
    membership: [membership],
    tenant: [tenant],
    organization: [organization],
    ...key
  } = row;
  const now = parts.clock.now();
  if (!user || !membership || !tenant || user.state !== 'active' || membership.user_id !== user._id) throw refused();
  if (key.expires_at <= now || !ownsStill(key, membership) || !canActIn(tenant, membership, user, organization)) throw refused();
  await noteUse(parts, key, request.ip, now);
  const held: readonly Permission[] = permissionsOf(membership.role);
  return {
    tenant_id: tenant.tenant_id,
    organization_id: tenant.organization_id,
    plan: tenant.plan,
    user_id: user._id,
    email: user.email,
    name: user.name,
    session_id: `apikey:${key._id}`,
    role: membership.role,
    permissions: key.permissions.filter((permission) => held.includes(permission)),
    request_id: request.id,
    ip_address: request.ip,
    api_key_id: key._id,
  };
}

const refused = () => unauthenticated('The API key is not valid');

async function noteUse({ database }: Pick<AuthParts, 'database'>, key: ApiKeyRow, ip: string, now: Date): Promise<void> {
  if (key.last_used_at !== null && now.getTime() - key.last_used_at.getTime() < NOTED_EVERY) return;
  await database
    .system(apiKeys)
    .update({ _id: key._id }, { $set: { last_used_at: now, last_used_ip: ip } })
    .catch(unlessDiskFull);
}
