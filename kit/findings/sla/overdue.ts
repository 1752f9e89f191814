import { SEVERITIES } from '../../../schema/model.js';
import { inBatches } from '../../engine/retention.js';
import type { Database } from '../../store/database.js';
import { CLOSABLE } from '../lifecycle.js';
import { severityRank } from '../risk-score.js';
import { findings } from '../row.js';

/** Ids of one engine's findings that are open or worked on, and due before a moment; some at a time. */
export async function* overdueIds(database: Database, tenantId: string, engine: string, now: Date): AsyncGenerator<string[]> {
  const rows = database.tenant(tenantId).engine(engine).collection(findings);
  const overdue = { status: { $in: CLOSABLE }, severity_rank: { $in: SEVERITIES.map(severityRank) }, due_at: { $lt: now } };
  for await (const batch of inBatches(rows.scan(overdue, { fields: ['finding_id'] }))) yield batch.map(({ finding_id }) => finding_id);
}
