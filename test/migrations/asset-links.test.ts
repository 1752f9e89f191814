import { randomUUID } from 'node:crypto';
import { systemClock } from '../../kit/base/clock.js';
import { createLogger } from '../../kit/base/logger.js';
import { Database } from '../../kit/store/database.js';
import { migrate, migrationRows } from '../../kit/store/migration.js';
import { schemaRows } from '../../kit/store/schema-epoch.js';
import { assetsByName, edgesByKind } from '../../processes/migrations/asset-links.js';
import { resolveLinks } from '../../subgraphs/di/links/resolve.js';
import { assets, edges, type AssetRow, type EdgeRow } from '../../subgraphs/di/records.js';

let database: Database;
beforeEach(async () => {
  const all = [assets, edges, migrationRows, schemaRows] as never[];
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `links_${randomUUID().slice(0, 8)}`, all);
});
afterEach(async () => {
  await database.drop();
  await database.close();
});

it('assets of the release before are found by their names, and edges have kinds of the list', async () => {
  const asset = (tenant_id: string, resource_uid: string, resource_type: string, configuration: object | null) => ({
    ...{ _id: `${tenant_id}|${resource_uid}`, tenant_id, resource_uid, resource_type, configuration },
    ...{ provider: 'aws', account_id: null },
  });
  const edge = (tenant_id: string, from: string, to: string, kind: string) => ({
    ...{ _id: `${tenant_id}|${from}|${to}|${kind}`, tenant_id, from, to, kind },
    ...{ scan_run_id: 'run', last_seen_at: new Date(0) },
  });
  for (const tenant of ['a', 'b']) {
    const rows = [
      asset(tenant, 's', 'aws_subnet', { id: `subnet-${tenant}` }),
      asset(tenant, 'i', 'aws_instance', { subnet_id: `subnet-${tenant}` }),
      asset(tenant, 'j', 'aws_instance', { subnet_id: 'subnet-a' }),
      asset(tenant, 'named', 'aws_instance', null),
    ];
    await database.system(assets).insertMany(rows as unknown as AssetRow[]);
    const former = [
      ...['references', 'depends_on', 'grants'].map((kind, n) => edge(tenant, `x${n}`, 'y', kind)),
      edge(tenant, 'pod', 'secret', 'uses_secret'),
      edge(tenant, 'pod', 'ns', 'in_namespace'),
      edge(tenant, 'k8s/NetworkPolicy/p', 'pod', 'applies_to'),
      edge(tenant, 'k8s/PodDisruptionBudget/p', 'pod', 'applies_to'),
      edge(tenant, 'pod', 'account', 'runs_as'),
    ];
    await database.system(edges).insertMany(former as unknown as EdgeRow[]);
  }
  await migrate(database, systemClock, createLogger('silent'), [assetsByName, edgesByKind]);
  for (const tenant of ['a', 'b']) await resolveLinks({ database }, tenant, new AbortController().signal);
  const said = async (tenant: string) =>
    (await database.tenant(tenant).collection(edges).find({})).map(({ from, kind, to }) => `${from} ${kind} ${to}`).sort();
  const told = [
    'k8s/PodDisruptionBudget/p refers_to pod',
    'ns contains pod',
    'pod guarded_by k8s/NetworkPolicy/p',
    'pod reads_secret secret',
    'pod runs_as account',
    's contains i',
    'x0 refers_to y',
    'x1 refers_to y',
    'x2 refers_to y',
  ];
  expect(await said('a')).toEqual([...told, 's contains j'].sort());
  expect(await said('b')).toEqual(told);
});
