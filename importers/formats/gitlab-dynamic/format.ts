import { jsonFormat } from '../../normalize/json-format.js';
import { utcTimeAt } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { originOf, webPlace } from '../../normalize/web-finding.js';
import { asObject, objectAt, objectsAt, textAt } from '../../readers/json/fields.js';
import { readDynamicVulnerability, type DynamicContext } from './vulnerability.js';

/** `scan.type`, and `category` before version 15 -> the engine of what is found. */
const ENGINES: Readonly<Record<string, DynamicContext['engine']>> = {
  dast: 'secops',
  api_fuzzing: 'api-security',
  coverage_fuzzing: 'api-security',
};
const engineOf = (type: string | undefined): DynamicContext['engine'] | undefined => ENGINES[type ?? ''];

/** Reports of GitLab's scans of running applications and of its fuzzers (schemas 2 to 15). One vulnerability is one record. */
export const format = jsonFormat<DynamicContext & { origins: readonly string[] }>({
  name: 'gitlab_dynamic',
  label: 'GitLab DAST and fuzzing report',
  engines: ['secops', 'api-security'],
  detection:
    'A JSON object with `version`, `vulnerabilities` and a `scan.type` of `dast`, `api_fuzzing` or `coverage_fuzzing`, or with the places of these.',
  produce: 'glab job artifact main dast',
  outsideClouds: true,
  observedAt: utcTimeAt('scan.end_time', 'scan.start_time'),
  expected: 'a DAST or fuzzing report of GitLab ({"version": "15.0.0", "vulnerabilities": [...], "scan": {"type": "dast"}})',
  roots: ['object'],
  isOfFormat: (outline) =>
    // the addresses that were scanned may fill the beginning
    outline.has('scan.scanned_resources') ||
    (outline.has('vulnerabilities') &&
      (engineOf(outline.get('scan.type')) !== undefined ||
        engineOf(outline.get('vulnerabilities[].category')) !== undefined ||
        (!outline.has('scan.type') && ['hostname', 'crash_type'].some((key) => outline.has(`vulnerabilities[].location.${key}`))))),
  markers: ['vulnerabilities', 'scan'],
  records: ['vulnerabilities[*]'],
  around: ['scan'],
  context: (surroundings, options) => {
    const scan = asObject(surroundings.value('scan'));
    const scanner = objectAt(scan, 'scanner') ?? objectAt(scan, 'analyzer');
    const type = textAt(scan, 'type') ?? 'dast';
    const scanned = objectsAt(scan, 'scanned_resources').flatMap((one) => originOf(textAt(one, 'url')) ?? []);
    return {
      source: `gitlab-${(textAt(scanner, 'id') ?? type).toLowerCase()}`,
      tool: textAt(scanner, 'name') ?? 'GitLab',
      engine: engineOf(type) ?? 'secops',
      hasFailed: textAt(scan, 'status') === 'failure',
      origins: [...new Set(scanned)],
      options,
    };
  },
  // which applications a scan looked at that found nothing is told by the resources that it scanned
  covers: ({ engine, source, hasFailed, origins, options }) => {
    if (hasFailed) return [{ kind: 'truncated', position: 'scan.status', reason: 'the scanner says that its scan has failed' }];
    const named = origins.length > 0 ? origins : options.artifact === undefined ? [] : [webPlace(undefined, options).resource_uid];
    return named.map((origin) => coverage(engine, origin, source, options));
  },
  convert: readDynamicVulnerability,
});
