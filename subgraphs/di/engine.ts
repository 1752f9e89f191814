import { defineEngine } from '../../kit/engine/engine.js';
import { readSchema } from '../../kit/engine/read-schema.js';
import { RECLASSIFY } from '../../kit/engine/business-tags.js';
import { tenantUsage } from '../../kit/store/tenant-usage.js';
import { assertRoomForAssets, ingestAssets } from './ingest.js';
import { deriveAccess } from './access/derive.js';
import { accessDerivations, accessDue, accessNodes } from './access/records.js';
import { reclassifyJob } from './business/reclassify.js';
import { assetChanges, inventoryRuns } from './changes/records.js';
import { assetCounters } from './counters.js';
import { countsBefore } from './counts-before.js';
import { resolveLinks } from './links/resolve.js';
import { linksTask } from './links/task.js';
import { assetTexts } from './list/texts.js';
import { markGone } from './presence/gone.js';
import { assets, edges, goneAssets } from './records.js';
import { noteExposures, noteOpenFindings } from './risk/note.js';
import { findRiskContexts, rescoreDue } from './risk/rescore.js';
import { rescoreTask } from './risk/task.js';
import { coverageGaps, gapRetention, noteGaps } from './discoveries/gaps.js';
import { placeUnplaced, unplacedFindings } from './risk/unplaced.js';
import { findTagged, findTags } from './tags.js';
import { resolvers } from './resolvers.js';
import { projectionRefreshes, projectionVersions } from './refresh/records.js';
import { projectionRefreshTask, projectionVersionsTask } from './refresh/tasks.js';
import { assetRetention, changeRetention, edgeRetention, goneRetention, inventoryRunRetention } from './retention.js';

export const engine = defineEngine({
  name: 'di',
  label: 'Inventory',
  description: 'Discovery and inventory: assets and how they hang together.',
  prefixes: ['di', 'inventory'],
  typeDefs: readSchema(import.meta.url),
  resolvers,
  routes: [
    { method: 'GET', path: '/inventory/assets', field: 'assets', tag: 'inventory' },
    { method: 'GET', path: '/inventory/summary', field: 'inventory_summary', tag: 'inventory' },
    { method: 'GET', path: '/inventory/asset/{resource_uid}', field: 'asset', tag: 'inventory' },
    { method: 'PUT', path: '/inventory/asset/{resource_uid}/business-context', field: 'set_business_context', tag: 'inventory' },
    { method: 'GET', path: '/inventory/asset/{resource_uid}/history', field: 'asset_history', tag: 'inventory' },
    { method: 'GET', path: '/di/discoveries', field: 'discoveries', tag: 'di' },
    { method: 'GET', path: '/di/coverage', field: 'discovery_coverage', tag: 'di' },
    { method: 'GET', path: '/di/drift', field: 'drift', tag: 'di' },
    { method: 'GET', path: '/inventory/graph', field: 'inventory_graph', tag: 'inventory-graph' },
    { method: 'GET', path: '/inventory/asset/{resource_uid}/blast-radius', field: 'asset_blast_radius', tag: 'inventory-graph' },
    { method: 'GET', path: '/inventory/asset/{resource_uid}/relationships', field: 'asset_relationships', tag: 'inventory-graph' },
  ],
  collections: [
    assets,
    goneAssets,
    coverageGaps,
    unplacedFindings,
    assetTexts,
    assetChanges,
    inventoryRuns,
    assetCounters,
    countsBefore,
    edges,
    accessNodes,
    accessDue,
    accessDerivations,
    tenantUsage,
    projectionVersions,
    projectionRefreshes,
  ],
  jobs: { [RECLASSIFY]: reclassifyJob },
  background: [projectionVersionsTask, projectionRefreshTask, linksTask, rescoreTask],
  retention: [assetRetention, goneRetention, changeRetention, inventoryRunRetention, edgeRetention, gapRetention],
  ingest: {
    assets: ingestAssets,
    assertRoom: assertRoomForAssets,
    unseen: markGone,
    notCovered: noteGaps,
    tagsOf: findTags,
    tagged: findTagged,
    riskContextsOf: findRiskContexts,
    openFindings: noteOpenFindings,
    exposures: noteExposures,
    async derive(context, run) {
      await resolveLinks(context.services, context.auth.tenant_id, context.signal);
      await deriveAccess(context, run);
    },
    // what others have derived of the run may have changed how far the internet reaches assets
    conclude: (context) => rescoreDue(context.services, context.auth.tenant_id, context.signal),
    async daily(context, run) {
      await placeUnplaced(context.services, context.auth.tenant_id, context.signal);
      await deriveAccess(context, run);
    },
  },
});
