import type { Provider } from '../schema/model.js';
import { seal } from '../kit/keys/seal.js';
import { randomBytes } from 'node:crypto';
import { AuditLog } from '../kit/audit/audit.js';
import { SYSTEM_ACTOR, type AuthContext, type Plan } from '../kit/base/auth-context.js';
import type { Clock } from '../kit/base/clock.js';
import type { Database } from '../kit/store/database.js';
import { onBehalfOf } from '../kit/engine/create-context.js';
import type { MasterKey } from '../kit/keys/master-key.js';
import type { Role } from '../schema/permissions.js';
import {
  membershipId,
  memberships,
  organizations,
  tenants,
  users,
  type MembershipRow,
  type OrganizationRow,
  type TenantRow,
  type UserRow,
} from './records.js';

/** Where the records go, the key of the audit log, and the time that they carry. */
export interface SeedTarget {
  readonly database: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
}

const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`;

/** What a new tenant's imports call what runs in no cloud, unless its maker names another. */
const DEFAULT_PROVIDER: Provider = 'aws';

/** Makes a customer, or the operator of the deployment. `id` may be chosen, so that a demo has the same ids every time. */
export async function createOrganization(
  { database, clock }: SeedTarget,
  input: { id?: string; name: string; operator?: boolean },
): Promise<OrganizationRow> {
  const { name, operator } = input;
  const row = { _id: input.id ?? newId('org'), name, ...(operator && { operator }), created_at: clock.now() };
  await database.system(organizations).insert(row);
  return row;
}

/**
 * Makes a tenant of an organization, and the first entry of its audit log.
 * @param input `by` is who makes it; the system when absent
 */
export async function createTenant(
  { database, masterKey, clock }: SeedTarget,
  input: {
    id?: string;
    organization_id: string;
    name: string;
    plan?: Plan;
    settings?: Record<string, unknown>;
    by?: AuthContext;
  },
): Promise<TenantRow> {
  const id = input.id ?? newId('ten');
  const { organization_id, name, plan = 'starter', by } = input;
  const settings = { default_provider: DEFAULT_PROVIDER, ...input.settings };
  const row = {
    _id: id,
    tenant_id: id,
    organization_id,
    name,
    plan,
    settings,
    mfa_policy: 'none' as const,
    require_sso: false,
    created_at: clock.now(),
  };
  await database.transaction(async (transaction) => {
    await database.tenant(id).collection(tenants).insert(row, { transaction });
    const actor = by
      ? { actor_email: by.email, role: by.role, ip_address: by.ip_address, ...onBehalfOf(by) }
      : { actor_email: SYSTEM_ACTOR };
    const entry = { action: 'tenant.create', ...actor, target: `tenant:${id}`, result: 'success' } as const;
    await new AuditLog(database, masterKey).append(transaction, id, row.created_at, [entry]);
  });
  return row;
}

/**
 * Makes a person, who is in no tenant yet.
 * @param input `password_hash` is made by the caller (an argon2id PHC string); null is an account that cannot sign in with a password
 * @throws a driver error with code 11000 when the address is taken
 */
export async function createUser(
  { database, clock, masterKey }: SeedTarget,
  input: {
    id?: string;
    email: string;
    name: string;
    password_hash: string | null;
    organization_id?: string | null;
    state?: UserRow['state'];
    mfa?: UserRow['mfa'];
    /** Base32; stored sealed. */
    totp_secret?: string;
  },
): Promise<UserRow> {
  const _id = input.id ?? newId('usr');
  const row: UserRow = {
    _id,
    email: input.email.trim().toLowerCase(),
    sso_tenant_id: null,
    name: input.name,
    password_hash: input.password_hash,
    state: input.state ?? 'active',
    mfa: input.mfa ?? 'none',
    totp_sealed: input.totp_secret ? seal(masterKey.derive('totp'), _id, Buffer.from(input.totp_secret)) : null,
    organization_id: input.organization_id ?? null,
    last_login_at: null,
    created_at: clock.now(),
  };
  await database.system(users).insert(row);
  return row;
}

/**
 * Gives a person a role in a tenant.
 * @throws a driver error with code 11000 when the person is a member already
 */
export async function addMembership(
  { database, clock }: SeedTarget,
  input: { tenant_id: string; user: Pick<UserRow, '_id' | 'email'>; role: Role },
): Promise<MembershipRow> {
  const { tenant_id, user, role } = input;
  const row = { _id: membershipId(tenant_id, user._id), tenant_id, user_id: user._id, email: user.email, role, created_at: clock.now() };
  await database.tenant(tenant_id).collection(memberships).insert(row);
  return row;
}
