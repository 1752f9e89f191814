import { inBatches } from '../../../kit/engine/retention.js';
import type { RetentionRule, RetentionRun } from '../../../kit/engine/retention-rule.js';
import type { AnyCollection } from '../../../kit/store/collection.js';
import { countUsage } from '../../../kit/store/tenant-usage.js';
import { STORED_EVENTS } from './ingest.js';
import { cloudEventCoverage, cloudEventRecords, cloudEvents, cloudEventUsage, idsBefore } from './records.js';

/** Days for which events are kept where a tenant has set nothing. */
const STANDARD = 90;
/** Unused is said of 90 days, and reports look back for a year. */
const USE_STANDARD = 400;

/** Events whose time has passed, and then the packs whose last event has. */
export const eventRetention: RetentionRule = {
  what: 'events of audit logs',
  setting: 'event_retention_days',
  standard: STANDARD,
  async apply(run) {
    await removeBefore(run, 'events of audit logs', cloudEvents, true);
    await removeBefore(run, 'records of events', cloudEventRecords, false);
  },
};

/** What actors have done, once it lies so far back that it tells nothing of what is unused. */
export const usageRetention: RetentionRule = {
  what: 'what was done by whom',
  setting: 'discovery_retention_days',
  standard: USE_STANDARD,
  collection: cloudEventUsage,
  time: 'last_at',
};

/** For which times logs are held. */
export const coverageRetention: RetentionRule = {
  what: 'coverage of audit logs',
  setting: 'discovery_retention_days',
  standard: USE_STANDARD,
  collection: cloudEventCoverage,
  time: 'last_at',
};

async function removeBefore(run: RetentionRun, what: string, collection: AnyCollection, isCounted: boolean): Promise<void> {
  const tenant = run.services.database.tenant(run.tenantId);
  const rows = tenant.collection<{ _id: string }>(collection);
  for await (const batch of inBatches(rows.scan(idsBefore(run.tenantId, run.cutoff), { sort: { _id: 1 }, fields: ['_id'] })))
    await run.batch(what, async (transaction) => {
      const removed = await rows.remove({ _id: { $in: batch.map(({ _id }) => _id) } }, { transaction });
      if (isCounted && removed > 0) await countUsage(tenant, STORED_EVENTS, -removed, { transaction });
      return removed;
    });
}
