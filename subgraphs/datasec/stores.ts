import { facetOf } from '../../catalog/facets.js';
import { defineProjection } from '../../kit/projections/define.js';

/** Data stores of the inventory: GET /data-security/stores. */
export const stores = defineProjection({
  facet: facetOf('data_store'),
  type: 'DataStore',
  field: 'data_stores',
  path: '/data-security/stores',
  tag: 'data-security',
  things: 'data stores',
  permission: 'datasec:read',
});
