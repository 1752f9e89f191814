import { hash } from 'node:crypto';
import { allowancesOf } from '../../../kit/base/quotas.js';
import type { EngineContext, IngestSinks } from '../../../kit/engine/context.js';
import type { ComponentBatch } from '../../../kit/engine/component-batch.js';
import type { RunStart } from '../../../kit/engine/ingest-input.js';
import { repeatOnDuplicate, type TenantDatabase } from '../../../kit/store/database.js';
import { countUsage, readUsage } from '../../../kit/store/tenant-usage.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { componentRowOf, keyOf, type ComponentContent } from './row.js';
import {
  componentRowId,
  components,
  dependenciesRowId,
  rowsOf,
  sbomDependencies,
  sbomRowId,
  sboms,
  STORED_COMPONENTS,
  type SbomRow,
} from './records.js';

/** Rows removed in one transaction. */
const BATCH = 500;
/** Names that a component keeps of those that its document has for it. */
const MOST_REFS = 1_000;

/** Documents without source packages, of which distributions publish advisories: they do not take the place of one that has them. */
const TELLS_LESS: ReadonlySet<string> = new Set(['Lynis']);

const observedAt = ({ observed_at, at }: RunStart): Date => observed_at ?? at;

/**
 * Takes a batch of an artifact's components in: new ones are stored, changed ones replaced, others confirmed. The run that begins with an artifact
 * holds it, unless another that observed later has; what a run brings that does not hold it changes nothing. The same batch again changes nothing more.
 */
export const ingestComponents: IngestSinks['components'] = (context, run, batch) =>
  context.transaction(async (transaction) => {
    const tenant = context.services.database.tenant(context.auth.tenant_id);
    const id = sbomRowId(tenant.tenantId, batch.artifact.artifact_id);
    if (!(await hold(tenant, id, run, batch, context.services.clock.now(), transaction))) return 0;
    const stored = await store(context, tenant, id, run, batch, transaction);
    if (batch.dependencies.length > 0) {
      const { scan_run_id } = run;
      const edges = batch.dependencies.map(({ ref, on }) => ({ ref, on: [...on] }));
      const row = { _id: dependenciesRowId(id, scan_run_id, batch.no), update: { $set: { edges, scan_run_id } }, upsert: true };
      await tenant.collection(sbomDependencies).bulkUpdate([row], { transaction });
    }
    const { added, confirmed, leftOut } = stored;
    await tenant
      .collection(sboms)
      .update({ _id: id }, { $inc: { batches: 1, component_count: added, confirmed: added + confirmed } }, { transaction });
    if (added > 0) await countUsage(tenant, STORED_COMPONENTS, added, { transaction });
    return leftOut;
  });

/** Whether the run holds the artifact; it begins to with its first batch. */
async function hold(
  tenant: TenantDatabase,
  _id: string,
  run: RunStart,
  { artifact, no }: ComponentBatch,
  now: Date,
  transaction: TransactionOf,
): Promise<boolean> {
  const rows = tenant.collection(sboms);
  const known = await rows.findOne({ _id }, { transaction });
  if (known?.scan_run_id === run.scan_run_id) return true;
  if (no > 0 || (known && known.observed_at > observedAt(run))) return false;
  if (known && TELLS_LESS.has(artifact.document) && !TELLS_LESS.has(known.document)) return false;
  const { ref, serial, purl, digest, version, place } = artifact;
  const told = {
    ...{ artifact_id: artifact.artifact_id, name: artifact.name, kind: artifact.kind, document: artifact.document },
    ...{
      version: version ?? null,
      purl: purl ?? null,
      digest: digest ?? null,
      serial: serial ?? null,
      ref: ref ?? null,
      place: place ?? null,
    },
    ...{ scan_run_id: run.scan_run_id, observed_at: observedAt(run), uploaded_at: now, confirmed: 0, is_whole: false },
  };
  if (known) await rows.update({ _id }, { $set: told }, { transaction });
  else {
    const row: SbomRow = { _id, tenant_id: tenant.tenantId, ...told, component_count: 0, first_seen_at: observedAt(run), batches: 0 };
    await rows.insert(row, { transaction }).catch(repeatOnDuplicate);
  }
  return true;
}

