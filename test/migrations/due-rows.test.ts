import { schemaRows } from '../../kit/store/schema-epoch.js';
import { randomUUID } from 'node:crypto';
import { dueRows } from '../../processes/migrations/due-rows.js';
import { engines } from '../../subgraphs/index.js';
import { systemClock } from '../../kit/base/clock.js';
import { createLogger } from '../../kit/base/logger.js';
import { periodicTasks } from '../../kit/engine/background.js';
import type { CollectionDefinition } from '../../kit/store/collection.js';
import { Database } from '../../kit/store/database.js';
import { migrate, migrationRows } from '../../kit/store/migration.js';
import { takeDue, type DueRow } from '../../kit/work/due.js';
import { jobs } from '../../kit/work/jobs.js';
import { tenantEnds } from '../../kit/work/tenant-ends.js';

const ofEngine = (name: string): CollectionDefinition<DueRow> =>
  engines.flatMap(({ collections }) => collections).find((one) => one.name === name) as never;
const notifications = ofEngine('notifications');
const siemExports = ofEngine('siem_exports');
const COLLECTIONS = [jobs as never, notifications, siemExports, periodicTasks] as CollectionDefinition<DueRow>[];

// the store drops jobs that were made long ago, whenever it looks
const HOUR = 3_600_000;
const [EARLY, LATE] = [new Date(Date.now() - 2 * HOUR), new Date(Date.now() - HOUR)];
const NEVER_LEASED = { leased_by: null, leased_until: null, lease_no: 0 };

let database: Database;
beforeEach(async () => {
  const all = [...COLLECTIONS, tenantEnds, migrationRows, schemaRows] as never[];
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `due_${randomUUID().slice(0, 8)}`, all);
});
afterEach(async () => {
  await database.drop();
  await database.close();
});

const run = () => migrate(database, systemClock, createLogger('silent'), [dueRows]);
const add = (collection: CollectionDefinition<DueRow>, rows: object[]) => database.system(collection).insertMany(rows as never);
const all = async (collection: CollectionDefinition<DueRow>) => database.system(collection).find({}, { sort: { _id: 1 } });

describe('rows that workers of the release before left', () => {
  it('are due when they were to be done, and what was finished never', async () => {
    const job = { tenant_id: 't', kind: 'k', attempts: 0, created_at: EARLY };
    await add(jobs as never, [
      { _id: 'done', ...job, state: 'done', leased_until: null, leased_by: 'w' },
      { _id: 'failed', ...job, state: 'failed', leased_until: null, leased_by: 'w' },
      { _id: 'leased', ...job, state: 'leased', leased_until: LATE, leased_by: 'w' },
      { _id: 'queued', ...job, state: 'queued', leased_until: null, leased_by: null },
    ]);
    await add(notifications, [
      { _id: 'sent', tenant_id: 't', state: 'sent', next_at: null, due_at: EARLY },
      { _id: 'waiting', tenant_id: 't', state: 'waiting', next_at: LATE, due_at: EARLY },
    ]);
    await add(siemExports, [
      { _id: 'off', tenant_id: 'off', enabled: false, next_at: EARLY, leased_by: null },
      { _id: 'on', tenant_id: 'on', enabled: true, next_at: EARLY, leased_by: 'w' },
    ]);
    await add(periodicTasks, [{ _id: 'daily', next_at: LATE, leased_by: 'w' }]);
    await run();
    expect(await all(jobs as never)).toMatchObject([
      { _id: 'done', due_at: null, ...NEVER_LEASED },
      { _id: 'failed', due_at: null, ...NEVER_LEASED },
      { _id: 'leased', due_at: LATE, ...NEVER_LEASED },
      { _id: 'queued', due_at: EARLY, ...NEVER_LEASED },
    ]);
    expect(await all(notifications)).toEqual([
      { _id: 'sent', tenant_id: 't', state: 'sent', due_at: null, first_due_at: EARLY, ...NEVER_LEASED },
      { _id: 'waiting', tenant_id: 't', state: 'waiting', due_at: LATE, first_due_at: EARLY, ...NEVER_LEASED },
    ]);
    expect(await all(siemExports)).toEqual([
      { _id: 'off', tenant_id: 'off', enabled: false, due_at: null, ...NEVER_LEASED },
      { _id: 'on', tenant_id: 'on', enabled: true, due_at: EARLY, ...NEVER_LEASED },
    ]);
    expect(await all(periodicTasks)).toEqual([{ _id: 'daily', due_at: LATE, ...NEVER_LEASED }]);
  });

  it('are changed once, however often and from wherever the step begins again, in more batches than one', async () => {
    const old = Array.from({ length: 1_200 }, (_, n) => ({ _id: `${n}`, tenant_id: 't', state: 'sent', next_at: LATE, due_at: EARLY }));
    await add(notifications, old);
    // one that an interrupted run has changed, and a worker taken since
    const changed = { due_at: LATE, first_due_at: EARLY, leased_by: 'w', leased_until: LATE, lease_no: 7 };
    await database.system(notifications).update({ _id: '5' }, { $set: changed });
    await run();
    await dueRows.run({
      database,
      logger: createLogger('silent'),
      batch: (work) => database.transaction(work),
      position: null,
      notePosition: () => Promise.resolve(),
    });
    const rows = await all(notifications);
    expect(rows.filter(({ lease_no }) => lease_no === 0)).toHaveLength(1_199);
    for (const row of rows) expect(row).toMatchObject({ due_at: LATE, first_due_at: EARLY });
    expect(rows.find(({ _id }) => _id === '5')).toMatchObject(changed);
  });

  it('are taken by the loop of this release', async () => {
    await add(jobs as never, [
      { _id: 'old', tenant_id: 't', kind: 'k', state: 'queued', attempts: 0, leased_until: null, created_at: EARLY },
    ]);
    await run();
    expect(await takeDue({ database, storeClock: systemClock }, { collection: jobs })).toMatchObject({ _id: 'old', lease_no: 1 });
  });
});
