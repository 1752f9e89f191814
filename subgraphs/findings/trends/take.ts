import type { Severity, Provider } from '../../../schema/model.js';
import { permissionsOf } from '../../../schema/permissions.js';
import { auditHeads } from '../../../kit/audit/audit.js';
import { systemAuthContext } from '../../../kit/base/auth-context.js';
import { periodic } from '../../../kit/engine/background.js';
import type { EngineContext, EngineServices, IngestSinks } from '../../../kit/engine/context.js';
import { createEngineContext } from '../../../kit/engine/create-context.js';
import { runOperation } from '../../../kit/engine/operation.js';
import { countedCells } from '../../../kit/findings/counted.js';
import { cellsOf, findingCounters } from '../../../kit/findings/counters.js';
import { versionOf } from '../../../kit/findings/kept.js';
import { CLOSABLE } from '../../../kit/findings/lifecycle.js';
import { findings } from '../../../kit/findings/row.js';
import type { EngineDatabase } from '../../../kit/store/database.js';
import type { Filter } from '../../../kit/store/query.js';
import { endedTenants } from '../../../kit/work/tenant-ends.js';
import { inventory } from '../dashboard/estate.js';
import { postureSnapshots, type EngineSnapshot, type Tally } from './records.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Between two looks that runs ask for. */
const PAUSE = 60_000;

/** Looks at the present day of every tenant each hour, so that what is last seen of a day is how it ended, within an hour. */
export const snapshotTask = periodic('findings.snapshots', HOUR, takeSnapshots);

/** One round over all tenants. One that fails is logged, and holds up no other. */
export async function takeSnapshots(services: EngineServices, signal: AbortSignal): Promise<void> {
  const ended = new Set(await endedTenants(services.database));
  for await (const { tenant_id } of services.database.system(auditHeads).scan({}, { fields: ['tenant_id'] })) {
    if (ended.has(tenant_id)) continue;
    signal.throwIfAborted();
    await takeOne(services, tenant_id, signal);
  }
}

/** Once a run has changed something, unless that was noted a moment ago: runs may come one after the other, and the round comes by as well. */
export const takeAfterRun: IngestSinks['conclude'] = async ({ services, auth, signal }) => {
  const now = services.clock.now();
  const rows = services.database.tenant(auth.tenant_id).collection(postureSnapshots);
  const before = await rows.findOne({ _id: snapshotId(auth.tenant_id, dayOf(now)) }, { fields: ['taken_at'] });
  if (!before || now.getTime() - before.taken_at.getTime() >= PAUSE) await takeOne(services, auth.tenant_id, signal);
};

async function takeOne(services: EngineServices, tenant_id: string, signal: AbortSignal): Promise<void> {
  const tenant = { tenant_id, organization_id: 'system', plan: 'starter' } as const;
  const auth = systemAuthContext(tenant, 'tenant_admin', permissionsOf('tenant_admin'));
  await takeSnapshot(createEngineContext(services, 'findings', auth, signal)).catch((error: unknown) => {
    if (signal.aborted) throw error;
    services.logger.error({ err: error, tenant: tenant_id }, 'how the tenant stands could not be noted');
  });
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);
const snapshotId = (tenantId: string, day: string): string => `${tenantId}|${day}`;

/** Notes how the tenant of a context stands on the present day; what has not changed since it was noted last is not counted again. */
export async function takeSnapshot(context: EngineContext): Promise<void> {
  const { auth, services } = context;
  const taken_at = services.clock.now();
  const day = dayOf(taken_at);
  const rows = context.collection(postureSnapshots);
  const _id = snapshotId(auth.tenant_id, day);
  const before = await rows.findOne({ _id });
  const { total: resources } = await runOperation(context, inventory, {});
  const engines: Record<string, EngineSnapshot> = {};
  for (const { engine } of services.findingEngines) {
    const database = services.database.tenant(auth.tenant_id).engine(engine);
    const version = await versionOf(database);
    const known = before?.engines[engine];
    if (version === undefined) continue;
    engines[engine] = known?.version === version ? known : await countEngine(database, version, new Date(`${day}T00:00:00.000Z`));
  }
  if (Object.keys(engines).length === 0 && resources === 0) return;
  await rows.update({ _id }, { $set: { day, taken_at, resources, engines } }, { upsert: true });
}

interface Alike {
  severity: Severity;
  provider: Provider;
  count: number;
}

function tally(alike: readonly Alike[]): Tally {
  const sums: Tally = {};
  for (const { severity, provider, count } of alike) {
    const key = `${severity}|${provider}`;
    sums[key] = (sums[key] ?? 0) + count;
  }
  return sums;
}

async function countEngine(database: EngineDatabase, version: string, from: Date): Promise<EngineSnapshot> {
  const within = { $gte: from, $lt: new Date(from.getTime() + DAY) };
  const rows = database.collection(findings);
  const counted = async (condition: Filter): Promise<Tally> => {
    const groups = await rows.aggregate<{ _id: Omit<Alike, 'count'>; count: number }>([
      { $match: condition },
      { $group: { _id: { severity: '$severity', provider: '$provider' }, count: { $sum: 1 } } },
    ]);
    return tally(groups.map(({ _id, count }) => ({ ..._id, count })));
  };
  const first = await database.collection(findingCounters).find({ by: 'first_seen_at', moment: within }, { fields: ['counts'] });
  return {
    version,
    open: tally((await countedCells(database, { status: CLOSABLE }))!),
    fresh: tally(first.flatMap(cellsOf)),
    resolved: await counted({ status: 'RESOLVED', resolved_at: within }),
    regressed: await counted({ regressed_at: within }),
  };
}
