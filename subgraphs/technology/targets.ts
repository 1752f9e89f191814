import { facetOf } from '../../catalog/facets.js';
import { defineProjection } from '../../kit/projections/define.js';

/** Products with their versions, and when these are supported no more: GET /technology/targets. */
export const targets = defineProjection({
  facet: facetOf('technology'),
  type: 'TechnologyTarget',
  field: 'technology_targets',
  path: '/technology/targets',
  tag: 'technology',
  things: 'products that run in the estate',
  permission: 'check:read',
});
