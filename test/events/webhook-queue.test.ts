import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fixedClock } from '../../kit/base/clock.js';
import { collectionsOf } from '../../processes/services.js';
import { Database } from '../../kit/store/database.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { engines } from '../../subgraphs/index.js';
import { addToQueue, EPOCH, webhookQueues, type WebhookQueueRow } from '../../subgraphs/events/webhooks/queue-record.js';
import { deliveries, deliveryRowId, webhookRowId, webhooks, type DeliveryRow } from '../../subgraphs/events/webhooks/records.js';
import { createSecret } from '../../subgraphs/events/webhooks/secrets.js';
import { webhookSender } from '../../subgraphs/events/webhooks/sender.js';
import { openReceiver, type Receiver, type Received, type Reply } from '../support/receiver.js';
import { startProcess } from '../support/process.js';
import { until } from '../support/stand-in.js';
import { servicesOf } from './hand-out.js';

// The queues of webhooks as the sender takes, works off and gives them back, in this process and by a clock that stands.
const START = '2026-02-10T12:00:00.000Z';
const SECOND = 1_000;

let database: Database;
let services: EngineServices;
let clock: ReturnType<typeof fixedClock>;
let stopping: AbortController;
let name: string;
const running: Promise<void>[] = [];
const receivers: Receiver[] = [];
beforeEach(async () => {
  name = `queues_${randomUUID().slice(0, 8)}`;
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, name, collectionsOf(engines));
  clock = fixedClock(START);
  services = servicesOf({ database }, { OUTBOUND_ALLOW: '127.0.0.0/8' }, clock);
  stopping = new AbortController();
});
afterEach(async () => {
  stopping.abort();
  // what is in flight to an endpoint that never answers ends with its connection
  await Promise.all(receivers.splice(0).map((one) => one.close()));
  await Promise.all(running.splice(0));
  await Promise.all([services.threads.evaluations.close(), services.threads.trials.close()]);
  await services.outbound.close();
  await database.drop();
  await database.close();
});

const at = (milliseconds: number): Date => new Date(clock.now().getTime() + milliseconds);
const startSender = () => running.push(webhookSender.run(services, stopping.signal));
const receiver = async (reply?: (message: Received, n: number) => Reply | Promise<Reply>) => {
  const one = await openReceiver(reply);
  receivers.push(one);
  return one;
};

/** A webhook of a tenant with as many deliveries that are due; its queue is the test's to make. */
async function webhookWith(count: number, url: string, tenant_id = 't1'): Promise<string> {
  const webhook_id = `wh_${randomUUID().slice(0, 8)}`;
  const _id = webhookRowId(tenant_id, webhook_id);
  const [now, unknown] = [clock.now(), { last_success_at: null, last_failure_at: null, last_error: null, consecutive_failures: 0 }];
  await database
    .tenant(tenant_id)
    .collection(webhooks)
    .insert({
      ...{ _id, tenant_id, webhook_id, url, description: null, events: ['*'], filter: {}, state: 'active', pause_reason: null },
      ...{ ...unknown, secrets: [createSecret(services.masterKey, _id).stored] },
      ...{ created_by: 'admin@test.example', created_at: now, updated_at: now },
    });
  await deliver(webhook_id, count, tenant_id);
  return webhook_id;
}

async function deliver(webhook_id: string, count: number, tenant_id = 't1'): Promise<void> {
  const now = clock.now();
  const rows = Array.from({ length: count }, (): DeliveryRow => {
    const delivery_id = `msg_${randomUUID()}`;
    const _id = deliveryRowId(tenant_id, delivery_id);
    const of = { _id, tenant_id, delivery_id, webhook_id, seq: 1, event: 'tenant.update' as const, payload: '{}' };
    return { ...of, state: 'pending', attempts: [], tries: 0, requested_at: now, next_at: now, sent_at: null, created_at: now };
  });
  await database.tenant(tenant_id).collection(deliveries).insertMany(rows);
}

const add = (webhookId: string, atOnce = false, tenantId = 't1') =>
  database.transaction((transaction) => addToQueue(database.tenant(tenantId), transaction, webhookId, clock.now(), atOnce));
