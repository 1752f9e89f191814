import { createTimeSlice } from '../kit/base/time-slice.js';
import type { Database } from '../kit/store/database.js';
import { advisories, type AdvisoryRow } from './records.js';

/** Advisories looked up and written at a time. */
const BATCH = 200;

/** Takes advisories over where they were modified; those that the file does not name stay. @returns how many there were, and how many have changed */
export async function writeAdvisories(database: Database, told: AsyncIterable<AdvisoryRow>) {
  const pause = createTimeSlice();
  let batch = new Map<string, AdvisoryRow>();
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

async function write(database: Database, told: ReadonlyMap<string, AdvisoryRow>): Promise<number> {
  const rows = database.system(advisories);
  const stored = await rows.find({ _id: { $in: [...told.keys()] } }, { fields: ['modified'] });
  const known = new Map(stored.map(({ _id, modified }) => [_id, modified]));
  const updates = [...told.values()].flatMap(({ _id, ...row }) => {
    const before = known.get(_id);
    // a file that was fetched before the stored one tells nothing new
    if (before !== undefined && Date.parse(before) >= Date.parse(row.modified)) return [];
    return [{ _id, update: { $set: row }, upsert: true }];
  });
  await rows.bulkUpdate(updates);
  return updates.length;
}
