import type { IngestSinks } from '../../../kit/engine/context.js';
import { DETECTION_SOURCE } from '../../../kit/engine/event-pack.js';
import { inBatches } from '../../../kit/engine/retention.js';
import { findingId, findingRowId } from '../../../kit/findings/row.js';
import { ENGINE } from '../indicators/about.js';
import { identityOf } from './finding.js';
import { ALERT, threatShown } from './records.js';

/**
 * Takes note that resources are no more: inventories, scans and bills of materials tell nothing of them any more, and what they were found by is resolved. What an alert
 * saw has happened, and stays.
 */
export const noteGone: IngestSinks['gone'] = async (context, run, resourceUids) => {
  const { services, auth, signal } = context;
  const rows = services.database.tenant(auth.tenant_id).collection(threatShown);
  const fields = ['resource_uid', 'kind', 'value', 'shown_by'] as const;
  for await (const batch of inBatches(rows.scan({ resource_uid: { $in: [...resourceUids] } }, { sort: { _id: 1 }, fields }))) {
    signal.throwIfAborted();
    const left = batch.map((shown) => ({ shown, alerts: shown.shown_by.filter((by) => by.startsWith(ALERT)) }));
    const over = left.filter(({ alerts }) => alerts.length === 0).map(({ shown }) => findingId(ENGINE, identityOf(shown)));
    // before the rows: killed between both, it is begun again
    await services.ingest.findings(context, ENGINE).closePassed(
      { ...run, format: DETECTION_SOURCE },
      over.map((id) => findingRowId(auth.tenant_id, ENGINE, id)),
    );
    const changed = left.filter(({ shown, alerts }) => alerts.length < shown.shown_by.length);
    const updates = changed.map(({ shown: { _id }, alerts }) => ({
      _id,
      update: { $set: { shown_by: alerts, scan_run_id: run.scan_run_id } },
    }));
    if (updates.length > 0) await context.transaction((transaction) => rows.bulkUpdate(updates, { transaction }));
  }
};
