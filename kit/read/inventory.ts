import type { AssetFacts, WeighedFacts } from '../../schema/facts.js';
import type { EdgeKind, Environment, ExposureLevel, ResourceIdentity, Severity } from '../../schema/model.js';
import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'inventory', engine: 'di' };

/** What other engines read of an asset. */
export interface ReadAsset extends ResourceIdentity {
  tags: Record<string, string>;
  /** Null for what only findings name. */
  configuration: Record<string, unknown> | null;
  unknown_paths: string[];
  sensitive_paths: string[];
  facts: AssetFacts | null;
  /** Where it is declared; null for what only findings name. */
  source: { format: string; address: string; file?: string; line?: number } | null;
}

/** What other engines read of the data that an asset holds. */
export interface ReadDataClasses {
  resource_uid: string;
  data_classes: string[];
}

interface Batch {
  items: ReadAsset[];
  /** Where the next batch begins; null after the last. */
  next: string | null;
}

const ASSET =
  'resource_uid resource_type resource_name provider account_id region tags configuration unknown_paths sensitive_paths facts source';

const batch = defineReadOperation<{ types: readonly string[] | null; after: string | null; limit: number }, Batch>(
  model,
  `query($types: [String!], $after: String, $limit: Int!) {
    result: inventory_model(resource_type: $types, after: $after, limit: $limit) { items { ${ASSET} } next }
  }`,
);

/** Assets read at a time. */
const AT_ONCE = 200;

/**
 * The tenant's assets by resource_uid, one after the other.
 * @param types only these resource types; all when null
 * @throws as `readModel`
 */
export async function* readAssets(context: EngineContext, types: readonly string[] | null): AsyncGenerator<ReadAsset> {
  let after: string | null = null;
  do {
    const found: Batch = await readModel(context, batch, { types, after, limit: AT_ONCE });
    yield* found.items;
    after = found.next;
  } while (after !== null);
}

const types = defineReadOperation<Record<string, never>, string[]>(model, 'query { result: inventory_types }');

/** The resource types that the caller's tenant has assets of. @throws as `readModel` */
export const readAssetTypes = async (context: EngineContext): Promise<ReadonlySet<string>> => new Set(await readModel(context, types, {}));

/** An asset with what scanners tell of it, ready for views. */
export interface ViewedAsset extends ReadAsset {
  weighed_facts: WeighedFacts | null;
}

const byUid = defineReadOperation<{ uids: readonly string[]; limit: number }, { items: ViewedAsset[] }>(
  model,
  `query($uids: [ID!], $limit: Int!) { result: inventory_model(resource_uid: $uids, limit: $limit) { items { ${ASSET} weighed_facts } } }`,
);

/** These assets; those that the tenant does not have are left out. At most 200. @throws as `readModel` */
export const readAssetsByUid = async (context: EngineContext, uids: readonly string[]): Promise<ViewedAsset[]> =>
  uids.length === 0 ? [] : (await readModel(context, byUid, { uids, limit: AT_ONCE })).items;

/** What became of an asset with the last run that made, changed or brought it back. */
export interface LastChange {
  resource_uid: string;
  event: 'added' | 'changed' | 'returned';
  scan_run_id: string;
  changed_at: string;
  /** When the run began that described it first; null where that is no longer kept. */
  added_at: string | null;
  paths: string[];
  more_paths: number;
}

const lastChanges = defineReadOperation<{ uids: readonly string[] }, LastChange[]>(
  model,
  `query($uids: [ID!]!) {
    result: last_changes_model(resource_uids: $uids) { resource_uid event scan_run_id changed_at added_at paths more_paths }
  }`,
);

/** The last change of each asset of which one is kept. @throws as `readModel` */
export async function readLastChanges(context: EngineContext, uids: readonly string[]): Promise<ReadonlyMap<string, LastChange>> {
  const found = new Map<string, LastChange>();
  for (let at = 0; at < uids.length; at += AT_ONCE)
    for (const change of await readModel(context, lastChanges, { uids: uids.slice(at, at + AT_ONCE) }))
      found.set(change.resource_uid, change);
  return found;
}

/** What an edge joins. */
export interface ReadEdge {
  from: string;
  to: string;
  kind: EdgeKind;
}

const edgesAt = defineReadOperation<{ uids: readonly string[]; kind: readonly EdgeKind[]; direction: 'out' | 'in' }, ReadEdge[]>(
  model,
  `query($uids: [ID!]!, $kind: [EdgeKind!]!, $direction: EdgeDirection!) {
    result: edges_at_model(resource_uids: $uids, kind: $kind, direction: $direction) { from to kind }
  }`,
);

/** The edges of some kinds that lead from assets, or to them: at most 5,000, of at most 200 assets. @throws as `readModel` */
export const readEdgesAt = (
  context: EngineContext,
  uids: readonly string[],
  kind: readonly EdgeKind[],
  direction: 'out' | 'in',
): Promise<ReadEdge[]> =>
  uids.length === 0 || kind.length === 0 ? Promise.resolve([]) : readModel(context, edgesAt, { uids, kind, direction });

const dataClasses = defineReadOperation<{ uids: readonly string[]; limit: number }, { items: ReadDataClasses[] }>(
  model,
  `query($uids: [ID!], $limit: Int!) {
    result: inventory_model(resource_uid: $uids, limit: $limit) { items { resource_uid data_classes } }
  }`,
);

