import type { Model } from 'mongoose';
import type { IndexDefinition } from './collection.js';
import { RowReader } from './row-reader.js';
import type { TransactionOf, Filter, Update, Sort, WriteOptions, BulkUpdate } from './query.js';

/** Rows that are packed and sent in one piece. */
const MOST_TOGETHER = 250;

/** What goes into commands of a transaction: outside of one all is tried at once, whichever of it fails. */
function piecesOf<R>(rows: readonly R[], transaction: TransactionOf | undefined): (readonly R[])[] {
  if (!transaction || rows.length <= MOST_TOGETHER) return rows.length === 0 ? [] : [rows];
  return Array.from({ length: Math.ceil(rows.length / MOST_TOGETHER) }, (_, n) => rows.slice(n * MOST_TOGETHER, (n + 1) * MOST_TOGETHER));
}

/**
 * Does an upsert again that another one of the same row was quicker than: now it finds the row. MongoDB repeats most of them by itself, other servers
 * none. Within a transaction the error has ended the transaction, and `repeatOnDuplicate` begins that again.
 */
async function besideItsLike<R>(run: () => Promise<R>, { upsert, transaction }: WriteOptions): Promise<R> {
  if (!upsert || transaction) return run();
  return run().catch((error: { code?: number }) => {
    if (error.code !== 11_000) throw error;
    return run();
  });
}

/**
 * The rows of one collection as one scope sees and changes them. The scope's own condition is added last to every filter
 * and every row written, so that nothing a caller passes can widen or move it. Only this file, row-reader.ts and
 * lean-reads.ts call the database for rows.
 */
export abstract class ScopedCollection<T extends object> extends RowReader<T> {
  /** What every row read or written must carry. */
  protected abstract readonly scope: Filter;

  protected bound(filter: Filter): Record<string, unknown> {
    return { ...filter, ...this.scope };
  }

  /** @throws a driver error with code 11000 when a unique index refuses the row */
  async insert(row: T, options: WriteOptions = {}): Promise<void> {
    await this.insertMany([row], options);
  }

  async insertMany(rows: readonly T[], options: WriteOptions = {}): Promise<void> {
    const { transaction } = options;
    for (const piece of piecesOf(rows, transaction))
      await this.model.collection.insertMany(piece.map((row) => this.bound(row as Filter)) as never, {
        session: transaction,
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
    const run = () =>
      this.model.updateOne(this.bound(filter) as never, this.guarded(update) as never, { upsert, session: transaction }).exec();
    return this.changed(await besideItsLike(run, options));
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
    const run = () =>
      this.model
        .findOneAndUpdate(this.bound(filter) as never, this.guarded(update) as never, {
          upsert,
          sort,
          returnDocument: returnNew ? 'after' : 'before',
          session: transaction,
        })
        .lean<T | null>()
        .exec();
    return besideItsLike(run, options);
  }

  /** Many updates by `_id` in few round trips. @returns how many rows it made */
  async bulkUpdate(updates: readonly BulkUpdate[], options: { transaction?: TransactionOf } = {}): Promise<{ upserted: number }> {
    let upserted = 0;
    for (const piece of piecesOf(updates, options.transaction)) {
      const operations = piece.map(({ _id, update, upsert }) => ({
        updateOne: { filter: this.bound({ _id }), update: this.guarded(update), upsert },
      }));
      const result = await this.model.collection.bulkWrite(operations as never, { session: options.transaction, ordered: false });
      upserted += result.upsertedCount;
    }
    return { upserted };
  }

  async remove(filter: Filter, options: { transaction?: TransactionOf } = {}): Promise<number> {
    return (await this.model.deleteMany(this.bound(filter) as never, { session: options.transaction }).exec()).deletedCount;
  }

  /** Makes the indexes of the definition; part of opening the database. */
  async createIndexes(indexes: readonly IndexDefinition[]): Promise<void> {
    if (indexes.length) await this.model.collection.createIndexes(indexes.map(({ key, options }) => ({ key, ...options })));
  }

  /** @throws for an update that sets, renames or computes a key of the scope: a pipeline may compute any */
  private guarded(update: Update): Update {
    const refuse = (what: string): never => {
      throw new Error(`${this.model.collection.name}: an update must not ${what}`);
    };
    if (Array.isArray(update)) refuse('be a pipeline');
    for (const [operator, fields] of Object.entries(update)) {
      if (!operator.startsWith('$') || fields === null || typeof fields !== 'object') refuse('replace the row');
      const touched = Object.keys(fields as object);
      if (operator === '$rename') touched.push(...Object.values(fields as Record<string, string>));
      for (const key of touched) {
        const [top] = key.split('.');
        if (Object.hasOwn(this.scope, top!)) refuse(`touch ${top}`);
      }
    }
    return update;
  }

  private changed(result: { matchedCount: number; modifiedCount: number; upsertedCount: number }) {
    return { matched: result.matchedCount, modified: result.modifiedCount, upserted: result.upsertedCount };
  }
}

function assertName(collection: string, what: string, name: string): void {
  if (typeof name !== 'string' || name === '') throw new Error(`${collection}: ${what} must be a non-empty string`);
}

/**
 * The only door to a tenant's rows. The tenant is bound at construction; there is no way to use it without one. In a collection
 * that is kept by engine the engine is bound beside it, so that an engine sees and makes rows of its own only.
 * @throws when `tenantId`, or an `engine` that is given, is not a non-empty string, before any query
 */
export class TenantCollection<T extends object> extends ScopedCollection<T> {
  protected readonly scope: Filter;

  constructor(model: Model<T>, tenantId: string, engine?: string) {
    super(model);
    assertName(model.collection.name, 'a tenant id', tenantId);
    if (engine !== undefined) assertName(model.collection.name, 'the name of an engine', engine);
    this.scope = Object.freeze({ tenant_id: tenantId, ...(engine !== undefined && { engine }) });
  }
}

/**
 * The rows that several engines of one tenant hold, to read: for what spans engines. The engines are those that the caller
 * may read; they are joined to the caller's filter by `$and`, so that a filter on `engine` narrows and never widens.
 * @throws when `tenantId` or the name of an engine is not a non-empty string, before any query
 */
export class EnginesReader<T extends object> extends RowReader<T> {
  private readonly scope: Filter;

  constructor(
    model: Model<T>,
    tenantId: string,
    readonly engines: readonly string[],
  ) {
    super(model);
    assertName(model.collection.name, 'a tenant id', tenantId);
    for (const engine of engines) assertName(model.collection.name, 'the name of an engine', engine);
    this.scope = Object.freeze({ tenant_id: tenantId, engine: { $in: Object.freeze([...engines]) } });
  }

  protected bound(filter: Filter): Record<string, unknown> {
    return { $and: [filter, this.scope] };
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
    return this.runPipeline<R>(pipeline);
  }
}
