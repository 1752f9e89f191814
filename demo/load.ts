import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { hashPassword } from '../gateway/auth/index.js';
import { importContext, importReport } from '../processes/import-report.js';
import type { Role } from '../schema/permissions.js';
import type { Plan } from '../subgraphs/_kit/auth-context.js';
import type { EngineServices } from '../subgraphs/_kit/context.js';
import { organizations, users } from '../subgraphs/identity/records.js';
import { addMembership, createOrganization, createTenant, createUser } from '../subgraphs/identity/seed.js';

const ORGANIZATIONS = [
  { id: 'acme', name: 'Acme' },
  { id: 'globex', name: 'Globex' },
] as const;

const TENANTS: readonly { id: string; organization_id: string; name: string; plan: Plan }[] = [
  { id: 'acme-prod', organization_id: 'acme', name: 'Acme production', plan: 'enterprise' },
  { id: 'acme-dev', organization_id: 'acme', name: 'Acme development', plan: 'growth' },
  { id: 'globex', organization_id: 'globex', name: 'Globex', plan: 'starter' },
];

interface DemoUser {
  email: string;
  name: string;
  organization_id: string | null;
  roles: readonly (readonly [tenant: string, role: Role])[];
}

const USERS: readonly DemoUser[] = [
  { email: 'viewer@acme.example', name: 'Vera Viewer', organization_id: 'acme', roles: [['acme-prod', 'viewer']] },
  { email: 'analyst@acme.example', name: 'Anna Analyst', organization_id: 'acme', roles: [['acme-prod', 'analyst'], ['acme-dev', 'viewer']] },
  { email: 'admin@acme.example', name: 'Adam Admin', organization_id: 'acme', roles: [['acme-prod', 'tenant_admin']] },
  { email: 'org-admin@acme.example', name: 'Olga Org-Admin', organization_id: 'acme', roles: [['acme-prod', 'org_admin'], ['acme-dev', 'org_admin']] },
  { email: 'analyst@globex.example', name: 'Gus Analyst', organization_id: 'globex', roles: [['globex', 'analyst']] },
  { email: 'admin@globex.example', name: 'Gwen Admin', organization_id: 'globex', roles: [['globex', 'tenant_admin']] },
  { email: 'support@palisade.example', name: 'Palisade Support', organization_id: null, roles: [] },
];

const manifestSchema = z.array(
  z.strictObject({ tenant: z.string(), file: z.string(), format: z.string(), scan_run_id: z.string(), account_id: z.string().optional(), artifact: z.string().optional() }),
);
const read = (name: string) => readFileSync(new URL(name, import.meta.url));

/**
 * Loads the demo into an empty store: two organizations, a user for each role, and the reports of demo/reports, which go
 * through the same operation as POST /api/v1/scans/imports. With DEMO_PASSWORD set, accounts of an earlier start get it.
 * @returns the accounts to print, or null when the store holds something else than the demo
 */
export async function loadDemo(services: EngineServices): Promise<string | null> {
  const { database, config } = services;
  const known = await database.system(organizations).find({}, { limit: 1 });
  if (known.length) return config.DEMO_PASSWORD ? keepPassword(services, config.DEMO_PASSWORD) : null;
  const password = config.DEMO_PASSWORD ?? randomBytes(12).toString('base64url');
  await loadAccounts(services, await hashPassword(password));
  await loadReports(services);
  return accounts(config.DEMO_PASSWORD ? '$DEMO_PASSWORD' : password);
}

async function loadAccounts(target: EngineServices, password_hash: string): Promise<void> {
  for (const organization of ORGANIZATIONS) await createOrganization(target, organization);
  for (const tenant of TENANTS) await createTenant(target, tenant);
  for (const { email, name, organization_id, roles } of USERS) {
    const platform = organization_id === null;
    const user = await createUser(target, { email, name, password_hash, organization_id, mfa: platform || roles.some(([, role]) => role === 'org_admin') ? 'totp' : 'none' });
    for (const [tenant_id, role] of roles) await addMembership(target, { tenant_id, user, role });
  }
}

/** Imports every report of the manifest; the worker of this process does it. */
async function loadReports(services: EngineServices): Promise<void> {
  for (const { tenant, file, ...parameters } of manifestSchema.parse(JSON.parse(read('./manifest.json').toString()))) {
    await importReport(services, await importContext(services, tenant), Readable.from([read(`./reports/${file}`)]), parameters);
  }
}

async function keepPassword({ database }: EngineServices, password: string): Promise<string | null> {
  const { matched } = await database.system(users).updateMany({ email: { $in: USERS.map(({ email }) => email) } }, { $set: { password_hash: await hashPassword(password) } });
  return matched ? accounts('$DEMO_PASSWORD') : null;
}

function accounts(password: string): string {
  const lines = USERS.map(({ email, roles }) => `  ${email.padEnd(26)} ${roles.map(([tenant, role]) => `${role} in ${tenant}`).join(', ') || 'platform_admin'}`);
  return `Demo accounts, all with the password ${password}:\n${lines.join('\n')}`;
}
