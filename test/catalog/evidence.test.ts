import { evidenceOf, messageOf } from '../../catalog/evidence.js';
import type { Evaluation, Verdict } from '../../catalog/evaluate.js';
import type { Rule } from '../../catalog/types.js';
import { resource } from './verdict.js';

const rule = (more: Partial<Rule> = {}): Rule => ({
  rule_id: 'aws.thing.a',
  family: 'family',
  provider: 'aws',
  resource_types: ['aws_thing'],
  severity: 'high',
  engine: 'check',
  expression: 'has(r.a)',
  expected: '`true`',
  path: 'a',
  ...more,
});
const actual = (path: string | undefined, configuration: Record<string, unknown>, sensitive: string[] = []): unknown =>
  evidenceOf(rule({ path }), resource(configuration), sensitive).actual;

describe('evidence', () => {
  it('names the expression, the attribute, what stands there and what should', () => {
    expect(evidenceOf(rule(), resource({ a: false }))).toEqual({
      expression: 'has(r.a)',
      attribute: 'a',
      actual: false,
      expected: '`true`',
    });
    expect(evidenceOf(rule({ path: undefined }), resource({ a: false }))).toMatchObject({ attribute: null, actual: null });
  });

  it('shows a value, several values, or that there is none', () => {
    expect(actual('b.a', { b: [{ a: 1 }] })).toBe(1);
    expect(actual('b[].a', { b: [{ a: 1 }, { c: 1 }, { a: 2 }] })).toEqual([1, 2]);
    expect(actual('b.a', {})).toBeNull();
    expect(actual('b.a', { b: { a: null } })).toBeNull();
    expect(actual('a', { a: '${var.a}' })).toBe('${var.a}');
  });

  it('shows twenty values at most', () => {
    expect(actual('b[].a', { b: Array.from({ length: 100 }, (_, a) => ({ a })) })).toHaveLength(20);
  });

  it.each([
    ['the attribute', 'secret', { secret: 'hunter2' }, ['secret']],
    ['its block', 'b.secret', { b: { secret: 'hunter2' } }, ['b']],
    ['something in it', 'b', { b: { secret: 'hunter2' } }, ['b.secret']],
    ['an element', 'b[].secret', { b: [{ secret: 'hunter2' }] }, ['b[0].secret']],
    ['a member of a map', 'env', { env: { KEY: 'hunter2' } }, ['env["KEY"]']],
  ])('is redacted where the source marks %s as sensitive', (_, path, configuration, sensitive) => {
    expect(actual(path, configuration, sensitive)).toBe('[REDACTED]');
  });

  it('is not redacted for another attribute, and a missing one is still missing', () => {
    expect(actual('secret_name', { secret_name: 'x', secret: 'hunter2' }, ['secret'])).toBe('x');
    expect(actual('secret', {}, ['secret'])).toBeNull();
  });
});

describe('a message', () => {
  const message = (result: Verdict, over: Partial<Rule>, configuration: Record<string, unknown>, reason?: string): string => {
    const evaluation: Evaluation = { rule: rule(over), result, ...(reason === undefined ? {} : { reason }) };
    return messageOf(evaluation, resource(configuration), 'The title');
  };

  it('says what stands there and what should', () => {
    expect(message('FAIL', {}, { a: false })).toBe('`a` is `false`; expected `true`');
    expect(message('FAIL', {}, {})).toBe('`a` is not set; expected `true`');
    expect(message('FAIL', {}, { a: { b: [1] } })).toBe('`a` is `{"b":[1]}`; expected `true`');
  });

  it('cuts a long value', () => {
    expect(message('FAIL', {}, { a: 'x'.repeat(5_000) })).toBe(`\`a\` is \`${'x'.repeat(57)}...\`; expected \`true\``);
  });

  it('names the attributes of an expression that names none, and what is wanted in the words of the title', () => {
    const over = { path: undefined, expression: 'has(r.a) && r.b.c == 1', expected: '' };
    expect(message('FAIL', over, { b: { c: 2 } })).toBe('`b.c` is `2`, `a` is not set; wanted: The title');
    expect(message('FAIL', { ...over, expected: 'no open port' }, {})).toBe('`a` is not set, `b.c` is not set; expected no open port');
  });

  it('is the title where the rule passes', () => {
    expect(message('PASS', {}, { a: true })).toBe('The title');
    expect(message('NOT_APPLICABLE', {}, {})).toBe('The title');
  });

  it('is the reason where the rule could not be evaluated', () => {
    expect(message('NOT_EVALUATED', {}, {}, 'unresolved reference: ${var.a}')).toBe('unresolved reference: ${var.a}');
    expect(message('NOT_EVALUATED', {}, {})).toBe('the rule could not be evaluated');
  });
});
