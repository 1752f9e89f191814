import type { EngineDefinition } from '../../kit/engine/engine.js';
import { loaderOf } from '../../kit/engine/loader.js';
import type { PageArguments } from '../../kit/store/paging.js';
import { assetHistory } from './changes/history.js';
import { coverageOf, listDiscoveries, type DiscoveryFilter } from './discoveries/discoveries.js';
import { driftBetween, type DriftArguments } from './drift/drift.js';
import { risingEdgeBatch, type RisingEdgesArguments } from './access/rising-edges-model.js';
import { inventoryBatch, type InventoryBatchArguments } from './inventory-model.js';
import { businessContextOf, setBusinessContext } from './business/set.js';
import type { AssetRow, GoneAssetRow } from './records.js';
import { inventoryGraph, neighbourhood, type GraphArguments } from './links/graph.js';
import { findAssetOrGone, findAssets, listAssets, summarizeInventory, type AssetFilter } from './service.js';

const assetLoader = loaderOf(findAssets);

export const resolvers: EngineDefinition['resolvers'] = {
  Query: {
    assets: (_, args: AssetFilter, context) => listAssets(context, args),
    inventory_summary: (_, _args, context) => summarizeInventory(context),
    asset: (_, args: { resource_uid: string }, context) => findAssetOrGone(context, args.resource_uid),
    asset_history: (_, args: PageArguments & { resource_uid: string }, context) => assetHistory(context, args),
    inventory_model: (_, args: InventoryBatchArguments, context) => inventoryBatch(context, args),
    rising_edges_model: (_, args: RisingEdgesArguments, context) => risingEdgeBatch(context, args),
    asset_relationships: (_, args: Parameters<typeof neighbourhood>[1], context) => neighbourhood(context, args),
    drift: (_, args: DriftArguments, context) => driftBetween(context, args),
    discoveries: (_, args: DiscoveryFilter & PageArguments, context) => listDiscoveries(context, args),
    discovery_coverage: (_, args: { account_id?: string[] | null }, context) => coverageOf(context, args),
    inventory_graph: (_, args: GraphArguments, context) => inventoryGraph(context, args),
  },
  Mutation: {
    set_business_context: (_, args: { resource_uid: string; input: unknown }, context) =>
      setBusinessContext(context, args.resource_uid, args.input),
  },
  Asset: {
    business_context: (asset: AssetRow) => businessContextOf(asset),
    gone_at: (asset: Partial<GoneAssetRow>) => asset.gone_at ?? null,
    __resolveReference: async (reference: { resource_uid: string }, context) =>
      (await assetLoader(context).load(reference.resource_uid)) ?? reference,
  },
};
