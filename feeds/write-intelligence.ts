import { createTimeSlice } from '../kit/base/time-slice.js';
import { cveIntelligence, type CveIntelligence } from '../kit/findings/cves/intelligence.js';
import type { Database } from '../kit/store/database.js';
import type { EpssScore } from './epss.js';
import type { KevCatalog } from './kev.js';

/** CVEs looked up and written at a time. */
const BATCH = 1_000;

type Change = Partial<Omit<CveIntelligence, '_id'>>;
const NOTHING: Omit<CveIntelligence, '_id'> = { epss: null, epss_percentile: null, kev: null };

/** Puts into the store what is told of CVEs, where it differs. @returns how many it changed */
async function write(database: Database, told: ReadonlyMap<string, Change>): Promise<number> {
  const rows = database.system(cveIntelligence);
  const stored = new Map((await rows.find({ _id: { $in: [...told.keys()] } })).map((row) => [row._id, row]));
  const updates = [...told].flatMap(([_id, change]) => {
    const known = stored.get(_id);
    const differs = Object.entries(change).some(([name, value]) => !isSame(known?.[name as keyof Change] ?? null, value));
    const rest = Object.fromEntries(Object.entries(NOTHING).filter(([name]) => !(name in change)));
    return differs ? [{ _id, update: { $set: change, $setOnInsert: rest }, upsert: true }] : [];
  });
  await rows.bulkUpdate(updates);
  return updates.length;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

async function writeAll(database: Database, told: AsyncIterable<[string, Change]> | Iterable<[string, Change]>) {
  const pause = createTimeSlice();
  let batch = new Map<string, Change>();
  let [records, changed] = [0, 0];
  for await (const [cve, change] of told) {
    await pause();
    records++;
    batch.set(cve, change);
    if (batch.size < BATCH) continue;
    changed += await write(database, batch);
    batch = new Map();
  }
  return { records, changed: changed + (await write(database, batch)) };
}

/** Takes the catalog over as a whole: what it does not name any more is not known to be exploited. */
export async function writeKev(database: Database, { entries }: KevCatalog) {
  const named = await writeAll(
    database,
    [...entries].map(([cve, kev]) => [cve, { kev }]),
  );
  const stored = await database.system(cveIntelligence).find({ 'kev.added_on': { $exists: true } }, { fields: ['_id'] });
  const gone = stored.filter(({ _id }) => !entries.has(_id));
  const left = await writeAll(
    database,
    gone.map(({ _id }) => [_id, { kev: null }]),
  );
  return { records: named.records, changed: named.changed + left.changed };
}

/** Takes scores over. CVEs that the file does not name keep theirs. */
export async function writeEpss(database: Database, scores: AsyncIterable<EpssScore>) {
  async function* told(): AsyncGenerator<[string, Change]> {
    for await (const { cve, epss, percentile } of scores) yield [cve, { epss, epss_percentile: percentile }];
  }
  return writeAll(database, told());
}
