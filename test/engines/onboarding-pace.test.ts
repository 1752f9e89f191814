import { randomUUID } from 'node:crypto';
import { paced } from '../../collectors/paced.js';
import { RATES } from '../../collectors/rates.js';
import { fixedClock } from '../../kit/base/clock.js';
import { createOutbound } from '../../kit/outbound/outbound.js';
import { Database } from '../../kit/store/database.js';
import { sharedPace } from '../../subgraphs/onboarding/accounts/pace.js';
import { callPaces } from '../../subgraphs/onboarding/accounts/records.js';
import { startStandIn } from '../support/stand-in.js';

// Two workers, each with a connection of its own to one store, and a clock that goes on when somebody waits.
const BEGIN = '2030-01-01T00:00:00Z';
const HOST = 'ec2.eu-west-1.amazonaws.com';
const { steady, atOnce } = RATES.aws;

let databases: Database[];
const clock = fixedClock(BEGIN);
const elapsed = () => clock.now().getTime() - Date.parse(BEGIN);
/** Those who wait, by when they go on: the clock moves to the first when nobody has anything else to do. */
let waiting: { until: number; resolve: () => void }[] = [];
const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => waiting.push({ until: clock.now().getTime() + milliseconds, resolve }));

beforeAll(async () => {
  const name = `pace_${randomUUID().slice(0, 8)}`;
  const open = () => Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, name, [callPaces]);
  databases = [await open(), await open()];
});
beforeEach(() => {
  clock.set(BEGIN);
  waiting = [];
});
afterAll(async () => {
  await databases[0]!.drop();
  for (const database of databases) await database.close();
});

const account = (tenant_id = randomUUID(), account_id = '123456789012') => ({ tenant_id, account_id, provider: 'aws' as const });
const paces = (of = account()) => databases.map((database) => sharedPace({ database, storeClock: clock }, of, pause));
const rowsOf = (tenant_id: string) => databases[0]!.tenant(tenant_id).collection(callPaces);

/** Lets work go on to its end, and the clock with it. */
async function run(work: readonly Promise<unknown>[]): Promise<void> {
  let ended = false;
  const all = Promise.all(work).finally(() => (ended = true));
  while (!ended) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (waiting.length === 0) continue;
    // whoever is asking the store is waited for, so that the clock does not run ahead of the others
    await new Promise((resolve) => setTimeout(resolve, 20));
    const next = Math.min(...waiting.map(({ until }) => until));
    if (next > clock.now().getTime()) clock.set(new Date(next).toISOString());
    for (const one of waiting.filter(({ until }) => until <= next)) one.resolve();
    waiting = waiting.filter(({ until }) => until > next);
  }
  await all;
}
const calls = (pace: ReturnType<typeof sharedPace>, count: number, host = HOST) =>
  (async () => {
    for (let n = 0; n < count; n++) await pace.pass(host);
  })();

it('two workers together call a service of an account as fast as one may, and no faster', async () => {
  const of = account();
  const [one, two] = paces(of);
  await run([calls(one!, 200), calls(two!, 200)]);
  // what stands ready is free, and the rest comes steadily; a block of each may be left over
  const least = ((400 - atOnce) / steady) * 1_000;
  expect(elapsed()).toBeGreaterThanOrEqual(least - 1_000);
  expect(elapsed()).toBeLessThanOrEqual(least + 2_000);
  const { free_at } = (await rowsOf(of.tenant_id).findOne({}))!;
  expect(free_at.getTime() - Date.parse(BEGIN)).toBeGreaterThanOrEqual(least - 1_000);
});

it('another service, and another account, are not held up', async () => {
  const tenant = randomUUID();
  const [one] = paces(account(tenant));
  const [other] = paces(account(tenant, '999999999999'));
  await run([calls(one!, atOnce), calls(one!, atOnce, 'iam.amazonaws.com'), calls(other!, atOnce)]);
  expect(elapsed()).toBe(0);
  expect(await rowsOf(tenant).count({})).toBe(3);
});

it('the store is asked for many calls at once', async () => {
  const of = account();
  const [pace] = paces(of);
  const rows = rowsOf(of.tenant_id);
  const marks = new Set<number>();
  for (let n = 0; n < 60; n++) {
    await pace!.pass(HOST);
    marks.add((await rows.findOne({}))!.free_at.getTime());
  }
  expect(marks.size).toBe(60 / (steady / 2));
});

it('when one is asked for patience, all wait', async () => {
  const [one, two] = paces();
  await run([calls(one!, 1), calls(two!, 1)]);
  await one!.slowDown(HOST);
  // what the other has drawn already it may still make
  await run([calls(two!, steady / 2 - 1)]);
  expect(elapsed()).toBe(0);
  await run([calls(two!, 1)]);
  expect(elapsed()).toBeGreaterThanOrEqual(1_000);
  await run([calls(one!, 1)]);
  expect(elapsed()).toBeLessThan(4_000);
});

it('a time that a wrong clock has written holds nobody up', async () => {
  const of = account();
  const [one, two] = paces(of);
  await one!.pass(HOST);
  await rowsOf(of.tenant_id).update({}, { $set: { free_at: new Date(clock.now().getTime() + 3_600_000) } });
  await two!.pass(HOST);
  expect(elapsed()).toBe(0);
  // and so when the clock is set back while calls stand drawn
  clock.advance(-3_600_000);
  await run([one!.pass(HOST), two!.pass(HOST)]);
  expect(elapsed()).toBe(-3_600_000);
});

it('every call that goes out passes, and an answer of 429, or one of 400 that says so, tells it', async () => {
  const told: string[] = [];
  const said: Record<string, string> = {
    '/query': '<Error><Code>Throttling</Code></Error>',
    '/wrong': '<Error><Code>ValidationError</Code></Error>',
  };
  const standIn = await startStandIn(({ url: { pathname } }, response) => {
    const text = said[pathname] ?? '';
    response.writeHead(pathname === '/busy' ? 429 : text === '' ? 200 : 400, { 'content-length': text.length }).end(text);
  });
  const pace = {
    pass: async (host: string) => void told.push(`pass ${host}`),
    slowDown: async (host: string) => void told.push(`slow down ${host}`),
  };
  const outbound = createOutbound(['127.0.0.0/8']);
  const { host } = new URL(standIn.url);
  const out = paced(outbound, pace);
  const texts: string[] = [];
  for (const path of ['/', '/busy', '/wrong', '/query']) texts.push(await (await out.fetch(`${standIn.url}${path}`)).text());
  expect(texts).toEqual(['', '', said['/wrong'], said['/query']]);
  const pass = `pass ${host}`;
  expect(told).toEqual([pass, pass, `slow down ${host}`, pass, pass, `slow down ${host}`]);
  await outbound.close();
  await standIn.close();
});
