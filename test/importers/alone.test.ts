import { fixture } from './fixtures.js';
import { readAll } from './read-all.js';

/** Lists of one element that a tool between the scanner and us may have written as the element: format, report, and the way to the list. */
const LISTS: readonly (readonly [format: string, report: string, way: readonly (string | number)[]])[] = [
  ['ocsf', 'prowler.json', [0, 'resources']],
  ['asff', 'securityhub.json', ['Findings', 0, 'Resources']],
  ['inspector2', 'array.json', [0, 'resources']],
  ['google_artifact_analysis', 'list.json', [0, 'vulnerability', 'packageIssue']],
];

it.each(LISTS)('%s: %s says the same when what stands alone in a list stands without it', async (format, report, way) => {
  const document = JSON.parse(fixture(format, report).toString('utf8')) as unknown;
  const whole = await readAll(format, document);
  const holder = way.slice(0, -1).reduce<unknown>((value, step) => (value as Record<string | number, unknown>)[step], document);
  const [name] = way.slice(-1);
  const list = (holder as Record<string | number, unknown>)[name!] as unknown[];
  expect(list).toHaveLength(1);
  (holder as Record<string | number, unknown>)[name!] = list[0];
  const { observations, broken } = await readAll(format, document);
  expect(broken).toEqual([]);
  expect(observations.map(({ rule_id, resource_uid }) => [rule_id, resource_uid])).toEqual(
    whole.observations.map(({ rule_id, resource_uid }) => [rule_id, resource_uid]),
  );
});
