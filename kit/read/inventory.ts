import type { AssetFacts } from '../../schema/facts.js';
import type { EdgeKind, ExposureLevel, ResourceIdentity, Severity } from '../../schema/model.js';
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

const ASSET = 'resource_uid resource_type resource_name provider account_id region tags configuration unknown_paths sensitive_paths facts';

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
