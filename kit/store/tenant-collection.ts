import type { ClientSession, Model } from 'mongoose';
import type { IndexDefinition } from './collection.js';

/** A running transaction; opaque to engines. */
export type TransactionOf = ClientSession;
export type Filter = Readonly<Record<string, unknown>>;
export type Update = Readonly<Record<string, unknown>>;
export type Sort = Readonly<Record<string, 1 | -1>>;

export interface FindOptions {
  sort?: Sort;
  skip?: number;
  limit?: number;
  /** Fields to return; all when absent. */
  fields?: readonly string[];
  transaction?: TransactionOf;
}

export interface WriteOptions {
  transaction?: TransactionOf;
  upsert?: boolean;
}

/** One write of a bulk: update the row of `_id`, or make it. */
export interface BulkUpdate {
  _id: string;
  update: Update;
  upsert?: boolean;
}

/** Stages that would read or write outside the collection or the tenant. */
const FORBIDDEN_STAGES = ['$lookup', '$graphLookup', '$unionWith', '$out', '$merge', '$facet'];

const projection = (fields: readonly string[] | undefined) => (fields ? Object.fromEntries(fields.map((field) => [field, 1])) : undefined);

/**
 * The rows of one collection as one scope sees them. The scope's own condition is added last to every filter and every
 * row written, so that nothing a caller passes can widen or move it. Only this file calls the database for rows.
 */
export abstract class ScopedCollection<T extends object> {
  constructor(protected readonly model: Model<T>) {}

  /** What every row read or written must carry. */
  protected abstract readonly scope: Filter;

  protected bound(filter: Filter): Record<string, unknown> {
    return { ...filter, ...this.scope };
  }

  find(filter: Filter, options: FindOptions = {}): Promise<T[]> {
    const { sort, skip, limit, fields, transaction } = options;
    return this.model
      .find(this.bound(filter) as never, projection(fields), { sort, skip, limit, batchSize: limit && limit + 1, session: transaction })
      .lean<T[]>()
      .exec();
  }

  /** Rows one after the other, for results that do not fit into memory. */
  scan(filter: Filter, options: FindOptions & { batchSize?: number } = {}): AsyncIterable<T> {
    const { sort, fields, transaction, batchSize, limit } = options;
    return this.model
      .find(this.bound(filter) as never, projection(fields), { sort, limit, batchSize, session: transaction })
      .lean<T[]>()
      .cursor() as AsyncIterable<T>;
  }

  async findOne(filter: Filter, options: FindOptions = {}): Promise<T | null> {
    const [row] = await this.find(filter, { ...options, limit: 1 });
    return row ?? null;
  }

  count(filter: Filter, options: { transaction?: TransactionOf } = {}): Promise<number> {
    return this.model.countDocuments(this.bound(filter) as never, { session: options.transaction }).exec();
  }

  async distinct(field: string, filter: Filter): Promise<unknown[]> {
    return this.model.distinct(field, this.bound(filter) as never).exec();
  }

  /** @throws a driver error with code 11000 when a unique index refuses the row */
  async insert(row: T, options: WriteOptions = {}): Promise<void> {
    await this.insertMany([row], options);
  }

  async insertMany(rows: readonly T[], options: WriteOptions = {}): Promise<void> {
    if (rows.length === 0) return;
    await this.model.collection.insertMany(rows.map((row) => this.bound(row as Filter)) as never, {
      session: options.transaction,
      ordered: false,
    });
  }

  /** Updates the first row that matches. */
  async update(
    filter: Filter,
    update: Update,
    options: WriteOptions = {},
  ): Promise<{ matched: number; modified: number; upserted: number }> {
    const { upsert, transaction } = options;
    return this.changed(
      await this.model.updateOne(this.bound(filter) as never, this.guarded(update) as never, { upsert, session: transaction }).exec(),
    );
  }

  async updateMany(
    filter: Filter,
    update: Update,
    options: WriteOptions = {},
  ): Promise<{ matched: number; modified: number; upserted: number }> {
    return this.changed(
      await this.model.updateMany(this.bound(filter) as never, this.guarded(update) as never, { session: options.transaction }).exec(),
    );
  }