/** Stores the components of a batch. @returns how many are new, known and not seen before in this run, and left out */
async function store(
  { services, auth }: EngineContext,
  tenant: TenantDatabase,
  id: string,
  run: RunStart,
  { artifact, components: told }: ComponentBatch,
  transaction: TransactionOf,
): Promise<{ added: number; confirmed: number; leftOut: number }> {
  const wanted = new Map<string, ComponentContent>();
  for (const component of told) {
    const _id = componentRowId(id, keyOf(component));
    const first = wanted.get(_id);
    const content = componentRowOf(artifact.artifact_id, component);
    wanted.set(_id, first ? { ...first, refs: union(first.refs, content.refs) } : content);
  }
  const rows = tenant.collection(components);
  const ids = [...wanted.keys()];
  const found = await rows.find({ _id: { $in: ids } }, { fields: ['digest', 'scan_run_id', 'refs'], transaction });
  const known = new Map(found.map((row) => [row._id, row]));
  const fresh = ids.filter((_id) => !known.has(_id));
  const allowed = allowancesOf(services.config, auth.plan).components;
  const room = fresh.length === 0 ? 0 : Math.max(0, allowed - ((await readUsage(tenant, STORED_COMPONENTS, transaction)) ?? 0));
  const added = fresh.slice(0, room);
  const seen = { scan_run_id: run.scan_run_id, last_seen_at: observedAt(run) };
  const newRows = added.map((_id) => {
    const content = wanted.get(_id)!;
    return { _id, tenant_id: tenant.tenantId, ...content, digest: digestOf(content), ...seen, first_seen_at: observedAt(run) };
  });
  await rows.insertMany(newRows, { transaction }).catch(repeatOnDuplicate);
  const updates = found.flatMap((row) => {
    const content = wanted.get(row._id)!;
    // a document may list a component again further down
    const whole = row.scan_run_id === run.scan_run_id ? { ...content, refs: union(row.refs, content.refs) } : content;
    const digest = digestOf(whole);
    return digest === row.digest ? [] : [{ _id: row._id, update: { $set: { ...whole, digest, ...seen } } }];
  });
  const changed = new Set(updates.map(({ _id }) => _id));
  const same = found.filter(({ _id, scan_run_id }) => !changed.has(_id) && scan_run_id !== run.scan_run_id).map(({ _id }) => _id);
  await rows.bulkUpdate(updates, { transaction });
  if (same.length > 0) await rows.updateMany({ _id: { $in: same } }, { $set: seen }, { transaction });
  const confirmed = found.filter(({ scan_run_id }) => scan_run_id !== run.scan_run_id).length;
  return { added: added.length, confirmed, leftOut: fresh.length - added.length };
}

const union = (one: readonly string[], other: readonly string[]): string[] => [...new Set([...one, ...other])].slice(0, MOST_REFS);
const digestOf = (content: ComponentContent): string => hash('sha1', JSON.stringify(content), 'base64');

/** Removes what a completed run has not come by of an artifact that it holds. */
export const artifactTold: IngestSinks['artifactTold'] = async (context, run, { artifact_id }) => {
  const tenant = context.services.database.tenant(context.auth.tenant_id);
  const _id = sbomRowId(tenant.tenantId, artifact_id);
  const held = { _id, scan_run_id: run.scan_run_id };
  const sbom = await tenant.collection(sboms).findOne(held);
  if (!sbom) return;
  if (sbom.component_count > sbom.confirmed) await removeGone(context, tenant, held);
  const gone = { ...rowsOf(_id), scan_run_id: { $ne: run.scan_run_id } };
  await context.transaction(async (transaction) => {
    const { matched } = await tenant.collection(sboms).update(held, { $set: { is_whole: true } }, { transaction });
    if (matched > 0) await tenant.collection(sbomDependencies).remove(gone, { transaction });
  });
};

async function removeGone(
  context: EngineContext,
  tenant: TenantDatabase,
  held: { readonly _id: string; readonly scan_run_id: string },
): Promise<void> {
  let gone: string[] = [];
  const remove = () =>
    context.transaction(async (transaction) => {
      const removed = await tenant
        .collection(components)
        .remove({ _id: { $in: gone }, scan_run_id: { $ne: held.scan_run_id } }, { transaction });
      const change = { $inc: { component_count: -removed, batches: 1 } };
      const { matched } = await tenant.collection(sboms).update(held, change, { transaction });
      // another run holds the artifact meanwhile: what it has told stays
      if (matched === 0) throw new Overtaken();
      await countUsage(tenant, STORED_COMPONENTS, -removed, { transaction });
    });
  try {
    for await (const row of tenant.collection(components).scan(rowsOf(held._id), { fields: ['scan_run_id'], batchSize: 1_000 })) {
      context.signal.throwIfAborted();
      if (row.scan_run_id !== held.scan_run_id && gone.push(row._id) >= BATCH) {
        await remove();
        gone = [];
      }
    }
    if (gone.length > 0) await remove();
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error;
  }
}

/** Another run has begun with the artifact, which observed later. */
class Overtaken extends Error {}
