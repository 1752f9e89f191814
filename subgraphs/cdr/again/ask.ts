import { randomUUID } from 'node:crypto';
import { loadDetections } from '../../../catalog/detections/rule-set.js';
import { systemAuthContext } from '../../../kit/base/auth-context.js';
import { periodic } from '../../../kit/engine/background.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { endedTenants } from '../../../kit/work/tenant-ends.js';
import { permissionsOf } from '../../../schema/permissions.js';
import { cloudEvents } from '../events/records.js';
import { JUDGE_AGAIN } from './job.js';
import { detectionVersions, VERSIONS_ROW } from './records.js';

type Services = Pick<EngineServices, 'database' | 'storeClock' | 'jobs' | 'logger'>;

const DAY = 86_400_000;
/** Days of stored events that are held against a rule which has changed. */
const LOOKS_BACK = 30;
/** Milliseconds between two looks at whether the rules are those that events were judged by. */
const LOOKS_EVERY = 10 * 60_000;

/** Finds out which rules differ from those that stored events were held against. */
export const rulesChangedTask = periodic('cdr.rules-changed', LOOKS_EVERY, async (services, signal) => {
  await askForChanged(services, versionsOf(loadDetections()), signal);
});

const versionsOf = ({ all }: ReturnType<typeof loadDetections>): ReadonlyMap<string, string> =>
  new Map([...all].map(([rule_id, { version }]) => [rule_id, version]));

/**
 * Queues a job for every tenant with events, when rules are new or others than before: the days before are held against these rules. Killed in the middle it asks
 * again, and a job that is done twice changes nothing.
 * @param versions of the rules of this release, by their ids
 * @returns the rules that have changed
 */
export async function askForChanged(
  services: Services,
  versions: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { database, storeClock, jobs, logger } = services;
  const rows = database.system(detectionVersions);
  const known = (await rows.findOne({ _id: VERSIONS_ROW }))?.versions ?? {};
  const changed = [...versions].flatMap(([rule_id, version]) => (known[rule_id] === version ? [] : [rule_id]));
  if (changed.length === 0) return [];
  const since = new Date(Math.floor(storeClock.now().getTime() / DAY - LOOKS_BACK) * DAY).toISOString();
  let tenants = 0;
  for await (const tenant_id of tenantsWithEvents(services)) {
    signal.throwIfAborted();
    const auth = systemAuthContext(
      { tenant_id, organization_id: 'system', plan: 'starter' },
      'tenant_admin',
      permissionsOf('tenant_admin'),
    );
    const payload = { run: randomUUID(), rules: changed, since };
    await database.transaction((transaction) =>
      jobs.addFollowed(transaction, auth, JUDGE_AGAIN, payload, { readers: ['threat:read'], total: null }),
    );
    tenants++;
  }
  const update = { $set: { versions: Object.fromEntries(versions) } };
  await rows.bulkUpdate([{ _id: VERSIONS_ROW, update, upsert: true }]);
  jobs.wake();
  logger.info({ rules: changed.length, tenants }, 'detections have changed: stored events are judged again');
  return changed;
}

/** The tenants that have events and were not ended, each found with one look into the index. */
async function* tenantsWithEvents({ database }: Services): AsyncGenerator<string> {
  const ended = new Set(await endedTenants(database));
  for (let last = ''; ;) {
    const sort = { tenant_id: 1, actor: 1 } as const;
    const next = await database.system(cloudEvents).findOne({ tenant_id: { $gt: last } }, { sort, fields: ['tenant_id'] });
    if (next === null) return;
    last = next.tenant_id;
    if (!ended.has(last)) yield last;
  }
}
