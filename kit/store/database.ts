import mongoose, { mongo, type Connection, type Model } from 'mongoose';
import type { CollectionDefinition } from './collection.js';
import { SystemCollection, TenantCollection, type TransactionOf } from './tenant-collection.js';

/** The collections of one tenant. */
export interface TenantDatabase {
  readonly tenantId: string;
  collection<T extends object>(definition: CollectionDefinition<T>): TenantCollection<T>;
}

/** Code of a write that met another transaction's. */
const WRITE_CONFLICT = 112;

/** Compatible servers report conflicts and deadlocks without the label by which the driver knows to start the transaction again. */
function repeatOnConflict(error: unknown): never {
  if (error instanceof mongo.MongoServerError && (error.code === WRITE_CONFLICT || /deadlock detected/.test(error.message)))
    error.addErrorLabel('TransientTransactionError');
  throw error;
}

/** For a write within a transaction that met the unique key of another one: the transaction starts again, and sees the other's row. */
export function repeatOnDuplicate(error: unknown): never {
  if (error instanceof mongo.MongoServerError && error.code === 11_000) error.addErrorLabel('TransientTransactionError');
  throw error;
}

/** An open database: MongoDB, or the embedded store, which speaks the same protocol. */
export class Database {
  private readonly models = new Map<CollectionDefinition<never>, Model<never>>();

  private constructor(private readonly connection: Connection) {}

  /**
   * Connects and makes the collections and indexes of `definitions` (a transaction cannot make them).
   * @throws when the server cannot be reached within 5 seconds
   */
  static async open(uri: string, name: string, definitions: readonly CollectionDefinition<never>[]): Promise<Database> {
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
    const existing = new Set((await connection.listCollections()).map((collection) => collection.name));
    for (const definition of definitions) {
      if (!existing.has(definition.name)) await database.create(definition.name);
      await database.dropFormerIndexes(definition, existing);
      await database.system(definition).createIndexes(definition.indexes);
    }
    return database;
  }

  /** The data of one tenant. @throws when `tenantId` is not a non-empty string */
  tenant(tenantId: string): TenantDatabase {
    return { tenantId, collection: (definition) => new TenantCollection(this.model(definition), tenantId) };
  }

  /** The data of all tenants; see SystemCollection for who may. */
  system<T extends object>(definition: CollectionDefinition<T>): SystemCollection<T> {
    return new SystemCollection(this.model(definition));
  }

  /** Runs `work` in a transaction and repeats it while the server answers that another one was in the way. */
  async transaction<R>(work: (transaction: TransactionOf) => Promise<R>): Promise<R> {
    const session = await this.connection.startSession();
    try {
      return await session.withTransaction(() => work(session).catch(repeatOnConflict));
    } finally {
      await session.endSession();
    }
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
    await this.connection.close();
  }

  private async dropFormerIndexes({ name, formerIndexes = [] }: CollectionDefinition<never>, existing: ReadonlySet<string>): Promise<void> {
    if (formerIndexes.length === 0 || !existing.has(name)) return;
    const rows = this.connection.collection(name);
    const present = (await rows.indexes()).map((index) => index.name ?? '');
    for (const former of formerIndexes) if (present.includes(former)) await rows.dropIndex(former);
  }

  private async create(name: string): Promise<void> {
    try {
      await this.connection.createCollection(name);
    } catch (error) {
      if ((error as { codeName?: string }).codeName !== 'NamespaceExists') throw error;
    }
  }

  private model<T extends object>(definition: CollectionDefinition<T>): Model<T> {
    const known = this.models.get(definition as CollectionDefinition<never>);
    if (known) return known as unknown as Model<T>;
    const model = this.connection.model<T>(definition.name, definition.schema as never, definition.name);
    this.models.set(definition as CollectionDefinition<never>, model as unknown as Model<never>);
    return model;
  }
}
