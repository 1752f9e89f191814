import { setTimeout as sleep } from 'node:timers/promises';
import type { BackgroundTask } from '../../../kit/engine/background.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { heldBy, workOffDue, type DueWork, type Outcome, type Taken } from '../../../kit/work/due.js';
import { askForChanged } from './ask.js';
import { projectionRefreshes, type ProjectionRefreshRow } from './records.js';
import { refreshBatch, type Place } from './walk.js';

/** How long a tenant is worked on before those that wait have their turn, and how soon a refresh that failed is tried again; milliseconds. */
const TURN = 1_000;
const RETRY = 60_000;
/** How often a process looks whether its projections still count: one of an earlier release may have started, and ended, since. */
const LOOKS_EVERY = 60 * 60_000;

/** Finds out at the start, and now and then, which projections differ from those that stored assets were seen with. */
export const projectionVersionsTask: BackgroundTask = {
  name: 'projection-versions',
  async run(services, signal) {
    while (!signal.aborted) {
      await askForChanged(services, signal);
      await sleep(LOOKS_EVERY, undefined, { signal }).catch(() => undefined);
    }
  },
};

/** Goes through the stored assets of tenants that have been asked for, in turns. */
export const projectionRefreshTask: BackgroundTask = {
  name: 'projection-refresh',
  run: (services, signal) => workOffDue(services, refreshWork(services), signal),
};

function refreshWork(services: EngineServices): DueWork<ProjectionRefreshRow> {
  const { storeClock, logger, ingest } = services;
  const after = (pause: number): Outcome<ProjectionRefreshRow> => ({ due_at: new Date(storeClock.now().getTime() + pause) });
  return {
    name: 'projection-refresh',
    collection: projectionRefreshes,
    // what another release asked for is that release's work
    where: { $or: ingest.projections.map(({ name, version }) => ({ projection: name, version })) },
    atATime: 1,
    async run(taken) {
      const until = performance.now() + TURN;
      try {
        for (let place = taken.row.place; ;) {
          taken.signal.throwIfAborted();
          const next = await refreshNext(services, taken, place);
          if (next === null) return { due_at: null };
          if (performance.now() > until) return after(0);
          place = next;
        }
      } catch (error) {
        if (error instanceof TakenOver) return null;
        throw error;
      }
    },
    failed({ row: { tenant_id, projection } }, error) {
      logger.error({ err: error, tenant_id, projection }, 'stored assets could not be read again for a view of the inventory');
      return after(RETRY);
    },
  };
}

/** Another worker has the refresh, or it begins again. */
class TakenOver extends Error {}

/** One batch, in a transaction that holds only while the refresh is this worker's. @throws TakenOver when it is not */
function refreshNext(
  { database, clock, ingest }: EngineServices,
  { row }: Taken<ProjectionRefreshRow>,
  place: Place,
): Promise<Place | null> {
  const projection = ingest.projections.find(({ name }) => name === row.projection)!;
  const tenant = database.tenant(row.tenant_id);
  return database.transaction(async (transaction) => {
    const next = await refreshBatch(tenant, projection, place, clock.now(), transaction);
    const { matched } = await tenant
      .collection(projectionRefreshes)
      .update(heldBy(row), { $set: { place: next ?? place } }, { transaction });
    if (matched === 0) throw new TakenOver();
    return next;
  });
}
