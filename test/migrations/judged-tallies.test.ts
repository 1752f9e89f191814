import { randomUUID } from 'node:crypto';
import { systemClock } from '../../kit/base/clock.js';
import { createLogger } from '../../kit/base/logger.js';
import type { RuleVerdict } from '../../kit/engine/rule-results.js';
import { findings, findingRowId, type FindingRow } from '../../kit/findings/row.js';
import { resultsRowId, ruleResults, type ResourceResultsRow } from '../../kit/findings/rule-results.js';
import { firstResults, ruleTallies, tenantDigest, type RuleTallyRow } from '../../kit/findings/rule-tallies.js';
import { Database } from '../../kit/store/database.js';
import { migrate, migrationRows, type Migration } from '../../kit/store/migration.js';
import { schemaRows } from '../../kit/store/schema-epoch.js';
import { judgedTallies } from '../../processes/migrations/judged-tallies.js';
import { recount, storedTallies } from '../support/tallies.js';

const [TENANT, OTHER] = ['t1', 't2'];
const RULE = 'aws.volume.encrypted';
const AT = new Date('2026-01-01T00:00:00.000Z');

let database: Database;
beforeEach(async () => {
  const all = [findings, ruleResults, ruleTallies, firstResults, migrationRows, schemaRows] as never[];
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `judged_${randomUUID().slice(0, 8)}`, all);
});
afterEach(async () => {
  await database.drop();
  await database.close();
});

type Pair = readonly [result: RuleVerdict | null, status: FindingRow['status'] | null, more?: Partial<FindingRow>];

/** Rows as the release before left them: the tallies count results alone. */
async function store(tenant: string, pairs: readonly Pair[], rule = RULE): Promise<void> {
  const place = { tenant_id: tenant, provider: 'aws', account_id: 'one' } as const;
  const rows = pairs.map(([result, status, more], n) => ({ result, status, more, resource_uid: `${rule}-${n}` }));
  const found = rows.flatMap(({ status, more, resource_uid }) => {
    const id = `${resource_uid}-${more?.engine ?? 'check'}`;
    const finding = { ...place, engine: 'check', finding_id: id, rule_id: rule, resource_uid, discriminator: '', status: status! };
    const row = { ...finding, source: 'palisade', absent_since: null, first_seen_at: AT, ...more };
    return status === null ? [] : [{ _id: findingRowId(tenant, row.engine, id), ...row } as FindingRow];
  });
  const evaluated = rows.flatMap(({ result, resource_uid }) => {
    const results = [{ rule_id: rule, result: result! }];
    const row = { ...place, _id: resultsRowId(tenant, resource_uid), resource_uid, results, scan_run_id: 'old', evaluated_at: AT };
    return result === null ? [] : [row as ResourceResultsRow];
  });
  await database.system(findings).insertMany(found);
  await database.system(ruleResults).insertMany(evaluated);
  const count = (verdict: RuleVerdict) => rows.filter(({ result }) => result === verdict).length;
  const tally = {
    _id: tenantDigest(tenant, rule, 'aws', 'one'),
    ...place,
    rule_id: rule,
    PASS: count('PASS'),
    FAIL: count('FAIL'),
    NOT_APPLICABLE: count('NOT_APPLICABLE'),
    NOT_EVALUATED: count('NOT_EVALUATED'),
    evaluated_at: AT,
  };
  await database.system(ruleTallies).insertMany([tally as RuleTallyRow]);
}
const run = (migration: Migration = judgedTallies) => migrate(database, systemClock, createLogger('silent'), [migration]);

it('counts what findings say where they say something else than the results', async () => {
  await store(TENANT, [
    ['FAIL', 'OPEN'],
    ['FAIL', 'SUPPRESSED'],
    ['FAIL', 'FALSE_POSITIVE'],
    ['FAIL', 'RESOLVED'],
    ['FAIL', null],
    ['FAIL', 'RESOLVED', { source: 'scanner' }],
    ['PASS', 'RESOLVED'],
    ['PASS', 'OPEN'],
    ['PASS', 'SUPPRESSED', { absent_since: AT }],
    ['NOT_EVALUATED', 'IN_PROGRESS'],
    ['NOT_APPLICABLE', 'FALSE_POSITIVE'],
    [null, 'OPEN'],
  ]);
  await store(OTHER, [['FAIL', 'FALSE_POSITIVE']]);
  await run();
  expect(await storedTallies(database, TENANT)).toEqual({ [`${RULE}|aws|one`]: { FAIL: 7, PASS: 4, NOT_APPLICABLE: 1 } });
  expect(await storedTallies(database, OTHER)).toEqual({ [`${RULE}|aws|one`]: { PASS: 1 } });
  for (const tenant of [TENANT, OTHER]) expect(await storedTallies(database, tenant)).toEqual(await recount(database, tenant));
  // nothing was evaluated by it
  expect((await database.tenant(TENANT).collection(ruleTallies).findOne({}))!.evaluated_at).toEqual(AT);
});

it('counts each finding once, however often it is killed, in more batches than one', async () => {
  const many = Array.from({ length: 1_300 }, (_, n): Pair => ['FAIL', n % 2 === 0 ? 'FALSE_POSITIVE' : 'OPEN']);
  await store(TENANT, many);
  // two findings of a tenant's own rule on the same resources, one in another engine than before
  await store(
    TENANT,
    [
      ['FAIL', 'OPEN'],
      ['FAIL', 'RESOLVED'],
    ],
    'custom.own',
  );
  const moved = await database.system(findings).find({ rule_id: 'custom.own' });
  const left = moved.map((row): FindingRow => ({
    ...row,
    _id: `${row._id}-left`,
    engine: 'iam',
    status: row.status === 'OPEN' ? 'RESOLVED' : 'OPEN',
  }));
  await database.system(findings).insertMany(left);
  let batches = 0;
  const killed: Migration = {
    ...judgedTallies,
    run: (migrating) =>
      judgedTallies.run({
        ...migrating,
        batch: (work) => {
          if (++batches % 2 === 0) throw new Error('killed');
          return migrating.batch(work);
        },
      }),
  };
  for (let tries = 0; tries < 10; tries++) {
    const done = await run(killed).then(
      () => true,
      () => false,
    );
    if (done) break;
  }
  expect(batches).toBeGreaterThan(5);
  expect((await storedTallies(database, TENANT))[`${RULE}|aws|one`]).toEqual({ FAIL: 650, PASS: 650 });
  expect((await storedTallies(database, TENANT))['custom.own|aws|one']).toEqual({ FAIL: 2 });
  expect(await storedTallies(database, TENANT)).toEqual(await recount(database, TENANT));
});
