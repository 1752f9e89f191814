import { defineCollection, type CollectionDefinition } from '../store/collection.js';
import { number } from '../store/fields.js';
import type { TransactionOf } from '../store/query.js';
import type { EngineContext } from './context.js';

/** How often something of a tenant was derived; `_id` is `<tenant_id>|<what>`. What began before another derivation of it writes nothing any more. */
export const derivations = defineCollection('derivations', { no: number }, []);

/** A row that is derived as a whole. */
export interface KeptRow {
  readonly _id: string;
  readonly tenant_id: string;
  /** Of all that the row says: when it is the same, the row is. */
  readonly digest: string;
}

/** A derivation that began later sees more: it goes on, and this one ends. */
class Overtaken extends Error {}

/** Rows that are removed in one transaction. */
const BATCH = 500;

/** Writes in a transaction, as long as no later derivation of the same has begun. */
export type DerivedWrite = (work: (transaction: TransactionOf) => Promise<unknown>) => Promise<void>;

/**
 * Runs a derivation of something of a tenant; of two at once the one that began later wins: the other writes nothing more and ends.
 * @param what names it among the derivations of the tenant
 */
export async function deriveLatest(context: EngineContext, what: string, derive: (write: DerivedWrite) => Promise<void>): Promise<void> {
  const _id = `${context.auth.tenant_id}|${what}`;
  const counts = context.collection(derivations);
  const begun = await counts.findAndUpdate({ _id }, { $inc: { no: 1 } }, { upsert: true, returnNew: true });
  const write: DerivedWrite = (work) =>
    context.transaction(async (transaction) => {
      if ((await counts.findOne({ _id }, { transaction }))?.no !== begun!.no) throw new Overtaken();
      await work(transaction);
    });
  try {
    await derive(write);
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error;
  }
}

/**
 * Brings rows of a tenant in step with what is derived now: what has not changed is not written, what is not derived any more is removed. Killed in
 * the middle, the next one does what is left; of two at once the one that began later wins.
 * @param derive gives all rows, some at a time; those of a batch are written in one transaction
 */
export function keepRows<T extends KeptRow>(
  context: EngineContext,
  rows: CollectionDefinition<T>,
  derive: () => AsyncIterable<readonly T[]>,
): Promise<void> {
  return deriveLatest(context, rows.name, (write) => keepRowsBy(write, context, rows, derive));
}

/** As `keepRows`, within a derivation that brings several collections in step: it writes by `write`. */
export async function keepRowsBy<T extends KeptRow>(
  write: DerivedWrite,
  context: EngineContext,
  rows: CollectionDefinition<T>,
  derive: () => AsyncIterable<readonly T[]>,
): Promise<void> {
  const own = context.collection(rows);
  const left = new Map<string, string>();
  for await (const row of own.scan({}, { fields: ['digest'] })) left.set(row._id, row.digest);
  for await (const batch of derive()) {
    context.signal.throwIfAborted();
    const changed = batch.filter((row) => left.get(row._id) !== row.digest);
    for (const row of batch) left.delete(row._id);
    if (changed.length > 0) await write((transaction) => own.bulkUpdate(changed.map(updateOf), { transaction }));
  }
  const gone = [...left.keys()];
  for (let at = 0; at < gone.length; at += BATCH)
    await write((transaction) => own.remove({ _id: { $in: gone.slice(at, at + BATCH) } }, { transaction }));
}

const updateOf = ({ _id, tenant_id: _tenant, ...row }: KeptRow) => ({ _id, update: { $set: row }, upsert: true });
