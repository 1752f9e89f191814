import type { Model } from 'mongoose';
import { readLean } from './lean-reads.js';
import type { Filter, FindOptions, TransactionOf } from './query.js';

/** Stages that would read or write outside the collection or the scope. */
const FORBIDDEN_STAGES = ['$lookup', '$graphLookup', '$unionWith', '$out', '$merge', '$facet'];

/** Rows of one answer of the store, where a read asks for all: they are decoded in one piece. */
const MOST_AT_ONCE = 1_000;

const projection = (fields: readonly string[] | undefined) => (fields ? Object.fromEntries(fields.map((field) => [field, 1])) : undefined);

/** Reads the rows of one collection as one scope sees them. */
export abstract class RowReader<T extends object> {
  constructor(protected readonly model: Model<T>) {}

  /** The caller's condition within the scope: nothing that a caller passes widens it. */
  protected abstract bound(filter: Filter): Record<string, unknown>;

  async find(filter: Filter, options: FindOptions = {}): Promise<T[]> {
    const { sort, skip, limit, fields, transaction } = options;
    const batchSize = limit ? limit + 1 : MOST_AT_ONCE;
    const query = this.model.find(this.bound(filter) as never, projection(fields), { sort, skip, limit, batchSize, session: transaction });
    if (transaction === undefined) {
      query.cast(this.model);
      const rows = await this.readLean<T>({ filter: query.getFilter(), sort, projection: projection(fields), skip, limit, batchSize });
      if (rows) return rows;
    }
    return query.lean<T[]>().exec();
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

  async count(filter: Filter, { transaction }: { transaction?: TransactionOf } = {}): Promise<number> {
    const query = this.model.countDocuments(this.bound(filter) as never, { session: transaction });
    if (transaction === undefined) {
      query.cast(this.model);
      const pipeline = [{ $match: query.getFilter() }, { $group: { _id: 1, n: { $sum: 1 } } }];
      const counts = await this.readLean<{ n: number }>({ pipeline });
      if (counts) return counts[0]?.n ?? 0;
    }
    return query.exec();
  }

  async distinct(field: string, filter: Filter): Promise<unknown[]> {
    return this.model.distinct(field, this.bound(filter) as never).exec();
  }

  /** Runs `pipeline` over the rows of the scope. @throws at once for stages that read or write elsewhere */
  aggregate<R extends object>(pipeline: readonly Record<string, unknown>[], options: { transaction?: TransactionOf } = {}): Promise<R[]> {
    for (const stage of pipeline) {
      const name = Object.keys(stage)[0]!;
      if (FORBIDDEN_STAGES.includes(name)) throw new Error(`${this.model.collection.name}: ${name} is not allowed`);
    }
    return this.runPipeline([{ $match: this.bound({}) }, ...pipeline], options.transaction);
  }

  protected async runPipeline<R extends object>(pipeline: readonly Record<string, unknown>[], transaction?: TransactionOf): Promise<R[]> {
    const rows = transaction === undefined ? await this.readLean<R>({ pipeline }) : null;
    return rows ?? this.model.collection.aggregate<R>(pipeline as never, { session: transaction }).toArray();
  }

  /** The rows of a `find`, or of an `aggregate` where there is a pipeline; null where the driver's cursor has to ask. */
  private readLean<R>(command: Readonly<Record<string, unknown>>): Promise<R[] | null> {
    const { name } = this.model.collection;
    const kind = 'pipeline' in command ? { aggregate: name, cursor: { batchSize: MOST_AT_ONCE } } : { find: name };
    return readLean<R>(this.model.db, { ...kind, ...command });
  }
}
