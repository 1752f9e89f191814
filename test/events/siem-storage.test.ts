import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { auditHeads, auditLog } from '../../kit/audit/audit.js';
import { outbox } from '../../kit/work/outbox.js';
import { startObjectStorage, type ObjectStorage } from '../support/object-storage.js';
import { openReceiver } from '../support/receiver.js';
import { startStandIn } from '../support/stand-in.js';
import { openServers, type Client, type ServersWorld, type TestTenant } from '../support/world.js';

jest.setTimeout(600_000);

let world: ServersWorld;
let storage: ObjectStorage;
let tenant: TestTenant;
let admin: Client;
beforeAll(async () => {
  world = await openServers('pair');
  storage = await startObjectStorage('siem');
});
beforeEach(async () => {
  tenant = await world.tenant();
  admin = await tenant.as('tenant_admin');
});
afterAll(async () => {
  await world.close();
  await storage.close();
});

const PATH = '/api/v1/audit-logs/siem-export';
const KEY = { access_key_id: 'key-of-the-siem', secret_access_key: 'secret of the siem' };
const put = (change: Record<string, unknown> = {}, target: Record<string, unknown> = {}) =>
  admin.call(PATH, {
    method: 'PUT',
    body: {
      kind: 'object_storage',
      object_storage: {
        endpoint: storage.endpoint,
        region: 'us-east-1',
        bucket: 'siem',
        prefix: 'audit',
        path_style: true,
        ...KEY,
        ...target,
      },
      ...change,
    },
  });
const get = async () => (await admin.call(PATH)).body;
/** Begins the tenant's log anew, with entries of these moments: its own first entry is of today, and days are written in their order. */
const begin = (times: readonly string[]) =>
  world.database.transaction(async (transaction) => {
    for (const definition of [auditLog, auditHeads, outbox])
      await world.database.tenant(tenant.tenant._id).collection<object>(definition).remove({}, { transaction });
    for (const [n, time] of times.entries())
      await world.auth.parts.audit.append(transaction, tenant.tenant._id, new Date(time), [
        { action: n === 0 ? 'tenant.create' : 'user.login', actor_email: 'a@b.example', result: 'success' },
      ]);
  });
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 300_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50)))
    if (await holds()) return;
  throw new Error(`it did not come about: ${JSON.stringify(await get())}`);
}
const reached = (position: number) => until(async () => (await get())['position'] === position);
const own = async () => (await storage.keys()).filter((key) => key.includes(tenant.tenant._id));

