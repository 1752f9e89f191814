import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { fixedClock } from '../../kit/base/clock.js';
import type { SeenAsset } from '../../kit/engine/ingest-input.js';
import type { AssetProjection, InventoryAsset } from '../../kit/engine/projection.js';
import type { ProjectionSource } from '../../kit/projections/facet.js';
import { assets } from '../../subgraphs/di/records.js';
import { projectionRefreshes, projectionVersions } from '../../subgraphs/di/refresh/records.js';
import { refreshBatch, START } from '../../subgraphs/di/refresh/walk.js';
import { engines } from '../../subgraphs/index.js';
import type { TestProcess } from '../support/process.js';
import { openProcesses, type OwnWorld } from '../support/own-world.js';
import { assetOf, enginesWith, Release } from './release.js';
import { stateOf, type Attributes } from './terraform-state.js';

/** A projection of one field. @param read gives the field of a configuration */
const facet = (
  version: string,
  types: readonly string[],
  read: (configuration: Record<string, unknown>, asset: InventoryAsset) => string | null,
): ProjectionSource => ({
  description: 'A thing that is looked at.',
  fields: { told: { type: 'text', description: 'What is told of it.', filter: true } },
  types: new Set(types),
  samples: [],
  version,
  evaluate: (asset) => ({ told: asset.configuration && read(asset.configuration, asset) }),
});
const QUEUES = ['aws_sqs_queue', 'aws_sns_topic'];
const first = facet('1', QUEUES, ({ label }) => `first ${String(label)}`);
const second = facet('2', ['aws_sns_topic', 'aws_kms_key'], ({ label }) => `second ${String(label)}`);

const inventory = (count: number, types = ['aws_sqs_queue', 'aws_sns_topic', 'aws_kms_key']) =>
  Array.from({ length: count }, (_, n) => assetOf(types[n % types.length]!, `r${n}`, { label: `l${n}` }));

let name: string;
let open: Release[];
const release = async (...parameters: Parameters<typeof Release.open> extends [string, ...infer Rest] ? Rest : never) => {
  const one = await Release.open(name, ...parameters);
  open.push(one);
  return one;
};
beforeEach(() => {
  name = `refresh_${randomUUID().slice(0, 8)}`;
  open = [];
});
afterEach(async () => {
  await open[0]?.database.drop();
  await Promise.all(open.map((one) => one.close()));
});

const told = async (one: Release, tenantId: string) =>
  Object.fromEntries((await one.rows(tenantId, 'probes')).map((row) => [String(row['resource_uid']), row['told']]));
/** Rows as an import under a release makes them. */
const asImported = async (one: Release, seen: readonly SeenAsset[]) => {
  const tenantId = await one.tenant();
  await one.take(tenantId, seen);
  return told(one, tenantId);
};
/** What a start would have written: leases taken, tenants asked for. */
const traces = async ({ database }: Release) => ({
  versions: await database.system(projectionVersions).find({}, { sort: { _id: 1 } }),
  refreshes: await database.system(projectionRefreshes).find({}, { sort: { _id: 1 } }),
});

