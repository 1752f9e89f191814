import { facetOf } from '../../catalog/facets.js';
import { defineProjection } from '../../kit/projections/define.js';
import { joinSources } from '../../kit/projections/join.js';
import { reported } from './protection/hosts.js';
import { protectionOf, runtimeFindingsOf } from './protection/read.js';

/** Machines, containers and functions of the inventory, hosts that agents and scanners report, and what protects them: GET /cwpp/workloads. */
export const workloads = defineProjection({
  facet: joinSources(facetOf('workload'), reported),
  type: 'Workload',
  field: 'workloads',
  path: '/cwpp/workloads',
  tag: 'cwpp',
  things: 'workloads',
  permission: 'container:read',
  computed: {
    protection: {
      type: 'WorkloadProtection!',
      description: 'What protects it while it runs, as agents, sensors and scanners tell it.',
      resolve: protectionOf,
    },
    runtime_findings: {
      type: 'Int!',
      description: 'Its open findings of run time: malware, rootkits, what sensors have seen it do.',
      resolve: runtimeFindingsOf,
    },
  },
});
