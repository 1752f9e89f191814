import { writeFileSync } from 'node:fs';
import { BUILT_FRAMEWORKS, readAllFrameworks, writtenFrameworks } from './assessed.js';
import { BUILT_EDGES, readAllEdges } from './edges.js';
import { BUILT_FACETS, readAllFacets } from './facets.js';
import { DetectionError } from './detections/rule-file.js';
import { loadDetections } from './detections/rule-set.js';
import { BUILT_REMEDIES, remediesOf } from './remedies/remedies.js';
import { BUILT_TREES, writtenTrees } from './cel/parsed.js';
import { BUILT_CATALOG, FAMILIES_FOLDER, expandCatalog, withoutSamples } from './catalog.js';

/** Writes the expanded catalog beside the built modules: `node dist/catalog/build.js`. */
const expanded = expandCatalog(FAMILIES_FOLDER);
const catalog = withoutSamples(expanded);
writeFileSync(BUILT_CATALOG, JSON.stringify(catalog));
writeFileSync(BUILT_REMEDIES, JSON.stringify(remediesOf(expanded.rules)));
writeFileSync(BUILT_TREES, writtenTrees(new Set(catalog.rules.flatMap(({ expression, applies = [] }) => [expression, applies].flat()))));
writeFileSync(BUILT_FRAMEWORKS, writtenFrameworks(readAllFrameworks()));
writeFileSync(BUILT_FACETS, JSON.stringify(readAllFacets()));
writeFileSync(BUILT_EDGES, JSON.stringify(readAllEdges()));

/** A detection that is outside of the subset ends the build, and says why. */
try {
  loadDetections();
} catch (error) {
  if (!(error instanceof DetectionError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
