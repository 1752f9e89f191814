import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { collectionsOf } from '../../processes/services.js';
import { AuditLog, auditLog } from '../../kit/audit/audit.js';
import { fixedClock } from '../../kit/base/clock.js';
import { Database } from '../../kit/store/database.js';
import { createLogger } from '../../kit/base/logger.js';
import { createFolderObjectStore } from '../../kit/store/object-store.js';
import { tenantEnds } from '../../kit/work/tenant-ends.js';
import { memberships, organizations, tenants, users } from '../../accounts/records.js';
import { addMembership, createOrganization, createTenant, createUser } from '../../accounts/seed.js';
import { goesWithTenant, removeEndedTenants } from '../../subgraphs/identity/tenant-end/removal.js';
import { engines } from '../../subgraphs/index.js';
import { testMasterKey } from '../sign-in/world.js';
import { collectionsOfTenants as ofTenants, tenantRows } from '../support/tenant-rows.js';

// every collection of the deployment is filled
jest.setTimeout(600_000);

const collections = collectionsOf(engines);
/** What has no tenant_id, and why nothing of a tenant stays in it. Whoever adds a collection decides. */
const WITHOUT: Readonly<Record<string, string>> = {
  organizations: 'removed with its last tenant',
  users: 'removed with the last membership',
  second_steps: 'a sign-in under way ends within minutes, and goes with its user',
  pending_totp: 'ends within minutes, and goes with its user',
  mailed_codes: 'ends within a day, and goes with its user',
  sign_in_attempts: 'digests, for a quarter of an hour',
  rate_windows: 'counts, for an hour',
  signing_keys: "the deployment's",
  periodic_tasks: "the deployment's",
  master_keys: "the deployment's",
  migrations: "the deployment's",
  projection_versions: "the deployment's",
  detection_versions: "the deployment's",
  workers: "the deployment's",
  schema: "the deployment's",
  cve_intelligence: 'what a feed tells everybody',
  advisories: 'what a feed tells everybody',
  feed_states: "the deployment's",
};

