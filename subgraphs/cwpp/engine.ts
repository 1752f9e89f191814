import { defineFindingEngine } from '../../kit/findings/engine.js';
import { readSchema } from '../../kit/engine/read-schema.js';
import { momentOf } from '../../kit/findings/moment.js';
import { evidence } from './evidence.js';
import { workloads } from './workloads.js';

const SUBCATEGORIES = {
  malware: { code: 'malware', label: 'Malware' },
  runtime: { code: 'runtime', label: 'Run time' },
  configuration: { code: 'configuration', label: 'Configuration' },
} as const;

export const engine = defineFindingEngine({
  name: 'cwpp',
  label: 'Workload protection',
  description: 'Hosts, containers and functions at run time: malware, rootkits, drift.',
  prefixes: ['cwpp'],
  typeDefs: readSchema(import.meta.url),
  parts: [workloads],
  findings: {
    viewSegment: 'cwpp',
    permission: 'container:read',
    evidence,
    ruleType: 'threat',
    happenedAt: ({ last_observed_at, seen_at }) => momentOf(last_observed_at) ?? momentOf(seen_at),
    module: { code: 'cwpp', label: 'Workload protection' },
    subcategory: ({ evidence: { malware_class, process } }) =>
      malware_class != null ? SUBCATEGORIES.malware : process != null ? SUBCATEGORIES.runtime : SUBCATEGORIES.configuration,
    extensions: ({ evidence: { workload, file, process, signature } }) => ({
      workload: { name: workload ?? null, file: file ?? null, process: process ?? null, signature: signature ?? null },
    }),
  },
});
