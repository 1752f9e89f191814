import type { EnginePart } from '../../../kit/engine/engine.js';
import { inBatches } from '../../../kit/engine/retention.js';
import type { RetentionRule } from '../../../kit/engine/retention-rule.js';
import { countUsage } from '../../../kit/store/tenant-usage.js';
import { STORED_INDICATORS } from './ingest.js';
import { threatIndicators, threatSightings } from './records.js';

const KEPT = { setting: 'event_retention_days', standard: 90 } as const;

/** Events that are not kept any more can be matched no more. */
const sightingRetention: RetentionRule = {
  ...KEPT,
  what: 'what indicators may name of events',
  collection: threatSightings,
  time: 'last_at',
};

/** An indicator that ended before the oldest event matches nothing any more. */
const indicatorRetention: RetentionRule = {
  ...KEPT,
  what: 'indicators that have ended',
  async apply({ services, tenantId, cutoff, batch }) {
    const tenant = services.database.tenant(tenantId);
    const rows = tenant.collection(threatIndicators);
    const ended = { ends_at: { $lt: cutoff } };
    for await (const some of inBatches(rows.scan(ended, { sort: { ends_at: 1 }, fields: ['_id'] })))
      await batch('indicators that have ended', async (transaction) => {
        const removed = await rows.remove({ ...ended, _id: { $in: some.map(({ _id }) => _id) } }, { transaction });
        if (removed > 0) await countUsage(tenant, STORED_INDICATORS, -removed, { transaction });
        return removed;
      });
  },
};

/** What feeds know adversaries by, and where events show it. */
export const indicators: EnginePart = {
  prefixes: ['threat'],
  typeDefs: '',
  resolvers: {},
  collections: [threatIndicators, threatSightings],
  retention: [sightingRetention, indicatorRetention],
};
