import type { EngineServices } from '../../../kit/engine/context.js';
import type { AssetProjection } from '../../../kit/engine/projection.js';
import type { BulkUpdate } from '../../../kit/store/query.js';
import { assets } from '../records.js';
import { projectionRefreshes, projectionVersions } from './records.js';
import { START } from './walk.js';

type Services = Pick<EngineServices, 'database' | 'storeClock' | 'logger' | 'ingest'>;
type Version = Pick<AssetProjection, 'name' | 'version'>;

/** Milliseconds for which an import by an earlier release may add more before its tenant is gone through again. */
const SETTLES = 10_000;

const refreshOf = (tenantId: string, name: string): string => `${tenantId}|${name}`;

function fromTheStart(tenantId: string, { name, version }: Version, due_at: Date): BulkUpdate {
  const set = { projection: name, version, place: START, due_at, leased_by: null, leased_until: null };
  return { _id: refreshOf(tenantId, name), update: { $set: set, $inc: { lease_no: 1 } }, upsert: true };
}

/**
 * Asks for a refresh of every tenant where the deployment was not yet brought to the projections of this release. Idempotent, and goes on
 * after a kill where it was; when nothing differs it reads the versions and no more. Of releases that start at once the last one counts.
 */
export async function askForChanged(services: Services, signal: AbortSignal): Promise<void> {
  const { database, logger, ingest } = services;
  const versions = database.system(projectionVersions);
  const known = new Map((await versions.find({})).map((row) => [row._id, row]));
  const changed = ingest.projections.filter(({ name, version }) => known.get(name)?.version !== version || !known.get(name)!.complete);
  const gone = [...known.keys()].filter((name) => !ingest.projections.some((projection) => projection.name === name));
  if (gone.length > 0) {
    await database.system(projectionRefreshes).remove({ projection: { $in: gone } });
    await versions.remove({ _id: { $in: gone } });
  }
  if (changed.length === 0) return;
  for (const { name, version } of changed) {
    if (known.get(name)?.version === version) continue;
    await versions.bulkUpdate([{ _id: name, update: { $set: { version, complete: false }, $inc: { asked: 1 } }, upsert: true }]);
  }
  const names = changed.map(({ name }) => name);
  let tenants = 0;
  for await (const tenantId of tenantsWithAssets(services)) {
    signal.throwIfAborted();
    if (!(await askForTenant(services, tenantId, changed))) return;
    tenants++;
  }
  for (const { name, version } of changed) await versions.update({ _id: name, version }, { $set: { complete: true } });
  logger.info({ projections: names, tenants }, 'views of the inventory have changed: stored assets are read again');
}

/** @returns false when another release has started meanwhile */
async function askForTenant({ database, storeClock }: Services, tenantId: string, changed: readonly Version[]): Promise<boolean> {
  return database.transaction(async (transaction) => {
    for (const { name, version } of changed) {
      const { matched } = await database.system(projectionVersions).update({ _id: name, version }, { $inc: { asked: 1 } }, { transaction });
      if (matched === 0) return false;
    }
    const refreshes = database.tenant(tenantId).collection(projectionRefreshes);
    const ids = changed.map(({ name }) => refreshOf(tenantId, name));
    const stored = await refreshes.find({ _id: { $in: ids } }, { fields: ['projection', 'version'], transaction });
    const versionOf = new Map(stored.map(({ projection, version }) => [projection, version]));
    const other = changed.filter(({ name, version }) => versionOf.get(name) !== version);
    await refreshes.bulkUpdate(
      other.map((one) => fromTheStart(tenantId, one, storeClock.now())),
      { transaction },
    );
    return true;
  });
}

/**
 * Asks for a refresh of a tenant whose assets this process has just written with other projections than the deployment is brought to: a
 * newer release has started, and may have gone through the tenant before. Called after the write is committed, so that none is missed.
 */
export async function askWhereBehind({ database, storeClock, ingest }: Services, tenantId: string): Promise<void> {
  const own = new Map(ingest.projections.map(({ name, version }) => [name, version]));
  const versions = await database.system(projectionVersions).find({}, { fields: ['version'] });
  const due_at = new Date(storeClock.now().getTime() + SETTLES);
  const behind = versions.flatMap(({ _id: name, version }) => (own.get(name) === version ? [] : [{ name, version }]));
  await database
    .tenant(tenantId)
    .collection(projectionRefreshes)
    .bulkUpdate(behind.map((one) => fromTheStart(tenantId, one, due_at)));
}

/** The tenants that have assets, each found with one look into the index. */
async function* tenantsWithAssets({ database }: Services): AsyncGenerator<string> {
  for (let last = ''; ;) {
    const sort = { tenant_id: 1, resource_uid: 1 } as const;
    const next = await database.system(assets).findOne({ tenant_id: { $gt: last } }, { sort, fields: ['tenant_id'] });
    if (next === null) return;
    yield (last = next.tenant_id);
  }
}
