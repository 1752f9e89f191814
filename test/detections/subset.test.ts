import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { DetectionError, readDetections } from '../../catalog/detections/rule-file.js';
import { DetectionRules, valuesOf } from '../../catalog/detections/rule-set.js';
import type { DetectedEvent } from '../../catalog/detections/event-fields.js';
import { needing, shared } from '../support/shared.js';

const event = (record: Record<string, unknown>, own: Partial<DetectedEvent> = {}): DetectedEvent & { provider: 'aws'; log: string } => ({
  ...{
    record,
    time: new Date(0),
    actor: 'arn:aws:iam::111122223333:user/ann',
    action: String(record['eventName'] ?? 'Call'),
    log: 'management:write',
  },
  ...own,
  provider: 'aws',
});

/** A rule with these selections, in JSON, which is YAML. */
const ruleOf = (detection: object, more: object = {}): string =>
  JSON.stringify({
    ...{ title: 'A rule', name: 'a-rule', description: 'A rule.', level: 'low', tags: ['attack.t1098'], response: ['Look.'] },
    ...{ logsource: { product: 'aws', service: 'cloudtrail' }, detection },
    ...more,
  });

function rulesOf(...texts: string[]): DetectionRules {
  const mistakes: string[] = [];
  const sources = readDetections(texts.join('\n---\n'), 'test.yaml', mistakes);
  if (mistakes.length > 0) throw new DetectionError(mistakes);
  return new DetectionRules(sources);
}

/** Whether a rule of these selections, for one call that no ordinary event is, sees an event of it. */
const matches = (
  { condition, ...own }: { condition: string; [name: string]: unknown },
  record: Record<string, unknown>,
  columns?: Partial<DetectedEvent>,
): boolean =>
  rulesOf(ruleOf({ ...own, _call: { eventName: 'Call' }, condition: `_call and (${condition})` })).match(event(record, columns)).length > 0;
const selects = (fields: object, record: Record<string, unknown>, own?: Partial<DetectedEvent>): boolean =>
  matches({ selection: fields, condition: 'selection' }, record, own);

it.each<[string, object, Record<string, unknown>, Record<string, unknown>]>([
  ['texts without regard to case', { a: 'Yes' }, { a: 'yES' }, { a: 'yes!' }],
  ['any of a list', { a: ['x', 'y'] }, { a: 'y' }, { a: 'z' }],
  ['all fields of a map', { a: 1, b: true }, { a: 1, b: true }, { a: 1, b: false }],
  ['any map of a list', [{ a: 1 }, { b: 2 }] as object, { b: 2 }, { a: 2, b: 1 }],
  ['nothing', { a: null }, { b: 1 }, { a: 0 }],
  ['a field of an object', { 'a.b': 'x' }, { a: { b: 'x' } }, { a: 'x' }],
  ['a field of one of several objects', { 'a.b': 'x' }, { a: [{ b: 'y' }, { b: 'x' }] }, { a: [] }],
  ['wildcards', { a: 'x*z?' }, { a: 'xyyz1' }, { a: 'xz' }],
  ['an escaped star', { a: '\\*' }, { a: '*' }, { a: 'x' }],
  ['contains', { 'a|contains': 'MID' }, { a: 'a mid b' }, { a: 'm' }],
  ['contains, in an object', { 'a|contains': '"b":1' }, { a: { b: 1 } }, { a: { b: 2 } }],
  ['startswith', { 'a|startswith': 'x' }, { a: 'xy' }, { a: 'yx' }],
  ['endswith', { 'a|endswith': 'x' }, { a: 'yx' }, { a: 'xy' }],
  ['contains all', { 'a|contains|all': ['x', 'y'] }, { a: 'x and y' }, { a: 'x' }],
  ['cased', { 'a|cased': 'X' }, { a: 'X' }, { a: 'x' }],
  ['a regular expression', { 'a|re': '^x\\d+$' }, { a: 'x12' }, { a: 'X12' }],
  ['one without regard to case', { 'a|re|i': '^x' }, { a: 'X' }, { a: 'y' }],
  ['a network', { 'a|cidr': '10.0.0.0/8' }, { a: '10.1.2.3' }, { a: '11.1.2.3' }],
  ['one of IPv6', { 'a|cidr': '2001:db8::/32' }, { a: '2001:db8::1' }, { a: 'name' }],
  ['exists', { 'a|exists': true }, { a: '' }, { b: 1 }],
  ['exists not', { 'a|exists': false }, { b: 1 }, { a: 1 }],
  ['Base64', { 'a|base64': 'attack' }, { a: 'YXR0YWNr' }, { a: 'yxr0ywnr' }],
  [
    'Base64 anywhere',
    { 'a|base64offset|contains': '/bin/bash' },
    { a: Buffer.from('sh -c /bin/bash -i').toString('base64') },
    { a: 'L2Jpbi9zaA==' },
  ],
  ['another field', { 'a|fieldref': 'b' }, { a: 'x', b: 'X' }, { a: 'x' }],
  ['numbers', { 'a|gte': 3 }, { a: '3' }, { a: 2 }],
])('tells %s', (_, fields, right, wrong) => {
  expect([selects(fields, right), selects(fields, wrong)]).toEqual([true, false]);
});

