import { DetectionError, readDetections } from '../../catalog/detections/rule-file.js';
import { DetectionRules } from '../../catalog/detections/rule-set.js';
import type { DetectedEvent } from '../../catalog/detections/event-fields.js';

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

const matches = (detection: object, record: Record<string, unknown>, own?: Partial<DetectedEvent>): boolean =>
  rulesOf(ruleOf(detection)).match(event(record, own)).length > 0;
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

it('lets a rule that is counted raise by its correlation alone, with the value that is counted', () => {
  const correlation = JSON.stringify({
    ...{ title: 'Many', name: 'many', description: 'Many.', level: 'high', tags: ['attack.t1098'], response: ['Look.'] },
    correlation: { type: 'value_count', rules: ['a-rule'], timespan: '10m', condition: { gte: 3, field: 'what' } },
  });
  const rules = rulesOf(ruleOf({ s: { eventName: 'A' }, condition: 's' }), correlation);
  expect(rules.match(event({ eventName: 'A', what: 'x' }))).toEqual([{ rule_id: 'palisade-detection-many', value: 'x' }]);
  expect([...rules.all.keys()]).toEqual(['palisade-detection-many']);
  expect(rules.all.get('palisade-detection-many')!.threshold).toEqual({ least: 3, within: 600_000, ofValues: true });
});
