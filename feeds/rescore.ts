import type { BackgroundTask } from '../kit/engine/background.js';
import type { EngineServices } from '../kit/engine/context.js';
import { findingCves } from '../kit/findings/cves/records.js';
import { rescorePage } from '../kit/findings/cves/rescore.js';
import { heldBy, workOffDue, type DueWork, type Outcome, type Taken } from '../kit/work/due.js';
import { vulnerabilityRescores, type VulnerabilityRescoreRow } from './records.js';

/** How long a tenant is worked on before those that wait have their turn, and how soon what failed is tried again; milliseconds. */
const TURN = 1_000;
const RETRY = 60_000;

/** Asks for every tenant with vulnerabilities that they are scored anew, from the beginning. */
export async function askForRescores({ database, storeClock }: Pick<EngineServices, 'database' | 'storeClock'>): Promise<void> {
  for (let last = ''; ;) {
    // each tenant is found with one look into the index
    const sort = { tenant_id: 1, engine: 1, is_open: 1, cve: 1 } as const;
    const next = await database.system(findingCves).findOne({ tenant_id: { $gt: last } }, { sort, fields: ['tenant_id'] });
    if (next === null) return;
    last = next.tenant_id;
    const fresh = { due_at: storeClock.now(), leased_by: null, leased_until: null, position: '' };
    const rows = database.tenant(last).collection(vulnerabilityRescores);
    await rows.bulkUpdate([{ _id: last, update: { $set: fresh, $inc: { lease_no: 1, revision: 1 } }, upsert: true }]);
  }
}

/** Scores vulnerabilities of tenants that have been asked for, in turns. */
export const rescoreTask: BackgroundTask = {
  name: 'vulnerability-rescores',
  run: (services, stopping) => workOffDue(services, rescoreWork(services), stopping),
};

export const rescoreWork = (services: EngineServices): DueWork<VulnerabilityRescoreRow> => ({
  name: 'vulnerability-rescores',
  collection: vulnerabilityRescores,
  atATime: 2,
  run: (taken) => rescore(services, taken),
  failed({ row }, error) {
    services.logger.error({ err: error, tenant: row.tenant_id }, 'vulnerabilities could not be scored anew');
    return { due_at: new Date(services.storeClock.now().getTime() + RETRY) };
  },
});

async function rescore(
  services: EngineServices,
  { row, signal }: Taken<VulnerabilityRescoreRow>,
): Promise<Outcome<VulnerabilityRescoreRow> | null> {
  const until = performance.now() + TURN;
  const rows = services.database.tenant(row.tenant_id).collection(vulnerabilityRescores);
  const engines = services.findingEngines.filter(({ vulnerabilities }) => vulnerabilities);
  for (let position = row.position; ;) {
    signal.throwIfAborted();
    const next = await rescorePage(services, row.tenant_id, engines, position, signal);
    if (next === null) return { due_at: null, when: { revision: row.revision }, set: { position: '' } };
    const { matched } = await rows.update({ ...heldBy(row), revision: row.revision }, { $set: { position: next } });
    // asked for again meanwhile: whoever takes it next begins anew
    if (matched === 0) return null;
    position = next;
    if (performance.now() > until) return { due_at: services.storeClock.now(), when: { revision: row.revision } };
  }
}
