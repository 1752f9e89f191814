import { Webhook } from 'standardwebhooks';
import { scanEntries, type ProvenEntry } from '../../../kit/audit/entries.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { heldBy } from '../../../kit/work/due.js';
import { DeliveryFailed, DeliveryOvertaken } from './failure.js';
import { toLine } from './lines.js';
import { openSecret, siemExports, type SiemExportRow } from './records.js';

/** Largest batch: entries, and bytes of their lines. */
const MAX_ENTRIES = 500;
const MAX_BYTES = 1_000_000;

/**
 * Posts the next entries of an export as one batch, signed after Standard Webhooks. The batch is fixed before it is sent: whatever
 * happens, the next try carries the same entries under the same id, so that a receiver knows what it has seen.
 * @returns how far the export is then; null when there is nothing to send
 * @throws DeliveryFailed when the answer is not 2xx; DeliveryOvertaken; what fetch throws
 */
export async function postBatch(services: EngineServices, row: SiemExportRow, signal: AbortSignal): Promise<Partial<SiemExportRow> | null> {
  const tenant = services.database.tenant(row.tenant_id);
  const { lines, first, last } = await fitting(scanEntries(tenant, row.position, row.batch_end ?? undefined), row.format);
  if (lines.length === 0) return null;
  const { matched } = await tenant.collection(siemExports).update(heldBy(row), { $set: { batch_end: last } });
  if (matched === 0) throw new DeliveryOvertaken();

  const { url, secret } = row.webhook!;
  const body = lines.join('');
  const id = `${row.tenant_id}|${first}-${last}`;
  const now = services.clock.now();
  const response = await services.outbound.fetch(url, {
    method: 'POST',
    signal,
    body,
    headers: {
      'content-type': 'application/x-ndjson',
      'user-agent': 'Palisade',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(openSecret(services.masterKey, row.tenant_id, secret)).sign(id, now, body),
    },
  });
  await response.body?.cancel();
  if (!response.ok) throw new DeliveryFailed(`the address answered ${response.status}`);
  return { position: last, batch_end: null };
}

/** The lines of as many entries as one batch may carry, at least one where there is one, and the numbers of the first and the last. */
async function fitting(entries: AsyncIterable<ProvenEntry>, format: SiemExportRow['format']) {
  const lines: string[] = [];
  let [bytes, first, last] = [0, 0, 0];
  for await (const entry of entries) {
    const line = toLine(format, entry);
    bytes += Buffer.byteLength(line);
    if (lines.length > 0 && bytes > MAX_BYTES) break;
    if (lines.push(line) === 1) first = entry.seq;
    last = entry.seq;
    if (lines.length === MAX_ENTRIES) break;
  }
  return { lines, first, last };
}
