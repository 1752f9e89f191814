import { facetOf } from '../../catalog/facets.js';
import { joinSources } from '../../kit/projections/join.js';
import { defineProjection } from '../../kit/projections/define.js';
import { described } from './described.js';
import { driftOf } from './drift.js';

/** Gateways, APIs, routes and addresses of functions, and what descriptions tell of: GET /apisec/endpoints. */
export const endpoints = defineProjection({
  facet: joinSources(facetOf('api'), described),
  type: 'ApiEndpoint',
  field: 'api_endpoints',
  path: '/apisec/endpoints',
  tag: 'apisec',
  things: 'gateways, APIs and what answers under them',
  permission: 'threat:read',
  computed: {
    drift: {
      type: 'ApiDrift',
      description: 'What differs between its descriptions, and between them and what scanners saw; null for what no description tells of.',
      resolve: driftOf,
    },
  },
});
