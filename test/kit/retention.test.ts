import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { collectionsOf } from '../../processes/services.js';
import { auditLog } from '../../kit/audit/audit.js';
import type { AuditInput } from '../../kit/audit/entry.js';
import { fixedClock } from '../../kit/base/clock.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { Database } from '../../kit/store/database.js';
import { createIngestTargets } from '../../kit/findings/ingest-targets.js';
import { getAuditLog } from '../../kit/engine/create-context.js';
import { applyRule } from '../../kit/engine/retention.js';
import { CounterChanges } from '../../kit/findings/counter-changes.js';
import { findingCounters, sumCells } from '../../kit/findings/counters.js';
import { countedCells } from '../../kit/findings/counted.js';
import { findingRetention } from '../../kit/findings/retention.js';
import { FINDING_STATUSES } from '../../schema/model.js';
import type { FindingFilter } from '../../kit/findings/filters.js';
import { findings as findingRows, findingTarget, findingRowId, type FindingRow } from '../../kit/findings/row.js';
import { createLogger } from '../../kit/base/logger.js';
import { AssetCounterChanges, countAssets, countAssetsBy } from '../../subgraphs/di/counters.js';
import { assets } from '../../subgraphs/di/records.js';
import { applyRetention } from '../../subgraphs/identity/retention.js';
import { tenants } from '../../accounts/records.js';
import { createTenant } from '../../accounts/seed.js';
import { deliveries } from '../../subgraphs/events/webhooks/records.js';
import { engines } from '../../subgraphs/index.js';
import { testMasterKey } from '../sign-in/world.js';

const NOW = '2030-06-01T00:00:00.000Z';
const daysAgo = (days: number) => new Date(Date.parse(NOW) - days * 86_400_000);
const collections = collectionsOf(engines);
const clock = fixedClock(NOW);
const never = new AbortController().signal;

jest.setTimeout(600_000);

