import { SCHEMA_ROW, SchemaTooNew, schemaRows } from './schema-epoch.js';
import type { TransactionOf } from './query.js';
import { StoreClock } from './store-clock.js';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose, { mongo, type Connection, type Model } from 'mongoose';
import { isKeptByEngine, type AnyCollection, type CollectionDefinition, type EngineCollectionDefinition } from './collection.js';
import { fenceHere } from './fence.js';
import { closeLeanReads } from './lean-reads.js';
import { EnginesReader, SystemCollection, TenantCollection } from './tenant-collection.js';

/** The collections of one tenant. */
export interface TenantDatabase {
  readonly tenantId: string;
  /** @throws for a collection that is kept by engine */
  collection<T extends object>(definition: CollectionDefinition<T>): TenantCollection<T>;
  /** Every row of the tenant, whichever engine keeps it: for the removal of the tenant. */
  ofAllEngines<T extends object>(definition: CollectionDefinition<T>): TenantCollection<T>;
  /** What one engine holds of the tenant. */
  engine(name: string): EngineDatabase;
  /** What several engines hold of the tenant, to read. */
  engines(names: readonly string[]): EnginesDatabase;
}

/** The rows that one engine holds of one tenant, in collections that all engines share. */
export interface EngineDatabase {
  readonly tenantId: string;
  readonly engine: string;
  collection<T extends object>(definition: EngineCollectionDefinition<T>): TenantCollection<T>;
}

/** The rows that several engines hold of one tenant, to read. */
export interface EnginesDatabase {
  readonly tenantId: string;
  readonly engines: readonly string[];
  collection<T extends object>(definition: EngineCollectionDefinition<T>): EnginesReader<T>;
}

/** Code of a write that met another transaction's. */
const WRITE_CONFLICT = 112;

/** Compatible servers report a deadlock as they report any other error. */
const isConflict = (error: unknown): error is mongo.MongoServerError =>
  error instanceof mongo.MongoServerError && (error.code === WRITE_CONFLICT || /deadlock detected/.test(error.message));

/** Compatible servers report conflicts and deadlocks without the label by which the driver knows to start the transaction again. */
function repeatOnConflict(error: unknown): never {
  if (isConflict(error)) error.addErrorLabel('TransientTransactionError');
  throw error;
}

/** Tries that making collections and indexes has, and milliseconds between two of them. */
const TRIES = 20;
const PAUSE = 100;

/** Does again what a server refuses because the writes of processes that run beside this one were in its way. */
async function besideOthers(make: () => Promise<void>): Promise<void> {
  for (let left = TRIES; ; left--) {
    try {
      return await make();
    } catch (error) {
      if (!isConflict(error) || left === 1) throw error;
      await sleep(PAUSE);
    }
  }
}

/** For a write within a transaction that met the unique key of another one: the transaction starts again, and sees the other's row. */
export function repeatOnDuplicate(error: unknown): never {
  if (error instanceof mongo.MongoServerError && error.code === 11_000) error.addErrorLabel('TransientTransactionError');
  throw error;
}

/** An open database: MongoDB, or the embedded store, which speaks the same protocol. */
export class Database {
  private readonly models = new Map<CollectionDefinition<object>, Model<never>>();

  /** The newest schema that this process knows; null until it is guarded. */
  private epoch: number | null = null;

  /** The time of the store, the same in every process: for leases, and for when work is due. */
  readonly clock: StoreClock;

  private constructor(private readonly connection: Connection) {
    this.clock = new StoreClock(() => localTime(connection));
  }

