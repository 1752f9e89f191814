import { writeFileSync } from 'node:fs';
import { BUILT_FRAMEWORKS, readAllFrameworks, writtenFrameworks } from './assessed.js';
import { BUILT_EDGES, readAllEdges } from './edges.js';
import { BUILT_FACETS, readAllFacets } from './facets.js';
import { DetectionError } from './detections/rule-file.js';
import { loadDetections } from './detections/rule-set.js';
import { BUILT_REMEDIES, remediesOf } from './remedies/remedies.js';
import { BUILT_CATALOG, FAMILIES_FOLDER, expandCatalog, withoutSamples } from './catalog.js';

/** Writes the expanded catalog beside the built modules: `node dist/catalog/build.js`. */
const catalog = expandCatalog(FAMILIES_FOLDER);
writeFileSync(BUILT_CATALOG, JSON.stringify(withoutSamples(catalog)));
writeFileSync(BUILT_REMEDIES, JSON.stringify(remediesOf(catalog.rules)));
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
