import { writeFileSync } from 'node:fs';
import { BUILT_FRAMEWORKS, readAllFrameworks, writtenFrameworks } from './assessed.js';
import { BUILT_EDGES, readAllEdges } from './edges.js';
import { BUILT_FACETS, readAllFacets } from './facets.js';
import { BUILT_TREES, writtenTrees } from './cel/parsed.js';
import { BUILT_CATALOG, FAMILIES_FOLDER, expandCatalog, withoutSamples } from './catalog.js';

/** Writes the expanded catalog beside the built modules: `node dist/catalog/build.js`. */
const catalog = withoutSamples(expandCatalog(FAMILIES_FOLDER));
writeFileSync(BUILT_CATALOG, JSON.stringify(catalog));
writeFileSync(BUILT_TREES, writtenTrees(new Set(catalog.rules.flatMap(({ expression, applies = [] }) => [expression, applies].flat()))));
writeFileSync(BUILT_FRAMEWORKS, writtenFrameworks(readAllFrameworks()));
writeFileSync(BUILT_FACETS, JSON.stringify(readAllFacets()));
writeFileSync(BUILT_EDGES, JSON.stringify(readAllEdges()));
