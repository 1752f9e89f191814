import type { EngineServices } from '../../engine/context.js';
import type { BackgroundTask } from '../../engine/background.js';
import { inBatches } from '../../engine/retention.js';
import type { EngineDatabase } from '../../store/database.js';
import { workOffDue, type DueWork } from '../../work/due.js';
import { COUNTED_FIELDS } from '../counters.js';
import { CounterChanges } from '../counter-changes.js';
import { findings, type FindingRow } from '../row.js';
import { DueDates } from './due-dates.js';
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
  services: Pick<EngineServices, 'database' | 'findingEngines'>,
  tenantId: string,
  signal: AbortSignal,
  isEnough: () => boolean = () => false,
): Promise<boolean> {
  const tenant = services.database.tenant(tenantId);
  const dates = await DueDates.read(tenant);
  for (const { engine } of services.findingEngines) {
    const scoped = tenant.engine(engine);
    const rows = scoped.collection(findings).scan({ due_set_by: null }, { fields: DATED_FIELDS, batchSize: BATCH });
    for await (const batch of inBatches(rows)) {
      signal.throwIfAborted();
      const wrong = batch.filter((row) => 'due_at' in dates.change(row)).map(({ _id }) => _id);
      if (wrong.length === 0) continue;
      if (isEnough()) return false;
      await setDates(services, scoped, dates, wrong);
    }
  }
  return true;
}

async function setDates(
  { database }: Pick<EngineServices, 'database'>,
  scoped: EngineDatabase,
  dates: DueDates,
  ids: readonly string[],
): Promise<void> {
  await database.transaction(async (transaction) => {
    const rows = scoped.collection(findings);
    const fields = [...new Set([...COUNTED_FIELDS, ...DATED_FIELDS, 'version'])];
    const found: FindingRow[] = await rows.find({ _id: { $in: ids } }, { fields, transaction });
    const counters = new CounterChanges();
    const updates = found.flatMap((row) => {
      const change = dates.change(row);
      if (!('due_at' in change)) return [];
      counters.move(row, row);
      return [{ _id: row._id, update: { $set: { ...change, version: row.version + 1 } } }];
    });
    await rows.bulkUpdate(updates, { transaction });
    await counters.write(scoped, transaction);
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