it('reads columns of events, and the names that other platforms have for them', () => {
  expect(selects({ 'event.resource': 'arn:x' }, {}, { resources: ['arn:y', 'arn:x'] })).toBe(true);
  expect(selects({ sourceIPAddress: '1.2.3.4' }, {}, { source_ip: '1.2.3.4' })).toBe(true);
});

it('knows a person by a role of the identity center, and no other role', () => {
  const isPerson = (name: string) =>
    selects({ 'event.actor_kind': 'person' }, {}, { actor_kind: 'role', actor: `arn:aws:iam::111122223333:role/${name}` });
  expect([isPerson('aws-reserved/sso.amazonaws.com/AWSReservedSSO_Admin_0123'), isPerson('app')]).toEqual([true, false]);
  const isRole = selects({ 'event.actor_kind': 'role' }, {}, { actor_kind: 'role', actor: 'arn:aws:iam::1:role/AWSReservedSSO_Admin_0' });
  expect(isRole).toBe(true);
});

it.each<[string, Record<string, unknown>, boolean]>([
  ['one and not two', { one: 1, two: 0 }, true],
  ['one and not two', { one: 1, two: 1 }, false],
  ['one or two and three', { one: 1 }, true],
  ['(one or two) and three', { one: 1 }, false],
  ['1 of t*', { three: 1 }, true],
  ['all of t*', { three: 1 }, false],
  ['any of them', { one: 1 }, true],
  ['all of them', { one: 1, two: 1, three: 1 }, true],
  ['not (one or two)', { three: 1 }, true],
])('answers the condition %s of %j by %s', (condition, record, expected) => {
  expect(matches({ one: { one: 1 }, two: { two: 1 }, three: { three: 1 }, condition }, record)).toBe(expected);
});

it.each<[string, string]>([
  [ruleOf({ s: { 'a|utf16': 'x' }, condition: 's' }), 'the modifier "utf16" is not of the subset'],
  [ruleOf({ s: { 'a|re|contains': 'x' }, condition: 's' }), 'the modifiers re, contains do not go together'],
  [ruleOf({ s: { 'a|re': '(' }, condition: 's' }), 'Invalid regular expression'],
  [ruleOf({ s: { 'a|cidr': 'here' }, condition: 's' }), '"here" is no network'],
  [ruleOf({ s: { a: 1 }, condition: 's | count() > 5' }), 'aggregations behind "|" are not of the subset'],
  [ruleOf({ s: { a: 1 }, condition: 'other' }), '"other", which is no selection'],
  [ruleOf({ s: { a: 1 }, condition: '2 of s' }), '"2 of" is not of the subset'],
  [ruleOf({ s: { a: 1 }, condition: '(s' }), 'lacks a closing parenthesis'],
  [ruleOf({ s: ['word'], condition: 's' }), 'detection.s'],
  [ruleOf({ s: { 'event.colour': 1 }, condition: 's' }), 'events have no such column'],
  [ruleOf({ s: { a: 1 }, condition: 's' }, { logsource: { product: 'linux', service: 'auditd' } }), 'linux/auditd is no log of the subset'],
  [ruleOf({ s: { a: 1 }, condition: 's' }, { tags: ['attack.t9999'] }), 'T9999 is no technique'],
  [ruleOf({ s: { a: 1 }, condition: 's' }, { timeframe: '5m' }), 'timeframe'],
  [ruleOf({ s: { 'a|exists': false }, condition: 's' }), 'a-rule: it matches an ordinary event (DescribeInstances of a user)'],
  [ruleOf({ s: { eventSource: '*' }, condition: 's' }), 'it would match nearly everything: name the call'],
  [ruleOf({ s: { eventName: 'A' }, condition: 'not s' }), 'it would match nearly everything'],
  [ruleOf({ s: { 'event.outcome': 'success', 'event.actor_kind': 'role' }, condition: 's' }), 'DescribeInstances of a role'],
])('refuses by name what is outside of the subset: %#', (text, reason) => {
  expect(() => rulesOf(text)).toThrow(reason);
});

