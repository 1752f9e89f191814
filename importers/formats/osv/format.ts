import { jsonFormat } from '../../normalize/json-format.js';
import { ReportItems } from '../../normalize/observation.js';
import { licenseItems } from '../../normalize/package-license.js';
import { coverage } from '../../normalize/scope.js';
import type { ImportItem } from '../../types.js';
import { OSV_SURROUNDINGS, osvContext, type OsvContext } from './packages.js';
import { readOsvVulnerability } from './vulnerability.js';

const SOURCE = 'osv_scanner';

/** Licenses that the project does not allow, one finding a package. */
function violations({ packages, place }: OsvContext): ImportItem[] {
  const items = new ReportItems();
  return [...packages.values()].flatMap(({ scanned, violations: licenses, position }) =>
    licenses.flatMap((license) =>
      licenseItems(
        {
          source: SOURCE,
          license,
          severity: 'medium',
          place,
          packageName: scanned.name,
          file: scanned.paths?.[0],
          evidence: { installed_version: scanned.version, package_type: scanned.ecosystem },
          position,
        },
        items,
      ),
    ),
  );
}

/** OSV-Scanner's JSON report, versions 1 and 2. One vulnerability of one package is one record. */
export const format = jsonFormat<OsvContext>({
  name: SOURCE,
  label: 'OSV-Scanner JSON',
  engines: ['vulnerability', 'secops'],
  detection: 'A JSON object with `results` of `packages`, each with a `package` and its `vulnerabilities`, or with `experimental_config`.',
  produce: 'osv-scanner scan source --recursive --format json --output-file report.json .',
  outsideClouds: true,
  expected: 'an OSV-Scanner report ({"results": [{"source": ..., "packages": [...]}]})',
  roots: ['object'],
  isOfFormat: (outline) =>
    outline.has('results') &&
    (outline.has('results[].packages[].vulnerabilities') ||
      outline.has('results[].packages[].package.ecosystem') ||
      outline.has('experimental_config') ||
      (outline.has('results[].packages') && outline.has('results[].source.path'))),
  markers: ['results'],
  records: ['results[*].packages[*].vulnerabilities[*]'],
  around: OSV_SURROUNDINGS,
  context: osvContext,
  covers: (context) => [
    coverage('vulnerability', context.place.resource_uid, SOURCE, context.options),
    ...([...context.packages.values()].some(({ licenses }) => licenses.length > 0)
      ? [coverage('secops', context.place.resource_uid, SOURCE, context.options)]
      : []),
    ...violations(context),
  ],
  convert: readOsvVulnerability,
});
