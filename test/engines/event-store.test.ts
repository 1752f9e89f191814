import { allowancesOf } from '../../kit/base/quotas.js';
import { fixedClock } from '../../kit/base/clock.js';
import { createLogger } from '../../kit/base/logger.js';
import type { EngineContext, EngineServices } from '../../kit/engine/context.js';
import { packEvents, unpackRecords, type EventPack, type LogSpan } from '../../kit/engine/event-pack.js';
import { applyRule } from '../../kit/engine/retention.js';
import { createIngestTargets } from '../../kit/findings/ingest-targets.js';
import { Database } from '../../kit/store/database.js';
import { bytesOf } from '../../kit/store/fields.js';
import { readUsage } from '../../kit/store/tenant-usage.js';
import { collectionsOf } from '../../processes/services.js';
import type { EventInput } from '../../schema/observations.js';
import { createTenant } from '../../accounts/seed.js';
import { mergeSpans } from '../../subgraphs/cdr/events/coverage.js';
import { ingestEvents, STORED_EVENTS } from '../../subgraphs/cdr/events/ingest.js';
import { cloudEventCoverage, cloudEventRecords, cloudEvents, cloudEventUsage } from '../../subgraphs/cdr/events/records.js';
import { coverageRetention, eventRetention, usageRetention } from '../../subgraphs/cdr/events/retention.js';
import { engines } from '../../subgraphs/index.js';
import { testMasterKey } from '../sign-in/world.js';

const NOW = new Date('2030-06-01T00:00:00.000Z');
const DAY = 86_400_000;
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * DAY);

