import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { ProvenEntry } from '../../kit/audit/entries.js';
import { siemExports } from '../../subgraphs/events/siem/records.js';
import { openReceiver, type Received, type Receiver, type Reply } from '../support/receiver.js';
import { openServers, type Client, type ServersWorld, type TestTenant } from '../support/world.js';

jest.setTimeout(600_000);

/** What these lines say as null. */
const NOTHING = {
  target_email: undefined,
  role: undefined,
  ip_address: undefined,
  detail: undefined,
  support: undefined,
  api_key_id: undefined,
};

interface Line {
  id: string;
  seq: number;
  action: string;
  prev: string;
  hash: string;
}

let world: ServersWorld;
let receiver: Receiver;
/** What the receiver answers from now on. */
let answer: number | (() => Promise<Reply>);
let tenant: TestTenant;
let admin: Client;
beforeAll(async () => {
  world = await openServers('pair');
});
beforeEach(async () => {
  answer = 204;
  receiver = await openReceiver(() => (typeof answer === 'number' ? answer : answer()));
  tenant = await world.tenant();
  admin = await tenant.as('tenant_admin');
});
afterEach(async () => {
  await put({ enabled: false });
  await receiver.close();
});
afterAll(() => world.close());

const PATH = '/api/v1/audit-logs/siem-export';
const secret = () => `whsec_${randomBytes(32).toString('base64')}`;
const put = (change: Record<string, unknown> = {}, webhook: Record<string, unknown> = {}) =>
  admin.call(PATH, { method: 'PUT', body: { kind: 'webhook', webhook: { url: receiver.url, ...webhook }, ...change } });
const get = async () => (await admin.call(PATH)).body;
const act = async (count: number) => {
  for (let n = 0; n < count; n++) await admin.call(`/api/v1/tenants/${tenant.tenant._id}`, { method: 'PATCH', body: { name: `N ${n}` } });
};
const bulk = (count: number) =>
  world.database.transaction((transaction) =>
    world.auth.parts.audit.append(
      transaction,
      tenant.tenant._id,
      new Date(),
      Array.from({ length: count }, () => ({ action: 'user.login', actor_email: 'a@b.example', result: 'success' }) as const),
    ),
  );
const linesOf = ({ body }: Omit<Received, 'path'>): Line[] =>
  body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
const delivered = () => receiver.received.flatMap(linesOf);
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 300_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50)))
    if (await holds()) return;
  throw new Error(`it did not come about: ${JSON.stringify(await get())}, ${receiver.received.length} calls`);
}
const settled = () => until(async () => (await get())['pending'] === 0);

