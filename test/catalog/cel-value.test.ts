import { bindingsOf } from '../../catalog/evaluate.js';
import { toPlain } from '../../catalog/cel/value.js';
import { evaluate, resource, verdict } from './verdict.js';

const reasonOf = (expression: string, configuration: Record<string, unknown>): string | undefined =>
  evaluate({ expression }, resource(configuration)).reason;

describe('what is absent', () => {
  it.each([
    ['null', null],
    ['an empty text', ''],
    ['an empty list', []],
    ['an attribute that is not there', undefined],
  ])('%s has no value', (_, a) => {
    expect(verdict('has(r.a)', { a })).toBe('FAIL');
    expect(verdict('r.a == 1', { a })).toBe('NOT_EVALUATED');
  });

  it.each([
    ['false', false],
    ['zero', 0],
    ['a text', 'no'],
    ['an empty block', {}],
    ['a list with an empty block', [{}]],
  ])('%s is there', (_, a) => {
    expect(verdict('has(r.a)', { a })).toBe('PASS');
  });

  it('is left out of lists', () => {
    expect(verdict('r.list.all(a, a == "a") && size(r.list) == 1', { list: [null, 'a', ''] })).toBe('PASS');
  });

  it('is nothing that an object inherits', () => {
    expect(verdict('has(r.constructor) || has(r.toString)', {})).toBe('FAIL');
    expect(verdict('has(r.__proto__)', JSON.parse('{"__proto__": "own"}') as Record<string, unknown>)).toBe('PASS');
  });
});

describe('a block that is there once', () => {
  it.each([
    ['a map', { versioning: { enabled: true, rule: { days: 3 } } }],
    ['a list of one', { versioning: [{ enabled: true, rule: [{ days: 3 }] }] }],
  ])('written as %s is read as a map', (_, configuration) => {
    expect(verdict('has(r.versioning) && has(r.versioning.enabled) && r.versioning.enabled', configuration)).toBe('PASS');
    expect(verdict('r.versioning.rule.days == 3', configuration)).toBe('PASS');
    expect(verdict('has(r.versioning.missing)', configuration)).toBe('FAIL');
  });

  it('written as a list of one is read as a list', () => {
    const configuration = { versioning: [{ enabled: true }] };
    expect(verdict('r.versioning.all(v, v.enabled)', configuration)).toBe('PASS');
    expect(verdict('size(r.versioning) == 1 && r.versioning[0].enabled', configuration)).toBe('PASS');
    expect(verdict('r.versioning.exists(v, !v.enabled)', configuration)).toBe('FAIL');
  });

  it('written as a map is gone through key by key', () => {
    expect(verdict('r.labels.all(key, r.labels[key] == "on")', { labels: { a: 'on', b: 'on' } })).toBe('PASS');
    expect(verdict('r.labels.exists(key, key == "c")', { labels: { a: 'on', b: 'on' } })).toBe('FAIL');
  });

  it('is only a list where there are two', () => {
    const configuration = { rule: [{ enabled: true }, { enabled: false }] };
    expect(verdict('r.rule.all(v, v.enabled)', configuration)).toBe('FAIL');
    expect(verdict('r.rule.enabled', configuration)).toBe('NOT_EVALUATED');
  });
});

