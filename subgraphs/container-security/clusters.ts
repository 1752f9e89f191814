import { facetOf } from '../../catalog/facets.js';
import { defineProjection } from '../../kit/projections/define.js';

/** Clusters and container services of the inventory: GET /container-security/clusters. */
export const clusters = defineProjection({
  facet: facetOf('cluster'),
  type: 'Cluster',
  field: 'container_clusters',
  path: '/container-security/clusters',
  tag: 'container-security',
  things: 'clusters and container services',
  permission: 'container:read',
});
