import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import { GCP_SERVICES } from '../../collectors/gcp/asked.js';
import { GCP_CALLS } from '../../collectors/gcp/calls.js';
import { createGcpCollector } from '../../collectors/gcp/collector.js';
import { ConnectionRefused, type Connection, type Target } from '../../collectors/types.js';
import { cloudTable } from '../../importers/cloud/table.js';
import { fixedClock } from '../../kit/base/clock.js';
import { createOutbound } from '../../kit/outbound/outbound.js';
import { openReceiver, type Reply } from '../support/receiver.js';
import { readRecorded, recordedOf } from './recorded.js';

const NOW = '2026-03-01T12:00:00.000Z';
const EMAIL = 'palisade-read@shop-prod.iam.gserviceaccount.com';
const KEY_ID = 'key-1';
const inPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string;
const pair = () => generateKeyPairSync('rsa', { modulusLength: 2_048 });
const [theirs, another] = [pair(), pair()];
const outbound = createOutbound(['127.0.0.0/8']);
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
});
afterAll(() => outbound.close());

const byKey = (private_key = inPem(theirs.privateKey)): Connection => ({
  method: 'secret',
  values: { service_account_email: EMAIL, private_key, private_key_id: KEY_ID },
  external_id: null,
});
const target = (more: Partial<Target> = {}): Target => ({
  ...{ provider: 'gcp', account_id: 'shop-prod', regions: [], services: [], connection: byKey() },
  ...more,
});

type Asset = Record<string, unknown> & { name: string; assetType: string };
type Content = 'RESOURCE' | 'IAM_POLICY' | 'ORG_POLICY';
/** What a stand has, and does otherwise than it should. */
interface GcpWorld {
  assets: Readonly<Partial<Record<Content, readonly Asset[]>>>;
  page: number;
  instead: (call: { content: string; path: string }) => Reply | undefined;
}
const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: JSON.stringify(body),
});
const failure = (code: number, status: string, more: { headers?: Record<string, string>; reason?: string } = {}): Reply =>
  json(
    code,
    { error: { code, status, message: `${EMAIL} may not`, ...(more.reason && { details: [{ reason: more.reason }] }) } },
    more.headers,
  );

