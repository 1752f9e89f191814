import { codePlace } from '../../normalize/artifact.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { timeAt } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { asObject, textAt } from '../../readers/json/fields.js';
import { readTrackedFinding, type DependencyTrackContext } from './finding.js';

/**
 * Dependency-Track's findings of a project: its file format (FPF 1.x), and the list that its interface answers
 * (`/api/v1/finding/project/{uuid}`), also of several projects. One finding is one record.
 */
export const format = jsonFormat<DependencyTrackContext>({
  name: 'dependency_track',
  label: 'Dependency-Track findings (FPF or API)',
  engines: ['vulnerability'],
  detection:
    'A JSON object with `findings` and a `meta.application` Dependency-Track, or an array of objects with `component`, `vulnerability` and `analysis`.',
  produce: 'curl -H "X-Api-Key: $KEY" "$URL/api/v1/finding/project/$PROJECT/export" > report.json',
  outsideClouds: true,
  observedAt: timeAt('meta.timestamp'),
  expected: 'findings of Dependency-Track ({"meta": {"application": "Dependency-Track"}, "findings": [...]} or an array of findings)',
  roots: ['object', 'array'],
  isOfFormat: (outline) =>
    outline.get('meta.application') === 'Dependency-Track' ||
    ['findings[].', '[].'].some(
      (at) =>
        outline.has(`${at}component`) && outline.has(`${at}vulnerability`) && (outline.has(`${at}matrix`) || outline.has(`${at}analysis`)),
    ),
  markers: ['findings', '[].component'],
  records: ['findings[*]', '$[*]'],
  around: ['project'],
  context: (surroundings, options) => ({ project: asObject(surroundings.value('project')), options, places: new Map() }),
  covers({ project, options }) {
    const name = textAt(project, 'name');
    // a list of the interface tells by its findings what it covers
    if (name === undefined) return [];
    return [coverage('vulnerability', codePlace({ project: name }, options).resource_uid, 'dependency_track', options)];
  },
  convert: readTrackedFinding,
});
