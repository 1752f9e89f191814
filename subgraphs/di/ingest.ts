import type { EngineContext, IngestSinks } from '../../kit/engine/context.js';
import type { BusinessTags } from '../../kit/engine/business-tags.js';
import type { RunStart, SeenAsset } from '../../kit/engine/ingest-input.js';
import { allowancesOf, overAllowance } from '../../kit/base/quotas.js';
import type { TenantDatabase } from '../../kit/store/database.js';
import type { TenantCollection } from '../../kit/store/tenant-collection.js';
import type { BulkUpdate, TransactionOf } from '../../kit/store/query.js';
import { contextColumns, contextOfTags, effectiveContext } from './business/context.js';
import { tagKeys } from './business/tag-keys.js';
import { descriptionDigest, isConfigured, noteChanges } from './changes/note.js';
import { AssetCounterChanges, countAssets, COUNTED_COLUMNS } from './counters.js';
import { foundClasses } from './facts/found-classes.js';
import { withStoredFacts } from './facts/merge.js';
import { keepCountsBefore } from './counts-before.js';
import { bringBack, partOfEstate } from './presence/gone.js';
import { isPlanned, observedAt, withoutOutranked } from './presence/outranked.js';
import { projectAssets } from './project.js';
import { askWhereBehind } from './refresh/ask.js';
import { markAccessDue, type Touching } from './access/due.js';
import { changedLinks, LINK_COLUMNS } from './links/columns.js';
import { writeTold } from './links/told.js';
import { assetRowId, assets, type AssetRow } from './records.js';
import { NO_RISK } from './risk/columns.js';
import { rescoreMark, RISK_CONTEXT_COLUMNS } from './risk/rescore.js';
import { placedOpen } from './risk/unplaced.js';
import { writeTexts } from './list/texts.js';

/** Facts that only an inventory knows; a finding that names a resource leaves what an inventory said alone. */
function inventoryFacts(run: RunStart, asset: SeenAsset, stored: AssetRow | undefined, mapping: BusinessTags) {
  const facts = asset.told ?? stored?.facts;
  if (asset.configuration === null) {
    const nothing = { configuration: null, tags: {}, sensitive_paths: [], unknown_paths: [], source: null, provider_metadata: {} };
    if (asset.told?.['data'] === undefined) return { $setOnInsert: nothing };
    const { data_classes } = effectiveContext(stored?.business_set, contextOfTags(stored?.tags ?? {}, mapping), foundClasses(facts));
    return { $set: { data_classes }, $setOnInsert: nothing };
  }
  const { configuration, tags = {}, sensitive_paths = [], unknown_paths = [], source = null, provider_metadata = {} } = asset;
  const described = {
    configuration,
    tags,
    sensitive_paths,
    unknown_paths,
    description_digest: descriptionDigest({ ...asset, configuration }),
    observed_at: observed(run, asset, stored),
    ...(run.estate && { estate: partOfEstate(run.estate, asset.part) }),
  };
  const business = contextColumns(effectiveContext(stored?.business_set, contextOfTags(tags, mapping), foundClasses(facts)));
  return {
    $set: {
      ...described,
      ...linkFacts(asset, configuration, described.description_digest, stored),
      source,
      provider_metadata,
      ...business.$set,
      ...rescoreMark(stored ?? {}, { ...stored, criticality: business.$set.criticality }),
      tag_keys: tagKeys(tags),
      ...(isPlanned(asset) && { planned: true }),
    },
    $unset: { ...business.$unset, ...(!isPlanned(asset) && { planned: '' as const }) },
    $setOnInsert: {},
  };
}

/** When a description was observed: of one that an earlier run completes, what it was before. */
function observed(run: RunStart, { source }: SeenAsset, stored: AssetRow | undefined): Date {
  const at = observedAt(run);
  return stored?.observed_at && stored.observed_at > at && stored.source?.format === source?.format ? stored.observed_at : at;
}

