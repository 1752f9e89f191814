import { inBatches } from '../../engine/retention.js';
import type { RetentionRule, RetentionRun } from '../../engine/retention-rule.js';
import { feedHeads, findingFeed } from './records.js';

/** Changes that are kept of a tenant, however young they are. */
export const MOST_CHANGES = 1_000_000;

/**
 * Removes changes that are older than the cutoff, and the oldest where there are too many. The head says up to which number in the same
 * transaction, so that a cursor behind it is told that it has missed something.
 */
export const feedRetention: RetentionRule = {
  what: 'changes of findings in the feed',
  setting: 'change_retention_days',
  standard: 30,
  async apply(run) {
    const head = await run.services.database.tenant(run.tenantId).collection(feedHeads).findOne({ _id: run.tenantId });
    if (!head) return;
    for (const { engine } of run.services.findingEngines) await removeChanges(run, engine, head.seq - MOST_CHANGES);
  },
};

async function removeChanges(run: RetentionRun, engine: string, last: number): Promise<void> {
  const tenant = run.services.database.tenant(run.tenantId);
  const rows = tenant.engine(engine).collection(findingFeed);
  const old = [{ at: { $lt: run.cutoff } }, ...(last > 0 ? [{ seq: { $lte: last } }] : [])];
  for (const condition of old) {
    for await (const batch of inBatches(rows.scan(condition, { sort: { seq: 1 }, fields: ['_id', 'seq'] }))) {
      const end = batch.at(-1)!.seq;
      await run.batch('changes in the feed', async (transaction) => {
        await tenant.collection(feedHeads).update({ _id: run.tenantId }, { $max: { removed_to: end } }, { transaction });
        return rows.remove({ _id: { $in: batch.map(({ _id }) => _id) } }, { transaction });
      });
    }
  }
}
