import type { EngineDefinition } from '../../kit/engine/engine.js';
import { loaderOf } from '../../kit/engine/loader.js';
import type { EdgeKind } from '../../schema/model.js';
import type { PageArguments } from '../../kit/store/paging.js';
import { assetHistory } from './changes/history.js';
import { lastChanges } from './changes/last.js';
import { coverageOf } from './discoveries/coverage.js';
import { listDiscoveries, type DiscoveryFilter } from './discoveries/discoveries.js';
import { driftBetween, type DriftArguments } from './drift/drift.js';
import { risingEdgeBatch, type RisingEdgesArguments } from './access/rising-edges-model.js';
import { graphAccessNodes, graphAssets, graphEdges, type RunArguments } from './graph-model.js';
import { inventoryBatch, presentTypes, type InventoryBatchArguments } from './inventory-model.js';
import { ownedBatch } from './business/owned-model.js';
import { classifiedBatch, type ClassifiedArguments } from './business/classified-model.js';
import { businessContextOf, setBusinessContext } from './business/set.js';
import type { AssetRow, GoneAssetRow } from './records.js';
import { edgesAt, linkedTo, type EdgeEnd, type EdgesAt } from './links/linked.js';
import { blastRadius } from './links/blast-radius.js';
import { inventoryGraph, neighbourhood, type GraphArguments } from './links/graph.js';
import { listAssets, type AssetListArguments } from './list/list.js';
import { openAssetBatch } from './risk/open-assets-model.js';
import { assetRowsBehind, type AssetRowsArguments } from './list/rows.js';
import { assetStandings, exposureOf, openFindingsOf, riskOf } from './risk/shown.js';
import { findAssetOrGone, findAssets, inventoryUsage, summarizeInventory } from './service.js';

const assetLoader = loaderOf(findAssets);

/** Whether it is the row of an asset, and not what another engine names. */
const isStored = (asset: Partial<AssetRow>): asset is AssetRow => asset._id !== undefined;

export const resolvers: EngineDefinition['resolvers'] = {
  Query: {
    assets: (_, args: AssetListArguments, context) => listAssets(context, args),
    asset_rows: (_, args: AssetRowsArguments, context) => assetRowsBehind(context, args),
    inventory_summary: (_, _args, context) => summarizeInventory(context),
    asset: (_, args: { resource_uid: string }, context) => findAssetOrGone(context, args.resource_uid),
    asset_history: (_, args: PageArguments & { resource_uid: string }, context) => assetHistory(context, args),
    inventory_model: (_, args: InventoryBatchArguments, context) => inventoryBatch(context, args),
    rising_edges_model: (_, args: RisingEdgesArguments, context) => risingEdgeBatch(context, args),
    graph_assets_model: (_, args: RunArguments, context) => graphAssets(context, args),
    graph_edges_model: (_, args: RunArguments & { kind: EdgeKind[] }, context) => graphEdges(context, args),
    graph_access_nodes_model: (_, args: RunArguments, context) => graphAccessNodes(context, args),
    classified_model: (_, args: ClassifiedArguments, context) => classifiedBatch(context, args),
    inventory_types: (_, _args, context) => presentTypes(context),
    inventory_usage: (_, _args, context) => inventoryUsage(context),
    inventory_standings: (_, args: { resource_uids: string[] }, context) => assetStandings(context, args.resource_uids),
    inventory_links: (_, args: { resource_uids: string[]; ends: EdgeEnd[] }, context) => linkedTo(context, args.resource_uids, args.ends),
    owned_assets_model: (_, args: Parameters<typeof ownedBatch>[1], context) => ownedBatch(context, args),
    open_assets_model: (_, args: Parameters<typeof openAssetBatch>[1], context) => openAssetBatch(context, args),
    edges_at_model: (_, args: EdgesAt, context) => edgesAt(context, args),
    asset_relationships: (_, args: Parameters<typeof neighbourhood>[1], context) => neighbourhood(context, args),
    asset_blast_radius: (_, args: { resource_uid: string; depth: number }, context) => blastRadius(context, args),
    drift: (_, args: DriftArguments, context) => driftBetween(context, args),
    last_changes_model: (_, args: { resource_uids: string[] }, context) => lastChanges(context, args.resource_uids),
    discoveries: (_, args: DiscoveryFilter & PageArguments, context) => listDiscoveries(context, args),
    discovery_coverage: (_, args: Parameters<typeof coverageOf>[1], context) => coverageOf(context, args),
    inventory_graph: (_, args: GraphArguments, context) => inventoryGraph(context, args),
  },
  Mutation: {
    set_business_context: (_, args: { resource_uid: string; input: unknown }, context) =>
      setBusinessContext(context, args.resource_uid, args.input),
  },
  Asset: {
    business_context: (asset: AssetRow) => businessContextOf(asset),
    open_findings: (asset: Partial<AssetRow>, _args, context) => (isStored(asset) ? openFindingsOf(context, asset) : null),
    risk: (asset: Partial<AssetRow>, _args, context) => (isStored(asset) ? riskOf(context, asset) : null),
    exposure: (asset: Partial<AssetRow>, _args, context) => exposureOf(context, asset),
    planned: (asset: Partial<AssetRow>) => (isStored(asset) ? asset.planned === true : null),
    gone_at: (asset: Partial<GoneAssetRow>) => asset.gone_at ?? null,
    __resolveReference: async (reference: { resource_uid: string }, context) =>
      (await assetLoader(context).load(reference.resource_uid)) ?? reference,
  },
};