/** The classes of data that assets hold, by resource_uid; at most 200 assets. @throws as `readModel` */
export async function readDataClasses(context: EngineContext, uids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const { items } = await readModel(context, dataClasses, { uids, limit: AT_ONCE });
  return new Map(items.map(({ resource_uid, data_classes }) => [resource_uid, data_classes]));
}

/** What other engines read of what an asset is for. */
export interface ReadClassified extends ResourceIdentity {
  criticality: 'critical' | 'high' | 'medium' | 'low' | null;
  environment: Environment | null;
  data_classes: string[];
  /** Whether a plan alone has told of it. */
  planned: boolean;
}

/** Which classified assets are meant; one member is given. */
export type ClassifiedWith = {
  criticality?: NonNullable<ReadClassified['criticality']>;
  environment?: Environment;
  /** Any of them. */
  data_class?: readonly string[];
  /** The run that saw it last. */
  scan_run_id?: string;
};

interface ClassifiedBatch {
  items: ReadClassified[];
  next: string | null;
}
const CLASSIFIED = 'resource_uid resource_type resource_name provider account_id region criticality environment data_classes planned';

const classified = defineReadOperation<ClassifiedWith & { after: string | null; limit: number }, ClassifiedBatch>(
  model,
  `query($criticality: Criticality, $environment: Environment, $data_class: [String!], $scan_run_id: String, $after: String, $limit: Int!) {
    result: classified_model(criticality: $criticality, environment: $environment, data_class: $data_class, scan_run_id: $scan_run_id,
      after: $after, limit: $limit) {
      items { ${CLASSIFIED} } next
    }
  }`,
);
const classifiedByUid = defineReadOperation<{ uids: readonly string[]; limit: number }, ClassifiedBatch>(
  model,
  `query($uids: [ID!], $limit: Int!) { result: classified_model(resource_uid: $uids, limit: $limit) { items { ${CLASSIFIED} } next } }`,
);

/** Classified assets that are read at a time. */
const CLASSIFIED_AT_ONCE = 1_000;

/** The assets of which that is known, one after the other by resource_uid, also planned ones. @throws as `readModel` */
export async function* readClassified(context: EngineContext, which: ClassifiedWith): AsyncGenerator<ReadClassified> {
  let after: string | null = null;
  do {
    const found: ClassifiedBatch = await readModel(context, classified, { ...which, after, limit: CLASSIFIED_AT_ONCE });
    yield* found.items;
    after = found.next;
  } while (after !== null);
}

/** What these assets are for, by resource_uid; assets that the tenant does not have are left out. At most 200. @throws as `readModel` */
export async function readClassifiedByUid(context: EngineContext, uids: readonly string[]): Promise<ReadonlyMap<string, ReadClassified>> {
  if (uids.length === 0) return new Map();
  const { items } = await readModel(context, classifiedByUid, { uids, limit: AT_ONCE });
  return new Map(items.map((asset) => [asset.resource_uid, asset]));
}

/** What other engines read of how an asset stands. */
export interface ReadStanding {
  resource_uid: string;
  /** Of the engines that the caller may read. */
  open_findings: Record<Severity, number> & { total: number; restrictedEngines: string[] };
  exposure: ExposureLevel | null;
  /** Of the data that it holds. */
  data_classes: string[];
}

const standings = defineReadOperation<{ uids: readonly string[] }, ReadStanding[]>(
  model,
  `query($uids: [ID!]!) { result: inventory_standings(resource_uids: $uids) {
    resource_uid exposure data_classes open_findings { total critical high medium low info restrictedEngines }
  } }`,
);

/** The open findings of assets, and how far the internet reaches them, by resource_uid; at most 200 assets. @throws as `readModel` */
export async function readStandings(context: EngineContext, uids: readonly string[]): Promise<ReadonlyMap<string, ReadStanding>> {
  return new Map((await readModel(context, standings, { uids })).map((one) => [one.resource_uid, one]));
}

/** The other ends of some edges of a resource: how many there are, and which, where they are few. */
export interface ReadLinks {
  total: number;
  items: string[];
}
type Ends = readonly { readonly kind: EdgeKind; readonly direction: 'out' | 'in' }[];

const links = defineReadOperation<{ uids: readonly string[]; ends: Ends }, (ReadLinks & { resource_uid: string })[]>(
  model,
  `query($uids: [ID!]!, $ends: [EdgeEnd!]!) { result: inventory_links(resource_uids: $uids, ends: $ends) { resource_uid total items } }`,
);

/** What edges of some kinds join to resources, by resource_uid; resources without any are left out. At most 200 resources. @throws as `readModel` */
export async function readLinks(context: EngineContext, uids: readonly string[], ends: Ends): Promise<ReadonlyMap<string, ReadLinks>> {
  return new Map((await readModel(context, links, { uids, ends })).map(({ resource_uid, ...found }) => [resource_uid, found]));
}

const usage = defineReadOperation<Record<string, never>, { assets: number; accounts: number }>(
  model,
  'query { result: inventory_usage { assets accounts } }',
);

/** How many assets the caller's tenant has, and in how many accounts. @throws as `readModel` */
export const readInventoryUsage = (context: EngineContext): Promise<{ assets: number; accounts: number }> => readModel(context, usage, {});
