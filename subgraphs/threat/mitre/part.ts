import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { mitreCoverage } from './coverage.js';
import { navigatorLayer } from './navigator.js';

/** What is known of which technique of ATT&CK. */
export const coverage: EnginePart = {
  prefixes: ['threat'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      mitre_coverage: (_, _args: object, context) => mitreCoverage(context),
      mitre_navigator_layer: async (_, _args: object, context) => navigatorLayer(await mitreCoverage(context)),
    },
  },
  routes: [
    { method: 'GET', path: '/threat/mitre-coverage', field: 'mitre_coverage', tag: 'threat' },
    { method: 'GET', path: '/threat/mitre-coverage/navigator-layer', field: 'mitre_navigator_layer', tag: 'threat' },
  ],
};
