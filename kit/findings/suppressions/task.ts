import { getAuditLog } from '../../engine/create-context.js';
import type { BackgroundTask } from '../../engine/background.js';
import type { EngineServices, IngestSinks } from '../../engine/context.js';
import { SYSTEM_ACTOR } from '../../base/auth-context.js';
import { heldBy, workOffDue, type DueWork, type Outcome, type Taken } from '../../work/due.js';
import { applySuppression } from './apply.js';
import { suppressions, type SuppressionRow } from './records.js';

/** How soon one that failed is tried again, in milliseconds. */
const RETRY = 60_000;

/** Suppressions that one process works on at a time, and of one tenant. */
const AT_A_TIME = 4;

/** Ends suppressions as they expire, and finishes what a call that changed one has left. */
export const suppressionTask: BackgroundTask = {
  name: 'suppressions',
  run: (services, stopping) => workOffDue(services, suppressionWork(services), stopping),
};

export const suppressionWork = (services: EngineServices): DueWork<SuppressionRow> => ({
  name: 'suppressions',
  collection: suppressions,
  atATime: AT_A_TIME,
  ofATenant: 1,
  run: (taken) => workOn(services, taken),
  failed({ row }, error) {
    services.logger.error({ err: error, tenant: row.tenant_id, suppression: row._id }, 'findings could not be held against a suppression');
    return { due_at: new Date(services.storeClock.now().getTime() + RETRY) };
  },
});

async function workOn(services: EngineServices, taken: Taken<SuppressionRow>): Promise<Outcome<SuppressionRow> | null> {
  const { storeClock, database } = services;
  const expires = taken.row.state === 'active' && taken.row.expires_at !== null && taken.row.expires_at <= storeClock.now();
  const row = expires ? await expire(services, taken.row) : taken.row;
  if (row === null) return null;
  const actor_email = row.state === 'expired' ? SYSTEM_ACTOR : row.updated_by;
  await applySuppression(services, row, { told: { actor_email, result: 'success' }, signal: taken.signal });
  if (row.state === 'lifted') {
    await database.tenant(row.tenant_id).collection(suppressions).remove(heldBy(row));
    return null;
  }
  return { due_at: nextDue(row), when: { revision: row.revision } };
}

/** When a suppression whose findings are all as it says is due again. */
export const nextDue = ({ state, expires_at }: Pick<SuppressionRow, 'state' | 'expires_at'>): Date | null =>
  state === 'active' ? expires_at : null;

/** @returns null when the suppression has changed meanwhile, or is another worker's */
function expire(services: EngineServices, row: SuppressionRow): Promise<SuppressionRow | null> {
  const change = { state: 'expired', revision: row.revision + 1 } as const;
  const { database, clock } = services;
  const rows = database.tenant(row.tenant_id).collection(suppressions);
  return database.transaction(async (transaction) => {
    const { matched } = await rows.update({ ...heldBy(row), revision: row.revision }, { $set: change }, { transaction });
    if (matched === 0) return null;
    const entry = { action: 'suppression.expire', actor_email: SYSTEM_ACTOR, target: `suppression:${row._id}`, result: 'success' } as const;
    await getAuditLog(services).append(transaction, row.tenant_id, clock.now(), [entry]);
    return { ...row, ...change };
  });
}

/** Once a run has ended: the inventory may have told other tags of resources whose findings it did not report. */
export const suppressByTags: IngestSinks['derive'] = async ({ services, auth, signal }) => {
  const rows = await services.database.tenant(auth.tenant_id).collection(suppressions).find({ state: 'active' });
  for (const row of rows.filter(({ scope }) => scope.tag.length > 0))
    await applySuppression(services, row, { told: { actor_email: SYSTEM_ACTOR, result: 'success' }, signal });
};
