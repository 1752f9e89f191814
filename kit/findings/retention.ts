import { entriesOf } from '../audit/entries.js';
import { auditLog } from '../audit/records.js';
import { EFFECTIVE_FIELDS, FindingEffects } from './effects.js';
import { otherSources } from './other-sources.js';
import { findings, findingTargets } from './row.js';
import { findingRunChanges } from './run-changes.js';
import { inBatches } from '../engine/retention.js';
import type { RetentionRule, RetentionRun } from '../engine/retention-rule.js';

/** The states in which nobody has anything left to do. */
const CLOSED = { $in: ['RESOLVED', 'FALSE_POSITIVE'] };

/**
 * Removes findings that are RESOLVED or FALSE_POSITIVE and that neither a run nor a person has touched since the cutoff. A false positive that
 * runs still report is touched by each of them, so it stays, and is never opened anew.
 */
export const findingRetention: RetentionRule = {
  what: 'findings that are resolved or false positives',
  setting: 'finding_retention_days',
  standard: null,
  async apply(run) {
    for (const { engine } of run.services.findingEngines) await removeFindings(run, engine);
  },
};

async function removeFindings(run: RetentionRun, engine: string): Promise<void> {
  const tenant = run.services.database.tenant(run.tenantId);
  const rows = tenant.engine(engine).collection(findings);
  const old = { status: CLOSED, last_seen_at: { $lt: run.cutoff } };
  for await (const batch of inBatches(
    rows.scan(old, { sort: { last_seen_at: 1 }, fields: ['_id', 'engine', 'finding_id', 'former_engines'], batchSize: 500 }),
  )) {
    const changes = { target: { $in: batch.flatMap(findingTargets) }, timestamp: { $gte: run.cutoff } };
    const told = await tenant.collection(auditLog).find(changes, { fields: ['seq', 'first_seq', 'target'] });
    const changed = new Set(told.flatMap(entriesOf).map(({ target }) => target));
    const ids = batch.filter((row) => !findingTargets(row).some((target) => changed.has(target))).map(({ _id }) => _id);
    if (ids.length === 0) continue;
    await run.batch(`${engine} findings`, async (transaction) => {
      const going = await rows.find({ ...old, _id: { $in: ids } }, { fields: ['finding_id', ...EFFECTIVE_FIELDS], transaction });
      const effects = new FindingEffects();
      for (const row of going) effects.removed(row);
      const removed = going.map(({ _id }) => _id);
      await rows.remove({ _id: { $in: removed } }, { transaction });
      await tenant
        .engine(engine)
        .collection(otherSources)
        .remove({ finding: { $in: removed } }, { transaction });
      await tenant
        .engine(engine)
        .collection(findingRunChanges)
        .remove({ finding_id: { $in: going.map(({ finding_id }) => finding_id) } }, { transaction });
      await effects.write(run.services, run.tenantId, engine, transaction);
      return going.length;
    });
  }
}
