import type { EngineContext, IngestSinks } from '../../../kit/engine/context.js';
import type { RunStart } from '../../../kit/engine/ingest-input.js';
import type { BulkUpdate, Filter } from '../../../kit/store/query.js';
import { GLOBAL_REGION } from '../../../schema/model.js';
import type { Observable } from '../../../schema/observables.js';
import { shownIn } from '../../../schema/shown-observables.js';
import { ALERT, shownRowId, threatShown, type ShownRow } from './records.js';

type Resource = Pick<ShownRow, 'resource_uid' | 'resource_type' | 'resource_name' | 'provider' | 'account_id' | 'region'>;

/** What a report shows of a resource. */
interface Showing {
  readonly resource: Resource;
  readonly by: string;
  readonly at: Date;
  readonly values: readonly Observable[];
}

/** A resource of which a report tells all that it knows: what it showed before and does not now is shown by it no more. */
interface Told {
  readonly resource_uid: string;
  readonly by: string;
}

const timeOf = ({ observed_at, at }: RunStart): Date => observed_at ?? at;
const resourceOf = (one: Omit<Resource, 'resource_name' | 'account_id'> & { resource_name?: string; account_id?: string }): Resource => {
  const { resource_uid, resource_type, resource_name = null, provider, account_id = null, region } = one;
  return { resource_uid, resource_type, resource_name, provider, account_id, region };
};

/** Notes the digests that inventories tell of resources: of images that they are or run, of code. */
export const noteAssets: IngestSinks['assets'] = async (context, run, assets) => {
  const told: Told[] = [];
  const showings: Showing[] = [];
  for (const asset of assets) {
    if (asset.configuration === null) continue;
    const by = `inventory:${asset.source?.format ?? 'report'}`;
    told.push({ resource_uid: asset.resource_uid, by });
    const values = shownIn([asset.configuration, asset.provider_metadata], 'digests');
    if (values.length > 0) showings.push({ resource: resourceOf(asset), by, at: timeOf(run), values });
  }
  await note(context, run, told, showings);
  return 0;
};

/**
 * Notes the digests of an artifact and of the files that a bill of materials lists in it; those of packages are the business of advisories. A document of
 * another version of its format tells of the same.
 */
export const noteFiles: IngestSinks['components'] = async (context, run, { artifact, no, components }) => {
  const { artifact_id: resource_uid, place, document, digest } = artifact;
  if (place === undefined) return 0;
  const by = `components:${document.replace(/[ -][\d.]+$/, '')}`;
  const files = components.filter(({ kind }) => kind === 'file').map(({ hashes = [] }) => hashes.map(({ value }) => ({ hash: value })));
  const values = [...(no === 0 ? shownIn({ digest }, 'digests') : []), ...files.flatMap((file) => shownIn(file, 'digests'))];
  const resource = resourceOf({ ...place, resource_uid, region: place.region || GLOBAL_REGION });
  await note(context, run, no === 0 ? [{ resource_uid, by }] : [], values.length > 0 ? [{ resource, by, at: timeOf(run), values }] : []);
  return 0;
};

/**
 * Notes what findings show: those that tell of what happened (run time, detections of other products) addresses, domains, URLs and digests at that time; all others
 * digests, which hold until a later report of the resource shows others.
 */
export const noteObservations: IngestSinks['observations'] = async (context, run, observations) => {
  const facts = new Map(context.services.findingEngines.map((one) => [one.engine, one]));
  const told: Told[] = [];
  const showings: Showing[] = [];
  for (const observation of observations) {
    const { engine, result, source = run.format, evidence, resource_uid } = observation;
    if (result !== 'FAIL') continue;
    const { happenedAt } = facts.get(engine) ?? {};
    const values = shownIn(evidence, happenedAt ? 'all' : 'digests');
    if (values.length === 0) continue;
    const by = `${happenedAt ? ALERT : 'report:'}${source}`;
    if (!happenedAt) told.push({ resource_uid, by });
    const happened = happenedAt?.(evidence);
    // what seems to happen after it was reported would be kept for as long as that
    const at = happened === undefined || happened > run.at ? timeOf(run) : happened;
    showings.push({ resource: resourceOf(observation), by, at, values });
  }
  await note(context, run, told, showings);
};

/** Stores what is shown; the same again, and in any order, gives the same. */
async function note(
  { services, auth, transaction }: EngineContext,
  run: RunStart,
  told: readonly Told[],
  showings: readonly Showing[],
): Promise<void> {
  if (told.length === 0 && showings.length === 0) return;
  const rows = services.database.tenant(auth.tenant_id).collection(threatShown);
  const { scan_run_id } = run;
  const updates = updatesOf(auth.tenant_id, scan_run_id, showings);
  // what earlier runs have shown; an older report hides nothing that a later one shows
  const earlier = { scan_run_id: { $ne: scan_run_id }, last_at: { $lte: timeOf(run) } };
  const hiding: { readonly by: string; readonly shown: Filter }[] = [];
  for (const [by, resourceUids] of byTeller(told)) {
    const shown = { ...earlier, resource_uid: { $in: resourceUids }, shown_by: by };
    // most reports tell of resources that show nothing: they begin no transaction
    if ((await rows.findOne(shown, { fields: ['_id'] })) !== null) hiding.push({ by, shown });
  }
  if (hiding.length === 0 && updates.length === 0) return;
  await transaction(async (within) => {
    const hidden = (by: string) => ({ $pull: { shown_by: by }, $set: { scan_run_id } });
    for (const { by, shown } of hiding) await rows.updateMany(shown, hidden(by), { transaction: within });
    if (updates.length > 0) await rows.bulkUpdate(updates, { transaction: within });
  });
}

function byTeller(told: readonly Told[]): ReadonlyMap<string, string[]> {
  const tellers = new Map<string, string[]>();
  for (const { by, resource_uid } of told) {
    const uids = tellers.get(by) ?? [];
    tellers.set(by, uids);
    uids.push(resource_uid);
  }
  return tellers;
}

/** One update a row: what shows a value again adds to it. */
function updatesOf(tenantId: string, scan_run_id: string, showings: readonly Showing[]): BulkUpdate[] {
  const rows = new Map<string, { set: Resource & Observable; by: Set<string>; first: Date; last: Date }>();
  for (const { resource, by, at, values } of showings)
    for (const observable of values) {
      const _id = shownRowId(tenantId, resource.resource_uid, observable);
      const row = rows.get(_id) ?? { set: { ...resource, ...observable }, by: new Set<string>(), first: at, last: at };
      rows.set(_id, row);
      row.by.add(by);
      if (at < row.first) row.first = at;
      if (at > row.last) row.last = at;
    }
  return [...rows].map(([_id, { set, by, first, last }]) => ({
    _id,
    update: {
      $set: { ...set, scan_run_id },
      $addToSet: { shown_by: { $each: [...by] } },
      $min: { first_at: first },
      $max: { last_at: last },
    },
    upsert: true,
  }));
}