  async findAndUpdate(
    filter: Filter,
    update: Update,
    options: WriteOptions & { returnNew?: boolean; sort?: Sort } = {},
  ): Promise<T | null> {
    const { upsert, returnNew, sort, transaction } = options;
    return this.model
      .findOneAndUpdate(this.bound(filter) as never, this.guarded(update) as never, {
        upsert,
        sort,
        returnDocument: returnNew ? 'after' : 'before',
        session: transaction,
      })
      .lean<T | null>()
      .exec();
  }

  /** Many updates by `_id` in one round trip. @returns how many rows it made */
  async bulkUpdate(updates: readonly BulkUpdate[], options: { transaction?: TransactionOf } = {}): Promise<{ upserted: number }> {
    if (updates.length === 0) return { upserted: 0 };
    const operations = updates.map(({ _id, update, upsert }) => ({
      updateOne: { filter: this.bound({ _id }), update: this.guarded(update), upsert },
    }));
    const { upsertedCount } = await this.model.collection.bulkWrite(operations as never, { session: options.transaction, ordered: false });
    return { upserted: upsertedCount };
  }

  async remove(filter: Filter, options: { transaction?: TransactionOf } = {}): Promise<number> {
    return (await this.model.deleteMany(this.bound(filter) as never, { session: options.transaction }).exec()).deletedCount;
  }

  /** Runs `pipeline` over the rows of the scope. @throws for stages that read or write elsewhere */
  aggregate<R extends object>(pipeline: readonly Record<string, unknown>[], options: { transaction?: TransactionOf } = {}): Promise<R[]> {
    for (const stage of pipeline) {
      const name = Object.keys(stage)[0]!;
      if (FORBIDDEN_STAGES.includes(name)) throw new Error(`${this.model.collection.name}: ${name} is not allowed`);
    }
    return this.model.collection
      .aggregate<R>([{ $match: this.bound({}) }, ...pipeline] as never, { session: options.transaction })
      .toArray();
  }

  /** Makes the indexes of the definition; part of opening the database. */
  async createIndexes(indexes: readonly IndexDefinition[]): Promise<void> {
    if (indexes.length) await this.model.collection.createIndexes(indexes.map(({ key, options }) => ({ key, ...options })));
  }

  private guarded(update: Update): Update {
    for (const fields of Object.values(update)) {
      for (const key of Object.keys(this.scope)) {
        if (fields !== null && typeof fields === 'object' && key in fields)
          throw new Error(`${this.model.collection.name}: an update must not touch ${key}`);
      }
    }
    return update;
  }

  private changed(result: { matchedCount: number; modifiedCount: number; upsertedCount: number }) {
    return { matched: result.matchedCount, modified: result.modifiedCount, upserted: result.upsertedCount };
  }
}

/**
 * The only door to a tenant's rows. The tenant is bound at construction; there is no way to use it without one.
 * @throws when `tenantId` is not a non-empty string, before any query
 */
export class TenantCollection<T extends object> extends ScopedCollection<T> {
  protected readonly scope: Filter;

  constructor(model: Model<T>, tenantId: string) {
    super(model);
    if (typeof tenantId !== 'string' || tenantId === '')
      throw new Error(`${model.collection.name}: a tenant id must be a non-empty string`);
    this.scope = Object.freeze({ tenant_id: tenantId });
  }
}

/**
 * Rows of all tenants. Loudly named and reached through `database.system` only: by sign-in (users, sessions, signing
 * keys), rate limits, the job queue's lease, and the administration of organizations.
 */
export class SystemCollection<T extends object> extends ScopedCollection<T> {
  protected readonly scope: Filter = Object.freeze({});

  /** As `aggregate`, with `$lookup` allowed: sign-in joins a session with its membership and tenant in one round trip. */
  aggregateAcross<R extends object>(pipeline: readonly Record<string, unknown>[]): Promise<R[]> {
    return this.model.collection.aggregate<R>(pipeline as never).toArray();
  }
}