describe('a SIEM export by webhook', () => {
  it('sends every entry from its setting on, in order and once, signed so that the receiver can tell', async () => {
    await act(3);
    const key = secret();
    const { status, body } = await put({}, { secret: key });
    expect(status).toBe(200);
    expect(body).toMatchObject({ kind: 'webhook', enabled: true, format: 'ndjson', position: 4, signing_secret: null });
    await act(5);
    await settled();
    expect(delivered().map(({ seq }) => seq)).toEqual([5, 6, 7, 8, 9, 10]);
    expect(delivered()[0]).toMatchObject({
      id: `${tenant.tenant._id}|5`,
      tenant_id: tenant.tenant._id,
      action: 'siem.update',
      actor_email: admin.user!.email,
    });
    for (const { headers, body } of receiver.received) {
      const lines = linesOf({ headers, body });
      expect(headers['content-type']).toBe('application/x-ndjson');
      expect(headers['webhook-id']).toBe(`${tenant.tenant._id}|${lines[0]!.seq}-${lines.at(-1)!.seq}`);
      const verify = (signed: string, withKey = key) =>
        new Webhook(withKey).verify(signed, headers as Record<string, string>, { jsonParse: false });
      expect(() => verify(body)).not.toThrow();
      expect(() => verify(`${body} `)).toThrow();
      expect(() => verify(body, secret())).toThrow();
    }
    expect(await get()).toMatchObject({ position: 10, pending: 0, last_error: null, last_success_at: expect.any(String) as string });
  });

  it('cuts moves that share a row between two batches, each with its proof', async () => {
    await put();
    const target = Array.from({ length: 700 }, (_, n) => `finding:check/${n}`);
    await world.database.transaction((transaction) =>
      world.auth.parts.audit.append(transaction, tenant.tenant._id, new Date(), [
        { action: 'finding.open', actor_email: 'system', result: 'success', target },
      ]),
    );
    await settled();
    const opened = delivered().filter(({ action }) => action === 'finding.open') as (Line & { target: string; timestamp: string })[];
    expect(opened.map((line) => line.target)).toEqual(target);
    expect(opened.map(({ seq }) => seq)).toEqual(target.map((_, n) => n + 3));
    expect(receiver.received.length).toBeGreaterThan(1);
    for (const line of opened) {
      const entry = { ...line, timestamp: new Date(line.timestamp), ...NOTHING } as unknown as ProvenEntry;
      expect(world.auth.parts.audit.seals.holdsAlone(entry)).toBe(true);
    }
  });

  it('shows a secret that it made once and stores none in the clear', async () => {
    const { body } = await put();
    const made = body['signing_secret'] as string;
    expect(made).toMatch(/^whsec_/);
    const again = await put();
    expect(again.body['signing_secret']).toBeNull();
    for (const text of [again.text, JSON.stringify(await get()), (await admin.call('/api/v1/audit-logs')).text])
      expect(text).not.toContain(made.slice(6));
    const stored = await world.database.tenant(tenant.tenant._id).collection(siemExports).findOne({});
    expect(JSON.stringify(stored)).not.toContain(made.slice(6));
    await settled();
    const { headers, body: sent } = receiver.received[0]!;
    expect(() => new Webhook(made).verify(sent, headers as Record<string, string>, { jsonParse: false })).not.toThrow();
  });

  it('sends the same batch under the same id until it is taken, says why it waits, and then goes on', async () => {
    answer = 503;
    await put();
    await until(async () => (await get())['last_error'] !== null);
    expect(await get()).toMatchObject({ last_error: 'the address answered 503', position: 1, next_try_at: expect.any(String) as string });
    await act(3);
    answer = 200;
    await settled();
    const [first, second] = receiver.received;
    expect([second!.headers['webhook-id'], second!.body]).toEqual([first!.headers['webhook-id'], first!.body]);
    const taken = receiver.received.slice(1).flatMap(linesOf);
    expect(taken.map(({ seq }) => seq)).toEqual([2, 3, 4, 5]);
    expect(await get()).toMatchObject({ last_error: null, last_error_at: null });
  });

  it('sends much in batches of at most 500, one at a time, though two processes work', async () => {
    let open = 0;
    let most = 0;
    answer = async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 100));
      open--;
      return 200;
    };
    await bulk(2_300);
    await put({ replay_from: '2020-01-01T00:00:00Z' });
    await settled();
    expect(delivered().map(({ seq }) => seq)).toEqual(Array.from({ length: 2_302 }, (_, n) => n + 1));
    expect(receiver.received.map((call) => linesOf(call).length).every((count) => count <= 500)).toBe(true);
    expect(most).toBe(1);
    for (const [n, line] of delivered().entries()) expect(line.prev).toBe(n === 0 ? '0'.repeat(64) : delivered()[n - 1]!.hash);
  });

  it('replays from a moment, and goes on where it was when none is named', async () => {
    await put();
    await act(2);
    const moment = new Date();
    await act(2);
    await settled();
    receiver.received.length = 0;
    await put();
    await settled();
    expect(delivered().map(({ seq }) => seq)).toEqual([7]);
    receiver.received.length = 0;
    await put({ replay_from: moment.toISOString() });
    await settled();
    expect(delivered().map(({ seq }) => seq)).toEqual([5, 6, 7, 8]);
  });

  it('sends nothing while it is disabled', async () => {
    await put({ enabled: false });
    await act(2);
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expect(receiver.received).toEqual([]);
    expect(await get()).toMatchObject({ enabled: false, pending: 3 });
  });

  it('tells who acted for whom, in both formats', async () => {
    const support = { access_id: 'sup_1', staff: 'staff@operator.example', approved_by: 'a@b.example' };
    const helped = () =>
      world.database.transaction((transaction) =>
        world.auth.parts.audit.append(transaction, tenant.tenant._id, new Date(), [
          { action: 'finding.status', actor_email: support.staff, result: 'success', support, api_key_id: 'key_1' },
        ]),
      );
    await put();
    await helped();
    await settled();
    expect(delivered()).toMatchObject([
      { action: 'siem.update', support: null, api_key_id: null },
      { action: 'finding.status', support, api_key_id: 'key_1' },
    ]);
    receiver.received.length = 0;
    await put({ format: 'ocsf' });
    await helped();
    await settled();
    expect(delivered()).toMatchObject([{ unmapped: { support: null, api_key_id: null } }, { unmapped: { support, api_key_id: 'key_1' } }]);
  });

  it('writes OCSF events when asked to', async () => {
    await put({ format: 'ocsf' });
    await world.database.transaction((transaction) =>
      world.auth.parts.audit.append(transaction, tenant.tenant._id, new Date(), [
        { action: 'user.login', actor_email: 'a@b.example', ip_address: '192.0.2.7', result: 'failure' },
      ]),
    );
    await settled();
    expect(delivered()).toEqual([
      expect.objectContaining({ class_uid: 6003, type_uid: 600303, status_id: 1, api: { operation: 'siem.update' } }),
      expect.objectContaining({ class_uid: 3002, type_uid: 300201, status_id: 2, src_endpoint: { ip: '192.0.2.7' } }),
    ]);
  });
});
