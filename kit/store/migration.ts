import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.js';
import { defineSystemCollection } from './collection.js';
import { date, nullable, number, oneOf, optional, text } from './fields.js';
import type { Database } from './database.js';
import type { Logger } from '../base/logger.js';
import type { TransactionOf } from './query.js';
import { schemaRows, SCHEMA_ROW } from './schema-epoch.js';

/** A step from the schema of one release to that of the next. Once released its name and place in the list never change. */
export interface Migration {
  readonly name: string;
  /** Changes the rows in batches; begun again after a crash, it goes on with what is left. */
  run(migrating: Migrating): Promise<void>;
}

/** What a migration works with. */
export interface Migrating {
  readonly database: Database;
  readonly logger: Logger;
  /**
   * Runs one batch in a transaction that holds only while this process has the lease, and extends the lease.
   * @throws LeaseLost when another process has taken over
   */
  batch<R>(work: (transaction: TransactionOf) => Promise<R>): Promise<R>;
  /** Where a migration goes on whose rows do not show what was done: what was noted last; null at its beginning. */
  readonly position: string | null;
  /** Notes how far a batch has come, in its transaction. */
  notePosition(position: string, transaction: TransactionOf): Promise<void>;
}

export const migrationRows = defineSystemCollection('migrations', {
  state: oneOf('running', 'done'),
  leased_by: nullable(text),
  /** Grows with each taking: a batch of an older one does not commit. */
  lease_no: number,
  leased_until: nullable(date),
  finished_at: nullable(date),
  position: optional(text),
});

/** Another process goes on with a migration. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

const LEASE_MS = 30_000;
const ASK_EVERY_MS = 200;

/**
 * Brings the database to the schema of this release: each migration once, by the first process that comes, while others wait.
 * Afterwards `database` refuses transactions once a newer release has begun to change it.
 * @param clock the store's time, by which leases end
 * @throws SchemaTooNew when a newer release begins meanwhile
 */
export async function migrate(database: Database, clock: Clock, logger: Logger, migrations: readonly Migration[]): Promise<void> {
  for (const [n, migration] of migrations.entries()) await once(database, clock, logger, migration, n + 1);
  database.guardEpoch(migrations.length);
}

async function once(database: Database, clock: Clock, logger: Logger, migration: Migration, epoch: number): Promise<void> {
  const rows = database.system(migrationRows);
  const worker = randomUUID();
  const first = { $setOnInsert: { state: 'running', leased_by: null, lease_no: 0, leased_until: null, finished_at: null } };
  for (;;) {
    const known = await rows.findOne({ _id: migration.name });
    if (known?.state === 'done') return;
    if (!known) await rows.update({ _id: migration.name }, first, { upsert: true }).catch(ignoreDuplicate);
    const now = clock.now();
    const free = { _id: migration.name, state: 'running', $or: [{ leased_until: null }, { leased_until: { $lt: now } }] };
    const lease = { $set: { leased_by: worker, leased_until: new Date(now.getTime() + LEASE_MS) }, $inc: { lease_no: 1 } };
    const taken = await rows.findAndUpdate(free, lease, { returnNew: true });
    if (!taken) {
      await sleep(ASK_EVERY_MS);
      continue;
    }
    // from here on older releases neither start nor write
    await database.system(schemaRows).update({ _id: SCHEMA_ROW }, { $max: { epoch } }, { upsert: true }).catch(ignoreDuplicate);
    const batch = leasedBatch(database, clock, migration.name, taken.lease_no);
    try {
      const notePosition: Migrating['notePosition'] = async (position, transaction) => {
        await rows.update({ _id: migration.name }, { $set: { position } }, { transaction });
      };
      await migration.run({ database, logger, batch, position: taken.position ?? null, notePosition });
      const done = { $set: { state: 'done', leased_by: null, leased_until: null, finished_at: clock.now() } };
      await batch((transaction) => rows.update({ _id: migration.name }, done, { transaction }));
      logger.info({ migration: migration.name }, 'the database was migrated');
      return;
    } catch (error) {
      if (error instanceof LeaseLost) continue;
      await rows.update({ _id: migration.name, lease_no: taken.lease_no }, { $set: { leased_until: null } });
      throw error;
    }
  }
}

/** Batches that first write the migration's row on condition of the lease's number. */
const leasedBatch =
  (database: Database, clock: Clock, name: string, lease_no: number): Migrating['batch'] =>
  (work) =>
    database.transaction(async (transaction) => {
      const leased_until = new Date(clock.now().getTime() + LEASE_MS);
      const { matched } = await database
        .system(migrationRows)
        .update({ _id: name, lease_no, state: 'running' }, { $set: { leased_until } }, { transaction });
      if (matched === 0) throw new LeaseLost(name);
      return work(transaction);
    });

function ignoreDuplicate(error: unknown): void {
  if ((error as { code?: number }).code !== 11_000) throw error;
}
