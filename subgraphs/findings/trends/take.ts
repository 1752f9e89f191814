import type { Severity, Provider } from '../../../schema/model.js';
import { permissionsOf } from '../../../schema/permissions.js';
import { auditHeads } from '../../../kit/audit/audit.js';
import { systemAuthContext } from '../../../kit/base/auth-context.js';
import { periodic } from '../../../kit/engine/background.js';
import type { EngineContext, EngineServices, IngestSinks } from '../../../kit/engine/context.js';
import { createEngineContext } from '../../../kit/engine/create-context.js';
import { runOperation } from '../../../kit/engine/operation.js';
import { OPEN_FOR } from '../../../kit/findings/ages.js';
import { cellsOf, counterId, findingCounters, type Cell } from '../../../kit/findings/counters.js';
import { CLOSABLE } from '../../../kit/findings/lifecycle.js';
import { findings } from '../../../kit/findings/row.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import { keptUnder } from '../../../kit/store/kept.js';
import type { Filter } from '../../../kit/store/query.js';
import { endedTenants } from '../../../kit/work/tenant-ends.js';
import { inventory } from '../dashboard/estate.js';
import { postureSnapshots, type EngineSnapshot, type PostureSnapshotRow, type Tally } from './records.js';

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

export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);
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
  const names = services.findingEngines.map(({ engine }) => engine);
  const engines = await standing(services.database.tenant(auth.tenant_id), names, day, before);
  if (Object.keys(engines).length === 0 && resources === 0) return;
  await rows.update({ _id }, { $set: { day, taken_at, resources, engines } }, { upsert: true });
}

/**
 * How the findings of some engines stand now, of the day that it is: what has not changed since the day's row was written is as that says.
 * @param before the row of the day, where there is one
 */
export async function standing(
  tenant: TenantDatabase,
  names: readonly string[],
  day: string,
  before: PostureSnapshotRow | null,
): Promise<Record<string, EngineSnapshot>> {
  const present = await readCounters(tenant, names);
  const known = (engine: string, { version }: Counters): EngineSnapshot | undefined =>
    before?.engines[engine]?.version === version ? before.engines[engine] : undefined;
  const changed = new Map([...present].filter(([engine, counters]) => !known(engine, counters)));
  const versions = [...changed].map(([engine, { version }]) => [engine, version]);
  const counted = await keptUnder([tenant.tenantId, 'standing', day, versions], () =>
    countEngines(tenant, changed, new Date(`${day}T00:00:00.000Z`)),
  );
  return Object.fromEntries([...present].map(([engine, counters]) => [engine, known(engine, counters) ?? counted.get(engine)!]));
}

interface Alike {
  severity: Severity;
  provider: Provider;
  count: number;
}
/** As many findings of an engine, and the milliseconds for which they had been open when they were resolved, in all. */
interface Counted {
  _id: Omit<Alike, 'count'> & { engine: string };
  count: number;
  openFor: number;
}

function tally(alike: readonly Alike[]): Tally {
  const sums: Tally = {};
  for (const { severity, provider, count } of alike) {
    const key = `${severity}|${provider}`;
    sums[key] = (sums[key] ?? 0) + count;
  }
  return sums;
}

/** An engine's findings as its counters have them. */
interface Counters {
  version: string;
  cells: Cell[];
}

/** The counters of the engines of which findings were ever stored. */
async function readCounters(tenant: TenantDatabase, engines: readonly string[]): Promise<Map<string, Counters>> {
  const ids = engines.map((engine) => counterId(tenant.engine(engine), 'all', []));
  const rows = await tenant
    .engines(engines)
    .collection(findingCounters)
    .find({ _id: { $in: ids } }, { fields: ['engine', 'version', 'counts'] });
  return new Map(rows.flatMap((row) => (row.version === undefined ? [] : [[row.engine, { version: row.version, cells: cellsOf(row) }]])));
}

/** What the findings of engines have come to on the day that begins at `from`. */
async function countEngines(
  tenant: TenantDatabase,
  present: ReadonlyMap<string, Counters>,
  from: Date,
): Promise<Map<string, EngineSnapshot>> {
  if (present.size === 0) return new Map();
  const within = { $gte: from, $lt: new Date(from.getTime() + DAY) };
  const of = tenant.engines([...present.keys()]);
  const counted = (condition: Filter) =>
    of.collection(findings).aggregate<Counted>([
      { $match: condition },
      {
        $group: {
          _id: { engine: '$engine', severity: '$severity', provider: '$provider' },
          count: { $sum: 1 },
          openFor: { $sum: OPEN_FOR },
        },
      },
    ]);
  const first = await of.collection(findingCounters).find({ by: 'first_seen_at', moment: within }, { fields: ['engine', 'counts'] });
  const resolved = await counted({ status: 'RESOLVED', resolved_at: within });
  const regressed = await counted({ regressed_at: within });
  const ofEngine = (engine: string, groups: readonly Counted[], what: 'count' | 'openFor' = 'count'): Alike[] =>
    groups.filter(({ _id }) => _id.engine === engine).map(({ _id, [what]: count }) => ({ ..._id, count }));
  const snapshot = (engine: string, { version, cells }: Counters): EngineSnapshot => ({
    version,
    open: tally(cells.filter(({ status }) => CLOSABLE.includes(status))),
    fresh: tally(first.filter((row) => row.engine === engine).flatMap(cellsOf)),
    resolved: tally(ofEngine(engine, resolved)),
    regressed: tally(ofEngine(engine, regressed)),
    openFor: tally(ofEngine(engine, resolved, 'openFor')),
  });
  return new Map([...present].map(([engine, counters]) => [engine, snapshot(engine, counters)]));
}
