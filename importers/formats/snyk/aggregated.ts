import { codePlace } from '../../normalize/artifact.js';
import { toRating } from '../../normalize/cvss.js';
import { declaredItems } from '../../normalize/declared-finding.js';
import { jsonFormat } from '../../normalize/json-format.js';
import type { ReportItems } from '../../normalize/observation.js';
import { licenseItems } from '../../normalize/package-license.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { coverage } from '../../normalize/scope.js';
import { toSeverity } from '../../normalize/severity.js';
import { member, numberAt, objectAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions, ReportFormat } from '../../types.js';
import { ecosystemOf, packageNamed } from './advisory-id.js';

const ENGINES = ['vulnerability', 'secops', 'check'];

/** Aggregated issues of a project by version 1 of Snyk's interface. An issue is one record; what is ignored or patched says nothing. */
export const aggregatedOf = (
  named: Pick<ReportFormat, 'name' | 'label' | 'engines' | 'detection' | 'produce' | 'outsideClouds'>,
): ReportFormat =>
  jsonFormat<ImportOptions>({
    ...named,
    expected: 'aggregated issues of a project of Snyk ({"issues": [{"issueType": ..., "pkgName": ..., "issueData": {...}}]})',
    roots: ['object'],
    isOfFormat: (outline) => outline.has('issues[].issueData') && (outline.has('issues[].issueType') || outline.has('issues[].pkgName')),
    markers: ['issues'],
    records: ['issues[*]'],
    context: (_, options) => options,
    covers: (options) => ENGINES.map((engine) => coverage(engine, codePlace({}, options).resource_uid, 'snyk', options)),
    convert(record, { position }, options, items) {
      const id = requireText(record, 'id');
      if (member(record, 'isIgnored') === true || member(record, 'isPatched') === true) return [];
      const type = textAt(record, 'issueType');
      const told = { id, data: objectAt(record, 'issueData') ?? {}, position, options };
      if (type === 'configuration') return configuration(record, told, items);
      const versions = textsAt(record, 'pkgVersions');
      const found = type === 'license' ? license : vulnerability;
      return (versions.length === 0 ? [undefined] : versions).flatMap((version) => found(record, version, told, items));
    },
  });

interface Told {
  readonly id: string;
  readonly data: JsonObject;
  readonly position: string;
  readonly options: ImportOptions;
}

const severityOf = (data: JsonObject) => toSeverity(textAt(data, 'severity'));

function vulnerability(record: JsonObject, version: string | undefined, told: Told, items: ReportItems): ImportItem[] {
  const { id, data, position, options } = told;
  const name = requireText(record, 'pkgName');
  const identifiers = objectAt(data, 'identifiers') ?? {};
  const names = Object.keys(identifiers).filter((key) => key !== 'CWE');
  return vulnerabilityItems(
    {
      source: 'snyk',
      advisory: {
        id,
        aliases: names.flatMap((key) => textsAt(identifiers, key)),
        title: `${textAt(data, 'title') ?? id} in ${name}`,
        description: textAt(data, 'description'),
        severity: severityOf(data),
        ratings: [toRating(numberAt(data, 'cvssScore'), textAt(data, 'CVSSv3'), { source: 'snyk' })],
        cwes: textsAt(identifiers, 'CWE'),
        urls: [textAt(data, 'url')],
        fixedVersions: [
          ...textsAt(objectAt(record, 'fixInfo'), 'fixedIn'),
          ...textsAt(objectAt(record, 'fixInfo'), 'nearestFixedInVersion'),
        ],
        publishedAt: textAt(data, 'publicationTime'),
      },
      package: { ...packageNamed(name, ecosystemOf(id) ?? textAt(data, 'language')), version },
      place: codePlace({}, options),
      evidence: { exploit_maturity: textAt(data, 'exploitMaturity'), priority_score: numberAt(record, 'priorityScore') },
      position,
    },
    items,
  );
}

function license(record: JsonObject, version: string | undefined, { id, data, position, options }: Told, items: ReportItems): ImportItem[] {
  return licenseItems(
    {
      source: 'snyk',
      license: id.slice(id.lastIndexOf(':') + 1),
      severity: severityOf(data) ?? 'medium',
      place: codePlace({}, options),
      packageName: textAt(record, 'pkgName'),
      urls: [textAt(data, 'url')],
      evidence: { installed_version: version },
      position,
    },
    items,
  );
}

function configuration(_: JsonObject, { id, data, position, options }: Told, items: ReportItems): ImportItem[] {
  const path = textAt(data, 'path') ?? (textsAt(data, 'path').join('.') || undefined);
  return declaredItems(
    {
      source: 'snyk',
      ruleId: id,
      title: textAt(data, 'title') ?? id,
      description: textAt(data, 'description'),
      severity: severityOf(data) ?? 'medium',
      result: 'FAIL',
      resource: { address: undefined, language: undefined },
      file: repositoryFile('unknown', { artifact: options.artifact }),
      fingerprint: path ?? id,
      urls: [textAt(data, 'url')],
      evidence: { attribute: path },
      position,
    },
    options,
    items,
  );
}
