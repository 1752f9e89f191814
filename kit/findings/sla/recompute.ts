import type { EngineServices } from '../../engine/context.js';
import type { BackgroundTask } from '../../engine/background.js';
import { inBatches } from '../../engine/retention.js';
import { workOffDue, type DueWork } from '../../work/due.js';
import { EFFECTIVE_FIELDS, FindingEffects } from '../effects.js';
import type { OpenFindingsServices } from '../open-changes.js';
import { findings } from '../row.js';
import { DueDates } from './due-dates.js';
import { ranked } from './due-rank.js';
import { slaPolicies, type SlaPolicyRow } from './records.js';

/** Findings looked at a time. */
const BATCH = 500;
/** How soon what failed is tried again, in milliseconds. */
const RETRY = 60_000;

const DATED_FIELDS = ['severity', 'first_seen_at', 'regressed_at', 'due_at', 'due_set_by'] as const;

/**
 * Sets the due dates of a tenant's findings as its policy says, but for those that people have set. Doing it again changes nothing.
 * @param isEnough asked between batches: whether the rest is left to a worker
 * @returns false when `isEnough` ended it
 */
export async function recomputeDueDates(
  services: OpenFindingsServices,
  tenantId: string,
  signal: AbortSignal,
  isEnough: () => boolean = () => false,
): Promise<boolean> {
  const tenant = services.database.tenant(tenantId);
  const dates = await DueDates.read(tenant);
  for (const { engine } of services.findingEngines) {
    const rows = tenant.engine(engine).collection(findings).scan({ due_set_by: null }, { fields: DATED_FIELDS, batchSize: BATCH });
    for await (const batch of inBatches(rows)) {
      signal.throwIfAborted();
      const wrong = batch.filter((row) => 'due_at' in dates.change(row)).map(({ _id }) => _id);
      if (wrong.length === 0) continue;
      if (isEnough()) return false;
      await setDates(services, tenantId, engine, dates, wrong);
    }
  }
  return true;
}

async function setDates(
  services: OpenFindingsServices,
  tenantId: string,
  engine: string,
  dates: DueDates,
  ids: readonly string[],
): Promise<void> {
  await services.database.transaction(async (transaction) => {
    const rows = services.database.tenant(tenantId).engine(engine).collection(findings);
    const fields = [...new Set([...EFFECTIVE_FIELDS, ...DATED_FIELDS])];
    const found = await rows.find({ _id: { $in: ids } }, { fields, transaction });
    const effects = new FindingEffects();
    const updates = found.flatMap((row) => {
      const change = dates.change(row);
      if (!('due_at' in change)) return [];
      const dated = ranked({ ...change, version: row.version + 1 });
      effects.moved(row, { ...row, ...dated });
      return [{ _id: row._id, update: { $set: dated } }];
    });
    await rows.bulkUpdate(updates, { transaction });
    await effects.write(services, tenantId, engine, transaction);
  });
}

/** Finishes what the call that changed a policy has left. */
export const slaTask: BackgroundTask = {
  name: 'sla-policies',
  run: (services, stopping) => workOffDue(services, slaWork(services), stopping),
};

const slaWork = (services: EngineServices): DueWork<SlaPolicyRow> => ({
  name: 'sla-policies',
  collection: slaPolicies,
  atATime: 2,
  async run({ row, signal }) {
    await recomputeDueDates(services, row.tenant_id, signal);
    return { due_at: null, when: { revision: row.revision } };
  },
  failed({ row }, error) {
    services.logger.error({ err: error, tenant: row.tenant_id }, 'due dates could not be set');
    return { due_at: new Date(services.storeClock.now().getTime() + RETRY) };
  },
});