/** The names by which a described asset and what it refers to are found, where they may be others than are stored. */
function linkFacts(asset: SeenAsset, configuration: Record<string, unknown>, digest: string, stored: AssetRow | undefined) {
  if (stored?.known_as && stored.description_digest === digest && stored.account_id === (asset.account_id ?? null)) return {};
  return changedLinks({ ...asset, configuration }, stored);
}

/** Upserts what a run saw: assets by resource_uid, edges by both ends and kind. New assets that the plan has no room for are left out. */
export const ingestAssets: IngestSinks['assets'] = async (context, run, seen, seenEdges) => {
  const { services, auth } = context;
  const tenant = services.database.tenant(auth.tenant_id);
  const allowed = allowancesOf(services.config, auth.plan).assets;
  const { business_tags } = await services.ingest.importSettings(services, auth.tenant_id);
  const leftOut = await context.transaction(async (transaction) => {
    const rows = tenant.collection(assets);
    const stored = (await countAssets(tenant, transaction))?.count ?? 0;
    const admitted = seen.length <= allowed - stored ? seen : await admit(rows, seen, allowed - stored, transaction);
    if (admitted.some(isConfigured)) await keepCountsBefore(tenant, run, transaction);
    const present = await bringBack(tenant, run, admitted, transaction);
    const taken = await withStoredFacts(tenant, await withoutOutranked(tenant, run, present, transaction), transaction);
    await projectAssets(services.ingest.projections, tenant, run, taken, transaction);
    const known = await noteBatch(tenant, run, taken, transaction);
    const made = new Set(taken.map(({ resource_uid }) => assetRowId(auth.tenant_id, resource_uid)).filter((_id) => !known.has(_id)));
    const open = await placedOpen(services, tenant, [...made], transaction);
    const updates = taken.map((asset) => assetUpdate(auth.tenant_id, run, asset, known, open, business_tags));
    await rows.bulkUpdate(updates, { transaction });
    await markAccessDue(tenant, changedAssets(taken, updates, known), transaction);
    await writeTexts(tenant, renamed(taken, tenant.tenantId, known), transaction);
    await writeTold(tenant, run, seenEdges, transaction);
    return seen.length - admitted.length;
  });
  await askWhereBehind(services, tenant.tenantId);
  return leftOut;
};

/** Assets that are described otherwise than they are stored; of one that becomes another type or moves to another account, both. */
function* changedAssets(
  taken: readonly SeenAsset[],
  updates: readonly BulkUpdate[],
  known: ReadonlyMap<string, AssetRow>,
): Generator<Touching> {
  for (const [n, { _id, update }] of updates.entries()) {
    const stored = known.get(_id);
    const { account_id, description_digest } = update['$set'] as Partial<AssetRow>;
    const asset = { ...taken[n]!, account_id: account_id ?? null };
    const moves = stored !== undefined && (stored.account_id !== asset.account_id || stored.resource_type !== asset.resource_type);
    if (stored?.description_digest === description_digest && !moves) continue;
    yield asset;
    if (moves) yield { ...asset, account_id: stored.account_id, resource_type: stored.resource_type };
  }
}

/** Refuses what would bring new assets when the plan has no room for one. @throws PalisadeError VALIDATION_ERROR */
export const assertRoomForAssets = async ({ services, auth }: EngineContext): Promise<void> => {
  const allowed = allowancesOf(services.config, auth.plan).assets;
  const used = (await countAssets(services.database.tenant(auth.tenant_id)))?.count ?? 0;
  if (used < allowed) return;
  const message = `the plan ${auth.plan} allows ${allowed} stored assets, and ${used} are stored`;
  throw overAllowance('report', { message, plan: auth.plan, allowance: 'assets', allowed, used });
};