describe('a reference', () => {
  it.each(['${aws_kms_key.main.arn}', '${data.aws_kms_key.main.arn}', '${module.keys.arn}', 'arn:${aws_kms_key.main.id}', '${a}-${b}'])(
    'to something that exists, %s, is set; its value is not known',
    (key) => {
      expect(verdict('has(r.key)', { key })).toBe('PASS');
      expect(verdict('r.key == "x"', { key })).toBe('NOT_EVALUATED');
      expect(verdict('r.key != "x"', { key })).toBe('NOT_EVALUATED');
      expect(reasonOf('r.key == "x"', { key })).toContain(`unresolved reference: ${key}`);
    },
  );

  it.each(['${var.key}', '${local.key}', '${each.value}', '${var.on ? 1 : null}', '${try(aws_kms_key.main.arn, null)}'])(
    'that may be null, %s, is not even known to be set',
    (key) => {
      expect(verdict('has(r.key)', { key })).toBe('NOT_EVALUATED');
      expect(verdict('!has(r.key)', { key })).toBe('NOT_EVALUATED');
    },
  );

  it('decides nothing where the rest does', () => {
    const configuration = { key: '${var.key}', on: true };
    expect(verdict('has(r.key) || r.on', configuration)).toBe('PASS');
    expect(verdict('r.on || has(r.key)', configuration)).toBe('PASS');
    expect(verdict('has(r.key) && !r.on', configuration)).toBe('FAIL');
    expect(verdict('has(r.key) && r.on', configuration)).toBe('NOT_EVALUATED');
  });

  it('in a list leaves only its element open', () => {
    const configuration = { cidrs: ['10.0.0.0/8', '${var.cidr}'] };
    expect(verdict('r.cidrs.exists(c, c == "10.0.0.0/8")', configuration)).toBe('PASS');
    expect(verdict('r.cidrs.all(c, c != "10.0.0.0/8")', configuration)).toBe('FAIL');
    expect(verdict('r.cidrs.all(c, c != "0.0.0.0/0")', configuration)).toBe('NOT_EVALUATED');
    expect(verdict('r.cidrs.exists(c, r.cidrs.exists(d, c == d && d.startsWith("10.")))', configuration)).toBe('PASS');
    expect(verdict('r.cidrs.map(c, c).exists(c, c == "10.0.0.0/8")', configuration)).toBe('NOT_EVALUATED');
    expect(verdict('strings(r.cidrs).all(c, c != "0.0.0.0/0")', configuration)).toBe('NOT_EVALUATED');
  });

  it('is told in a reason of bearable length', () => {
    expect(reasonOf('r.key == ""', { key: `\${data.${'x'.repeat(5_000)}.id}` })!.length).toBeLessThanOrEqual(300);
  });
});

describe('a value inside a reference', () => {
  it.each([
    ['${true}', 'r.a == true'],
    ['${false}', 'r.a == false'],
    ['${42}', 'r.a == 42'],
  ])('%s is read', (a, expression) => {
    expect(verdict(expression, { a })).toBe('PASS');
  });

  it('is decoded where it is jsonencode of literals, references in it staying open', () => {
    const policy = '${jsonencode({ Version = "2012", Statement = [{ Effect = "Allow", Resource = aws_s3_bucket.b.arn }] })}';
    expect(verdict('json(r.policy).Version == "2012"', { policy })).toBe('PASS');
    expect(verdict('json(r.policy).Statement.all(s, s.Effect == "Allow")', { policy })).toBe('PASS');
    expect(verdict('json(r.policy).Statement.all(s, has(s.Resource))', { policy })).toBe('PASS');
    expect(verdict('json(r.policy).Statement.all(s, s.Resource == "*")', { policy })).toBe('NOT_EVALUATED');
  });

  it('stays open where jsonencode is given more than literals', () => {
    const policy = '${jsonencode(concat([1], var.more))}';
    expect(verdict('has(r.policy)', { policy })).toBe('PASS');
    expect(verdict('json(r.policy) == 1', { policy })).toBe('NOT_EVALUATED');
  });

  it('is read where the text is a document with references inside', () => {
    const policy = '{"Statement": [{"Effect": "Deny", "Resource": "${aws_s3_bucket.b.arn}"}]}';
    expect(verdict('json(r.policy).Statement.all(s, s.Effect == "Deny")', { policy })).toBe('PASS');
    expect(verdict('json(r.policy).Statement.all(s, s.Resource == "*")', { policy })).toBe('NOT_EVALUATED');
  });
});

describe('what the source does not know yet', () => {
  it('is an error, set or not', () => {
    const more = { unknown_paths: ['kms_key_id', 'ingress[0].cidr_blocks'] };
    const configuration = { ingress: [{ from_port: 22, cidr_blocks: null }], kms_key_id: null };
    expect(verdict('has(r.kms_key_id)', configuration, more)).toBe('NOT_EVALUATED');
    expect(verdict('has(r.kms_key_id)', configuration)).toBe('FAIL');
    expect(verdict('r.ingress.all(i, !has(i.cidr_blocks))', configuration, more)).toBe('NOT_EVALUATED');
    expect(verdict('r.ingress.all(i, i.from_port == 22)', configuration, more)).toBe('PASS');
  });

  it('is known where the source gives a value all the same', () => {
    expect(verdict('has(r.arn)', { arn: 'arn:aws:x' }, { unknown_paths: ['arn'] })).toBe('PASS');
  });
});

