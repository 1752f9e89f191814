import { writeFileSync } from 'node:fs';
import { BUILT_CATALOG, expandCatalog, withoutSamples } from './catalog.js';

/** Writes the expanded catalog beside the built modules: `node dist/catalog/build.js`. */
writeFileSync(BUILT_CATALOG, JSON.stringify(withoutSamples(expandCatalog())));
