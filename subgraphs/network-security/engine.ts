import { defineFindingEngine } from '../../kit/findings/engine.js';
import { readSchema } from '../../kit/engine/read-schema.js';
import type { PageArguments } from '../../kit/store/paging.js';
import { evidence } from './evidence.js';
import { deriveExposures } from './exposures/derive.js';
import { exposureBatch, listExposures, type ExposureFilter } from './exposures/list.js';
import { networkExposures } from './exposures/records.js';
import { derivations } from '../../kit/engine/kept-rows.js';
import { managementPortFindings } from './management-ports.js';
import { reachability, type ReachabilityArguments } from './reachability.js';

const SUBCATEGORIES = {
  exposure: { code: 'exposure', label: 'Exposure' },
  segmentation: { code: 'segmentation', label: 'Segmentation and logging' },
} as const;

export const engine = defineFindingEngine({
  name: 'network-security',
  label: 'Network security',
  description: 'What can be reached from where.',
  prefixes: ['network-security'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      exposures_model: (_, args: { after?: string | null; limit: number }, context) => exposureBatch(context, args),
      network_exposures: (_, args: ExposureFilter & PageArguments, context) => listExposures(context, args),
      reachability: (_, args: ReachabilityArguments, context) => reachability(context, args),
    },
  },
  routes: [
    { method: 'GET', path: '/network-security/exposures', field: 'network_exposures', tag: 'network-security' },
    { method: 'GET', path: '/network-security/reachability', field: 'reachability', tag: 'network-security' },
  ],
  collections: [networkExposures, derivations],
  ingest: {
    async derive(context, run) {
      await deriveExposures(context, run);
      await managementPortFindings.derive(context, run);
    },
  },
  findings: {
    viewSegment: 'network-security',
    permission: 'network:read',
    evidence,
    ruleType: 'config',
    module: { code: 'network', label: 'Network security' },
    subcategory: ({ rule_id }) =>
      /open|public|exposed|ingress|internet/i.test(rule_id) ? SUBCATEGORIES.exposure : SUBCATEGORIES.segmentation,
    extensions: ({ evidence: { protocol, port, port_range, source_ranges } }) => ({
      network: { protocol: protocol ?? null, port: port ?? null, port_range: port_range ?? null, source_ranges: source_ranges ?? [] },
    }),
  },
});