let database: Database;
let services: EngineServices;
let tenantId: string;
beforeAll(async () => {
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `events_${process.pid}`, collectionsOf(engines));
  const retention = engines.flatMap((engine) => engine.retention);
  const parts = { database, clock: fixedClock(NOW.toISOString()), masterKey: testMasterKey(), logger: createLogger('error'), retention };
  services = { ...parts, ingest: createIngestTargets(engines), config: {} } as unknown as EngineServices;
});
beforeEach(async () => {
  tenantId = (await createTenant(services, { organization_id: 'org_test', name: 'Test' })).tenant_id;
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

const tenant = () => database.tenant(tenantId);
const event = (n: number, own: Partial<EventInput> = {}): EventInput => ({
  event_id: `event-${n}`,
  time: new Date(daysAgo(1).getTime() + n * 1_000),
  provider: 'aws',
  account_id: '111122223333',
  region: 'eu-central-1',
  log: 'management:write',
  service: 's3',
  action: 'PutObject',
  outcome: 'success',
  actor: 'arn:aws:iam::111122223333:role/app',
  actor_kind: 'role',
  record: { n, text: `event ${n}` },
  position: `Records[${n}]`,
  ...own,
});
const take = (packs: EventPack[], spans: LogSpan[] = [], QUOTAS?: string): Promise<number> => {
  const context = {
    services: { ...services, config: { QUOTAS } },
    auth: { tenant_id: tenantId, plan: 'starter' },
    transaction: (work: never) => database.transaction(work),
  } as unknown as EngineContext;
  return ingestEvents(context, { scan_run_id: 'run', at: NOW }, { packs, spans });
};
const stored = () =>
  tenant()
    .collection(cloudEvents)
    .find({}, { sort: { _id: 1 } });
const uses = () =>
  tenant()
    .collection(cloudEventUsage)
    .find({}, { sort: { action: 1 } });

/** The record of every stored event, by way of its pack. */
async function records(): Promise<unknown[]> {
  const packs = new Map(
    (await tenant().collection(cloudEventRecords).find({})).map(({ _id, ...pack }) => [_id, unpackRecords(bytesOf(pack.records))]),
  );
  return (await stored()).map(({ pack, line }) => packs.get(pack)![line]);
}

it('an event is stored once, whoever brings it again, and counts once', async () => {
  const first = packEvents([event(1), event(2), event(2)]);
  expect(await take([first])).toBe(0);
  expect(await take([first])).toBe(0);
  // a pack of which one is new, and another pack of the same batch that repeats it
  expect(await take([packEvents([event(1), event(3)]), packEvents([event(3), event(2)])])).toBe(0);
  expect((await stored()).map(({ event_id }) => event_id)).toEqual(['event-1', 'event-2', 'event-3']);
  expect(await records()).toEqual([1, 2, 3].map((n) => ({ n, text: `event ${n}` })));
  expect((await uses()).map(({ count }) => count)).toEqual([3]);
  expect(await readUsage(tenant(), STORED_EVENTS)).toBe(3);
  // what judges records again passes over those that belong to another pack
  const packs = await tenant().collection(cloudEventRecords).find({});
  const judged = packs.flatMap(({ records: packed, skip = [] }) =>
    unpackRecords(bytesOf(packed)).filter((_, line) => !skip.includes(line)),
  );
  expect(judged.map((record) => record['n']).sort()).toEqual([1, 2, 3]);
});

it('rows lie in the order of time, in whatever order they come', async () => {
  await take([packEvents([event(30), event(4)]), packEvents([event(17)])]);
  expect((await stored()).map(({ event_id }) => event_id)).toEqual(['event-4', 'event-17', 'event-30']);
});

it('the same id in the log of another provider, or of another tenant, is another event', async () => {
  await take([packEvents([event(1), event(1, { provider: 'gcp' })])]);
  tenantId = (await createTenant(services, { organization_id: 'org_test', name: 'Other' })).tenant_id;
  await take([packEvents([event(1)])]);
  expect(await stored()).toHaveLength(1);
  expect(await database.system(cloudEvents).count({ event_id: 'event-1' })).toBeGreaterThanOrEqual(3);
});

it('what an actor did is told by first and last time, with refusals apart, and a bounded list of resources', async () => {
  const many = Array.from({ length: 40 }, (_, n) => event(n, { resources: [`arn:aws:s3:::bucket-${n}`] }));
  await take([packEvents(many)]);
  await take([
    packEvents([
      event(90, { outcome: 'denied', error: 'AccessDenied', resources: ['arn:aws:s3:::secret'] }),
      event(91, { action: 'DeleteObject', outcome: 'denied' }),
      event(92, {
        action: 'RunInstances',
        service: 'ec2',
        rights: [{ right: 'iam:PassRole', resource: 'arn:aws:iam::111122223333:role/web' }],
      }),
    ]),
  ]);
  const found = await uses();
  expect(
    found.map(({ service, action, is_right, count, denied, used_at }) => ({
      service,
      action,
      is_right,
      count,
      denied,
      used: used_at?.getTime(),
    })),
  ).toEqual([
    { service: 's3', action: 'DeleteObject', is_right: false, count: 1, denied: 1, used: undefined },
    { service: 's3', action: 'PutObject', is_right: false, count: 41, denied: 1, used: many[39]!.time.getTime() },
    { service: 'ec2', action: 'RunInstances', is_right: false, count: 1, denied: 0, used: event(92).time.getTime() },
    { service: 'iam', action: 'iam:PassRole', is_right: true, count: 1, denied: 0, used: event(92).time.getTime() },
  ]);
  const put = found[1]!;
  expect([put.first_at, put.last_at]).toEqual([many[0]!.time, event(90).time]);
  expect([put.resources.length, put.resources_cut, put.resources.includes('arn:aws:s3:::secret')]).toEqual([25, true, false]);
  expect(found[3]!.resources).toEqual(['arn:aws:iam::111122223333:role/web']);
});

it('a plan without room leaves new events out, counts them, and does not call the log covered', async () => {
  const span = {
    provider: 'aws',
    account_id: '1',
    log: 'management:write',
    regions: ['eu-central-1'],
    from: daysAgo(9),
    to: daysAgo(1),
  } as const;
  const quotas = 'starter.events=3';
  expect(allowancesOf({ QUOTAS: quotas }, 'starter').events).toBe(3);
  expect(await take([packEvents([event(1), event(2)])], [], quotas)).toBe(0);
  expect(await take([packEvents([event(3), event(4)]), packEvents([event(5)])], [span], quotas)).toBe(2);
  expect((await stored()).map(({ event_id }) => event_id)).toEqual(['event-1', 'event-2', 'event-3']);
  expect(await tenant().collection(cloudEventCoverage).count({})).toBe(0);
  // those that are stored are no new ones
  expect(await take([packEvents([event(1), event(2), event(3)])], [span], quotas)).toBe(0);
  expect(await tenant().collection(cloudEventCoverage).count({})).toBe(1);
});

it.each([
  [
    'spans that meet are one',
    [
      [1, 2],
      [2, 4],
    ],
    [[1, 4]],
  ],
  [
    'less than a day between two is no gap',
    [
      [1, 2],
      [2.9, 4],
    ],
    [[1, 4]],
  ],
  [
    'more is one',
    [
      [1, 2],
      [3.1, 4],
    ],
    [
      [1, 2],
      [3.1, 4],
    ],
  ],
  [
    'one that lies in another adds nothing',
    [
      [1, 9],
      [3, 4],
    ],
    [[1, 9]],
  ],
  [
    'their order does not matter',
    [
      [5, 6],
      [1, 2],
      [2.5, 3],
    ],
    [
      [1, 3],
      [5, 6],
    ],
  ],
])('coverage: %s', (_case, given, expected) => {
  const spans = (days: number[][]) => days.map(([from, to]) => ({ from: new Date(from! * DAY), to: new Date(to! * DAY) }));
  expect(mergeSpans(spans(given))).toEqual(spans(expected));
});

it('events go when their time has passed, with their records; what was used is remembered longer', async () => {
  await take(
    [
      packEvents([event(1, { time: daysAgo(100) }), event(2, { time: daysAgo(99) })]),
      packEvents([event(3, { time: daysAgo(95) }), event(4, { time: daysAgo(2) })]),
    ],
    [{ provider: 'aws', account_id: null, log: 'management:write', regions: [], from: daysAgo(100), to: daysAgo(2) }],
  );
  const rules = [eventRetention, usageRetention, coverageRetention];
  const apply = async (settings: object) => {
    for (const rule of rules)
      await applyRule(services, rule, { tenant_id: tenantId, settings: { ...settings } }, new AbortController().signal);
    const count = (collection: typeof cloudEvents) => tenant().collection(collection).count({});
    return Promise.all([cloudEvents, cloudEventRecords, cloudEventUsage, cloudEventCoverage].map((one) => count(one as never)));
  };
  // the second pack holds one that stays
  expect(await apply({})).toEqual([1, 1, 1, 1]);
  expect(await readUsage(tenant(), STORED_EVENTS)).toBe(1);
  expect(await records()).toEqual([{ n: 4, text: 'event 4' }]);
  expect(await apply({ event_retention_days: 1, discovery_retention_days: 30 })).toEqual([0, 0, 1, 1]);
  expect(await apply({ discovery_retention_days: 1 })).toEqual([0, 0, 0, 0]);
});

it('a record of more than 256 KiB is cut, and says so', () => {
  const cutOf = (record: Record<string, unknown>) => unpackRecords(packEvents([event(1, { record })]).records)[0]!;
  const long = cutOf({ name: 'padding', parameters: { text: 'x'.repeat(300_000), list: Array.from({ length: 500 }, (_, n) => n) } });
  expect(long).toMatchObject({ name: 'padding', record_cut: true });
  expect(JSON.stringify(long).length).toBeLessThan(3_000);
  const wide = cutOf({
    name: 'wide',
    ...Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`m${n}`, Array.from({ length: 90 }, () => 'y'.repeat(900))])),
  });
  expect(wide).toEqual({ name: 'wide', record_cut: true });
  const whole = { name: 'small', text: 'x'.repeat(200_000) };
  expect(cutOf(whole)).toEqual(whole);
});