let database: Database;
let services: EngineServices;
let tenantId: string;
beforeAll(async () => {
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `retention_${process.pid}`, collections);
  services = {
    database,
    clock,
    masterKey: testMasterKey(),
    collections,
    logger: createLogger('error'),
    retention: engines.flatMap(({ retention }) => retention),
    ingest: createIngestTargets(engines),
    findingEngines: engines.flatMap(({ findings }) => findings ?? []),
  } as unknown as EngineServices;
});
beforeEach(async () => {
  tenantId = (await createTenant(services, { organization_id: 'org_test', name: 'Test' })).tenant_id;
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

const tenant = () => database.tenant(tenantId);
const set = (settings: Record<string, unknown>) => tenant().collection(tenants).update({}, { $set: { settings } });

/** Stores findings of `check`, with the counters that belong to them. */
async function store(rows: Partial<FindingRow>[]): Promise<void> {
  const counters = new CounterChanges();
  await database.transaction(async (transaction) => {
    for (const [n, row] of rows.entries()) {
      const finding_id = row.finding_id ?? `f${n}`;
      const counted = { severity: 'high', provider: 'aws', account_id: '1', region: 'eu-west-1', resource_type: 'aws_s3_bucket' } as const;
      const whole = {
        ...counted,
        status: 'RESOLVED',
        last_seen_at: daysAgo(100),
        first_seen_at: daysAgo(100),
        resource_uid: 'arn:a',
        scan_run_id: 'run',
        rule_id: finding_id,
        discriminator: '',
        ...row,
      } as FindingRow;
      counters.add(whole, 1);
      const _id = findingRowId(tenantId, 'check', finding_id);
      await check()
        .collection(findingRows)
        .insert({ ...whole, _id, tenant_id: tenantId, engine: 'check', finding_id }, { transaction });
    }
    await counters.write(check(), transaction);
  });
}
const check = () => tenant().engine('check');
const counted = async (filter: FindingFilter = {}) => sumCells((await countedCells(check(), { status: FINDING_STATUSES, ...filter }))!);
const findings = async () =>
  (
    await check()
      .collection(findingRows)
      .find({}, { sort: { _id: 1 } })
  ).map(({ finding_id }) => finding_id);
const entries = async () =>
  (
    await tenant()
      .collection(auditLog)
      .find({ action: 'retention.apply' }, { sort: { seq: 1 } })
  ).map(({ detail }) => detail);

describe('the retention of findings', () => {
  it('removes what is resolved or a false positive and was touched by nobody since, and keeps counters exact', async () => {
    await set({ finding_retention_days: 30 });
    await store([
      { finding_id: 'resolved' },
      { finding_id: 'false-positive', status: 'FALSE_POSITIVE' },
      { finding_id: 'open', status: 'OPEN' },
      { finding_id: 'suppressed', status: 'SUPPRESSED' },
      { finding_id: 'resolved-lately', last_seen_at: daysAgo(29) },
      { finding_id: 'still-reported', status: 'FALSE_POSITIVE', last_seen_at: daysAgo(1) },
      { finding_id: 'decided-lately', status: 'FALSE_POSITIVE' },
    ]);
    const entry: AuditInput = { action: 'finding.status', actor_email: 'a@b.example', result: 'success' };
    const target = findingTarget('check', 'decided-lately');
    await database.transaction((transaction) => getAuditLog(services).append(transaction, tenantId, daysAgo(10), [{ ...entry, target }]));
    await applyRetention(services, never);
    expect(await findings()).toEqual(['decided-lately', 'open', 'resolved-lately', 'still-reported', 'suppressed']);
    const { total, status } = await counted();
    expect([total, status]).toEqual([5, expect.objectContaining({ OPEN: 1, RESOLVED: 1, FALSE_POSITIVE: 2, SUPPRESSED: 1 })]);
    expect((await counted({ account_id: ['1'] })).total).toBe(5);
    expect(await entries()).toEqual([
      expect.objectContaining({ what: 'check findings', count: 2, setting: 'finding_retention_days', days: 30 }),
    ]);
    expect((await getAuditLog(services).verify(tenantId)).broken).toBeNull();
    await applyRetention(services, never);
    expect(await entries()).toHaveLength(1);
  });

  it('works in batches, each whole, so that a stop in between loses no count', async () => {
    await set({ finding_retention_days: 30 });
    await store(Array.from({ length: 1_100 }, (_, n) => ({ finding_id: `f${String(n).padStart(4, '0')}` })));
    let looks = 0;
    const stopping = { aborted: false, throwIfAborted: () => void (++looks > 1 && stop()) };
    const stop = (): never => {
      stopping.aborted = true;
      throw new Error('stopped');
    };
    const own = { tenant_id: tenantId, settings: { finding_retention_days: 30 } };
    await expect(applyRule(services, findingRetention, own, stopping as unknown as AbortSignal)).rejects.toThrow('stopped');
    const left = (await findings()).length;
    expect(left).toBe(600);
    expect((await counted()).total).toBe(left);
    await applyRetention(services, never);
    expect(await findings()).toEqual([]);
    // of all counters that of the whole engine alone stays
    expect(await check().collection(findingCounters).count({})).toBe(1);
    expect((await entries()).reduce((sum, detail) => sum + Number(detail!['count']), 0)).toBe(1_100);
  });

  it('keeps everything where the tenant has set nothing, and where the tenant was ended', async () => {
    await store([{ finding_id: 'old', last_seen_at: daysAgo(3_000) }]);
    await applyRetention(services, never);
    expect(await findings()).toEqual(['old']);
    await set({ finding_retention_days: 1 });
    await tenant()
      .collection(tenants)
      .update({}, { $set: { ends_at: daysAgo(-10) } });
    await applyRetention(services, never);
    expect(await findings()).toEqual(['old']);
    expect((await counted()).total).toBe(1);
  });
});

describe('the retention of other rows', () => {
  it('removes deliveries that are over after their days, 30 where nothing is set', async () => {
    const add = (id: string, days: number, next_at: Date | null = null) =>
      tenant()
        .collection(deliveries)
        .insert({ _id: `${tenantId}|${id}`, created_at: daysAgo(days), next_at } as never);
    await add('new', 29);
    await add('old', 31);
    await add('waiting', 31, daysAgo(0));
    const ids = async () =>
      (
        await tenant()
          .collection(deliveries)
          .find({}, { sort: { _id: 1 } })
      ).map(({ _id }) => _id.split('|')[1]);
    await applyRetention(services, never);
    expect(await ids()).toEqual(['new', 'waiting']);
    await set({ delivery_retention_days: 7 });
    await applyRetention(services, never);
    expect(await ids()).toEqual(['waiting']);
  });

  it('removes resources that no run sees any more, but none that a finding stands on', async () => {
    await set({ discovery_retention_days: 30 });
    await store([{ finding_id: 'on-it', status: 'OPEN', resource_uid: 'arn:used' }]);
    const place = { provider: 'aws', account_id: '1', region: 'eu', resource_type: 'aws_kms_key', scan_run_id: 'run' } as const;
    const counters = new AssetCounterChanges(tenant());
    for (const [uid, days] of [
      ['arn:used', 90],
      ['arn:gone', 90],
      ['arn:seen', 2],
    ] as const) {
      counters.move(null, place);
      await tenant()
        .collection(assets)
        .insert({ ...place, _id: `${tenantId}|${uid}`, resource_uid: uid, last_seen_at: daysAgo(days) } as never);
    }
    await database.transaction((transaction) => counters.write(transaction));
    const keys = tenant().collection<{ _id: string }>(
      engines.find(({ name }) => name === 'encryption')!.collections.find(({ name }) => name === 'encryption_keys')!,
    );
    for (const uid of ['arn:used', 'arn:gone', 'arn:seen']) await keys.insert({ _id: `${tenantId}|${uid}` });
    await applyRetention(services, never);
    expect((await keys.find({}, { sort: { _id: 1 } })).map(({ _id }) => _id)).toEqual([`${tenantId}|arn:seen`, `${tenantId}|arn:used`]);
    const left = await tenant()
      .collection(assets)
      .find({}, { sort: { resource_uid: 1 } });
    expect(left.map(({ resource_uid }) => resource_uid)).toEqual(['arn:seen', 'arn:used']);
    expect([(await countAssets(tenant()))?.count, await countAssetsBy(tenant(), 'region', ['eu'])]).toEqual([2, 2]);
  });
});

describe('an index of an earlier release', () => {
  it('that removed rows of all tenants alike is dropped at the start', async () => {
    const name = `retention_former_${process.pid}`;
    const uri = process.env['PALISADE_TEST_MONGODB_URI']!;
    const key = { created_at: 1 } as const;
    const former = { ...deliveries, formerIndexes: [], indexes: [{ key, options: { name: 'retention', expireAfterSeconds: 60 } }] };
    const before = await Database.open(uri, name, [former]);
    await before.close();
    const after = await Database.open(uri, name, [deliveries]);
    try {
      await after
        .tenant('t')
        .collection(deliveries)
        .insert({ _id: 't|x', created_at: new Date(0) } as never);
      const indexes = await mongoose.createConnection(uri, { dbName: name }).asPromise();
      const names = (await indexes.collection(deliveries.name).indexes()).map((index) => index.name);
      await indexes.close();
      expect(names).not.toContain('retention');
      expect(names).toContain('tenant_id_1_created_at_1');
    } finally {
      await after.drop();
      await after.close();
    }
  });
});

describe('the list of what is kept for how long', () => {
  it('stands in the operator’s guide as it is', () => {
    const guide = readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8');
    const rows = [...guide.matchAll(/^\| ([^|]+) \| `(\w+_retention_days)` \| ([^|]+) \|/gm)].map(([, what, ...rest]) => [
      what!.split(',')[0],
      ...rest,
    ]);
    const declared = services.retention.map(({ what, setting, standard }) => [what, setting, String(standard ?? 'for ever')]);
    expect(rows.sort()).toEqual(declared.sort());
  });

  it('has an index for every column of time', () => {
    for (const rule of services.retention) {
      if (!('collection' in rule)) continue;
      const keys = rule.collection.indexes.map(({ key }) => Object.keys(key).slice(0, 2).join());
      expect({ what: rule.what, keys }).toEqual({ what: rule.what, keys: expect.arrayContaining([`tenant_id,${rule.time}`]) });
    }
  });
});