const queueOf = async (webhookId: string, tenantId = 't1'): Promise<WebhookQueueRow> =>
  (await database
    .tenant(tenantId)
    .collection(webhookQueues)
    .findOne({ _id: webhookRowId(tenantId, webhookId) }))!;
const states = async (webhook_id: string) =>
  (await database.tenant('t1').collection(deliveries).find({ webhook_id })).map(({ state }) => state);
const rests = (webhookId: string) =>
  until('a queue at rest', async () => {
    const { leased_by, due_at } = await queueOf(webhookId);
    return leased_by === null && (due_at === null || due_at > clock.now());
  });

describe('the queue of a webhook', () => {
  it('is worked off, and costs nothing afterwards, until something is added', async () => {
    const endpoint = await receiver();
    const hook = await webhookWith(3, endpoint.url);
    await add(hook);
    startSender();
    await rests(hook);
    expect(endpoint.received).toHaveLength(3);
    expect(await queueOf(hook)).toMatchObject({ due_at: null, leased_by: null, leased_until: null, lease_no: 1 });
    await deliver(hook, 1);
    await add(hook);
    await endpoint.until(4);
    await rests(hook);
    expect(await states(hook)).toEqual(['sent', 'sent', 'sent', 'sent']);
  });

  it('is looked at once more when something was added while it was worked off', async () => {
    const endpoint = await receiver(async (_, n) => {
      if (n === 1) await add(hook);
      return 204;
    });
    const hook = await webhookWith(1, endpoint.url);
    await add(hook);
    startSender();
    await rests(hook);
    expect(await queueOf(hook)).toMatchObject({ due_at: null, added: 2, lease_no: 2 });
    expect(endpoint.received).toHaveLength(1);
  });

  it('is not due while its endpoint is left alone, but at once when a person asks for a try', async () => {
    let isUp = false;
    const endpoint = await receiver(() => (isUp ? 204 : 500));
    const hook = await webhookWith(10, endpoint.url);
    await add(hook);
    startSender();
    await rests(hook);
    const paused = { due_at: at(5 * SECOND), not_before: at(5 * SECOND), failures: 3, pauses: 1 };
    expect(await queueOf(hook)).toMatchObject({ ...paused, lease_no: 1 });
    await deliver(hook, 1);
    await add(hook);
    expect(await queueOf(hook)).toMatchObject({ ...paused, lease_no: 1 });
    expect(endpoint.received).toHaveLength(3);
    isUp = true;
    await add(hook, true);
    await endpoint.until(3 + 8);
    await rests(hook);
    // the three that failed wait for a try of their own
    const queue = await queueOf(hook);
    expect(queue).toMatchObject({ failures: 0, pauses: 0 });
    expect(queue.due_at!.getTime()).toBeGreaterThan(at(4 * SECOND).getTime());
    clock.advance(6 * SECOND);
    await endpoint.until(3 + 8 + 3);
    await rests(hook);
    expect(await queueOf(hook)).toMatchObject({ due_at: null });
  });

  it('is due as soon as something is added beside what waits for another try', async () => {
    const hook = await webhookWith(0, 'https://hooks.example');
    await add(hook);
    const rows = database.tenant('t1').collection(webhookQueues);
    await rows.update({ webhook_id: hook }, { $set: { due_at: at(30 * SECOND) } });
    await add(hook);
    expect(await queueOf(hook)).toMatchObject({ due_at: at(0), added: 2 });
    // one that is due keeps its place among those that wait for a worker
    const since = at(0);
    clock.advance(SECOND);
    await add(hook);
    expect(await queueOf(hook)).toMatchObject({ due_at: since, added: 3 });
  });

  it('of the release before is worked off, and not before its pause is over', async () => {
    const endpoint = await receiver();
    const waiting = { due_at: at(-1), added: 4, failures: 3, pauses: 1, leased_by: null, leased_until: EPOCH };
    const [free, paused] = [await webhookWith(1, endpoint.url), await webhookWith(2, endpoint.url)];
    const rows = database.tenant('t1').collection<Record<string, unknown>>(webhookQueues as never);
    for (const [id, not_before] of [[free, EPOCH] as const, [paused, at(5 * SECOND)] as const])
      await rows.insert({ _id: webhookRowId('t1', id), tenant_id: 't1', webhook_id: id, not_before, ...waiting });
    startSender();
    await Promise.all([rests(free), rests(paused)]);
    expect(await queueOf(free)).toMatchObject({ due_at: null, lease_no: 1, leased_until: null });
    expect(await queueOf(paused)).toMatchObject({ due_at: at(5 * SECOND), lease_no: 1 });
    expect(endpoint.received).toHaveLength(1);
    clock.advance(5 * SECOND);
    await endpoint.until(3);
    await rests(paused);
    expect(await queueOf(paused)).toMatchObject({ due_at: null, failures: 0, pauses: 0 });
  });

  it('is left due when the process stops, after what is in flight has been answered', async () => {
    let answer: (reply: Reply) => void = () => undefined;
    const endpoint = await receiver(() => new Promise<Reply>((resolve) => (answer = resolve)));
    const hook = await webhookWith(2, endpoint.url);
    await add(hook);
    startSender();
    await endpoint.until(1);
    stopping.abort();
    answer(204);
    await Promise.all(running);
    expect((await states(hook)).sort()).toEqual(['pending', 'sent']);
    expect(endpoint.received).toHaveLength(1);
    expect(await queueOf(hook)).toMatchObject({ due_at: at(0), leased_by: null, leased_until: null });
  });

  it("leaves places for other tenants' however many endpoints of one never answer", async () => {
    const dead = await receiver(() => null);
    const endpoint = await receiver();
    for (let n = 0; n < 100; n++) await add(await webhookWith(1, dead.url, 'many'), false, 'many');
    clock.advance(SECOND);
    const hook = await webhookWith(1, endpoint.url);
    await add(hook);
    startSender();
    await endpoint.until(1);
    await rests(hook);
    await dead.until(16);
    expect(dead.mostAtOnce()).toBe(16);
  });
});

