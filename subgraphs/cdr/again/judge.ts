import type { DetectionRules } from '../../../catalog/detections/rule-set.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { unpackRecords, type PackedEvent } from '../../../kit/engine/event-pack.js';
import { bytesOf } from '../../../kit/store/fields.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { noteMatches, type MatchedEvent } from '../detections/note.js';
import { cloudEventRecords, cloudEvents, tenantPrefix, type CloudEventRow } from '../events/records.js';

/** Events that are judged together. */
const BATCH = 500;

interface Judged {
  readonly last: string;
  readonly events: number;
}

/**
 * Holds the next stored events against some rules, and notes what these see.
 * @param advance notes how far it is, in the transaction of what was noted
 * @returns null at the end
 */
export async function judgeNext(
  context: EngineContext,
  rules: DetectionRules,
  asked: { readonly rules: ReadonlySet<string>; readonly run: { readonly scan_run_id: string } },
  after: string,
  advance: (transaction: TransactionOf, judged: Judged) => Promise<void>,
): Promise<Judged | null> {
  const { tenant_id } = context.auth;
  const own = { _id: { $gt: after, $lt: `${tenantPrefix(tenant_id)}~` } };
  const rows = await context.collection(cloudEvents).find(own, { sort: { _id: 1 }, limit: BATCH });
  if (rows.length === 0) return null;
  const recordOf = await recordsOf(context, rows);
  const matched = rows.flatMap((row): MatchedEvent[] => {
    const event = eventOf(row);
    const record = recordOf(row);
    if (record === undefined) return [];
    const matches = rules.match({ ...event, record }).filter(({ rule_id }) => asked.rules.has(rule_id));
    return matches.length > 0 ? [{ id: row._id, event, matches }] : [];
  });
  const judged = { last: rows.at(-1)!._id, events: rows.length };
  await context.transaction(async (transaction) => {
    await noteMatches(context.services.database.tenant(tenant_id), asked.run.scan_run_id, matched, transaction);
    await advance(transaction, judged);
  });
  return judged;
}

/** What was stored of an event, as rules look at it. */
function eventOf({ _id, tenant_id: _tenant, pack: _pack, account_id, ...row }: CloudEventRow): PackedEvent {
  return { ...row, ...(account_id !== null && { account_id }), position: _id };
}

async function recordsOf(context: EngineContext, rows: readonly CloudEventRow[]) {
  const ids = [...new Set(rows.map(({ pack }) => pack))];
  const records = new Map<string, Record<string, unknown>[]>();
  // one at a time, so that what is held is as large as one, unpacked
  for await (const { _id, records: packed } of context.collection(cloudEventRecords).scan({ _id: { $in: ids } }, { batchSize: 20 }))
    records.set(_id, unpackRecords(bytesOf(packed)));
  return ({ pack, line }: CloudEventRow) => records.get(pack)?.[line];
}
