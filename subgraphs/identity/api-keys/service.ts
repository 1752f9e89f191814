import { z } from 'zod';
import type { EngineContext } from '../../../kit/engine/context.js';
import { invalid, notFound, unauthenticated, violationsOf } from '../../../kit/base/errors.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { PERMISSIONS } from '../../../schema/permissions.js';
import { membershipId, memberships, users, type MembershipRow } from '../../../accounts/records.js';
import { makeKeyText } from '../../../accounts/api-keys/key-text.js';
import { apiKeys, ownsStill, type ApiKeyRow } from '../../../accounts/api-keys/records.js';

const MAX_DAYS = 366;
const DAY = 86_400_000;

const inputSchema = z.strictObject({
  name: z.string().trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters'),
  permissions: z
    .array(z.enum(PERMISSIONS, 'is not a permission'))
    .min(1, 'must name at least one permission')
    .max(PERMISSIONS.length, `must name at most ${PERMISSIONS.length} permissions`),
  expires_at: z.coerce.date(),
});

const shown = (key: ApiKeyRow) => ({ ...key, id: key._id, prefix: `psk_${key._id}` });

/** The keys of the tenant, newest first. */
export async function listApiKeys(context: EngineContext, args: PageArguments) {
  const window = pageWindow(args);
  const rows = context.collection(apiKeys);
  const [keys, total] = await Promise.all([
    rows.find({}, { sort: { created_at: -1, _id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count({}),
  ]);
  const isActive = await activeOwners(context, keys);
  const now = context.services.clock.now();
  const state = (key: ApiKeyRow) => (key.expires_at <= now ? 'expired' : isActive(key) ? 'active' : 'disabled');
  return toPage(
    keys.map((key) => ({ ...shown(key), state: state(key) })),
    total,
    window,
  );
}

/**
 * Makes a key of the caller's.
 * @throws PalisadeError VALIDATION_ERROR naming the permissions that the caller lacks, and a time that is past or more than a year ahead
 */
export async function createApiKey(context: EngineContext, input: unknown) {
  const { auth, services } = context;
  const now = services.clock.now();
  const parsed = inputSchema.safeParse(input);
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  const { name, expires_at } = parsed.data;
  const permissions = PERMISSIONS.filter((permission) => parsed.data.permissions.includes(permission));
  const lacking = permissions.filter((permission) => !auth.permissions.includes(permission));
  const violations = lacking.map((permission) => ({ path: 'permissions', message: `your role does not hold ${permission}` }));
  if (expires_at <= now || expires_at.getTime() > now.getTime() + MAX_DAYS * DAY)
    violations.push({ path: 'expires_at', message: 'must lie in the future, at most one year ahead' });
  if (violations.length > 0) throw invalid(violations);

  const { text, prefix, secret_hash } = makeKeyText();
  const row: ApiKeyRow = {
    _id: prefix,
    tenant_id: auth.tenant_id,
    name,
    permissions,
    secret_hash,
    user_id: auth.user_id,
    owner_email: auth.email,
    membership_id: (await getOwnMembership(context))._id,
    created_at: now,
    expires_at,
    last_used_at: null,
    last_used_ip: null,
  };
  await context.transaction(async (transaction) => {
    await context.collection(apiKeys).insert(row, { transaction });
    const detail = { name, permissions, expires_at: expires_at.toISOString() };
    await context.audit(transaction, { ...entry(context, row), action: 'apikey.create', detail });
  });
  return { ...shown(row), state: 'active', key: text };
}

/** @throws PalisadeError NOT_FOUND when the tenant has no such key */
export function deleteApiKey(context: EngineContext, id: string): Promise<boolean> {
  return context.transaction(async (transaction) => {
    const rows = context.collection(apiKeys);
    const key = await rows.findOne({ _id: id }, { transaction });
    if (!key) throw notFound('API key');
    await rows.remove({ _id: id }, { transaction });
    await context.audit(transaction, { ...entry(context, key), action: 'apikey.delete', detail: { name: key.name } });
    return true;
  });
}

const entry = ({ auth }: EngineContext, key: ApiKeyRow) =>
  ({
    actor_email: auth.email,
    target: `api_key:${key._id}`,
    target_email: key.owner_email,
    ip_address: auth.ip_address,
    result: 'success',
  }) as const;

/** The membership that the caller acts under: the one in this tenant, else the org_admin's of the same organization. */
async function getOwnMembership({ auth, services: { database }, collection }: EngineContext): Promise<MembershipRow> {
  const own = await collection(memberships).findOne({ _id: membershipId(auth.tenant_id, auth.user_id) });
  const found = own ?? (await database.system(memberships).findOne({ user_id: auth.user_id, role: 'org_admin' }));
  if (!found) throw unauthenticated();
  return found;
}

/** Tells whether the owner of a key of this page is active, and still reaches the tenant by the membership that it was made under. */
async function activeOwners({ services: { database } }: EngineContext, keys: readonly ApiKeyRow[]): Promise<(key: ApiKeyRow) => boolean> {
  if (keys.length === 0) return () => false;
  const [members, people] = await Promise.all([
    database.system(memberships).find({ _id: { $in: [...new Set(keys.map((key) => key.membership_id))] } }),
    database.system(users).find({ _id: { $in: [...new Set(keys.map((key) => key.user_id))] }, state: 'active' }, { fields: ['state'] }),
  ]);
  const byId = new Map(members.map((membership) => [membership._id, membership]));
  const active = new Set(people.map((person) => person._id));
  return (key) => {
    const membership = byId.get(key.membership_id);
    const reaches = membership?.tenant_id === key.tenant_id || membership?.role === 'org_admin';
    return membership !== undefined && reaches && ownsStill(key, membership) && active.has(key.user_id);
  };
}
