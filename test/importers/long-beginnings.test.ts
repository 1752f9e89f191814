import { detectFormat, DETECT_BYTES } from '../../importers/index.js';
import { fixture } from './fixtures.js';

/** Lists that stand before what a report is known best by, and are long in large ones: format, report, and the way to the list. */
const LISTS: readonly (readonly [format: string, report: string, way: readonly (string | number)[]])[] = [
  ['twistlock', 'image.json', ['results', 0, 'packages']],
  ['npm_audit', 'version1.json', ['actions']],
  ['gitlab_dynamic', 'dast.json', ['scan', 'scanned_resources']],
  ['terrascan', 'report.json', ['results', 'passed_rules']],
  ['crunch42', 'audit.json', ['report', 'index']],
  ['snyk', 'issues-version-1.json', ['issues', 'vulnerabilities']],
  ['snyk', 'project.json', ['vulnerabilities']],
  ['grype', 'image.json', ['matches']],
  ['semgrep', 'code.json', ['results']],
  ['kics', 'report.json', ['queries']],
  ['kubescape', 'cluster.json', ['resources']],
];

it.each(LISTS)('%s: %s is known though its list %j is longer than what is looked at', (format, report, way) => {
  const document = JSON.parse(fixture(format, report).toString('utf8')) as Record<string, unknown>;
  const list = way.reduce<unknown>((value, step) => (value as Record<string | number, unknown>)[step], document) as unknown[];
  const elements = [...list];
  const times = Math.ceil((2 * DETECT_BYTES) / JSON.stringify(elements).length);
  for (let n = 0; n < times; n++) list.push(...elements);
  const text = JSON.stringify(document);
  expect(text.length).toBeGreaterThan(DETECT_BYTES);
  expect(detectFormat(text.slice(0, DETECT_BYTES))?.name).toBe(format);
});
