import { isDeepStrictEqual } from 'node:util';
import { entriesOf, firstSeq, scanRows, type AuditEntry } from './entries.js';
import { entryCheck } from './epochs.js';
import { auditHeads, auditLog } from './records.js';
import { GENESIS, type AuditSeals } from './seals.js';
import { auditSegments, type AuditSegment } from './segments.js';
import type { TenantDatabase } from '../store/database.js';

/** A place in a chain: the number and the hash of the last entry before it. */
export interface ChainPlace {
  readonly seq: number;
  readonly hash: string;
}

/** The first entry of a chain that does not hold. */
export interface ChainBreak {
  readonly seq: number;
  readonly reason: string;
}

/** What a walk over a chain has found. */
export interface ChainVerdict {
  /** Number of entries that hold, up to the break if there is one. */
  readonly entries: number;
  /** Number of the oldest entry that is kept; 1 until retention has removed a month. */
  readonly first_seq: number;
  readonly broken: ChainBreak | null;
}

const START: ChainPlace = { seq: 0, hash: GENESIS };

/**
 * Walks a tenant's chain: the sealed months, then every kept entry, then the head. Finds any edit, gap and reorder, and an end that was cut
 * off, unless the whole database was set back to an earlier state: that, only a copy of the head outside the database shows. Entries that are
 * written meanwhile are walked, too.
 */
export async function verifyChain(tenant: TenantDatabase, seals: AuditSeals): Promise<ChainVerdict> {
  return (await verifyChainBehind(tenant, seals, START)).verdict;
}

/**
 * The same for what follows on a place: sealed months, the entries behind it and the head. What stands before it is not walked again.
 * @returns the verdict, which counts the entries behind the place alone, and how far the chain holds
 */
export async function verifyChainBehind(tenant: TenantDatabase, seals: AuditSeals, from: ChainPlace): Promise<Walked> {
  const readMonths = () => tenant.collection(auditSegments).find({}, { sort: { first_seq: 1 } });
  for (;;) {
    const segments = await readMonths();
    const walked = await walkBehind(tenant, seals, from, segments);
    // a retention that removed a month meanwhile has taken its entries from under the walk
    if (!walked.verdict.broken || isDeepStrictEqual(segments, await readMonths())) return walked;
  }
}

interface Walked {
  verdict: ChainVerdict;
  place: ChainPlace;
}

async function walkBehind(tenant: TenantDatabase, seals: AuditSeals, from: ChainPlace, segments: readonly AuditSegment[]): Promise<Walked> {
  const rows = tenant.collection(auditLog);
  const { start, broken } = readSegments(segments, seals);
  const first_seq = start.seq + 1;
  if (broken) return { verdict: { entries: 0, first_seq, broken }, place: from };
  const ends = new Map(segments.map((segment) => [segment.last_seq, segment]));
  const isBehind = from.seq > start.seq;
  const first = isBehind ? from : start;
  if (isBehind && (await rows.findOne({ seq: from.seq }, { fields: ['hash'] }))?.hash !== from.hash)
    return {
      verdict: { entries: 0, first_seq, broken: { seq: from.seq, reason: `entry ${from.seq} was changed or removed` } },
      place: start,
    };
  let place = first;
  let asked = -1;
  for (;;) {
    const verdict = (broken: ChainBreak | null) => ({ verdict: { entries: place.seq - first.seq, first_seq, broken }, place });
    const isEmpty = segments.length === 0 && !(await rows.findOne({}, { fields: ['seq'] }));
    const head = await tenant.collection(auditHeads).findOne({});
    if (head ? !seals.holds(head.seal, seals.head(head)) : !isEmpty) return verdict(await brokenEnd(tenant, seals, place, ends));
    const end = head ?? START;
    const walked = await walk(tenant, seals, place, end.seq, ends);
    place = walked.place;
    if (walked.broken) return verdict(walked.broken);
    if (place.seq !== end.seq || place.hash !== end.hash)
      return verdict({ seq: place.seq + 1, reason: 'the end of the chain was cut off' });
    const beyond = await rows.findOne({ seq: { $gt: place.seq } }, { fields: ['seq'] });
    if (!beyond) return verdict(null);
    if (asked === end.seq) return verdict({ seq: place.seq + 1, reason: 'entries stand behind the end of the chain' });
    asked = end.seq;
  }
}

/** Behind a head that does not hold the entries are still walked, so that the first one that does not hold is named. */
async function brokenEnd(
  tenant: TenantDatabase,
  seals: AuditSeals,
  from: ChainPlace,
  ends: ReadonlyMap<number, AuditSegment>,
): Promise<ChainBreak> {
  const { place, broken } = await walk(tenant, seals, from, Number.MAX_SAFE_INTEGER, ends);
  return broken ?? { seq: place.seq + 1, reason: 'the end of the chain was changed' };
}

/** Where the kept entries begin, and the first sealed month that does not hold. */
function readSegments(segments: readonly AuditSegment[], seals: AuditSeals): { start: ChainPlace; broken: ChainBreak | null } {
  let place = START;
  let start = START;
  for (const segment of segments) {
    const { month, first_seq, last_seq, prev, hash, expired_at } = segment;
    const fail = (reason: string) => ({ start, broken: { seq: Math.min(place.seq + 1, first_seq), reason } });
    if (!seals.holds(segment.seal, seals.segment(segment))) return fail(`the seal of ${month} was changed`);
    if (first_seq !== place.seq + 1 || prev !== place.hash) return fail(`the month before ${month} is missing`);
    place = { seq: last_seq, hash };
    if (expired_at) start = place;
  }
  return { start, broken: null };
}

/**
 * Walks the entries behind `from`, up to number `last`, in their order. Entries that share a row hold together, or none of them does.
 * @param ends the sealed months by their last entry
 * @returns how far the chain holds, and the first entry that does not
 */
export async function walk(
  tenant: TenantDatabase,
  seals: AuditSeals,
  from: ChainPlace,
  last: number,
  ends: ReadonlyMap<number, AuditSegment> = new Map(),
): Promise<{ place: ChainPlace; broken: ChainBreak | null }> {
  let place = from;
  const holds = await entryCheck(tenant, seals);
  for await (const row of scanRows(tenant, from.seq, last)) {
    const seq = place.seq + 1;
    if (firstSeq(row) !== seq) return { place, broken: { seq, reason: `entry ${seq} is missing` } };
    if (row.prev !== place.hash || !holds(row)) return { place, broken: { seq, reason: `entry ${seq} was changed` } };
    const segment = ends.get(row.seq);
    if (segment && segment.hash !== row.hash) return { place, broken: { seq, reason: `entry ${seq} is not the one that was sealed` } };
    place = { seq: row.seq, hash: row.hash };
  }
  return { place, broken: null };
}

/** The entry of this number and whether its row holds, which says it of each entry of the row; null where there is none of this number. */
export async function proveEntry(
  tenant: TenantDatabase,
  seals: AuditSeals,
  seq: number,
): Promise<{ entry: AuditEntry; holds: boolean } | null> {
  const row = await tenant.collection(auditLog).findOne({ seq: { $gte: seq } }, { sort: { seq: 1 } });
  const entry = row && entriesOf(row).find((one) => one.seq === seq);
  return row && entry ? { entry, holds: (await entryCheck(tenant, seals))(row) } : null;
}
