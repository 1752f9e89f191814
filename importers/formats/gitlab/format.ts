import { codePlace, imagePlace } from '../../normalize/artifact.js';
import { jsonFormat, type Surroundings } from '../../normalize/json-format.js';
import { utcTimeAt } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { SecretRanks } from '../../normalize/secret-finding.js';
import { readJson } from '../../readers/json/records.js';
import { asObject, objectAt, plainText, textAt } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions, ReportSource } from '../../types.js';
import type { GitLabContext } from './context.js';
import { readImageVulnerability, readPackageVulnerability } from './dependency.js';
import { isGitLabReport, kindOf, kindOfWord } from './kinds.js';
import { readCodeVulnerability } from './sast.js';
import { readLeakedSecret, secretPlaceOf } from './secret.js';

const MANAGER = 'dependency_files[*].package_manager';
const FILE = 'dependency_files[*].path';

async function contextOf(surroundings: Surroundings, options: ImportOptions, source: ReportSource): Promise<GitLabContext> {
  const scan = asObject(surroundings.value('scan'));
  const kind = kindOfWord(textAt(scan, 'type'));
  const scanner = objectAt(scan, 'scanner') ?? objectAt(scan, 'analyzer');
  const ranks = new SecretRanks();
  if (kind === undefined || kind === 'secret_detection' || kind === 'sast')
    for await (const item of readJson(source, ['vulnerabilities[*]'])) {
      const record = item.kind === 'value' ? asObject(item.value) : undefined;
      if (record !== undefined && kindOf(record, kind) === 'secret_detection') ranks.see(secretPlaceOf(record));
    }
  const managers = new Map(surroundings.all(MANAGER).map(({ indices, value }) => [indices[0], plainText(value)]));
  return {
    kind,
    source: `gitlab-${(textAt(scanner, 'id') ?? kind ?? 'sast').toLowerCase()}`,
    tool: textAt(scanner, 'name'),
    toolVersion: textAt(scanner, 'version'),
    hasFailed: textAt(scan, 'status') === 'failure',
    place: codePlace({}, options),
    packageManagers: new Map(
      surroundings.all(FILE).map(({ indices, value }) => [plainText(value), managers.get(indices[0] as number) ?? '']),
    ),
    ranks,
    options,
  };
}

/** What a scan covers. Which image one looked at that found nothing is not told. */
function covers({ kind = 'sast', hasFailed, source, place, options }: GitLabContext): ImportItem[] {
  if (hasFailed) return [{ kind: 'truncated', position: 'scan.status', reason: 'the scanner says that its scan has failed' }];
  if (kind === 'container_scanning' || kind === 'cluster_image_scanning')
    return options.artifact === undefined
      ? []
      : [coverage('vulnerability', imagePlace(options.artifact, options).resource_uid, source, options)];
  return [coverage(kind === 'dependency_scanning' ? 'vulnerability' : 'secops', place.resource_uid, source, options)];
}

/** Security reports of GitLab's scanners (schemas 2 to 15) for code, secrets, dependencies and images. One vulnerability is one record. */
export const format = jsonFormat<GitLabContext>({
  name: 'gitlab',
  label: 'GitLab security report (SAST, secret detection, dependency and container scanning)',
  engines: ['secops', 'vulnerability'],
  detection:
    'A JSON object with `version`, `vulnerabilities` and a `scan.type` of these scans, or with `vulnerabilities` in files, packages or images that have `identifiers`.',
  produce: 'glab job artifact main semgrep-sast',
  outsideClouds: true,
  observedAt: utcTimeAt('scan.end_time', 'scan.start_time'),
  expected: 'a security report of GitLab ({"version": "15.0.0", "vulnerabilities": [...], "scan": {"type": ...}})',
  roots: ['object'],
  isOfFormat: isGitLabReport,
  markers: ['vulnerabilities'],
  records: ['vulnerabilities[*]'],
  around: ['scan', MANAGER, FILE],
  context: contextOf,
  covers,
  convert(record, item, context, items) {
    switch (kindOf(record, context.kind)) {
      case 'secret_detection':
        return readLeakedSecret(record, item, context, items);
      case 'dependency_scanning':
        return readPackageVulnerability(record, item, context, items);
      case 'container_scanning':
      case 'cluster_image_scanning':
        return readImageVulnerability(record, item, context, items);
      default:
        return readCodeVulnerability(record, item, context, items);
    }
  },
});
