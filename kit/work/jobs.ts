import type { TransactionOf } from '../store/query.js';
import { randomUUID } from 'node:crypto';
import type { AuthContext } from '../base/auth-context.js';
import type { Clock } from '../base/clock.js';
import { defineCollection, type RowOf } from '../store/collection.js';
import { date, nullable, number, object, oneOf, text } from '../store/fields.js';
import type { Database } from '../store/database.js';
import { DUE_FIELDS, DUE_INDEX, NEVER_LEASED } from './due.js';
import { Wakeup } from './wakeup.js';

/** One piece of background work of a tenant. */
export const jobs = defineCollection(
  'jobs',
  {
    kind: text,
    payload: object<Record<string, unknown>>(),
    /** Who asked for it, with the rights it runs under. */
    auth: object<AuthContext>(),
    state: oneOf('queued', 'leased', 'done', 'failed'),
    attempts: number,
    ...DUE_FIELDS,
    error: nullable(text),
    created_at: date,
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

  /** Adds a job within `transaction`, so that the work and its reason exist together or not at all. Call `wake` after the commit. */
  async add(transaction: TransactionOf, auth: AuthContext, kind: string, payload: Record<string, unknown>): Promise<string> {
    const _id = randomUUID();
    const now = this.storeClock.now();
    const row: JobRow = {
      _id,
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
    };
    await this.database.tenant(auth.tenant_id).collection(jobs).insert(row, { transaction });
    return _id;
  }

  /** Lets the workers of this process look for jobs; those of others find them by polling. */
  wake(): void {
    this.wakeup.wake();
  }
}
