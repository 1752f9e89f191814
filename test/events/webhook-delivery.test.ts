import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { eventually, openReceiver, type Receiver, type Received, type Reply } from '../support/receiver.js';
import { bucket, ocsf } from '../support/reports.js';
import { change, createHook, findHook, ledger, redeliver, rename } from '../support/webhooks.js';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';
import { type Client } from '../support/world.js';

// How messages are sent: tries, back-off, endpoints that fail in each way, several workers.
let world: OwnWorld;
let admin: Client;
const receivers: Receiver[] = [];
const servers: Server[] = [];
const receiver = async (reply?: (message: Received, n: number) => Reply | Promise<Reply>) => {
  const one = await openReceiver(reply);
  receivers.push(one);
  return one;
};
beforeAll(async () => {
  world = await openOwnWorld({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' }, servers: 2 });
});
beforeEach(async () => {
  admin = await (await world.tenant()).as('tenant_admin');
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((one) => one.close()));
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => world.close());

const LONG = 600_000;
/** An address at which nothing listens. */
async function refusing(): Promise<string> {
  const endpoint = await openReceiver();
  await endpoint.close();
  return endpoint.url;
}
/** An address that takes connections and closes them. */
async function closing(): Promise<string> {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
/** An address that answers 200 and breaks off in the body. */
async function breaking(): Promise<string> {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\ntaken');
      setTimeout(() => socket.destroy(), 200);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const idsOf = ({ received }: Receiver) => received.map(({ headers }) => String(headers['webhook-id']));
const openFindings = (count: number) =>
  admin.import(ocsf(Array.from({ length: count }, (_, n) => ({ rule: `rule_${n % 9}`, resource: bucket(`b-${n}`) }))));

describe('a delivery', () => {
  it(
    'that fails is tried again under the same id, and noted with what the endpoint said',
    async () => {
      const endpoint = await receiver((_, n) => (n === 1 ? { status: 500, body: 'x'.repeat(5_000) } : 200));
      const hook = await createHook(admin, endpoint.url, { events: ['tenant.update'] });
      await rename(admin, 'again');
      const [failed] = await eventually(
        () => ledger(admin, hook, '&state=failed'),
        (rows) => rows.length === 1,
      );
      expect(failed!.attempts).toEqual([
        expect.objectContaining({ status: 500, error: 'the endpoint answered 500', response: 'x'.repeat(1_024) }),
      ]);
      const wait = Date.parse(failed!.next_attempt_at!) - Date.parse(failed!.attempts[0]!.at);
      expect(wait).toBeGreaterThan(4_000);
      expect(wait).toBeLessThan(8_000);
      await endpoint.until(2);
      expect(new Set(idsOf(endpoint)).size).toBe(1);
      expect(new Set(endpoint.received.map(({ body }) => body)).size).toBe(1);
      const [sent] = await eventually(
        () => ledger(admin, hook),
        ([first]) => first!.state === 'sent',
      );
      expect(sent!.attempts.map(({ status }) => status)).toEqual([500, 200]);
    },
    LONG,
  );

  it('can be sent again by hand under the same id, whatever became of it', async () => {
    const endpoint = await receiver();
    const hook = await createHook(admin, endpoint.url, { events: ['tenant.update'] });
    await rename(admin, 'once');
    await endpoint.until(1);
    const [first] = await eventually(
      () => ledger(admin, hook, '&state=sent'),
      (rows) => rows.length === 1,
    );
    const again = await redeliver(admin, hook, first!);
    expect(again).toMatchObject({ status: 200, body: { state: 'pending', delivery_id: first!.delivery_id } });
    await endpoint.until(2);
    expect(new Set(idsOf(endpoint))).toEqual(new Set([first!.delivery_id]));
    const [second] = await eventually(
      () => ledger(admin, hook, '&state=sent'),
      (rows) => rows[0]?.attempts.length === 2,
    );
    expect(second!.attempts).toHaveLength(2);
    const { body } = await admin.call<{ items: { action: string; detail: object }[] }>('/api/v1/audit-logs?action=webhook.redeliver');
    expect(body.items[0]!.detail).toMatchObject({ delivery_id: first!.delivery_id });
    const other = await createHook(admin, endpoint.url, { state: 'paused' });
    expect((await redeliver(admin, other, first!)).status).toBe(404);
  });

  it('is not redirected: a 3xx is a failure', async () => {
    const target = await receiver();
    const endpoint = await receiver(() => ({ status: 307, headers: { location: target.url } }));
    const hook = await createHook(admin, endpoint.url, { events: ['tenant.update'] });
    await rename(admin, 'elsewhere');
    const [failed] = await eventually(
      () => ledger(admin, hook, '&state=failed'),
      (rows) => rows.length === 1,
    );
    expect(failed!.attempts[0]).toMatchObject({ status: 307, error: 'redirects are not followed' });
    expect(target.connections()).toBe(0);
    // the same address is reached when it is the webhook's own
    await createHook(admin, target.url, { events: ['tenant.update'] });
    await rename(admin, 'straight');
    await target.until(1);
  });

  it('to an endpoint that is gone (410) is dead, and the webhook paused', async () => {
    const endpoint = await receiver(() => 410);
    const hook = await createHook(admin, endpoint.url, { events: ['tenant.update'] });
    await rename(admin, 'gone');
    const paused = await eventually(
      () => findHook(admin, hook),
      ({ state }) => state === 'paused',
    );
    expect(paused.pause_reason).toBe('the endpoint answered 410 Gone');
    await eventually(
      () => ledger(admin, hook, '&state=dead'),
      (rows) => rows.length === 1,
    );
    const { body } = await admin.call<{ items: { actor_email: string; detail: object }[] }>('/api/v1/audit-logs?action=webhook.update');
    expect(body.items[0]).toMatchObject({ actor_email: 'system', detail: { state: 'paused' } });
    await rename(admin, 'nobody listens');
    expect(endpoint.received).toHaveLength(1);
  });

  it.each([429, 503])('waits as long as Retry-After of a %d says', async (status) => {
    const endpoint = await receiver(() => ({ status, headers: { 'retry-after': '120' } }));
    const hook = await createHook(admin, endpoint.url, { events: ['tenant.update'] });
    await rename(admin, 'later');
    const [failed] = await eventually(
      () => ledger(admin, hook, '&state=failed'),
      (rows) => rows.length === 1,
    );
    const wait = Date.parse(failed!.next_attempt_at!) - Date.parse(failed!.attempts[0]!.at);
    expect(wait).toBeGreaterThan(119_000);
    // the endpoint has asked for it, so other messages wait, too
    await rename(admin, 'waits as well');
    await eventually(
      () => ledger(admin, hook, '&state=pending'),
      (rows) => rows.length === 1,
    );
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(endpoint.received).toHaveLength(1);
  });

  it('that was answered with 2xx is sent, though the body breaks off', async () => {
    const hook = await createHook(admin, await breaking(), { events: ['tenant.update'] });
    await rename(admin, 'half an answer');
    const [sent] = await eventually(
      () => ledger(admin, hook),
      ([first]) => first !== undefined && first.attempts.length > 0,
    );
    expect(sent).toMatchObject({ state: 'sent', attempts: [{ status: 200, error: null, response: 'taken' }] });
  });

  it.each([
    ['refuses connections', refusing, 'the connection was refused'],
    ['closes connections', closing, 'the connection was closed'],
  ])('to an endpoint that %s fails with a reason', async (_case, open, reason) => {
    const hook = await createHook(admin, await open(), { events: ['tenant.update'] });
    await rename(admin, 'nobody there');
    const [failed] = await eventually(
      () => ledger(admin, hook, '&state=failed'),
      (rows) => rows.length === 1,
    );
    expect(failed!.attempts[0]).toMatchObject({ status: null, error: reason, response: null });
  });
});

describe('many events', () => {
  it(
    'reach an endpoint once each, eight at a time at most, with two workers',
    async () => {
      const endpoint = await receiver(() => new Promise((resolve) => setTimeout(() => resolve(204), 5)));
      const hook = await createHook(admin, endpoint.url, { events: ['finding.open'] });
      await openFindings(600);
      await endpoint.until(600);
      await eventually(
        () => findHook(admin, hook),
        ({ health }) => health.pending === 0,
      );
      expect(new Set(idsOf(endpoint)).size).toBe(600);
      expect(endpoint.received).toHaveLength(600);
      expect(endpoint.mostAtOnce()).toBeLessThanOrEqual(8);
      expect(endpoint.mostAtOnce()).toBeGreaterThan(2);
      const rows = await ledger(admin, hook);
      expect(new Set(rows.map(({ seq }) => seq)).size).toBe(600);
      expect(rows.every(({ state, attempts }) => state === 'sent' && attempts.length === 1)).toBe(true);
    },
    LONG,
  );

  it(
    'stop when the webhook is paused, and go to its new address from then on',
    async () => {
      const slow = () => receiver(() => new Promise((resolve) => setTimeout(() => resolve(204), 500)));
      const [before, after] = [await slow(), await slow()];
      const hook = await createHook(admin, before.url, { events: ['finding.open'] });
      await openFindings(120);
      await before.until(8);
      await change(admin, hook, { state: 'paused' });
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      const sent = before.received.length;
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(before.received).toHaveLength(sent);
      await change(admin, hook, { state: 'active' });
      await before.until(sent + 1);
      await change(admin, hook, { url: after.url });
      await after.until(1);
    },
    LONG,
  );

  it(
    'are not held up by an endpoint that never answers, which gets one message at a time',
    async () => {
      const dead = await receiver(() => null);
      const endpoint = await receiver();
      const deadHook = await createHook(admin, dead.url, { events: ['finding.open'] });
      await createHook(admin, endpoint.url, { events: ['finding.open'] });
      await openFindings(300);
      await endpoint.until(300);
      expect(dead.mostAtOnce()).toBe(1);
      const [failed] = await eventually(
        () => ledger(admin, deadHook, '&state=failed'),
        (rows) => rows.length >= 1,
      );
      expect(failed!.attempts[0]).toMatchObject({ status: null, error: 'no answer within 10 seconds' });
    },
    LONG,
  );

  it(
    'wait while an endpoint fails, and all go out when one probe has come through',
    async () => {
      let isUp = false;
      const endpoint = await receiver(() => (isUp ? 200 : 500));
      const hook = await createHook(admin, endpoint.url, { events: ['finding.open'] });
      await openFindings(100);
      const failing = await eventually(
        () => findHook(admin, hook),
        ({ health }) => health.status === 'failing',
      );
      expect(failing.health).toMatchObject({ last_error: 'the endpoint answered 500' });
      isUp = true;
      await endpoint.until(103);
      // three failures, and then the endpoint is left alone for five seconds
      const [third, fourth] = endpoint.received.slice(2).map(({ headers }) => Number(headers['webhook-timestamp']));
      expect(fourth! - third!).toBeGreaterThanOrEqual(4);
      const rows = await eventually(
        () => ledger(admin, hook),
        (all) => all.every(({ state }) => state === 'sent'),
      );
      expect(rows).toHaveLength(100);
      await eventually(
        () => findHook(admin, hook),
        ({ health }) => health.status === 'healthy' && health.consecutive_failures === 0,
      );
    },
    LONG,
  );
});
