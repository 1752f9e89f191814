import { createHash } from 'node:crypto';
import { createGzip } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { auditLog } from '../../../kit/audit/audit.js';
import { scanEntries, type AuditEntry } from '../../../kit/audit/entries.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { openBucket } from '../../../kit/outbound/bucket.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import { toLine } from './lines.js';
import { openSecret, type SiemExportRow } from './records.js';

/** Milliseconds that one file may take. */
const PUT_TIMEOUT = 60_000;
const DAY = 86_400_000;
/** Milliseconds that a day is over before its file is written, so that no action of it is still on its way. */
const SETTLED = 5 * 60_000;

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
const startOf = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);

/** What one day's file holds. */
interface DailyFile {
  readonly bytes: Buffer;
  readonly first: AuditEntry;
  readonly last: AuditEntry;
  readonly entries: number;
}

/**
 * Writes the file and the manifest of the next day that is over. Both have the day in their names and the same bytes whenever they are
 * written, so a try that ended in the middle does no harm.
 * @returns how far the export is then; null when no day with entries is over
 * @throws BucketRefused when the service refuses; what fetch throws
 */
export async function writeDay(services: EngineServices, row: SiemExportRow, signal: AbortSignal): Promise<Partial<SiemExportRow> | null> {
  const tenant = services.database.tenant(row.tenant_id);
  const next = await tenant.collection(auditLog).findOne({ seq: { $gt: row.position } }, { sort: { seq: 1 }, fields: ['timestamp'] });
  if (!next) return null;
  // clocks of processes differ: an entry that seems to be of a day already written goes with the day after
  const after = row.last_day ? dayOf(new Date(startOf(row.last_day) + DAY)) : '';
  const day = [dayOf(next.timestamp), after].sort()[1]!;
  const end = startOf(day) + DAY;
  if (end + SETTLED > services.clock.now().getTime()) return null;

  const { bytes, first, last, entries } = await readDay(tenant, row, end);
  const target = row.object_storage!;
  const name = [target.prefix.replace(/\/$/, ''), row.tenant_id, ...day.split('-')].filter(Boolean).join('/');
  const key = `${name}.ndjson.gz`;
  const manifest = {
    tenant_id: row.tenant_id,
    day,
    key,
    format: row.format,
    first_seq: first.seq,
    last_seq: last.seq,
    entries,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    chain: { prev: first.prev, head: { seq: last.seq, hash: last.hash } },
  };
  const secret = openSecret(services.masterKey, row.tenant_id, target.secret_access_key);
  const bucket = await openBucket(services.outbound, target, secret, PUT_TIMEOUT, signal);
  await bucket.put(key, bytes, 'application/gzip');
  await bucket.put(`${name}.manifest.json`, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), 'application/json');
  return { position: last.seq, last_day: day };
}

/** The entries behind the export's position, in their order, up to the first one after the day. */
async function readDay(tenant: TenantDatabase, { position, format }: SiemExportRow, end: number): Promise<DailyFile> {
  const file: { first?: AuditEntry; last?: AuditEntry; entries: number } = { entries: 0 };
  async function* lines() {
    for await (const entry of scanEntries(tenant, position)) {
      if (entry.timestamp.getTime() >= end) return;
      file.first ??= entry;
      file.last = entry;
      file.entries++;
      yield toLine(format, entry);
    }
  }
  const gzip = createGzip();
  const [bytes] = await Promise.all([buffer(gzip), pipeline(lines, gzip)]);
  const { first, last, entries } = file;
  if (!first || !last) throw new Error('the entries of a day are gone');
  return { bytes, first, last, entries };
}