it('holds an event against the rules for its call alone', () => {
  const named = (name: string, fields: object) => ruleOf({ s: fields, condition: 's' }, { name });
  const rules = rulesOf(named('of-one', { eventName: ['A', 'B'], x: 1 }), named('of-other', { eventName: 'C' }), named('of-any', { x: 1 }));
  const counts = ['A', 'C', 'D'].map((eventName) => rules.candidates(event({ eventName })));
  expect(counts).toEqual([2, 2, 1]);
  expect(rules.match(event({ eventName: 'b', x: 1 })).map(({ rule_id }) => rule_id)).toEqual([
    'palisade-detection-of-one',
    'palisade-detection-of-any',
  ]);
});

/** A correlation of rules, which stand beside it. */
const correlationOf = (correlation: object): string =>
  [...['rule-a', 'rule-b'].map((name) => ruleOf({ s: { eventName: name }, condition: 's' }, { name }))]
    .concat(
      JSON.stringify({
        ...{ title: 'Many', name: 'many', description: 'Many.', level: 'high', tags: ['attack.t1098'], response: ['Look.'] },
        correlation: { rules: ['rule-a', 'rule-b'], timespan: '10m', ...correlation },
      }),
    )
    .join('\n---\n');

it.each<[object, string]>([
  [{ type: 'value_sum', condition: { gte: 2, field: 'x' } }, 'correlation.type'],
  [{ type: 'temporal_extended' }, 'correlation.type'],
  [{ type: 'temporal', aliases: { who: { 'rule-a': 'x' } } }, 'aliases'],
  [{ type: 'temporal', 'group-by': ['event.actor'] }, 'correlation.group-by: is event.account_id and event.actor, or left out'],
  [
    { type: 'temporal', 'group-by': ['event.account_id', 'event.source_ip'] },
    'correlation.group-by: is event.account_id and event.actor, or',
  ],
  [
    { type: 'event_count', condition: { gte: 3 }, 'group-by': ['event.source_ip'] },
    'correlation.group-by: is event.account_id and event.actor, or event.account_id and event.source_ip, or left out',
  ],
  [{ type: 'temporal', condition: { gte: 2 } }, 'condition'],
  [{ type: 'temporal', rules: ['rule-a'] }, 'correlation.rules'],
  [{ type: 'temporal_ordered', rules: ['rule-a', 'rule-a'] }, 'names a rule twice'],
  [{ type: 'temporal', timespan: '2d' }, 'correlation.timespan: is at most a day'],
  [{ type: 'temporal', timespan: '1w' }, 'correlation.timespan'],
  [{ type: 'temporal', rules: ['rule-a', 'rule-c'] }, 'many: it asks for events of "rule-c", which is no rule'],
  [{ type: 'event_count', condition: { lte: 3 } }, 'correlation.condition: is gte or gt'],
  [{ type: 'event_count', condition: { gte: 1 } }, 'correlation.condition'],
  [{ type: 'event_count', condition: { gte: 3, field: 'x' } }, 'event_count takes no field'],
  [{ type: 'value_count', condition: { gte: 3 } }, 'value_count needs the field'],
])('refuses by name what a correlation has beyond the subset: %j', (correlation, reason) => {
  expect(() => rulesOf(correlationOf(correlation))).toThrow(reason);
});