let database: Database;
let folder: string;
let services: Parameters<typeof removeEndedTenants>[0];
const clock = fixedClock('2030-01-01T00:00:00.000Z');
const never = new AbortController().signal;
beforeAll(async () => {
  const name = `removal_${process.pid}`;
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, name, collections);
  folder = mkdtempSync(join(tmpdir(), 'palisade-removal-'));
  const objects = createFolderObjectStore(folder);
  services = { database, clock, masterKey: testMasterKey(), objects, collections, logger: createLogger('silent') };
});
afterAll(async () => {
  await database.drop();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const rowsOf = (tenantId: string) => tenantRows(database, tenantId);

/** A tenant with rows in every collection, staged bytes, and a member who is at home nowhere else. */
async function fill(organization_id: string, rows = 3) {
  const target = { database, clock, masterKey: services.masterKey };
  const tenant = await createTenant(target, { organization_id, name: 'Test' });
  const { tenant_id } = tenant;
  const email = `${tenant_id}@test.example`;
  const user = await createUser(target, { email, name: 'Own', password_hash: null, organization_id });
  await addMembership(target, { tenant_id, user, role: 'org_admin' });
  for (const definition of ofTenants) {
    if (definition.outlivesTenant || [tenants.name, memberships.name, tenantEnds.name].includes(definition.name)) continue;
    const unique = definition.indexes.filter(({ options }) => options?.unique).flatMap(({ key }) => Object.keys(key));
    const made = Array.from({ length: rows }, (_, n) => ({
      ...Object.fromEntries(unique.map((field) => [field, n])),
      _id: `${tenant_id}|filled|${n}`,
      tenant_id,
    }));
    await database.tenant(tenant_id).ofAllEngines<object>(definition).insertMany(made);
  }
  await services.objects.put(tenant_id, Readable.from(['bytes']), { maxBytes: 100 });
  return { tenant_id, user };
}

async function end(tenantId: string, organization_id: string): Promise<void> {
  const [ended_at, removal_at] = [clock.now(), new Date(clock.now().getTime() + 1000)];
  const row = { _id: tenantId, tenant_id: tenantId, organization_id, ended_by: 'b@test.example', ended_at, removal_at, removing: false };
  await database
    .tenant(tenantId)
    .collection(tenantEnds)
    .insert({ ...row, removed: {} });
  await database
    .tenant(tenantId)
    .collection(tenants)
    .update({}, { $set: { ends_at: removal_at } });
}

describe('the removal of a tenant', () => {
  it('knows of every collection without a tenant_id why nothing stays in it', () => {
    const without = collections.filter(({ schema }) => schema.path('tenant_id') === undefined).map(({ name }) => name);
    expect(without.sort()).toEqual(Object.keys(WITHOUT).sort());
    const staying = ofTenants.filter((definition) => !goesWithTenant(definition)).map(({ name }) => name);
    expect(staying.filter((name) => !name.startsWith('audit_'))).toEqual([]);
  });

  it('leaves nothing of it but its audit log, and every byte of others', async () => {
    const organization = await createOrganization(services, { name: 'Test' });
    const a = await fill(organization._id);
    const b = await fill(organization._id);
    const guest = await createUser(services, {
      email: 'both@test.example',
      name: 'Both',
      password_hash: null,
      organization_id: organization._id,
    });
    for (const { tenant_id } of [a, b]) await addMembership(services, { tenant_id, user: guest, role: 'viewer' });
    const before = await rowsOf(b.tenant_id);
    expect(
      Object.entries(before)
        .filter(([, rows]) => rows.length === 0)
        .map(([name]) => name)
        .sort(),
    ).toEqual(['audit_epochs', 'audit_segments', 'audit_verifications', 'tenant_ends']);
    expect(readdirSync(folder)).toHaveLength(2);

    await end(a.tenant_id, organization._id);
    await removeEndedTenants(services, never);
    expect(await database.tenant(a.tenant_id).collection(tenants).count({})).toBe(1);
    clock.advance(2000);
    await removeEndedTenants(services, never);

    const left = await rowsOf(a.tenant_id);
    expect(
      Object.entries(left)
        .filter(([, rows]) => rows.length > 0)
        .map(([name]) => name)
        .sort(),
    ).toEqual(['audit_heads', 'audit_log']);
    expect(await rowsOf(b.tenant_id)).toEqual(before);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(await database.system(users).count({ _id: a.user._id })).toBe(0);
    expect(await database.system(users).count({ _id: { $in: [guest._id, b.user._id] } })).toBe(2);
    const log = new AuditLog(database, services.masterKey);
    expect(await log.verify(a.tenant_id)).toEqual({ entries: 2, first_seq: 1, broken: null });
    expect(await database.system(organizations).count({ _id: organization._id })).toBe(1);
  });

  it('goes on where a kill has left it, and counts right', async () => {
    const organization = await createOrganization(services, { name: 'Test' });
    const { tenant_id } = await fill(organization._id, 520);
    await end(tenant_id, organization._id);
    clock.advance(2000);
    const stopped = new AbortController();
    let looks = 0;
    // a signal that is aborted after some steps, as a process that ends is
    const signal = {
      get aborted() {
        return stopped.signal.aborted;
      },
      throwIfAborted() {
        if (++looks === 9) stopped.abort();
        stopped.signal.throwIfAborted();
      },
    };
    await expect(removeEndedTenants(services, signal as unknown as AbortSignal)).rejects.toThrow();
    expect(await database.tenant(tenant_id).collection(tenants).count({})).toBe(1);
    await removeEndedTenants(services, never);
    const left = await rowsOf(tenant_id);
    expect(
      Object.entries(left)
        .filter(([, rows]) => rows.length > 0)
        .map(([name]) => name)
        .sort(),
    ).toEqual(['audit_heads', 'audit_log']);
    const last = await database.tenant(tenant_id).collection(auditLog).findOne({ action: 'tenant.remove' });
    expect(last!.detail).toMatchObject({ removed: { jobs: 520, findings: 520, sessions: 520, users: 1 } });
    expect(await database.system(organizations).count({ _id: organization._id })).toBe(0);
  });
});