/** Counts what assets become by a run, and notes what changes; of one that was seen twice the last counts, as it is the one that stays. */
async function noteBatch(
  tenant: TenantDatabase,
  run: RunStart,
  seen: readonly SeenAsset[],
  transaction: TransactionOf,
): Promise<ReadonlyMap<string, AssetRow>> {
  const latest = new Map(seen.map((asset) => [assetRowId(tenant.tenantId, asset.resource_uid), asset]));
  const fields = [
    ...COUNTED_COLUMNS,
    'planned',
    'resource_name',
    'description_digest',
    'source',
    'observed_at',
    'business_set',
    'facts',
    // what only a finding names keeps its tags, which tell classes of data beside those that are found
    ...(seen.some(({ configuration, told }) => configuration === null && told?.['data'] !== undefined) ? ['tags'] : []),
    ...RISK_CONTEXT_COLUMNS,
    ...LINK_COLUMNS,
  ];
  const stored = await tenant.collection(assets).find({ _id: { $in: [...latest.keys()] } }, { fields, transaction });
  const known = new Map(stored.map((row) => [row._id, row]));
  // what only findings have named is not described yet
  const described = stored.filter(({ source }) => source !== null);
  const digests = new Map(described.map(({ _id, description_digest }) => [_id, description_digest]));
  await noteChanges(tenant, run, latest, digests, transaction);
  const { scan_run_id } = run;
  const counters = new AssetCounterChanges(tenant);
  for (const [_id, asset] of latest) {
    const { provider, resource_type, region, account_id = null, configuration } = asset;
    const planned = configuration === null ? known.get(_id)?.planned : isPlanned(asset);
    counters.move(known.get(_id) ?? null, { provider, resource_type, region, account_id, scan_run_id, planned });
  }
  await counters.write(transaction);
  return known;
}

/** The assets that are stored already, and the first new ones for which there is room. */
async function admit(
  rows: TenantCollection<AssetRow>,
  seen: readonly SeenAsset[],
  room: number,
  transaction: TransactionOf,
): Promise<SeenAsset[]> {
  const uids = new Set(seen.map(({ resource_uid }) => resource_uid));
  const stored = await rows.find({ resource_uid: { $in: [...uids] } }, { fields: ['resource_uid'], transaction });
  const admitted = new Set(stored.map(({ resource_uid }) => resource_uid));
  const most = admitted.size + Math.max(0, room);
  for (const uid of uids) if (admitted.size < most) admitted.add(uid);
  return seen.filter(({ resource_uid }) => admitted.has(resource_uid));
}

/** The assets of a batch that are new, or have another name than is stored; of one that was seen twice the last counts. */
function renamed(seen: readonly SeenAsset[], tenantId: string, known: ReadonlyMap<string, AssetRow>) {
  const named = new Map(
    seen.map(({ resource_uid, resource_name = null }) => [assetRowId(tenantId, resource_uid), { resource_uid, resource_name }]),
  );
  return [...named].flatMap(([_id, names]) => (known.get(_id)?.resource_name === names.resource_name ? [] : [{ _id, ...names }]));
}

function assetUpdate(
  tenantId: string,
  run: RunStart,
  asset: SeenAsset,
  known: ReadonlyMap<string, AssetRow>,
  open: Awaited<ReturnType<typeof placedOpen>>,
  mapping: BusinessTags,
): BulkUpdate {
  const _id = assetRowId(tenantId, asset.resource_uid);
  const facts = inventoryFacts(run, asset, known.get(_id), mapping);
  const { resource_uid, resource_type, provider, region } = asset;
  const stands = { resource_uid, resource_type, provider, region, scan_run_id: run.scan_run_id, last_seen_at: run.at };
  const named = { resource_name: asset.resource_name ?? null, account_id: asset.account_id ?? null };
  const update = {
    $set: { ...stands, ...named, ...facts.$set, ...(asset.told && { facts: asset.told }) },
    $setOnInsert: {
      first_seen_at: run.at,
      discovered_in: run.scan_run_id,
      risk: NO_RISK,
      ...open.get(resource_uid),
      ...facts.$setOnInsert,
    },
    ...(facts.$unset && { $unset: facts.$unset }),
  };
  return { _id, update, upsert: true };
}
