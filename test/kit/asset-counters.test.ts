import { randomUUID } from 'node:crypto';
import { PROVIDERS } from '../../schema/model.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { Database } from '../../kit/store/database.js';
import { AssetCounterChanges, assetCounters } from '../../subgraphs/di/counters.js';
import { assets, type AssetRow } from '../../subgraphs/di/records.js';
import type { AssetFilter } from '../../subgraphs/di/list/filter.js';
import { listAssets } from '../../subgraphs/di/list/list.js';
import { assetTexts, removeTexts, writeTexts } from '../../subgraphs/di/list/texts.js';
import { summarizeInventory } from '../../subgraphs/di/service.js';
import { pick, random } from '../contract/list-model.js';

const next = random(23);
let database: Database;
let tenantId: string;
let known: Map<string, AssetRow>;
let serial = 0;
beforeAll(async () => {
  const definitions = [assets, assetCounters, assetTexts] as never[];
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `assets_${randomUUID().slice(0, 8)}`, definitions);
});
beforeEach(() => {
  tenantId = `t${++serial}`;
  known = new Map();
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

const tenant = () => database.tenant(tenantId);
const context = () =>
  ({
    auth: { tenant_id: tenantId, permissions: [] },
    services: { database, findingEngines: [] },
    collection: (of: never) => tenant().collection(of),
  }) as unknown as EngineContext;

const made = (n = ++serial): AssetRow => {
  const resource_uid = `resource-${n}`;
  const place = {
    region: pick(next, ['eu', 'us', '']),
    account_id: pick(next, ['one', 'two', null]),
    provider: pick(next, PROVIDERS.slice(0, 3)),
  };
  const of = {
    resource_type: pick(next, ['bucket', 'disk', 'key']),
    scan_run_id: pick(next, ['run-1', 'run-2']),
    resource_name: `Name ${n % 7}`,
    ...(n % 5 === 0 && { planned: true }),
  };
  return { _id: `${tenantId}-${resource_uid}`, tenant_id: tenantId, resource_uid, ...place, ...of } as AssetRow;
};

/** Assets that come, move and go, with their counters. */
async function change(size: number): Promise<void> {
  const old = [...known.values()];
  const added = Array.from({ length: size }, () => made());
  const moved = old.filter((_, n) => n % 3 === 0).map((row) => ({ row, to: { ...made(0), _id: row._id, resource_uid: row.resource_uid } }));
  const gone = old.filter((_, n) => n % 3 === 1);
  const counters = new AssetCounterChanges(tenant());
  for (const row of added) counters.move(null, row);
  for (const { row, to } of moved) counters.move(row, to);
  for (const row of gone) counters.move(row, null);
  const rows = tenant().collection(assets);
  await database.transaction(async (transaction) => {
    await rows.remove({ _id: { $in: [...gone, ...moved.map(({ row }) => row)].map(({ _id }) => _id) } }, { transaction });
    await rows.insertMany([...added, ...moved.map(({ to }) => to)], { transaction });
    await removeTexts(
      tenant(),
      [...gone, ...moved.map(({ row }) => row)].map(({ _id }) => _id),
      transaction,
    );
    await writeTexts(tenant(), [...added, ...moved.map(({ to }) => to)], transaction);
    await counters.write(transaction);
  });
  for (const row of [...added, ...moved.map(({ to }) => to)]) known.set(row._id, row);
  for (const { _id } of gone) known.delete(_id);
}

const COLUMNS = ['provider', 'resource_type', 'region', 'account_id', 'scan_run_id'] as const;
const FILTERS: AssetFilter[] = [
  {},
  { provider: [PROVIDERS[0]] },
  { region: ['eu', ''] },
  { region: ['none'] },
  { account_id: ['one', 'one'] },
  { resource_type: [] },
  { scan_run_id: ['run-2'] },
  { region: ['us'], resource_type: ['disk', 'key'] },
  { q: 'NAME 3' },
  { q: 'name', account_id: ['two'] },
  { planned: true },
  { planned: false },
  { planned: false, region: ['eu'] },
  { planned: true, region: ['eu'] },
];

async function compareAll(): Promise<void> {
  const rows = [...known.values()];
  for (const filter of FILTERS) {
    const wanted = rows
      .filter((row) => COLUMNS.every((name) => !filter[name] || (filter[name] as readonly unknown[]).includes(row[name])))
      .filter(({ planned }) => filter.planned == null || (planned ?? false) === filter.planned)
      .filter(({ resource_name }) => !filter.q || resource_name!.toLowerCase().includes(filter.q.toLowerCase()))
      .map(({ resource_uid }) => resource_uid)
      .sort();
    const { items, total } = await listAssets(context(), { ...filter, page: 2, page_size: 5 });
    expect({ filter, total, uids: items.map(({ resource_uid }) => resource_uid) }).toEqual({
      filter,
      total: wanted.length,
      uids: wanted.slice(5, 10),
    });
  }
  const summary = await summarizeInventory(context());
  const by = (column: (typeof COLUMNS)[number]) =>
    [...new Set(rows.map((row) => row[column]))]
      .map((value) => ({ value, count: rows.filter((row) => row[column] === value).length, change: null }))
      .sort((a, b) => b.count - a.count || ((a.value ?? '') < (b.value ?? '') ? -1 : 1));
  expect(summary).toEqual({
    last_run: null,
    total: rows.length,
    // no run has described them
    change: null,
    planned: rows.filter(({ planned }) => planned).length,
    by_provider: by('provider'),
    by_type: by('resource_type'),
    by_region: by('region'),
    by_account: by('account_id'),
  });
}

it('lists and the summary of the inventory tell every total, whatever came, moved and went', async () => {
  await compareAll();
  for (const size of [40, 25, 10]) {
    await change(size);
    await compareAll();
  }
  const counters = new AssetCounterChanges(tenant());
  for (const row of known.values()) counters.move(row, null);
  await database.transaction((transaction) => counters.write(transaction));
  known.clear();
  await tenant().collection(assets).remove({});
  await compareAll();
  expect((await tenant().collection(assetCounters).find({})).map(({ by, count }) => [by, count])).toEqual([['all', 0]]);
});
