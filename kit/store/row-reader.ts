import type { Model } from 'mongoose';
import type { Filter, FindOptions, TransactionOf } from './query.js';

/** Stages that would read or write outside the collection or the scope. */
const FORBIDDEN_STAGES = ['$lookup', '$graphLookup', '$unionWith', '$out', '$merge', '$facet'];

const projection = (fields: readonly string[] | undefined) => (fields ? Object.fromEntries(fields.map((field) => [field, 1])) : undefined);

/** Reads the rows of one collection as one scope sees them. */
export abstract class RowReader<T extends object> {
  constructor(protected readonly model: Model<T>) {}

  /** The caller's condition within the scope: nothing that a caller passes widens it. */
  protected abstract bound(filter: Filter): Record<string, unknown>;

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
}
