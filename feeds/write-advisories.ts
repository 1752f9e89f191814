import { createTimeSlice } from '../kit/base/time-slice.js';
import type { Database } from '../kit/store/database.js';
import { advisoryChange, nextChange } from './advisory-changes.js';
import { advisories, type ToldAdvisory } from './records.js';

/** Advisories looked up and written at a time. */
const BATCH = 200;

/** Takes advisories over where they were modified; those that the file does not name stay. @returns how many there were, and how many have changed */
export async function writeAdvisories(database: Database, told: AsyncIterable<ToldAdvisory>) {
  const pause = createTimeSlice();
  let batch = new Map<string, ToldAdvisory>();
  let [records, changed] = [0, 0];
  for await (const row of told) {
    await pause();
    records++;
    batch.set(row._id, row);
    if (batch.size < BATCH) continue;
    changed += await write(database, batch);
    batch = new Map();
  }
  return { records, changed: changed + (await write(database, batch)) };
}

function write(database: Database, told: ReadonlyMap<string, ToldAdvisory>): Promise<number> {
  const rows = database.system(advisories);
  return database.transaction(async (transaction) => {
    const fields = ['modified', 'packages', 'ever_packages', 'change'];
    const stored = await rows.find({ _id: { $in: [...told.keys()] } }, { fields, transaction });
    const known = new Map(stored.map((row) => [row._id, row]));
    const changed = [...told.values()].filter(({ _id, modified }) => {
      const before = known.get(_id);
      // a file that was fetched before the stored one tells nothing new; a row of an earlier release lacks what is told now
      return before?.change === undefined || Date.parse(before.modified) < Date.parse(modified);
    });
    if (changed.length === 0) return 0;
    const no = await nextChange(database, transaction);
    const updates = changed.map(({ _id, ...row }) => {
      const before = known.get(_id);
      const ever_packages = [...new Set([...row.packages, ...(before?.ever_packages ?? before?.packages ?? [])])];
      return { _id, update: { $set: { ...row, ever_packages, change: advisoryChange(no, _id) } }, upsert: true };
    });
    await rows.bulkUpdate(updates, { transaction });
    return changed.length;
  });
}
