import type { JobHandler } from '../../../kit/engine/job.js';
import { AssetCounterChanges } from '../counters.js';
import { assets, type AssetRow } from '../records.js';
import { rescoreMark, rescoreWakeup } from '../risk/rescore.js';
import { foundClasses } from '../facts/found-classes.js';
import { contextColumns, contextOfTags, effectiveContext, type ContextColumns } from './context.js';

/** Resources of one transaction. */
const BATCH = 200;
const COLUMNS = ['owner', 'environment', 'criticality', 'data_classes'] as const;

const sameAs = (row: AssetRow, $set: ContextColumns): boolean =>
  COLUMNS.every((column) => JSON.stringify(row[column]) === JSON.stringify($set[column]));

/**
 * Brings the business context of every stored resource to what its tags tell by the tenant's mapping; what people have set stays. Doing it again
 * changes nothing, and a second try goes on where the first ended.
 */
export const reclassifyJob: JobHandler = {
  async run(job) {
    const { auth, services } = job.context;
    const tenant = services.database.tenant(auth.tenant_id);
    const rows = tenant.collection(assets);
    let { done = 0, changed = 0 } = (job.result ?? {}) as { done?: number; changed?: number };
    for (let after = job.position ?? ''; ;) {
      job.alive();
      const { business_tags } = await services.ingest.importSettings(services, auth.tenant_id);
      const last = await job.context.transaction(async (transaction) => {
        const batch = await rows.find({ _id: { $gt: after } }, { sort: { _id: 1 }, limit: BATCH, transaction });
        const end = batch.at(-1);
        if (!end) return null;
        const counters = new AssetCounterChanges(tenant);
        const updates = batch.flatMap((row) => {
          const { $set, $unset } = contextColumns(
            effectiveContext(row.business_set, contextOfTags(row.tags, business_tags), foundClasses(row.facts)),
          );
          if (sameAs(row, $set)) return [];
          counters.move(row, row);
          const written = { ...$set, ...rescoreMark(row, { ...row, criticality: $set.criticality }) };
          return [{ _id: row._id, update: { ...(Object.keys(written).length > 0 && { $set: written }), $unset } }];
        });
        await rows.bulkUpdate(updates, { transaction });
        if (updates.length > 0) {
          await counters.write(transaction);
          rescoreWakeup(services.database).wakeAfter(transaction);
        }
        const now = { done: done + batch.length, changed: changed + updates.length };
        await job.advance(transaction, { done: now.done, position: end._id, result: now });
        return { after: end._id, ...now };
      });
      if (!last) return;
      ({ after, done, changed } = last);
    }
  },
  async giveUp({ context }, reason) {
    context.services.logger.error({ tenant: context.auth.tenant_id, reason }, 'resources were not brought to the tags of the tenant');
  },
};
