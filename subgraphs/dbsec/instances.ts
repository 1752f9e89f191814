import { facetOf } from '../../catalog/facets.js';
import { defineProjection } from '../../kit/projections/define.js';

/** Databases of the inventory: GET /database-security/instances. */
export const instances = defineProjection({
  facet: facetOf('database'),
  type: 'DatabaseInstance',
  field: 'database_instances',
  path: '/database-security/instances',
  tag: 'database-security',
  things: 'databases',
  permission: 'dbsec:read',
});
