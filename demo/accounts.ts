import { randomBytes } from 'node:crypto';
import { hashPassword } from '../sign-in/index.js';
import type { Role } from '../schema/permissions.js';
import type { Plan } from '../kit/base/auth-context.js';
import type { EngineServices } from '../kit/engine/context.js';
import { findHolder } from '../accounts/domains/holders.js';
import { vouchForDomain } from '../subgraphs/identity/domains/vouch.js';
import { organizations, users } from '../accounts/records.js';
import { addMembership, createOrganization, createTenant, createUser } from '../accounts/seed.js';

const ORGANIZATIONS = [
  { id: 'acme', name: 'Acme', domain: 'acme.example' },
  { id: 'globex', name: 'Globex', domain: 'globex.example' },
  { id: 'palisade', name: 'Palisade', operator: true },
] as const;

const TENANTS: readonly { id: string; organization_id: string; name: string; plan: Plan }[] = [
  { id: 'acme-prod', organization_id: 'acme', name: 'Acme production', plan: 'enterprise' },
  { id: 'acme-dev', organization_id: 'acme', name: 'Acme development', plan: 'growth' },
  { id: 'globex', organization_id: 'globex', name: 'Globex', plan: 'starter' },
  // where the operator's own staff sign in; it holds no findings
  { id: 'palisade-operator', organization_id: 'palisade', name: 'Palisade operator', plan: 'enterprise' },
];

interface DemoUser {
  email: string;
  name: string;
  organization_id: string | null;
  roles: readonly (readonly [tenant: string, role: Role])[];
}

const USERS: readonly DemoUser[] = [
  { email: 'viewer@acme.example', name: 'Vera Viewer', organization_id: 'acme', roles: [['acme-prod', 'viewer']] },
  {
    email: 'analyst@acme.example',
    name: 'Anna Analyst',
    organization_id: 'acme',
    roles: [
      ['acme-prod', 'analyst'],
      ['acme-dev', 'viewer'],
    ],
  },
  { email: 'admin@acme.example', name: 'Adam Admin', organization_id: 'acme', roles: [['acme-prod', 'tenant_admin']] },
  {
    email: 'org-admin@acme.example',
    name: 'Olga Org-Admin',
    organization_id: 'acme',
    roles: [
      ['acme-prod', 'org_admin'],
      ['acme-dev', 'org_admin'],
    ],
  },
  { email: 'analyst@globex.example', name: 'Gus Analyst', organization_id: 'globex', roles: [['globex', 'analyst']] },
  { email: 'admin@globex.example', name: 'Gwen Admin', organization_id: 'globex', roles: [['globex', 'tenant_admin']] },
  {
    email: 'support@palisade.example',
    name: 'Palisade Support',
    organization_id: null,
    roles: [['palisade-operator', 'platform_admin']],
  },
];

/** What a first start tells its user. */
export interface DemoAccounts {
  /** The accounts, their roles and secrets, as text. */
  readonly text: string;
  /** Who there is, and what each may do where. */
  readonly people: readonly { readonly email: string; readonly says: string }[];
  /** The password as a shell writes it in a JSON string. */
  readonly password: string;
}

/**
 * Brings the demo's accounts to an empty store: two customers and the operator itself, and a user for each role. `loadReports` does the rest. A start that
 * was interrupted is made good by the next one. With DEMO_PASSWORD set, the accounts of an earlier start get that password.
 * @returns what to tell the user, or null when the store holds something else than the demo
 */
export async function loadAccounts(services: EngineServices): Promise<DemoAccounts | null> {
  const { database, config } = services;
  const known = await database.system(organizations).find({});
  if (known.length && !known.some(({ _id }) => _id === MARKER)) return null;
  const password = config.DEMO_PASSWORD ?? randomBytes(12).toString('base64url');
  const totpSecret = config.DEMO_TOTP_SECRET ?? base32(randomBytes(20));
  if (known.length === 0) await makeAccounts(services, await hashPassword(password), totpSecret);
  else if (config.DEMO_PASSWORD) await setPassword(services, await hashPassword(config.DEMO_PASSWORD));
  await verifyDomains(services);
  const shown = (variable: 'DEMO_PASSWORD' | 'DEMO_TOTP_SECRET', made: string) =>
    config[variable] ? `$${variable}` : known.length ? '(printed at the first start)' : made;
  return {
    text: describeAccounts(shown('DEMO_PASSWORD', password), shown('DEMO_TOTP_SECRET', totpSecret)),
    people: USERS.map((user) => ({ email: user.email, says: saysOf(user) })),
    password: config.DEMO_PASSWORD ? `'"$DEMO_PASSWORD"'` : known.length ? 'PASSWORD' : password,
  };
}

/** Milliseconds before its end at which the operator's word for a domain is given again. */
const RENEW_BEFORE = 60 * 86_400_000;

/** The organization that is made last: where it stands, the accounts are complete. */
const MARKER = ORGANIZATIONS[0].id;

/** Staff and org_admins always sign in with a second factor (specification, "Multi-factor authentication"). */
const needsSecondFactor = ({ organization_id, roles }: Pick<DemoUser, 'organization_id' | 'roles'>): boolean =>
  organization_id === null || roles.some(([, role]) => role === 'org_admin');

/** RFC 4648, without padding. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[parseInt(five, 2)]!);
}

async function makeAccounts(target: EngineServices, password_hash: string, totp_secret: string): Promise<void> {
  for (const tenant of TENANTS) await once(() => createTenant(target, tenant));
  for (const { email, name, organization_id, roles } of USERS) {
    const secondFactor = needsSecondFactor({ organization_id, roles });
    const user = { _id: `usr_${email.replace(/\W/g, '_')}`, email };
    await once(() =>
      createUser(target, { id: user._id, email, name, password_hash, organization_id, ...(secondFactor && { mfa: 'totp', totp_secret }) }),
    );
    for (const [tenant_id, role] of roles) await once(() => addMembership(target, { tenant_id, user, role }));
  }
  await setPassword(target, password_hash);
  for (const organization of ORGANIZATIONS.toReversed()) await once(() => createOrganization(target, organization));
}

/** The customers' domains count as verified while the demo is started now and then: a start answers for them anew in the last of 90 days. */
async function verifyDomains(services: EngineServices): Promise<void> {
  const soon = new Date(services.clock.now().getTime() + RENEW_BEFORE);
  for (const { id, domain } of ORGANIZATIONS.filter((one) => 'domain' in one)) {
    const holder = await findHolder(services, domain);
    const stands = holder !== null && (holder.source !== 'operator' || holder.ends_at! > soon);
    if (!stands) await vouchForDomain(services, { domain, organization: id });
  }
}

/** Makes a row unless a start before this one has made it. */
async function once(make: () => Promise<unknown>): Promise<void> {
  await make().catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 11_000) throw error;
  });
}

async function setPassword({ database }: EngineServices, password_hash: string): Promise<void> {
  await database
    .system(users)
    .updateMany({ email: { $in: USERS.map(({ email }) => email) }, sso_tenant_id: null }, { $set: { password_hash } });
}

const saysOf = (user: DemoUser): string =>
  `${user.roles.map(([tenant, role]) => `${role} in ${tenant}`).join(', ')}${needsSecondFactor(user) ? ' (with a second factor)' : ''}`;

function describeAccounts(password: string, totpSecret: string): string {
  const lines = USERS.map((user) => `  ${user.email.padEnd(26)} ${saysOf(user)}`);
  return `Demo accounts, all with the password ${password}:\n${lines.join('\n')}\nTOTP secret of those with a second factor: ${totpSecret}`;
}
