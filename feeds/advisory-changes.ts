import { repeatOnDuplicate, type Database } from '../kit/store/database.js';
import type { TransactionOf } from '../kit/store/query.js';
import { advisories, feedStates } from './records.js';

const STATE = 'osv';
const DIGITS = 12;

const numbered = (no: number): string => String(no).padStart(DIGITS, '0');

/** What the change of an advisory is called: in the order of these names changes were made. */
export const advisoryChange = (no: number, advisoryId: string): string => `${numbered(no)}|${advisoryId}`;

/**
 * The number of the changes of a transaction. Whoever changes advisories writes this row, so that two of them meet here and the order of numbers is
 * that of commits: who has read up to one of them has missed nothing.
 */
export async function nextChange(database: Database, transaction: TransactionOf): Promise<number> {
  const fresh = { version: null, records: 0, loaded_at: null, checked_at: null, etag: null, error: null };
  const update = { $inc: { changes: 1 }, $setOnInsert: fresh };
  const states = database.system(feedStates);
  const state = await states.findAndUpdate({ _id: STATE }, update, { upsert: true, returnNew: true, transaction }).catch(repeatOnDuplicate);
  return state!.changes!;
}

/** The end of the changes that are made: those that come later are behind it. */
export async function lastChange(database: Database): Promise<string> {
  const state = await database.system(feedStates).findOne({ _id: STATE }, { fields: ['changes'] });
  return numbered((state?.changes ?? 0) + 1);
}

/** Some changes of advisories. */
export interface AdvisoryChanges {
  /** The last of them. */
  readonly position: string;
  /** The packages that the advisories are about now, or were before (`packageKey`). */
  readonly packages: readonly string[];
  /** What findings by them are called. */
  readonly ruleIds: ReadonlySet<string>;
}

/** The next changes behind a position, at most `limit`; null when there are none up to `end`. */
export async function changesBehind(database: Database, position: string, end: string, limit: number): Promise<AdvisoryChanges | null> {
  const fields = ['change', 'ever_packages', 'rule_ids'];
  const rows = await database.system(advisories).find({ change: { $gt: position, $lt: end } }, { sort: { change: 1 }, limit, fields });
  const last = rows.at(-1);
  if (!last) return null;
  return {
    position: last.change,
    packages: [...new Set(rows.flatMap(({ ever_packages }) => ever_packages))],
    ruleIds: new Set(rows.flatMap(({ rule_ids }) => rule_ids)),
  };
}
