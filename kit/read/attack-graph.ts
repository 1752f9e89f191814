import type { EdgeKind, ExposureLevel, Provider, ResourceIdentity } from '../../schema/model.js';
import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel, type ReadOperation } from './read-model.js';

const inventory: ReadModel = { name: 'inventory', engine: 'di' };
const exposures: ReadModel = { name: 'exposures', engine: 'network-security' };

/** An asset as a node of a graph. */
export interface GraphAsset extends ResourceIdentity {
  data_classes: string[];
  criticality: 'critical' | 'high' | 'medium' | 'low' | null;
  environment: 'production' | 'staging' | 'development' | 'test' | null;
  /** Where it lies, and its names, as scopes of grants say it. */
  containers: string[];
  names: string[];
}

/** An edge of the map. */
export interface GraphEdge {
  from: string;
  to: string;
  kind: EdgeKind;
  via: string | null;
  access: {
    privilege: 'read' | 'write' | 'manage_access' | 'admin' | null;
    conditional: boolean;
    way: string | null;
    by: { resource_uid: string }[];
  } | null;
}

/** What edges of access lead to beside resources. */
export interface GraphAccessNode {
  uid: string;
  type: 'access_scope' | 'administrator';
  name: string;
  provider: Provider;
  account_id: string;
  scope: {
    provider: string;
    within: string[];
    resource_types: string[];
    pattern: string | null;
    except: string[];
    privilege: 'read' | 'write' | 'manage_access' | 'admin';
  } | null;
}

/** How far the internet reaches a resource, and at which ports. */
export interface GraphExposure {
  resource_uid: string;
  exposure: ExposureLevel;
  ports: { protocol: string; from: number; to: number }[];
}

interface Batch<Item> {
  items: Item[];
  next: string | null;
}
interface Run extends Record<string, unknown> {
  after: string | null;
  limit: number;
}

const assetsOperation = defineReadOperation<Run, Batch<GraphAsset>>(
  inventory,
  `query($after: String, $limit: Int!) { result: graph_assets_model(after: $after, limit: $limit) {
    items { resource_uid resource_type resource_name provider account_id region data_classes criticality environment containers names } next
  } }`,
);
const edgesOperation = defineReadOperation<Run & { kind: readonly EdgeKind[] }, Batch<GraphEdge>>(
  inventory,
  `query($kind: [EdgeKind!]!, $after: String, $limit: Int!) { result: graph_edges_model(kind: $kind, after: $after, limit: $limit) {
    items { from to kind via access { privilege conditional way by { resource_uid } } } next
  } }`,
);
const nodesOperation = defineReadOperation<Run, Batch<GraphAccessNode>>(
  inventory,
  `query($after: String, $limit: Int!) { result: graph_access_nodes_model(after: $after, limit: $limit) {
    items { uid type name provider account_id scope } next
  } }`,
);
const exposuresOperation = defineReadOperation<Run, Batch<GraphExposure>>(
  exposures,
  `query($after: String, $limit: Int!) { result: exposures_model(after: $after, limit: $limit) {
    items { resource_uid exposure ports { protocol from to } } next
  } }`,
);

async function* runs<Variables extends Run, Item>(
  context: EngineContext,
  operation: ReadOperation<Variables, Batch<Item>>,
  variables: Omit<Variables, 'after'>,
): AsyncGenerator<Item[]> {
  let after: string | null = null;
  do {
    context.signal.throwIfAborted();
    const found: Batch<Item> = await readModel(context, operation, { ...variables, after } as unknown as Variables);
    if (found.items.length > 0) yield found.items;
    after = found.next;
  } while (after !== null);
}

/** The tenant's assets without what a plan alone tells of, some at a time. @throws as `readModel` */
export const readGraphAssets = (context: EngineContext) => runs(context, assetsOperation, { limit: 1_000 });
/** The edges of some kinds, some at a time. @throws as `readModel` */
export const readGraphEdges = (context: EngineContext, kind: readonly EdgeKind[]) => runs(context, edgesOperation, { kind, limit: 2_000 });
/** What edges of access lead to beside resources, some at a time. @throws as `readModel` */
export const readAccessNodes = (context: EngineContext) => runs(context, nodesOperation, { limit: 1_000 });
/** What the internet reaches, some at a time. @throws as `readModel` */
export const readExposures = (context: EngineContext) => runs(context, exposuresOperation, { limit: 1_000 });
