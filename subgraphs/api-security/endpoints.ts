import { facetOf } from '../../catalog/facets.js';
import { defineProjection } from '../../kit/projections/define.js';

/** Gateways, APIs, routes and addresses of functions: GET /apisec/endpoints. */
export const endpoints = defineProjection({
  facet: facetOf('api'),
  type: 'ApiEndpoint',
  field: 'api_endpoints',
  path: '/apisec/endpoints',
  tag: 'apisec',
  things: 'gateways, APIs and what answers under them',
  permission: 'threat:read',
});