describe('stored assets', () => {
  it('are seen by a projection that a release brings, changes, takes types from, and takes back', async () => {
    const seen = inventory(130);
    const before = await release();
    const tenantId = await before.tenant();
    await before.take(tenantId, seen);
    const [one, two] = [await release(enginesWith(first)), await release(enginesWith(second))];
    for (const next of [one, two, one]) {
      await next.refresh();
      const rows = await told(next, tenantId);
      expect(Object.keys(rows).length).toBeGreaterThan(80);
      expect(rows).toEqual(await asImported(next, seen));
    }
    const { [0]: row } = await one.rows(tenantId, 'probes');
    const asset = await one.database.tenant(tenantId).collection(assets).findOne({ resource_uid: row!['resource_uid'] });
    expect(row).toMatchObject({ _id: asset!._id, first_seen_at: asset!.first_seen_at, last_seen_at: asset!.last_seen_at });
  });

  it('get rows back that are missing, and lose rows that no asset has, when a projection is another', async () => {
    const one = await release(enginesWith(first));
    const tenantId = await one.tenant();
    await one.take(tenantId, inventory(60));
    const whole = await one.rows(tenantId, 'probes');
    const rows = one.database.tenant(tenantId).collection(one.projection('probes').rows);
    await rows.remove({ resource_type: 'aws_sqs_queue' });
    await rows.insert({ ...(whole[0] as never as { resource_uid: string }), _id: 'nothing', resource_uid: 'nothing' } as never);
    await one.refresh();
    expect(await one.rows(tenantId, 'probes')).toEqual(whole);
  });

  it('are left alone by a second start, which reads the versions and no more', async () => {
    const one = await release(enginesWith(first));
    const tenantId = await one.tenant();
    await one.take(tenantId, inventory(20));
    await one.refresh();
    const before = await traces(one);
    expect(before.refreshes.map(({ due_at, version }) => [due_at, version])).toContainEqual([null, one.projection('probes').version]);
    const rows = one.database.tenant(tenantId).collection(one.projection('probes').rows);
    await rows.remove({});
    await (await release(enginesWith(first))).refresh();
    expect(await traces(one)).toEqual(before);
    expect(await rows.count({})).toBe(0);
  });

  it('are gone through once by two processes that start at once', async () => {
    const before = await release();
    const seen = inventory(200);
    const tenants = await Promise.all([before.tenant(), before.tenant(), before.tenant()]);
    for (const tenantId of tenants) await before.take(tenantId, seen);
    const both = [await release(enginesWith(first)), await release(enginesWith(first))];
    await Promise.all(both.map((one) => one.refresh()));
    const expected = await asImported(both[0]!, seen);
    for (const tenantId of tenants) expect(await told(both[0]!, tenantId)).toEqual(expected);
    const { refreshes } = await traces(before);
    expect(refreshes.filter(({ projection }) => projection === 'probes')).toHaveLength(3);
  });

  it('of a small tenant do not wait for those of a large one', async () => {
    const before = await release();
    const [large, small] = [await before.tenant(), await before.tenant()].sort();
    await before.take(large!, inventory(500, ['aws_sqs_queue']));
    await before.take(small!, inventory(5, ['aws_sqs_queue']));
    const order: string[] = [];
    const slow = facet('slow', QUEUES, (_, { _id }) => {
      order.push(_id);
      for (const until = performance.now() + 6; performance.now() < until;);
      return 'slow';
    });
    const one = await release(enginesWith(slow));
    await one.refresh();
    const ofSmall = (await one.rows(small!, 'probes')).map(({ _id }) => _id);
    expect(ofSmall).toHaveLength(5);
    const last = order.findLastIndex((id) => ofSmall.includes(id));
    expect(order.length - last).toBeGreaterThan(100);
  });
});

it('the evaluation of a batch lets other callers have their turn', async () => {
  let turns = 0;
  const began: number[] = [];
  const busy = facet('busy', QUEUES, () => {
    began.push(turns);
    for (const until = performance.now() + 4; performance.now() < until;);
    return 'busy';
  });
  const one = await release(enginesWith(busy));
  const tenantId = await one.tenant();
  let done = false;
  const counting = (async () => {
    for (; !done; turns++) await turn();
  })();
  await one.take(tenantId, inventory(60, QUEUES));
  done = true;
  await counting;
  expect(began).toHaveLength(60);
  // at least after every third evaluation
  expect(new Set(began).size).toBeGreaterThanOrEqual(20);
});

