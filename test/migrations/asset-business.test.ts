import { randomUUID } from 'node:crypto';
import { systemClock } from '../../kit/base/clock.js';
import { createLogger } from '../../kit/base/logger.js';
import { Database } from '../../kit/store/database.js';
import { migrate, migrationRows } from '../../kit/store/migration.js';
import { schemaRows } from '../../kit/store/schema-epoch.js';
import { assetsByBusiness } from '../../processes/migrations/asset-business.js';
import { assets, type AssetRow } from '../../subgraphs/di/records.js';

let database: Database;
beforeEach(async () => {
  const all = [assets, migrationRows, schemaRows] as never[];
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `business_${randomUUID().slice(0, 8)}`, all);
});
afterEach(async () => {
  await database.drop();
  await database.close();
});

it('assets of the release before are found by their tags and by what these tell', async () => {
  const row = (tenant_id: string, n: number) => ({
    _id: `${tenant_id}${n}`,
    tenant_id,
    resource_uid: `u${n}`,
    tags: { team: `t${n % 3}`, env: 'prod' },
  });
  const rows = ['a', 'b'].flatMap((tenant) => Array.from({ length: 1_200 }, (_, n) => row(tenant, n)));
  await database.system(assets).insertMany(rows as unknown as AssetRow[]);
  await migrate(database, systemClock, createLogger('silent'), [assetsByBusiness]);
  for (const tenant of ['a', 'b']) {
    const own = database.tenant(tenant).collection(assets);
    expect(await own.count({ owner: 't1' })).toBe(400);
    expect(await own.count({ tag_keys: 'team=t2' })).toBe(400);
    expect(await own.count({ environment: 'production' })).toBe(1_200);
  }
});
