import type { EngineDefinition } from '../../kit/engine/engine.js';
import { loaderOf } from '../../kit/engine/loader.js';
import type { PageArguments } from '../../kit/store/paging.js';
import { assetHistory } from './changes/history.js';
import { inventoryBatch, type InventoryBatchArguments } from './inventory-model.js';
import { businessContextOf, setBusinessContext } from './business/set.js';
import type { AssetRow } from './records.js';
import { inventoryGraph, neighbourhood, type GraphArguments } from './links/graph.js';
import { findAsset, findAssets, listAssets, summarizeInventory, type AssetFilter } from './service.js';

const assetLoader = loaderOf(findAssets);

export const resolvers: EngineDefinition['resolvers'] = {
  Query: {
    assets: (_, args: AssetFilter, context) => listAssets(context, args),
    inventory_summary: (_, _args, context) => summarizeInventory(context),
    asset: (_, args: { resource_uid: string }, context) => findAsset(context, args.resource_uid),
    asset_history: (_, args: PageArguments & { resource_uid: string }, context) => assetHistory(context, args),
    inventory_model: (_, args: InventoryBatchArguments, context) => inventoryBatch(context, args),
    asset_relationships: (_, args: Parameters<typeof neighbourhood>[1], context) => neighbourhood(context, args),
    inventory_graph: (_, args: GraphArguments, context) => inventoryGraph(context, args),
  },
  Mutation: {
    set_business_context: (_, args: { resource_uid: string; input: unknown }, context) =>
      setBusinessContext(context, args.resource_uid, args.input),
  },
  Asset: {
    business_context: (asset: AssetRow) => businessContextOf(asset),
    __resolveReference: async (reference: { resource_uid: string }, context) =>
      (await assetLoader(context).load(reference.resource_uid)) ?? reference,
  },
};