/** Google's token service and asset inventory as far as they are asked, as they are documented: assertions are verified, lists are paged. */
async function stand(given: Partial<GcpWorld> = {}) {
  const world: GcpWorld = { assets: {}, page: 1_000, instead: () => undefined, ...given };
  let tokens = 0;
  const receiver = await openReceiver(async ({ path, headers, body }) => {
    const url = new URL(path, 'http://stand');
    const content = url.searchParams.get('contentType') ?? '';
    const instead = world.instead({ content, path });
    if (instead !== undefined) return instead;
    if (url.pathname === '/token') {
      const form = new URLSearchParams(body);
      const verified = await jwtVerify(form.get('assertion') ?? '', theirs.publicKey, {
        ...{ issuer: EMAIL, audience: 'https://oauth2.googleapis.com/token', algorithms: ['RS256'], currentDate: new Date(NOW) },
        ...{ maxTokenAge: '1h', requiredClaims: ['scope', 'exp'] },
      }).catch(() => undefined);
      const isRight =
        form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
        verified?.protectedHeader.kid === KEY_ID &&
        verified.payload['scope'] === 'https://www.googleapis.com/auth/cloud-platform';
      if (!isRight) return json(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' });
      return json(200, { access_token: `token-${++tokens}`, expires_in: 3_599, token_type: 'Bearer' });
    }
    if (headers.authorization !== `Bearer token-${tokens}`) return failure(401, 'UNAUTHENTICATED');
    if (url.pathname !== '/v1/projects/shop-prod/assets') return failure(403, 'PERMISSION_DENIED');
    const types = new RegExp(`^${url.searchParams.get('assetTypes') ?? '.*'}$`);
    const known = (world.assets[content as Content] ?? []).filter(({ assetType }) => types.test(assetType));
    const at = Number(url.searchParams.get('pageToken') ?? 0);
    const end = at + Math.min(world.page, Number(url.searchParams.get('pageSize')));
    return json(200, { readTime: NOW, assets: known.slice(at, end), ...(end < known.length && { nextPageToken: String(end) }) });
  });
  open.push(receiver);
  const endpoints = { assets: receiver.url, tokens: receiver.url };
  const collector = createGcpCollector({ outbound, clock: fixedClock(NOW), endpoints, pauses: [10, 10] });
  const collect = (of = target(), signal?: AbortSignal) => recordedOf(collector, of, signal);
  return { ...receiver, collector, collect, tokens: () => tokens };
}

const ancestors = ['projects/123456789012', 'organizations/7'];
const parent = '//cloudresourcemanager.googleapis.com/projects/123456789012';
const asset = (name: string, assetType: string, location: string, data: unknown): Asset => ({
  ...{ name, assetType, ancestors, updateTime: NOW, resource: { version: 'v1', parent, location, data } },
});
const project = asset(
  '//cloudresourcemanager.googleapis.com/projects/123456789012',
  'cloudresourcemanager.googleapis.com/Project',
  'global',
  {
    ...{ projectId: 'shop-prod', projectNumber: '123456789012', name: 'Shop', lifecycleState: 'ACTIVE' },
  },
);
const bucket = (name: string, location: string): Asset =>
  asset(`//storage.googleapis.com/${name}`, 'storage.googleapis.com/Bucket', location, {
    ...{ kind: 'storage#bucket', name, location: location.toUpperCase(), iamConfiguration: { publicAccessPrevention: 'inherited' } },
  });
const sql = asset('//cloudsql.googleapis.com/projects/shop-prod/instances/orders', 'sqladmin.googleapis.com/Instance', 'europe-west3', {
  ...{ name: 'orders', region: 'europe-west3', databaseVersion: 'POSTGRES_15', project: 'shop-prod' },
  settings: { ipConfiguration: { ipv4Enabled: true, authorizedNetworks: [{ value: '0.0.0.0/0' }] } },
});
const firewall = asset('//compute.googleapis.com/projects/shop-prod/global/firewalls/ssh', 'compute.googleapis.com/Firewall', 'global', {
  ...{ name: 'ssh', direction: 'INGRESS', sourceRanges: ['0.0.0.0/0'], allowed: [{ IPProtocol: 'tcp', ports: ['22'] }] },
});
const disk = asset('//compute.googleapis.com/projects/shop-prod/zones/us-east1-b/disks/d', 'compute.googleapis.com/Disk', 'us-east1-b', {
  ...{ name: 'd', sizeGb: '10', zone: 'https://www.googleapis.com/compute/v1/projects/shop-prod/zones/us-east1-b' },
});
const policyOf = ({ name, assetType }: Asset, role: string, member: string): Asset => ({
  ...{ name, assetType, ancestors, iamPolicy: { version: 1, etag: 'CAE=', bindings: [{ role, members: [member] }] } },
});
const shop: Partial<GcpWorld> = {
  assets: {
    RESOURCE: [project, bucket('invoices', 'europe-west3'), bucket('far', 'us-east1'), sql, firewall, disk],
    IAM_POLICY: [
      policyOf(bucket('invoices', 'europe-west3'), 'roles/storage.objectViewer', 'allUsers'),
      policyOf(project, 'roles/owner', 'user:a@shop.example'),
    ],
    ORG_POLICY: [{ ...project, orgPolicy: [{ constraint: 'constraints/compute.requireOsLogin', booleanPolicy: { enforced: true } }] }],
  },
};

describe('what is collected of a project', () => {
  it('is read as its assets, with the attributes that rules read and its policies', async () => {
    const gcp = await stand({ ...shop, page: 2 });
    const { told, missing } = await gcp.collect();
    expect(missing).toEqual([]);
    const { format, assets, broken } = await readRecorded(told, 'shop-prod');
    expect([format, broken]).toEqual(['cloud_api_responses', []]);
    const of = (type: string) => assets.filter(({ resource_type }) => resource_type === type);
    expect(of('google_storage_bucket').map(({ configuration, region, account_id }) => [configuration['name'], region, account_id])).toEqual(
      [
        ['invoices', 'europe-west3', 'shop-prod'],
        ['far', 'us-east1', 'shop-prod'],
      ],
    );
    expect(of('google_storage_bucket')[0]!.configuration).toMatchObject({ public_access_prevention: 'inherited' });
    expect(of('google_sql_database_instance')[0]!.configuration).toMatchObject({
      settings: [{ ip_configuration: [{ ipv4_enabled: true, authorized_networks: [{ value: '0.0.0.0/0' }] }] }],
    });
    expect(of('google_compute_firewall')[0]!.configuration).toMatchObject({ source_ranges: ['0.0.0.0/0'] });
    const types = assets.map(({ resource_type }) => resource_type).join(' ');
    expect(types).toMatch(/google_project\b/);
    expect(types).toMatch(/google_storage_bucket_iam_/);
    expect(types).toMatch(/google_project_iam_/);
    expect(types).toMatch(/google_project_organization_policy/);
  });

  it('is what the target is narrowed to: its regions with what is in many or none, and its services', async () => {
    const gcp = await stand(shop);
    const { told } = await gcp.collect(target({ regions: ['us-east1'] }));
    const named = (await readRecorded(told, 'shop-prod')).assets.map(({ configuration }) => configuration['name']);
    expect(named).toEqual(expect.arrayContaining(['far', 'd', 'ssh']));
    expect(named).not.toContain('invoices');
    const storage = await gcp.collect(target({ services: ['storage'] }));
    const { assets } = await readRecorded(storage.told, 'shop-prod');
    // the project tells its name, by which all others are of it
    expect(assets.map(({ resource_type }) => resource_type)).not.toContain('google_compute_firewall');
    expect(assets.every(({ account_id }) => account_id === 'shop-prod')).toBe(true);
    expect(storage.answers.some(({ source }) => source.endsWith('ORG_POLICY'))).toBe(false);
  });

  it('leaves out what is denied, and says which permission is missing', async () => {
    const gcp = await stand({
      ...shop,
      instead: ({ content }) => (content === 'IAM_POLICY' ? failure(403, 'PERMISSION_DENIED') : undefined),
    });
    const { told, missing, whole } = await gcp.collect();
    expect(whole).toEqual(['RESOURCE', 'ORG_POLICY']);
    expect(missing).toEqual([
      { source: 'gcp/cloudasset/list-assets__IAM_POLICY', not_answered: 'The permission cloudasset.assets.listIamPolicy is missing.' },
    ]);
    const { assets, broken } = await readRecorded(told, 'shop-prod');
    expect([broken.length, assets.some(({ resource_type }) => resource_type === 'google_storage_bucket')]).toEqual([1, true]);
    expect(JSON.stringify(told)).not.toContain(EMAIL);
  });

  it('comes in records that can be read, however large a page is', async () => {
    const RESOURCE = Array.from({ length: 6 }, (_, n) => {
      const { resource, ...rest } = bucket(`b${n}`, 'us-east1');
      const { data, ...more } = resource as { data: object };
      return { ...rest, resource: { ...more, data: { ...data, text: 'x'.repeat(900_000) } } } as Asset;
    });
    const { told } = await (await stand({ assets: { RESOURCE } })).collect();
    const { assets, broken } = await readRecorded(told, 'shop-prod');
    expect([assets.filter(({ resource_type }) => resource_type === 'google_storage_bucket').length, broken]).toEqual([6, []]);
  });
});

describe('an inventory that', () => {
  it('asks for patience is asked again after it, and no earlier', async () => {
    let turned = 0;
    const gcp = await stand({
      ...shop,
      instead: ({ content }) =>
        content === 'RESOURCE' && turned++ === 0 ? failure(429, 'RESOURCE_EXHAUSTED', { headers: { 'retry-after': '1' } }) : undefined,
    });
    const began = Date.now();
    expect((await gcp.collect()).missing).toEqual([]);
    expect([turned, Date.now() - began >= 1_000]).toEqual([2, true]);
  });

  it('names a page for ever is left there, and one that fails is told as that', async () => {
    const again = JSON.stringify({ assets: [firewall], nextPageToken: 'the same' });
    const gcp = await stand({
      ...shop,
      instead: ({ content }) =>
        content === 'RESOURCE' ? { status: 200, body: again } : content === 'ORG_POLICY' ? failure(503, 'UNAVAILABLE') : undefined,
    });
    const { missing, told } = await gcp.collect();
    expect(missing.map(({ not_answered }) => not_answered)).toEqual([
      'The interface named a page again that was read before.',
      'The inventory answered 503 (UNAVAILABLE).',
    ]);
    expect((await readRecorded(told, 'shop-prod')).assets.some(({ resource_type }) => resource_type.includes('_iam_'))).toBe(true);
  });

  it('does not answer is left when the work is aborted', async () => {
    const gcp = await stand({ ...shop, instead: ({ content }) => (content === 'RESOURCE' ? null : undefined) });
    const abort = new AbortController();
    const collected = gcp.collect(target(), abort.signal);
    await gcp.until(2);
    setTimeout(() => abort.abort(new Error('it was cancelled')), 50);
    const began = Date.now();
    await expect(collected).rejects.toThrow('it was cancelled');
    expect(Date.now() - began).toBeLessThan(20_000);
  });
});

describe('a connection', () => {
  it('with another key than the account has is refused, without showing it', async () => {
    const gcp = await stand(shop);
    const refused = gcp.collect(target({ connection: byKey(inPem(another.privateKey)) }));
    await expect(refused).rejects.toThrow(ConnectionRefused);
    await expect(refused).rejects.toThrow('Google Cloud does not take the key of the service account: it answered invalid_grant.');
    expect(gcp.tokens()).toBe(0);
  });

  it('with a key that no service account has, and by an identity that this deployment does not have, are refused before anything is asked', async () => {
    const gcp = await stand(shop);
    const { privateKey } = generateKeyPairSync('ed25519');
    await expect(gcp.collect(target({ connection: byKey(inPem(privateKey)) }))).rejects.toThrow(/is not one of a service account/);
    const broken = '-----BEGIN PRIVATE KEY-----\nnone\n-----END PRIVATE KEY-----';
    await expect(gcp.collect(target({ connection: byKey(broken) }))).rejects.toThrow(/cannot be read/);
    const connection: Connection = { method: 'workload_identity', values: { service_account_email: EMAIL }, external_id: null };
    await expect(gcp.collect(target({ connection }))).rejects.toThrow(/no identity of its own/);
    expect(gcp.received).toEqual([]);
  });

  it('that may list nothing, or whose project has no inventory, is refused', async () => {
    const denied = await stand({ instead: ({ content }) => (content ? failure(403, 'PERMISSION_DENIED') : undefined) });
    await expect(denied.collect()).rejects.toThrow(/may list no assets of the project/);
    const off = await stand({
      instead: ({ content }) => (content ? failure(403, 'PERMISSION_DENIED', { reason: 'SERVICE_DISABLED' }) : undefined),
    });
    await expect(off.collect()).rejects.toThrow(/Cloud Asset API .* is not enabled/);
    const narrow = await stand({
      instead: ({ content }) => (content ? failure(403, 'PERMISSION_DENIED', { reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }) : undefined),
    });
    await expect(narrow.collect()).rejects.toThrow(/does not take a token that is good for reading alone/);
  });

  it('is tried by each permission once, and shares no token with the next target', async () => {
    const gcp = await stand({
      ...shop,
      instead: ({ content }) => (content === 'ORG_POLICY' ? failure(403, 'PERMISSION_DENIED') : undefined),
    });
    const tried = [];
    for await (const { permission, granted } of gcp.collector.tryOut(target(), new AbortController().signal))
      tried.push([permission, granted]);
    expect(tried).toEqual([
      ['cloudasset.assets.listResource', true],
      ['cloudasset.assets.listIamPolicy', true],
      ['cloudasset.assets.listOrgPolicy', false],
    ]);
    expect(gcp.received.filter(({ path }) => path.includes('pageSize=1&') || path.endsWith('pageSize=1'))).toHaveLength(3);
    await gcp.collect();
    expect(gcp.tokens()).toBe(2);
  });
});

describe('the table of calls', () => {
  it('grants what is called, and nothing else', async () => {
    const gcp = await stand(shop);
    await gcp.collect();
    const words: Readonly<Record<string, string>> = { RESOURCE: 'Resource', IAM_POLICY: 'IamPolicy', ORG_POLICY: 'OrgPolicy' };
    const called = gcp.received.flatMap(({ path }) => {
      const content = new URL(path, 'http://stand').searchParams.get('contentType');
      return content === null ? [] : [`cloudasset.assets.list${words[content]}`];
    });
    expect(new Set(called)).toEqual(new Set(GCP_CALLS.flatMap(({ permissions }) => permissions)));
  });

  it('has all that is read of the inventory, but parameters, which hold values', () => {
    const read = new Set(cloudTable('gcp').things.flatMap(({ config }) => config.map((type) => type.split('.')[0]!)));
    const asked = GCP_SERVICES.flatMap(({ apis }) => apis);
    expect([...read].filter((api) => !asked.includes(api))).toEqual(['parametermanager']);
    expect(asked.filter((api) => !read.has(api))).toEqual([]);
    expect(new Set(asked).size).toBe(asked.length);
  });
});