describe('workers on machines whose clocks are wrong', () => {
  const HOUR = 3_600_000;
  const startWorker = (wrongBy: number) =>
    startProcess(['worker'], {
      MONGODB_URI: process.env['PALISADE_TEST_MONGODB_URI']!,
      MONGODB_DB: name,
      PALISADE_SECRET: process.env['PALISADE_TEST_SECRET']!,
      OBJECT_DIR: mkdtempSync(join(tmpdir(), 'palisade-test-')),
      OUTBOUND_ALLOW: '127.0.0.0/8',
      DNS_SERVERS: '127.0.0.1:9',
      LOG_LEVEL: 'error',
      NODE_OPTIONS: `--import ${pathToFileURL(join(__dirname, '../support/wrong-clock.mjs')).href}`,
      WRONG_BY: String(wrongBy),
    });

  it('send every message once, try again after seconds and not after an hour, and tell their own time', async () => {
    clock.set(new Date().toISOString());
    const aheadOf = ({ headers }: Received) => Math.round((Number(headers['webhook-timestamp']) * 1000 - Date.now()) / HOUR);
    // one worker takes sixteen queues of a tenant at most, and answers wait until the other has the rest
    const both = new Set<number>();
    let answerAll: () => void;
    const isBoth = new Promise<void>((resolve) => (answerAll = resolve));
    const endpoint = await receiver(async (message, n) => {
      if (both.add(aheadOf(message)).size === 2) answerAll();
      await isBoth;
      return n === 1 ? 500 : 204;
    });
    const hooks = await Promise.all(Array.from({ length: 20 }, () => webhookWith(5, endpoint.url)));
    const workers = [await startWorker(HOUR), await startWorker(-HOUR)];
    const rows = database.tenant('t1').collection(deliveries);
    try {
      for (const hook of hooks) await add(hook);
      await until('sent messages', async () => (await rows.count({ state: 'sent' })) === 20 * 5, 120);
    } finally {
      await Promise.all(workers.map((worker) => worker.end('SIGTERM')));
    }
    expect(both).toEqual(new Set([1, -1]));
    const attempts = (await rows.find({})).map((row) => row.attempts.map(({ status }) => status));
    expect(endpoint.received).toHaveLength(attempts.flat().length);
    for (const statuses of attempts) expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(attempts.flat().filter((status) => status === 500)).toHaveLength(1);
  });
});