describe('a SIEM export to object storage', () => {
  const TIMES = ['2024-02-28T00:00:00Z', '2024-02-28T23:59:59.999Z', '2024-02-29T00:00:00Z', '2024-03-02T12:00:00Z'];
  const from = '2024-01-01T00:00:00Z';

  it('writes a file and a manifest for each day that is over, whose bytes and chain can be checked', async () => {
    await begin(TIMES);
    await put({ replay_from: from });
    await reached(4);
    const name = `audit/${tenant.tenant._id}/2024`;
    expect(await own()).toEqual(['02/28', '02/29', '03/02'].flatMap((day) => [`${name}/${day}.manifest.json`, `${name}/${day}.ndjson.gz`]));
    const read = async (day: string) => {
      const bytes = await storage.read(`${name}/${day}.ndjson.gz`);
      const manifest = JSON.parse((await storage.read(`${name}/${day}.manifest.json`)).toString()) as Record<string, unknown>;
      const lines = gunzipSync(bytes).toString().trimEnd().split('\n');
      return { bytes, manifest, entries: lines.map((line) => JSON.parse(line) as { seq: number; prev: string; hash: string }) };
    };
    const [one, two] = [await read('02/28'), await read('02/29')];
    expect(one.entries.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(one.manifest).toEqual({
      tenant_id: tenant.tenant._id,
      day: '2024-02-28',
      key: `${name}/02/28.ndjson.gz`,
      format: 'ndjson',
      first_seq: 1,
      last_seq: 2,
      entries: 2,
      bytes: one.bytes.length,
      sha256: createHash('sha256').update(one.bytes).digest('hex'),
      chain: { prev: one.entries[0]!.prev, head: { seq: 2, hash: one.entries[1]!.hash } },
    });
    expect((two.manifest['chain'] as { prev: string }).prev).toBe(one.entries[1]!.hash);
    expect(await get()).toMatchObject({ position: 4, pending: 1, last_error: null, last_success_at: expect.any(String) as string });
  });

  it('writes the same bytes under the same names when it is replayed, also from the middle of a day', async () => {
    await begin(TIMES);
    await put({ replay_from: from });
    await reached(4);
    const before = await Promise.all((await own()).map(async (key) => [key, (await storage.read(key)).toString('base64')]));
    expect((await put({ replay_from: '2024-02-28T12:00:00Z' })).body['position']).toBe(0);
    await reached(4);
    expect(await Promise.all((await own()).map(async (key) => [key, (await storage.read(key)).toString('base64')]))).toEqual(before);
  });

  it('never answers, logs or audits the secret, keeps it for its key, and asks for it with another', async () => {
    const { body, text } = await put();
    expect(body).toMatchObject({ object_storage: { bucket: 'siem', access_key_id_ends_with: 'siem' }, signing_secret: null });
    expect((await put({}, { secret_access_key: undefined })).status).toBe(200);
    const other = await put({}, { secret_access_key: undefined, access_key_id: 'another-key' });
    expect(other.body).toMatchObject({ error_code: 'VALIDATION_ERROR', detail: [{ path: 'object_storage.secret_access_key' }] });
    const texts = [
      text,
      other.text,
      JSON.stringify(await get()),
      (await admin.call('/api/v1/audit-logs')).text,
      ...world.servers.map(({ output }) => output()),
    ];
    for (const one of texts) expect(one).not.toContain(KEY.secret_access_key);
  });

  it('says what the service answers, stays where it is, and goes on when the bucket is there', async () => {
    await begin(TIMES);
    await put({ replay_from: from }, { bucket: 'no-such-bucket' });
    await until(async () => (await get())['last_error'] !== null);
    expect(await get()).toMatchObject({ last_error: 'the object storage answered 404 (NoSuchBucket)', position: 0 });
    expect(await own()).toEqual([]);
    await put();
    await reached(4);
    expect(await own()).toHaveLength(6);
  });

  it('holds up no other tenant while a service is silent', async () => {
    const silent = await openReceiver(() => null);
    await begin(TIMES);
    await put({ replay_from: from }, { endpoint: silent.url });
    await silent.until(1);
    const slow = admin;
    tenant = await world.tenant();
    admin = await tenant.as('tenant_admin');
    await begin(TIMES);
    await put({ replay_from: from });
    await reached(4);
    // its first message still waits for an answer
    expect(silent.received).toHaveLength(1);
    await slow.call(PATH, { method: 'PUT', body: { kind: 'webhook', enabled: false, webhook: { url: silent.url } } });
    await silent.close();
  });

  it('reads little of an answer, however much a service says', async () => {
    let written = 0;
    const endless = await startStandIn((_request, response) => {
      response.writeHead(200);
      const more = () => {
        if (response.destroyed) return;
        written += 65_536;
        if (response.write(Buffer.alloc(65_536))) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    });
    await begin(TIMES);
    await put({ replay_from: from }, { endpoint: endless.url });
    await until(async () => (await get())['last_error'] !== null);
    expect(await get()).toMatchObject({ last_error: 'the other side answers with more than 65536 bytes', position: 0 });
    // what fits into the buffers of two sockets, for each try
    expect(written).toBeLessThan(64 * 1024 * 1024);
    await put({ enabled: false });
    await endless.close();
  });
});
