import { facetOf } from '../../catalog/facets.js';
import { defineProjection } from '../../kit/projections/define.js';

/** Machines, containers and functions of the inventory: GET /cwpp/workloads. */
export const workloads = defineProjection({
  facet: facetOf('workload'),
  type: 'Workload',
  field: 'workloads',
  path: '/cwpp/workloads',
  tag: 'cwpp',
  things: 'workloads',
  permission: 'container:read',
});
