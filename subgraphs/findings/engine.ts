import { defineEngine } from '../../kit/engine/engine.js';
import { findingRetention } from '../../kit/findings/retention.js';
import { readSchema, readSharedSchema } from '../../kit/engine/read-schema.js';
import { ageingPart } from './ageing/part.js';
import { changesPart } from './changes/part.js';
import { dashboardPart } from './dashboard/part.js';
import { groupsPart } from './groups/part.js';
import { listPart } from './list/part.js';
import { searchPart } from './search/part.js';
import { assignmentPart } from './assignment/part.js';
import { bulkPart } from './bulk/part.js';
import { suppressByTags } from '../../kit/findings/suppressions/task.js';
import { resolvers } from './resolvers.js';
import { savedFiltersPart } from './saved-filters/part.js';
import { slaPart } from './sla/part.js';
import { suppressionsPart } from './suppressions/part.js';
import { triageRulesPart } from './triage-rules/part.js';
import { trendsPart } from './trends/part.js';
import { takeAfterRun } from './trends/take.js';

export const engine = defineEngine({
  name: 'findings',
  label: 'Findings',
  description: 'Everything that spans engines: the finding detail with its fan-out, and triage.',
  prefixes: ['views', 'asset-context'],
  typeDefs: readSharedSchema('triage') + readSchema(import.meta.url),
  resolvers,
  retention: [findingRetention],
  ingest: { derive: suppressByTags, conclude: takeAfterRun },
  parts: [
    ageingPart,
    assignmentPart,
    bulkPart,
    changesPart,
    dashboardPart,
    groupsPart,
    listPart,
    savedFiltersPart,
    searchPart,
    slaPart,
    suppressionsPart,
    trendsPart,
    triageRulesPart,
  ],
  routes: [
    { method: 'GET', path: '/asset-context/{resource_uid}', field: 'asset_context', tag: 'asset-context' },
    { method: 'GET', path: '/views/finding/{engine}/{id}', field: 'finding_view', tag: 'finding-views' },
    {
      method: 'PATCH',
      path: '/views/finding/{engine}/{id}/status',
      field: 'set_finding_status',
      headers: { 'if-match': 'expected_version' },
      tag: 'finding-views',
    },
    { method: 'GET', path: '/views/finding/{engine}/{id}/timeline', field: 'finding_timeline', tag: 'finding-triage' },
    { method: 'PUT', path: '/views/finding/{engine}/{id}/ticket', field: 'set_finding_ticket', tag: 'finding-triage' },
    { method: 'DELETE', path: '/views/finding/{engine}/{id}/ticket', field: 'remove_finding_ticket', status: 204, tag: 'finding-triage' },
  ],
});
