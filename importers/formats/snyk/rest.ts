import { codePlace } from '../../normalize/artifact.js';
import { codeItems } from '../../normalize/code-finding.js';
import { toRating } from '../../normalize/cvss.js';
import { declaredItems } from '../../normalize/declared-finding.js';
import { jsonFormat } from '../../normalize/json-format.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { licenseItems } from '../../normalize/package-license.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { coverage } from '../../normalize/scope.js';
import { toSeverity } from '../../normalize/severity.js';
import {
  BrokenRecord,
  member,
  numberAt,
  objectAt,
  objectsAt,
  plainText,
  requireText,
  textAt,
  type JsonObject,
} from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions, ReportFormat } from '../../types.js';
import { ecosystemOf, packageNamed } from './advisory-id.js';

const PROJECT = 'data[*].relationships.scan_item.data.id';
const ENGINES = ['vulnerability', 'secops', 'check'];

interface RestContext {
  projects: ReadonlySet<string>;
  /** There is another page of the list. */
  isCut: boolean;
  options: ImportOptions;
}

/** One issue, as far as all types have it. */
interface Issue {
  readonly id: string;
  readonly title: string;
  readonly attributes: JsonObject;
  readonly representations: readonly JsonObject[];
  readonly place: PlaceDraft;
  readonly position: string;
}

/** Answers of Snyk's REST interface (`/rest/orgs/{org_id}/issues`). An issue is one record; what is resolved or ignored says nothing. */
export const restOf = (named: Pick<ReportFormat, 'name' | 'label' | 'engines' | 'detection' | 'produce' | 'outsideClouds'>): ReportFormat =>
  jsonFormat<RestContext>({
    ...named,
    expected: 'issues of Snyk\'s REST interface ({"data": [{"type": "issue", "attributes": {"effective_severity_level": ...}}]})',
    roots: ['object'],
    isOfFormat: (outline) => outline.has('data[].attributes.effective_severity_level') && outline.has('data[].attributes.key'),
    markers: ['data'],
    records: ['data[*]'],
    around: [PROJECT, 'links.next'],
    context: (surroundings, options) => ({
      projects: new Set(surroundings.all(PROJECT).map(({ value }) => plainText(value))),
      isCut: surroundings.text('links.next') !== undefined,
      options,
    }),
    covers: ({ projects, isCut, options }) => [
      ...(isCut ? [{ kind: 'truncated', position: 'links.next', reason: 'the list goes on on another page' } as const] : []),
      ...[...new Set([...projects].map((project) => codePlace({ project }, options).resource_uid))].flatMap((artifact) =>
        ENGINES.map((engine) => coverage(engine, artifact, 'snyk', options)),
      ),
    ],
    convert(record, { position }, { options }, items) {
      const attributes = objectAt(record, 'attributes') ?? {};
      const id = requireText(attributes, 'key');
      if (textAt(attributes, 'status') === 'resolved' || member(attributes, 'ignored') === true) return [];
      const project = textAt(objectAt(objectAt(objectAt(record, 'relationships'), 'scan_item'), 'data'), 'id');
      const representations = objectsAt(attributes, 'coordinates').flatMap((one) => objectsAt(one, 'representations'));
      const place = codePlace({ project }, options);
      const issue = { id, title: textAt(attributes, 'title') ?? id, attributes, representations, place, position };
      const type = textAt(attributes, 'type') ?? '';
      if (type === 'package_vulnerability') return vulnerabilities(issue, items);
      if (type === 'license') return licenses(issue, items);
      if (type === 'code' || type === 'custom') return codeIssue(issue, items);
      if (type === 'config') return configuration(issue, { ...options, artifact: place.resource_uid }, items);
      throw new BrokenRecord(`issues of the type ${type || 'none'} are not read`);
    },
  });

const severityOf = ({ attributes }: Issue) => toSeverity(textAt(attributes, 'effective_severity_level'));
const classesOf = ({ attributes }: Issue): string[] => objectsAt(attributes, 'classes').flatMap((one) => textAt(one, 'id') ?? []);
const problemsOf = ({ attributes }: Issue): JsonObject[] => objectsAt(attributes, 'problems');
const urlsOf = (issue: Issue) => problemsOf(issue).map((problem) => textAt(problem, 'url'));

/** The packages that an issue is about, each once. */
function packagesOf({ representations }: Issue): { name: string; version: string | undefined }[] {
  const named = representations.flatMap((one) => {
    const dependency = objectAt(one, 'dependency');
    const name = textAt(dependency, 'package_name');
    return name === undefined ? [] : [{ name, version: textAt(dependency, 'package_version') }];
  });
  return [...new Map(named.map((one) => [`${one.name}@${one.version ?? ''}`, one])).values()];
}

