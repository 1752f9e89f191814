import { randomUUID } from 'node:crypto';
import { migrations as released } from '../../processes/migrations/index.js';
import { systemClock } from '../../kit/base/clock.js';
import { defineCollection } from '../../kit/store/collection.js';
import { oneOf } from '../../kit/store/fields.js';
import { Database } from '../../kit/store/database.js';
import { createLogger } from '../../kit/base/logger.js';
import { migrate, migrationRows, type Migration } from '../../kit/store/migration.js';
import { SCHEMA_ROW, schemaRows, SchemaTooNew } from '../../kit/store/schema-epoch.js';
import { startProcess } from '../support/process.js';

const rows = defineCollection('rows', {
  state: oneOf('old', 'new'),
});
const logger = createLogger('silent');
const uri = process.env['PALISADE_TEST_MONGODB_URI']!;

let name: string;
const opened: Database[] = [];
const open = async (epoch?: number): Promise<Database> => {
  const database = await Database.open(uri, name, [rows, migrationRows, schemaRows], epoch);
  opened.push(database);
  return database;
};
beforeEach(async () => {
  name = `migrate_${randomUUID().slice(0, 8)}`;
  const database = await open();
  const old = Array.from({ length: 10 }, (_, n) => ({ _id: `${n}`, tenant_id: 't1', state: 'old' as const }));
  await database.tenant('t1').collection(rows).insertMany(old);
});
afterEach(async () => {
  await opened[0]!.drop();
  await Promise.all(opened.splice(0).map((database) => database.close()));
});

/** Renews two rows a batch, and counts its batches. @param failsAt the batch that throws once */
function renewing(failsAt?: number): Migration & { batches: number } {
  const migration = {
    name: 'renew',
    batches: 0,
    run: async ({ database, batch }: Parameters<Migration['run']>[0]) => {
      for (let left = 1; left > 0;) {
        if (migration.batches++ === failsAt) throw new Error('killed');
        left = await batch(async (transaction) => {
          const some = await database.system(rows).find({ state: 'old' }, { limit: 2, transaction });
          const ids = some.map(({ _id }) => _id);
          await database.system(rows).updateMany({ _id: { $in: ids } }, { $set: { state: 'new' } }, { transaction });
          return some.length;
        });
      }
    },
  };
  return migration;
}
const old = (database: Database) => database.system(rows).count({ state: 'old' });

describe('a migration', () => {
  it('runs once a database', async () => {
    const migration = renewing();
    const database = await open();
    await migrate(database, systemClock, logger, [migration]);
    expect(await old(database)).toBe(0);
    const { batches } = migration;
    await migrate(database, systemClock, logger, [migration]);
    await migrate(await open(), systemClock, logger, [migration]);
    expect(migration.batches).toBe(batches);
    expect(await database.system(migrationRows).findOne({ _id: 'renew' })).toMatchObject({ state: 'done', leased_by: null });
  });

  it('runs in one process when several start at once', async () => {
    const migration = renewing();
    const databases = await Promise.all([open(), open(), open()]);
    await Promise.all(databases.map((database) => migrate(database, systemClock, logger, [migration])));
    expect(migration.batches).toBe(6);
  });

  it('goes on with what is left after it was interrupted', async () => {
    const broken = renewing(2);
    const database = await open();
    await expect(migrate(database, systemClock, logger, [broken])).rejects.toThrow('killed');
    expect(await old(database)).toBe(6);
    const again = renewing();
    await migrate(database, systemClock, logger, [again]);
    expect(await old(database)).toBe(0);
    expect(again.batches).toBe(4);
  });

  it('writes no batch once another process has taken over', async () => {
    const database = await open();
    const other = renewing();
    let taken = false;
    const slow: Migration = {
      name: 'renew',
      run: async (migrating) => {
        if (!taken) {
          taken = true;
          // the lease ran out, and another process took it
          await database.system(migrationRows).update({ _id: 'renew' }, { $set: { leased_until: new Date(0) } });
          await migrate(await open(), systemClock, logger, [other]);
          await migrating.batch((transaction) => database.system(rows).updateMany({}, { $set: { state: 'old' } }, { transaction }));
        }
      },
    };
    await migrate(database, systemClock, logger, [slow]);
    expect(await old(database)).toBe(0);
  });
});

describe('an older release', () => {
  it('neither opens a newer database nor writes to it, and makes nothing in it', async () => {
    const older = await open();
    await migrate(older, systemClock, logger, []);
    const write = () =>
      older.transaction((transaction) =>
        older.tenant('t1').collection(rows).insert({ _id: randomUUID(), tenant_id: 't1', state: 'old' }, { transaction }),
      );
    await write();
    await migrate(await open(), systemClock, logger, [renewing()]);
    await expect(write()).rejects.toThrow(SchemaTooNew);
    await expect(write()).rejects.toThrow('schema 1, this release knows 0');
    expect(await old(older)).toBe(0);
    await expect(open(0)).rejects.toThrow(SchemaTooNew);
  });

  it('does not start, and says why in one line', async () => {
    const database = await open();
    await database.system(schemaRows).update({ _id: SCHEMA_ROW }, { $set: { epoch: released.length + 1 } }, { upsert: true });
    const env = { MONGODB_URI: uri, MONGODB_DB: name, PALISADE_SECRET: 'x'.repeat(40), LOG_LEVEL: 'error' };
    const failure = await startProcess(['--empty'], env).then(
      () => 'it started',
      (error: Error) => error.message,
    );
    expect(failure).toContain('it ended with 1');
    expect(failure).toContain('The database belongs to a newer release');
    expect(failure).not.toContain('    at ');
    expect(failure.trim().split('\n')).toHaveLength(1);
  });
});

test('no migration changes its name or place', () => {
  expect(released.map((migration) => migration.name)).toEqual(['2026-11-one-findings-collection', '2026-11-due-rows', '2026-11-judged-tallies']);
});