describe('functions over values', () => {
  it('take booleans and numbers as Terraform may write them', () => {
    expect(verdict('is_true(r.a) && is_true(r.b) && !is_true(r.c)', { a: true, b: 'True', c: 'yes' })).toBe('PASS');
    expect(verdict('is_false(r.a) && is_false(r.b) && !is_false(r.c)', { a: false, b: 'false', c: 0 })).toBe('PASS');
    expect(verdict('number(r.a) >= 7 && number(r.b) >= 7.5', { a: 7, b: '7.5' })).toBe('PASS');
    expect(verdict('number(r.a) >= 7', { a: 'seven' })).toBe('NOT_EVALUATED');
    expect(verdict('strings(r.a).all(x, x == "a") && strings(r.b).all(x, x == "a")', { a: 'a', b: ['a'] })).toBe('PASS');
  });

  it('compare versions number by number', () => {
    for (const version of ['1.28', '1.28.3-gke.1', '1.30', '2'])
      expect(verdict('version_at_least(r.v, "1.28")', { v: version })).toBe('PASS');
    for (const version of ['1.9', '1.27.16', '1']) expect(verdict('version_at_least(r.v, "1.28")', { v: version })).toBe('FAIL');
    expect(verdict('version_at_least(r.v, "1.2")', { v: 'TLSv1.2_2021' })).toBe('PASS');
    expect(verdict('version_at_least(r.v, "1.2")', { v: 'TLS1_1' })).toBe('FAIL');
    expect(verdict('version_at_least(r.v, "1.2")', { v: 'latest' })).toBe('NOT_EVALUATED');
  });

  it('counts the days between two dates, whatever their form', () => {
    expect(verdict('days_between(r.a, r.b) <= 365', { a: '2026-01-31', b: '2027-01-31T00:00:00Z' })).toBe('PASS');
    expect(verdict('days_between(r.a, r.b) <= 365', { a: '2026-01-31T10:00:00Z', b: '2028-01-31' })).toBe('FAIL');
    for (const a of ['soon', '${time_static.now.rfc3339}'])
      expect(verdict('days_between(r.a, r.b) <= 365', { a, b: '2028-01-31' })).toBe('NOT_EVALUATED');
  });

  it('look up when a version ends; an error where that is not known', () => {
    expect(verdict('end_of_life("postgres", r.v) == "2025-11-13"', { v: '13.4' })).toBe('PASS');
    expect(verdict('end_of_life(r.e, r.v) > "2030"', { e: 'mysql', v: '8.4.1' })).toBe('PASS');
    for (const v of ['99', 'latest', '${var.v}']) expect(verdict('end_of_life("postgres", r.v) > "2020"', { v })).toBe('NOT_EVALUATED');
  });

  it('know what is written out', () => {
    expect(verdict('!has(r.a) || !is_literal(r.a)', { a: 'hunter2' })).toBe('FAIL');
    expect(verdict('!has(r.a) || !is_literal(r.a)', {})).toBe('PASS');
  });

  it('know what looks like a credential', () => {
    expect(verdict('holds_credential(r.a)', { a: 'export AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE' })).toBe('PASS');
    expect(verdict('holds_credential(r.a)', { a: { variables: { note: 'password=hunter2secret' } } })).toBe('PASS');
    expect(verdict('holds_credential(r.a)', { a: { variables: { region: 'eu-west-1' } } })).toBe('FAIL');
    expect(verdict('holds_credential(r.a)', { a: '[REDACTED]' })).toBe('PASS');
  });

  it('tell facts of the resource', () => {
    const facts =
      'asset.type == "aws_thing" && asset.name == "the-name" && asset.region == "eu-west-1" && asset.account_id == "111122223333"';
    expect(verdict(facts, {})).toBe('PASS');
    expect(verdict('asset.tags.team == "a"', {}, { tags: { team: 'a' } })).toBe('PASS');
    expect(verdict('has(asset.tags.team)', {})).toBe('FAIL');
  });
});

it('a value of CEL becomes plain again as the source wrote it', () => {
  const configuration = { a: [{ b: '${var.b}' }], c: { d: [1, 2] } };
  const { r } = bindingsOf(resource(configuration), { companions: () => [], resources: () => [] });
  expect(toPlain(r)).toEqual(configuration);
});
