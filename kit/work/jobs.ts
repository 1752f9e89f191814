import type { TransactionOf } from '../store/query.js';
import { randomUUID } from 'node:crypto';
import type { AuthContext } from '../base/auth-context.js';
import type { Clock } from '../base/clock.js';
import { defineCollection, type RowOf } from '../store/collection.js';
import { date, list, nullable, number, object, oneOf, optional, text } from '../store/fields.js';
import type { Database } from '../store/database.js';
import { DUE_FIELDS, DUE_INDEX, NEVER_LEASED } from './due.js';
import { Wakeup } from './wakeup.js';

/** What a job has that people follow, at `/jobs/{id}`; absent on all others. */
const FOLLOWED_FIELDS = {
  /** The permissions that a reader beside its owner must hold: of whatever its result tells. */
  readers: optional(list(text)),
  done: optional(number),
  total: optional(nullable(number)),
  /** How far it is, in the handler's own words: where the next try goes on. */
  position: optional(nullable(text)),
  result: optional(nullable(object<Record<string, unknown>>())),
  result_url: optional(nullable(text)),
  /** Why it was given up, as people are told it. */
  reason: optional(nullable(text)),
  /** When somebody has asked it to stop. */
  cancel_at: optional(nullable(date)),
  started_at: optional(nullable(date)),
  completed_at: optional(nullable(date)),
};

/** What people may see of a job. */
export interface Followed {
  /** The permissions that a reader beside its owner must hold. */
  readonly readers: readonly string[];
  /** Things to do, where that is known. */
  readonly total: number | null;
  /** The id, where what it makes is to have the same. */
  readonly id?: string;
}

/** One piece of background work of a tenant. */
export const jobs = defineCollection(
  'jobs',
  {
    kind: text,
    payload: object<Record<string, unknown>>(),
    /** Who asked for it, with the rights it runs under. */
    auth: object<AuthContext>(),
    state: oneOf('queued', 'leased', 'done', 'failed', 'cancelled'),
    attempts: number,
    ...DUE_FIELDS,
    error: nullable(text),
    created_at: date,
    ...FOLLOWED_FIELDS,
  },
  [
    DUE_INDEX,
    { key: { tenant_id: 1, state: 1 } },
    { key: { created_at: 1 }, options: { name: 'waiting', expireAfterSeconds: 7 * 86_400 } },
  ],
);
export type JobRow = RowOf<typeof jobs>;

/** The queue that all processes share; it lives in the database. */
export class JobQueue {
  /** Where the workers of this process wait. */
  readonly wakeup = new Wakeup();

  /** @param storeClock the store's time */
  constructor(
    private readonly database: Database,
    private readonly storeClock: Clock,
  ) {}

  /** Adds a job within `transaction`, so that the work and its reason exist together or not at all. Call `wake` after the commit. @returns its id */
  async add(transaction: TransactionOf, auth: AuthContext, kind: string, payload: Record<string, unknown>): Promise<string> {
    return (await this.insert(transaction, auth, kind, payload))._id;
  }

  /** As `add`, for a job that people follow. */
  addFollowed(
    transaction: TransactionOf,
    auth: AuthContext,
    kind: string,
    payload: Record<string, unknown>,
    { readers, total, id }: Followed,
  ): Promise<JobRow> {
    return this.insert(transaction, auth, kind, payload, { readers: [...readers], total, done: 0, ...(id !== undefined && { _id: id }) });
  }

  /** Lets the workers of this process look for jobs; those of others find them by polling. */
  wake(): void {
    this.wakeup.wake();
  }

  private async insert(
    transaction: TransactionOf,
    auth: AuthContext,
    kind: string,
    payload: Record<string, unknown>,
    followed: Partial<JobRow> = {},
  ): Promise<JobRow> {
    const now = this.storeClock.now();
    const row: JobRow = {
      _id: randomUUID(),
      tenant_id: auth.tenant_id,
      kind,
      payload,
      auth,
      state: 'queued',
      attempts: 0,
      due_at: now,
      ...NEVER_LEASED,
      error: null,
      created_at: now,
      ...followed,
    };
    await this.database.tenant(auth.tenant_id).collection(jobs).insert(row, { transaction });
    return row;
  }
}
