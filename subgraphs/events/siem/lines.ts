import type { ProvenEntry } from '../../../kit/audit/entries.js';
import { toOcsf } from '../../../kit/audit/ocsf.js';
import type { SiemExportRow } from './records.js';

/** An entry as it leaves: what the audit log shows of it, and the hashes by which a copy can be held against the chain. */
const toEntry = ({ tenant_id, seq, timestamp, prev, hash, batch, ...row }: ProvenEntry) => ({
  id: `${tenant_id}|${seq}`,
  tenant_id,
  seq,
  timestamp: timestamp.toISOString(),
  actor_email: row.actor_email,
  action: row.action,
  target: row.target ?? null,
  target_email: row.target_email ?? null,
  role: row.role ?? null,
  ip_address: row.ip_address ?? null,
  result: row.result,
  detail: row.detail ?? null,
  support: row.support ?? null,
  api_key_id: row.api_key_id ?? null,
  prev,
  hash,
  ...(batch && { batch }),
});

/** The line of one entry, with its line feed. */
export const toLine = (format: SiemExportRow['format'], entry: ProvenEntry): string =>
  `${JSON.stringify(format === 'ocsf' ? toOcsf(entry) : toEntry(entry))}\n`;