  /**
   * Connects and makes the collections and indexes of `definitions` (a transaction cannot make them).
   * @param epoch the newest schema that this process knows; not asked when absent
   * @throws when the server cannot be reached within 5 seconds; SchemaTooNew, before anything is made
   */
  static async open(uri: string, name: string, definitions: readonly AnyCollection[], epoch?: number): Promise<Database> {
    const connection = await mongoose
      .createConnection(uri, {
        dbName: name,
        serverSelectionTimeoutMS: 5_000,
        maxPoolSize: 50,
        autoIndex: false,
        autoCreate: false,
        ignoreUndefined: true,
      })
      .asPromise();
    const database = new Database(connection);
    try {
      await database.clock.compare();
      if (epoch !== undefined) await database.assertKnown(epoch);
      await database.prepare(definitions);
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  private async prepare(definitions: readonly AnyCollection[]): Promise<void> {
    const existing = new Set(await this.collectionNames());
    for (const definition of definitions) {
      await besideOthers(async () => {
        // to make indexes makes their collection
        if (!existing.has(definition.name) && definition.indexes.length === 0) await this.create(definition.name);
        await this.dropFormerIndexes(definition, existing);
        await this.system(definition).createIndexes(definition.indexes);
      });
    }
  }

  /** The data of one tenant. @throws when `tenantId` is not a non-empty string */
  tenant(tenantId: string): TenantDatabase {
    return {
      tenantId,
      collection: (definition) => {
        if (isKeptByEngine(definition)) throw new Error(`${definition.name} is kept by engine: name one`);
        return new TenantCollection(this.model(definition), tenantId);
      },
      ofAllEngines: (definition) => new TenantCollection(this.model(definition), tenantId),
      engine: (engine) => ({
        tenantId,
        engine,
        collection: (definition) => new TenantCollection(this.model(definition), tenantId, engine),
      }),
      engines: (engines) => ({
        tenantId,
        engines,
        collection: (definition) => new EnginesReader(this.model(definition), tenantId, engines),
      }),
    };
  }

  /** The data of all tenants; see SystemCollection for who may. */
  system<T extends object>(definition: CollectionDefinition<T>): SystemCollection<T> {
    return new SystemCollection(this.model(definition));
  }

  /** From now on transactions fail once the schema is newer than `epoch`, because a newer release has begun to change the rows. */
  guardEpoch(epoch: number): void {
    this.epoch = epoch;
  }

  /**
   * Runs `work` in a transaction and repeats it while the server answers that another one was in the way. Within a fence it does first what that demands.
   * @throws SchemaTooNew when a newer release has changed the database since this process started; what the fence throws
   */
  async transaction<R>(work: (transaction: TransactionOf) => Promise<R>): Promise<R> {
    const fence = fenceHere();
    if (!fence) return this.transact(work);
    return fence.pass((first) => this.transact((transaction) => first(transaction).then(() => work(transaction))));
  }

  private async transact<R>(work: (transaction: TransactionOf) => Promise<R>): Promise<R> {
    const session = await this.connection.startSession();
    try {
      return await session.withTransaction(async () => {
        if (this.epoch !== null) await this.assertKnown(this.epoch, session);
        return work(session).catch(repeatOnConflict);
      });
    } finally {
      await session.endSession();
    }
  }

  private async assertKnown(epoch: number, transaction?: TransactionOf): Promise<void> {
    const schema = await this.system(schemaRows).findOne({ _id: SCHEMA_ROW }, { transaction });
    if (schema && schema.epoch > epoch) throw new SchemaTooNew(schema.epoch, epoch);
  }

  /** The collections that there are, those of earlier releases among them. */
  async collectionNames(): Promise<string[]> {
    return (await this.connection.listCollections()).map(({ name }) => name);
  }

  /** Removes a collection that no release reads any more. */
  async dropCollection(name: string): Promise<void> {
    await this.connection.dropCollection(name);
  }

  /** Whether the server answers. @throws when it does not */
  async ping(): Promise<void> {
    await this.connection.db!.command({ ping: 1 });
  }

  /** Writes everything that the embedded store holds at this moment to a file, beside other work. @throws over MongoDB, which has no such command */
  async writeCheckpoint(path: string): Promise<void> {
    await this.connection.db!.command({ writeCheckpoint: path });
  }

  /** Removes the whole database; for tests. */
  async drop(): Promise<void> {
    await this.connection.dropDatabase();
  }

  async close(): Promise<void> {
    this.clock.close();
    closeLeanReads(this.connection);
    await this.connection.close();
  }

  private async dropFormerIndexes({ name, formerIndexes = [] }: AnyCollection, existing: ReadonlySet<string>): Promise<void> {
    if (formerIndexes.length === 0 || !existing.has(name)) return;
    const rows = this.connection.collection(name);
    const present = (await rows.indexes()).map((index) => index.name ?? '');
    for (const former of formerIndexes) if (present.includes(former)) await rows.dropIndex(former).catch(ignoreMissingIndex);
  }

  private async create(name: string): Promise<void> {
    try {
      await this.connection.createCollection(name);
    } catch (error) {
      if ((error as { codeName?: string }).codeName !== 'NamespaceExists') throw error;
    }
  }

  private model<T extends object>(definition: CollectionDefinition<T>): Model<T> {
    const known = this.models.get(definition);
    if (known) return known as unknown as Model<T>;
    const model = this.connection.model<T>(definition.name, definition.schema as never, definition.name);
    this.models.set(definition, model as unknown as Model<never>);
    return model;
  }
}

/** The time by the clock of the server, at a moment between the call and its answer. */
async function localTime(connection: Connection): Promise<Date> {
  return ((await connection.db!.command({ hello: 1 })) as unknown as { localTime: Date }).localTime;
}

/** Another process has dropped it first. */
function ignoreMissingIndex(error: unknown): void {
  if ((error as { codeName?: string }).codeName !== 'IndexNotFound') throw error;
}
