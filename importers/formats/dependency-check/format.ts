import { codePlace } from '../../normalize/artifact.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { timeAt } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { asObject, textAt } from '../../readers/json/fields.js';
import { dependenciesOf, DEPENDENCY_SURROUNDINGS, readDependencyVulnerability, type DependencyCheckContext } from './vulnerability.js';

const SOURCE = 'dependency_check';

/**
 * OWASP Dependency-Check's JSON report (schema 1.x). One vulnerability of one dependency is one record; suppressed ones stand in a list
 * of their own and are none.
 */
export const format = jsonFormat<DependencyCheckContext>({
  name: SOURCE,
  label: 'OWASP Dependency-Check JSON',
  engines: ['vulnerability'],
  detection: 'A JSON object with `reportSchema` and `scanInfo` or `projectInfo`, or with `dependencies` of files.',
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
    const place = codePlace({ project: textAt(project, 'name') }, options);
    return {
      place: { ...place, provider_metadata: { ...place.provider_metadata, project_version: textAt(project, 'applicationVersion') } },
      dependencies: dependenciesOf(surroundings, place.resource_uid),
      options,
    };
  },
  covers: ({ place, options }) => [coverage('vulnerability', place.resource_uid, SOURCE, options)],
  convert: readDependencyVulnerability,
});
