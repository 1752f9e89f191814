import { codePlace } from '../../normalize/artifact.js';
import { jsonFormat } from '../../normalize/json-format.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { timeAt, timeInXml } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { asObject, textAt } from '../../readers/json/fields.js';
import { readHead } from '../../readers/source.js';
import { textOf } from '../../readers/xml/fields.js';
import { outlineXml } from '../../readers/xml/outline.js';
import type { ImportOptions, ReportFormat } from '../../types.js';
import { readDependencyCheckXml, ROOT } from './read-xml.js';
import {
  dependenciesOf,
  dependencyFacts,
  DEPENDENCY_SURROUNDINGS,
  readDependencyVulnerability,
  type DependencyCheckContext,
} from './vulnerability.js';

const SOURCE = 'dependency_check';

/**
 * The JSON report (schema 1.x). One vulnerability of one dependency is one record; suppressed ones stand in a list
 * of their own and are none.
 */
const json = jsonFormat<DependencyCheckContext>({
  name: SOURCE,
  label: 'OWASP Dependency-Check JSON or XML',
  engines: ['vulnerability'],
  detection:
    'A JSON object with `reportSchema` and `scanInfo` or `projectInfo`, or with `dependencies` of files, or an XML report with the root `analysis` and its `dependencies`.',
  produce: 'dependency-check --project shop --scan . --format JSON --out report.json',
  outsideClouds: true,
  observedAt: timeAt('projectInfo.reportDate'),
  expected: 'a Dependency-Check report ({"reportSchema": "1.1", "scanInfo": ..., "dependencies": [...]})',
  roots: ['object'],
  isOfFormat: (outline) =>
    (outline.has('reportSchema') && (outline.has('scanInfo') || outline.has('projectInfo'))) ||
    (outline.has('dependencies[].fileName') && (outline.has('projectInfo') || outline.has('dependencies[].evidenceCollected'))),
  markers: ['reportSchema', 'dependencies'],
  records: ['dependencies[*].vulnerabilities[*]'],
  around: DEPENDENCY_SURROUNDINGS,
  context(surroundings, options) {
    const project = asObject(surroundings.value('projectInfo'));
    const place = projectPlace(textAt(project, 'name'), textAt(project, 'applicationVersion'), options);
    return { place, dependencies: dependenciesOf(dependencyFacts(surroundings), place.resource_uid), options };
  },
  covers: ({ place, options }) => [coverage('vulnerability', place.resource_uid, SOURCE, options)],
  convert: readDependencyVulnerability,
});

function projectPlace(name: string | undefined, version: string | undefined, options: ImportOptions): PlaceDraft {
  const place = codePlace({ project: name }, options);
  return { ...place, provider_metadata: { ...place.provider_metadata, project_version: version } };
}

const isXml = (head: string): boolean => {
  const outline = outlineXml(head);
  return outline?.root === ROOT && (/dependency-check/i.test(outline.namespace) || outline.paths.has('scanInfo/engineVersion'));
};

/** OWASP Dependency-Check's reports in JSON and in XML, of all its versions. */
export const format: ReportFormat = {
  ...json,
  detect: (head) => isXml(head) || json.detect(head),
  observedAt: async (source) =>
    isXml(await readHead(source)) ? timeInXml(`${ROOT}/projectInfo/reportDate`, textOf)(source) : timeAt('projectInfo.reportDate')(source),
  async *read(source, options) {
    if (isXml(await readHead(source))) yield* readDependencyCheckXml(source, options, projectPlace);
    else yield* json.read(source, options);
  },
};
