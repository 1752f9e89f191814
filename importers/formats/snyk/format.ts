import { plainText } from '../../readers/json/fields.js';
import { codePlace } from '../../normalize/artifact.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { coverage } from '../../normalize/scope.js';
import { readHead } from '../../readers/source.js';
import type { ImportItem, ReportFormat } from '../../types.js';
import { aggregatedOf } from './aggregated.js';
import type { SnykContext } from './context.js';
import { DependencyPaths } from './dependency-paths.js';
import { readInfrastructureIssue } from './infrastructure.js';
import { PROJECTS, SNYK_SURROUNDINGS, SnykProjects } from './project.js';
import { restOf } from './rest.js';
import { readSnykVulnerability } from './vulnerability.js';

/** What version 1 of the interface answered of a project, in lists by kind. */
const ANSWERED = ['issues.vulnerabilities[*]', 'issues.licenses[*]'];
const VULNERABILITIES = [...PROJECTS.map((at) => `${at}vulnerabilities[*]`), ...ANSWERED];
const ISSUES = ['', '$[*].'].map((at) => `${at}infrastructureAsCodeIssues[*]`);

/** What the tests cover. A project that could not be tested covers nothing. */
function covers({ projects, isInfrastructure, options }: SnykContext): ImportItem[] {
  const failed = projects.all.filter(({ error }) => error !== undefined);
  const truncated = failed.map(({ error }): ImportItem => ({
    kind: 'truncated',
    position: '$',
    reason: `a project was not tested: ${error}`,
  }));
  const tested = projects.all.filter(({ error }) => error === undefined);
  const artifacts = new Set(tested.map(({ place }) => place.resource_uid));
  if (isInfrastructure) return [...truncated, coverage('check', codePlace({}, options).resource_uid, 'snyk', options)];
  return [
    ...truncated,
    ...[...artifacts].flatMap((artifact) => ['vulnerability', 'secops'].map((engine) => coverage(engine, artifact, 'snyk', options))),
  ];
}

/**
 * JSON reports of `snyk test`, `snyk container test` and `snyk iac test`, of one project or several; `snyk code test` writes SARIF.
 * One vulnerable path, or one issue of infrastructure code, is one record; ignored and patched ones stand in lists of their own.
 */
const report = jsonFormat<SnykContext>({
  name: 'snyk',
  label: 'Snyk JSON (open source, container, infrastructure as code), and issues of its interface',
  engines: ['vulnerability', 'secops', 'check'],
  detection:
    'A JSON object, or an array of them, with `vulnerabilities` beside `packageManager`, `dependencyCount` or `licensesPolicy`, or with `infrastructureAsCodeIssues`, or issues as its interface answers: `data` with an `effective_severity_level`, `issues` with `issueData`.',
  produce: 'snyk test --all-projects --json-file-output=report.json',
  outsideClouds: true,
  expected: 'a Snyk report ({"vulnerabilities": [...], "packageManager": ..., "projectName": ...} or an array of them)',
  roots: ['object', 'array'],
  isOfFormat: (outline) =>
    (outline.has('issues.vulnerabilities') && (outline.has('issues.licenses') || outline.has('issues.vulnerabilities[].package'))) ||
    ['', '[].'].some(
      (at) =>
        outline.has(`${at}infrastructureAsCodeIssues`) ||
        (outline.has(`${at}vulnerabilities`) &&
          (outline.has(`${at}licensesPolicy`) ||
            (outline.has(`${at}dependencyCount`) && outline.has(`${at}packageManager`)) ||
            (outline.has(`${at}packageManager`) && outline.has(`${at}vulnerabilities[].packageName`)) ||
            (outline.has(`${at}vulnerabilities[].semver`) && outline.has(`${at}vulnerabilities[].from`)) ||
            /^(?:SNYK-|npm:|snyk:lic:)/.test(outline.get(`${at}vulnerabilities[].id`) ?? ''))),
    ),
  markers: [
    'vulnerabilities',
    'issues.vulnerabilities',
    'infrastructureAsCodeIssues',
    'error',
    '[].vulnerabilities',
    '[].infrastructureAsCodeIssues',
    '[].error',
  ],
  records: [...VULNERABILITIES, ...ISSUES],
  around: SNYK_SURROUNDINGS,
  context: async (surroundings, options, source) => ({
    projects: new SnykProjects(surroundings, options),
    paths: await DependencyPaths.read(source, VULNERABILITIES),
    isInfrastructure: ['', '$[*].'].some((at) =>
      surroundings.all(`${at}packageManager`).some(({ value }) => /config$/.test(plainText(value))),
    ),
    options,
  }),
  covers,
  convert: (record, item, context, items) =>
    item.path.endsWith('infrastructureAsCodeIssues[*]')
      ? readInfrastructureIssue(record, item, context, items)
      : readSnykVulnerability(record, item, context, items),
});

const answers = [restOf(report), aggregatedOf(report)];

/** Reports of Snyk's command line, and issues as its interface answers. */
export const format: ReportFormat = {
  ...report,
  detect: (head) => report.detect(head) || answers.some((answer) => answer.detect(head)),
  async *read(source, options) {
    const head = await readHead(source);
    yield* (answers.find((answer) => answer.detect(head)) ?? report).read(source, options);
  },
};
