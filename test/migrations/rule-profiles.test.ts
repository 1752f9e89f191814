import { randomUUID } from 'node:crypto';
import { auditHeads } from '../../kit/audit/audit.js';
import { systemClock } from '../../kit/base/clock.js';
import { createLogger } from '../../kit/base/logger.js';
import { Database } from '../../kit/store/database.js';
import { migrate, migrationRows } from '../../kit/store/migration.js';
import { schemaRows } from '../../kit/store/schema-epoch.js';
import { ruleProfilesOfBefore } from '../../processes/migrations/rule-profiles.js';
import { ruleProfiles } from '../../subgraphs/rules/records.js';

let database: Database;
beforeEach(async () => {
  const all = [auditHeads, ruleProfiles, migrationRows, schemaRows] as never[];
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `profiles_${randomUUID().slice(0, 8)}`, all);
});
afterEach(async () => {
  await database.drop();
  await database.close();
});

const head = (tenant_id: string) =>
  database
    .tenant(tenant_id)
    .collection(auditHeads)
    .insert({ _id: tenant_id, tenant_id, seq: 1, hash: 'h' } as never);
const run = () => migrate(database, systemClock, createLogger('silent'), [ruleProfilesOfBefore]);
const profiles = async () =>
  (await database.system(ruleProfiles).find({}, { sort: { _id: 1 } })).map(({ _id, profile, changes }) => [_id, profile, changes]);

test('tenants of before keep the findings of all rules; those that come later have none set', async () => {
  for (const tenant of ['a', 'b', 'c']) await head(tenant);
  await database.tenant('c').collection(ruleProfiles).insert({ _id: 'c', tenant_id: 'c', profile: 'cis-1', changes: 2 });
  await run();
  await head('later');
  await run();
  expect(await profiles()).toEqual([
    ['a', 'all', 0],
    ['b', 'all', 0],
    ['c', 'cis-1', 2],
  ]);
});

test('of a new database there is nothing to keep', async () => {
  await run();
  expect(await profiles()).toEqual([]);
});
