import type { ClientSession } from 'mongoose';

/** A running transaction; opaque to engines. */
export type TransactionOf = ClientSession;
/** A condition on rows, as MongoDB has it. */
export type Filter = Readonly<Record<string, unknown>>;
export type Update = Readonly<Record<string, unknown>>;
export type Sort = Readonly<Record<string, 1 | -1>>;

/** Which rows of those that match, in which order, and what of them. */
export interface FindOptions {
  sort?: Sort;
  skip?: number;
  limit?: number;
  /** Fields to return; all when absent. */
  fields?: readonly string[];
  transaction?: TransactionOf;
}

/** How a write is done: within a transaction, and whether it makes a row that is not there. */
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