function vulnerabilities(issue: Issue, items: ReportItems): ImportItem[] {
  const { attributes, place, position, title } = issue;
  const names = problemsOf(issue).flatMap((problem) => textAt(problem, 'id') ?? []);
  // the key is that of the issue, which a project's other packages have too
  const id = names.find((name) => ecosystemOf(name) !== undefined || name.startsWith('SNYK-')) ?? issue.id;
  const packages = packagesOf(issue);
  if (packages.length === 0) throw new BrokenRecord('coordinates name no package');
  const remedies = objectsAt(attributes, 'coordinates').flatMap((one) => objectsAt(one, 'remedies'));
  return packages.flatMap(({ name, version }) =>
    vulnerabilityItems(
      {
        source: 'snyk',
        advisory: {
          id,
          aliases: names,
          title: /^CVE-/.test(title) ? undefined : `${title} in ${name}`,
          description: textAt(attributes, 'description'),
          severity: severityOf(issue),
          ratings: objectsAt(attributes, 'severities').map((one) =>
            toRating(numberAt(one, 'score'), textAt(one, 'vector'), { source: textAt(one, 'source'), version: textAt(one, 'version') }),
          ),
          cwes: classesOf(issue),
          urls: [/^SNYK-/.test(id) ? `https://security.snyk.io/vuln/${encodeURI(id)}` : undefined, ...urlsOf(issue)],
          guidance: remedies.map((remedy) => textAt(remedy, 'description')).find((text) => text !== undefined),
          publishedAt: textAt(problemsOf(issue)[0], 'disclosed_at'),
          modifiedAt: textAt(problemsOf(issue)[0], 'updated_at'),
        },
        package: { ...packageNamed(name, ecosystemOf(id)), version },
        place,
        position,
      },
      items,
    ),
  );
}

function licenses(issue: Issue, items: ReportItems): ImportItem[] {
  const license = issue.id.startsWith('snyk:lic:') ? issue.id.slice(issue.id.lastIndexOf(':') + 1) : issue.title.replace(/ license$/i, '');
  return packagesOf(issue).flatMap(({ name, version }) =>
    licenseItems(
      {
        source: 'snyk',
        license,
        severity: severityOf(issue) ?? 'medium',
        place: issue.place,
        packageName: name,
        urls: urlsOf(issue),
        evidence: { installed_version: version },
        position: issue.position,
      },
      items,
    ),
  );
}

/** Where an issue stands in code. */
function locationOf({ representations }: Issue) {
  const source = representations.map((one) => objectAt(one, 'sourceLocation')).find((one) => one !== undefined);
  const [start, end] = ['start', 'end'].map((name) => objectAt(objectAt(source, 'region'), name));
  return {
    file: textAt(source, 'file'),
    startLine: numberAt(start, 'line'),
    endLine: numberAt(end, 'line'),
    startColumn: numberAt(start, 'column'),
    endColumn: numberAt(end, 'column'),
  };
}

function codeIssue(issue: Issue, items: ReportItems): ImportItem[] {
  const { attributes, id, title, place, position } = issue;
  const ruleId = problemsOf(issue).flatMap((problem) => textAt(problem, 'id') ?? [])[0] ?? title;
  return codeItems(
    {
      source: 'snyk',
      tool: 'Snyk Code',
      ruleId,
      title,
      description: textAt(attributes, 'description'),
      severity: severityOf(issue) ?? 'medium',
      location: locationOf(issue),
      fingerprint: id,
      cwes: classesOf(issue),
      urls: urlsOf(issue),
      place,
      position,
    },
    items,
  );
}

function configuration(issue: Issue, options: ImportOptions, items: ReportItems): ImportItem[] {
  const { attributes, id, title, representations, position } = issue;
  const { file, startLine, endLine } = locationOf(issue);
  const ruleId = problemsOf(issue).flatMap((problem) => textAt(problem, 'id') ?? [])[0] ?? id;
  const path = representations.map((one) => textAt(one, 'resourcePath')).find((text) => text !== undefined);
  return declaredItems(
    {
      source: 'snyk',
      ruleId,
      title,
      description: textAt(attributes, 'description'),
      severity: severityOf(issue) ?? 'medium',
      result: 'FAIL',
      resource: { address: undefined, language: undefined },
      file: repositoryFile(file ?? 'unknown', { artifact: options.artifact }),
      startLine,
      endLine,
      fingerprint: path ?? id,
      urls: urlsOf(issue),
      cwes: classesOf(issue),
      evidence: { attribute: path },
      position,
    },
    options,
    items,
  );
}