describe('an import beside a refresh', () => {
  it.each([
    ['that takes the asset away from the projection', 'aws_s3_bucket', []],
    ['that changes the asset', 'aws_sns_topic', ['first new']],
  ])('%s in the middle of a batch is not overwritten', async (_, type, expected) => {
    const tenantId = await (await release()).tenant();
    await open[0]!.take(tenantId, [assetOf('aws_sqs_queue', 'one', { label: 'old' })]);
    const one = await release(enginesWith(first));
    const [projection, tenant] = [one.projection('probes'), one.database.tenant(tenantId)];
    let tries = 0;
    // what the batch has read is another when it is written
    const overtaken: AssetProjection = {
      ...{ name: projection.name, types: projection.types, version: projection.version, rows: projection.rows },
      remove: (...given) => projection.remove(...given),
      async write(...given) {
        if (tries++ === 0) await one.take(tenantId, [assetOf(type, 'one', { label: 'new' })]);
        return projection.write(...given);
      },
    };
    await one.database.transaction((transaction) => refreshBatch(tenant, overtaken, START, new Date(), transaction));
    expect(tries).toBe(type === 'aws_s3_bucket' ? 1 : 2);
    expect(Object.values(await told(one, tenantId))).toEqual(expected);
  });

  it('by an earlier release, after a newer one went through, is seen by the newer one in time', async () => {
    const clock = fixedClock('2026-02-10T12:00:00.000Z');
    const earlier = await release(enginesWith(first), clock);
    const tenantId = await earlier.tenant();
    await earlier.take(tenantId, inventory(3));
    const later = await release(enginesWith(second), clock);
    await later.refresh();
    expect(await told(later, tenantId)).toEqual({ r1: 'second l1', r2: 'second l2' });
    const changed = [assetOf('aws_sns_topic', 'r1', { label: 'new' }), assetOf('aws_kms_key', 'r3', { label: 'l3' })];
    await earlier.take(tenantId, changed);
    expect(await told(later, tenantId)).toEqual({ r1: 'first new', r2: 'second l2' });
    clock.advance(11_000);
    await later.refresh();
    expect(await told(later, tenantId)).toEqual({ r1: 'second new', r2: 'second l2', r3: 'second l3' });
  });
});

describe('processes that are killed in the middle', () => {
  const KEYS = 2_000;
  let world: OwnWorld<TestProcess>;
  afterEach(() => world.close());

  it('go on where they were, and make the rows of an undisturbed import', async () => {
    world = await openProcesses();
    const { database } = world;
    const tenant = await world.tenant();
    const client = await tenant.as('analyst');
    const keys = Array.from({ length: KEYS }, (_, n): Attributes => ({ id: `k${n}`, enable_key_rotation: n % 2 === 0 }));
    expect(await client.import(stateOf('aws_kms_key', keys))).toMatchObject({ state: 'COMPLETED' });
    const list = async (page: number, server = world.servers.length - 1) =>
      (await world.at(client, server).call(`/api/v1/encryption/keys?page_size=200&page=${page}`)).body;
    const undisturbed = [await list(1), await list(KEYS / 200)];
    expect(undisturbed[1]).toMatchObject({ total: KEYS });
    await world.servers[0]!.end('SIGTERM');

    const { rows } = engines.flatMap(({ projections }) => projections).find(({ name }) => name === 'encryption_keys')!;
    const own = database.tenant(tenant.tenant._id).collection(rows);
    const refreshes = database.tenant(tenant.tenant._id).collection(projectionRefreshes);
    await own.remove({});
    await database.system(projectionVersions).updateMany({}, { $set: { version: 'of another release' } });
    await refreshes.updateMany({}, { $set: { version: 'of another release' } });
    const kills: number[] = [];
    for (const share of [1, KEYS / 2]) {
      const server = await world.start();
      while ((await own.count({})) < share) await new Promise((resolve) => setTimeout(resolve, 5));
      await server.end('SIGKILL');
      kills.push(await own.count({}));
      // as if the time of the killed worker's lease had gone by
      await refreshes.updateMany({ leased_by: { $ne: null } }, { $set: { leased_until: new Date(0) } });
    }
    expect(kills[0]).toBeLessThan(KEYS);
    await world.start();
    while ((await refreshes.count({ projection: 'encryption_keys', due_at: null })) < 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect([await list(1), await list(KEYS / 200)]).toEqual(undisturbed);
  });
});