it('counts more than a number as at least the next, and takes both names of the grouping', () => {
  const rules = rulesOf(correlationOf({ type: 'event_count', condition: { gt: 4 }, 'group-by': ['event.account_id', 'event.actor'] }));
  expect(rules.all.get('palisade-detection-many')!.threshold).toEqual({ least: 5, within: 600_000, ofValues: false });
});

it('counts by the address that events came from where a rule says so, and not those of which none is known', () => {
  const by = { 'group-by': ['event.source_ip', 'event.account_id'] };
  const rules = rulesOf(correlationOf({ type: 'value_count', condition: { gte: 3, field: 'event.actor' }, ...by }));
  const [match, ...others] = rules.match(event({ eventName: 'rule-a' }, { source_ip: '203.0.113.7' }));
  expect([match!.rule_id, match!.address, valuesOf(match!).length, others]).toEqual(['palisade-detection-many', '203.0.113.7', 1, []]);
  expect(rules.match(event({ eventName: 'rule-a' }))).toEqual([]);
});

const SIGMA = shared('data/samples/sigma');

needing(SIGMA).it(
  'reads the detections that others have written for clouds, but for what it refuses by name (skipped without ../shared)',
  () => {
    const refused: string[] = [];
    let read = 0;
    for (const file of ['aws', 'azure', 'gcp'].map((cloud) => `sigma_cloud_${cloud}.yml`).concat('sigma_application_kubernetes.yml'))
      for (const { title, logsource, detection } of loadAll(readFileSync(join(SIGMA!, file), 'utf8')) as {
        title: string;
        logsource: object;
        detection: object;
      }[])
        try {
          const mistakes: string[] = [];
          const text = ruleOf(detection, { title: title.slice(0, 120), logsource });
          const sources = readDetections(text, file, mistakes);
          if (mistakes.length > 0) throw new DetectionError(mistakes);
          new DetectionRules(sources);
          read += 1;
        } catch (error) {
          refused.push(`${title}: ${(error as Error).message}`);
        }
    expect(refused.filter((line) => !BEYOND.test(line))).toEqual([]);
    const ofOurLogs = read + refused.filter((line) => !/is no log of the subset/.test(line)).length;
    expect(read / ofOurLogs).toBeGreaterThan(0.95);
  },
);

/** What of them is outside of the subset: logs that are none of the eight, and texts that are looked for in all of an event. */
const BEYOND = /is no log of the subset|keywords without a field are not of the subset/;

it('lets a rule that is counted raise by its correlation alone, with the value that is counted', () => {
  const correlation = JSON.stringify({
    ...{ title: 'Many', name: 'many', description: 'Many.', level: 'high', tags: ['attack.t1098'], response: ['Look.'] },
    correlation: { type: 'value_count', rules: ['a-rule'], timespan: '10m', condition: { gte: 3, field: ['what', 'whatElse.a'] } },
  });
  const rules = rulesOf(ruleOf({ s: { eventName: 'A' }, condition: 's' }), correlation);
  const valuesIn = (record: object): string[] => {
    const [match] = rules.match(event({ eventName: 'A', ...record }));
    expect(match!.rule_id).toBe('palisade-detection-many');
    return valuesOf(match!);
  };
  const [x] = valuesIn({ what: 'x' });
  expect(x).toMatch(/^[\w-]{12}$/);
  // each that a call names, in any of the fields, as often as it is named, and no more than make a finding
  const several = valuesIn({ what: ['x', 'y', 'x'] });
  expect([several[0], several.length]).toEqual([x, 2]);
  expect(valuesIn({ whatElse: [{ a: 'y' }] })).toEqual([several[1]]);
  expect(valuesIn({ what: ['a', 'b', 'c', 'd'] })).toHaveLength(3);
  expect([...rules.all.keys()]).toEqual(['palisade-detection-many']);
  expect(rules.all.get('palisade-detection-many')!.threshold).toEqual({ least: 3, within: 600_000, ofValues: true });
});
