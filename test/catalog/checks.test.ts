import { configurationWith, merged, parsePath, pathExpression } from '../../catalog/attribute-path.js';
import { buildCheck, checkOf, fillParameters } from '../../catalog/checks.js';
import type { Check, Outcome, Target } from '../../catalog/types.js';
import { evaluate, resource } from './verdict.js';

type Configuration = Record<string, unknown>;

const built = (target: Partial<Target>, family: Check & { absent?: Outcome } = {}) => {
  const whole: Target = { type: ['aws_thing'], ...target };
  return buildCheck(whole, checkOf(whole, family));
};
const said = (target: Partial<Target>, configuration: Configuration): string => evaluate(built(target), resource(configuration)).result;
/** The verdicts on configurations, in their order. */
const verdicts = (target: Partial<Target>, configurations: readonly Configuration[]): string =>
  configurations.map((configuration) => said(target, configuration)).join(' ');

describe('a check on an attribute', () => {
  const V = (a: unknown): Configuration => ({ a });
  it.each<[string, Partial<Target>, string, Configuration[], string]>([
    [
      'is: true',
      { is: true },
      'has(r.a) && is_true(r.a)',
      [V(true), V('true'), V(false), V('${var.a}'), {}],
      'PASS PASS FAIL NOT_EVALUATED FAIL',
    ],
    [
      'is: false',
      { is: false },
      '!has(r.a) || is_false(r.a)',
      [V(false), V('False'), V(true), V('${var.a}'), {}],
      'PASS PASS FAIL NOT_EVALUATED PASS',
    ],
    [
      'one_of',
      { one_of: ['x', 'y'] },
      'has(r.a) && r.a in ["x", "y"]',
      [V('x'), V('y'), V('X'), V('${var.a}'), {}],
      'PASS PASS FAIL NOT_EVALUATED FAIL',
    ],
    [
      'one_of in any case',
      { one_of: ['X'], ignore_case: true },
      'has(r.a) && lower(r.a) in ["x"]',
      [V('x'), V('X'), V('z'), {}],
      'PASS PASS FAIL FAIL',
    ],
    ['one_of numbers', { one_of: [1, 2] }, 'has(r.a) && r.a in [1, "1", 2, "2"]', [V(1), V('2'), V(3), {}], 'PASS PASS FAIL FAIL'],
    ['none_of', { none_of: ['x'] }, '!has(r.a) || !(r.a in ["x"])', [V('x'), V('y'), V('${var.a}'), {}], 'FAIL PASS NOT_EVALUATED PASS'],
    ['min', { min: 7 }, 'has(r.a) && number(r.a) >= 7', [V(7), V('8'), V(6), V('${var.a}'), {}], 'PASS PASS FAIL NOT_EVALUATED FAIL'],
    ['max', { max: 7 }, 'has(r.a) && number(r.a) <= 7', [V(7), V(8), {}], 'PASS FAIL FAIL'],
    ['min and max', { min: 1, max: 7 }, 'has(r.a) && (number(r.a) >= 1 && number(r.a) <= 7)', [V(1), V(0), V(8)], 'PASS FAIL FAIL'],
    [
      'matches',
      { matches: '^arn:' },
      'has(r.a) && string(r.a).matches("^arn:")',
      [V('arn:x'), V('x'), V('${var.a}'), {}],
      'PASS FAIL NOT_EVALUATED FAIL',
    ],
    ['not_matches', { not_matches: 'x' }, '!has(r.a) || !string(r.a).matches("x")', [V('axb'), V('ab'), {}], 'FAIL PASS PASS'],
    [
      'set: true',
      { set: true },
      'has(r.a)',
      [V('x'), V('${aws_a.b.arn}'), V('${var.a}'), V(''), V([]), V(null), {}],
      'PASS PASS NOT_EVALUATED FAIL FAIL FAIL FAIL',
    ],
    [
      'set: false',
      { set: false },
      '!has(r.a)',
      [V('x'), V('${aws_a.b.arn}'), V('${var.a}'), V(''), {}],
      'FAIL FAIL NOT_EVALUATED PASS PASS',
    ],
    ['literal: false', { literal: false }, '!has(r.a) || !is_literal(r.a)', [V('hunter2'), {}], 'FAIL PASS'],
  ])('%s', (_, check, expression, configurations, wanted) => {
    const target = { path: 'a', ...check };
    expect(built(target).expression).toBe(expression);
    expect(verdicts(target, configurations)).toBe(wanted);
  });

  it('whose name is no identifier is read all the same', () => {
    expect(verdicts({ path: 'with-dash.on', is: true }, [{ 'with-dash': { on: true } }, { 'with-dash': {} }, {}])).toBe('PASS FAIL FAIL');
  });

  it('says in words what it expects', () => {
    expect(built({ path: 'a', one_of: ['x', 'y'] }).expected).toBe('one of `x`, `y`');
    expect(built({ path: 'a', min: 1, max: 2 }).expected).toBe('at least 1 and at most 2');
    expect(built({ path: 'a', is: true, expected: 'on' }).expected).toBe('on');
  });

  it('keeps its values as parameters that a tenant may set', () => {
    expect(built({ path: 'a', min: 7 })).toMatchObject({ template: 'has(r.a) && number(r.a) >= {{minimum}}', parameters: { minimum: 7 } });
    expect(built({ path: 'a', one_of: ['x'] }).parameters).toEqual({ accepted: ['x'] });
    expect(built({ path: 'a', is: true })).not.toHaveProperty('parameters');
  });
});

describe('an attribute that is not there', () => {
  const there = { b: { a: true } };
  const noAttribute = { b: { c: 1 } };
  const open = { b: '${var.b}' };

  it.each<[Outcome, Outcome | undefined, string]>([
    ['pass', undefined, 'PASS PASS PASS NOT_EVALUATED'],
    ['fail', undefined, 'PASS FAIL FAIL NOT_EVALUATED'],
    ['not_applicable', undefined, 'PASS NOT_APPLICABLE NOT_APPLICABLE NOT_EVALUATED'],
    ['pass', 'fail', 'PASS PASS FAIL NOT_EVALUATED'],
    ['fail', 'pass', 'PASS FAIL PASS NOT_EVALUATED'],
    ['fail', 'not_applicable', 'PASS FAIL NOT_APPLICABLE NOT_EVALUATED'],
    ['pass', 'not_applicable', 'PASS PASS NOT_APPLICABLE NOT_EVALUATED'],
  ])('means %s, and %s where its block is not there', (absent, block_absent, wanted) => {
    const target: Partial<Target> = { path: 'b.a', is: true, absent, ...(block_absent === undefined ? {} : { block_absent }) };
    expect(verdicts(target, [there, noAttribute, {}, open])).toBe(wanted);
    expect(said(target, { b: [{ a: false }] })).toBe('FAIL');
  });

  it('fails where it should be set, unless its block may be missing', () => {
    expect(verdicts({ path: 'b.a', set: true }, [there, noAttribute, {}])).toBe('PASS FAIL FAIL');
    expect(verdicts({ path: 'b.a', set: true, block_absent: 'pass' }, [there, noAttribute, {}])).toBe('PASS FAIL PASS');
    expect(verdicts({ path: 'b.a', set: false }, [there, noAttribute, {}])).toBe('FAIL PASS PASS');
  });

  it("takes the family's meaning where the target states none", () => {
    const family = { is: true, absent: 'pass' as const };
    expect(built({ path: 'a' }, family).expression).toBe('!has(r.a) || is_true(r.a)');
    expect(built({ path: 'a', absent: 'fail' }, family).expression).toBe('has(r.a) && is_true(r.a)');
    // another check has its own meaning of absence
    expect(built({ path: 'a', min: 1 }, family).expression).toBe('has(r.a) && number(r.a) >= 1');
  });
});

describe('elements of a list', () => {
  const on = { on: true };
  const off = { on: false };
  const none = { other: 1 };
  const open = { on: '${var.on}' };
  const lists = [[on, on], [on, off], [off, none], [on, none], [on, open], [off, open], []].map((rule) => ({ rule }));

  it('must all satisfy', () => {
    const target: Partial<Target> = { path: 'rule[].on', is: true };
    expect(built(target).expression).toBe('has(r.rule) && r.rule.all(e0, has(e0.on) && is_true(e0.on))');
    expect(verdicts(target, lists)).toBe('PASS FAIL FAIL FAIL NOT_EVALUATED FAIL FAIL');
  });

  it('must all satisfy where they have the attribute', () => {
    const target: Partial<Target> = { path: 'rule[].on', is: true, absent: 'pass', block_absent: 'fail' };
    expect(verdicts(target, lists)).toBe('PASS FAIL FAIL PASS NOT_EVALUATED FAIL FAIL');
  });

  it('decide nothing where the attribute is not applicable to them', () => {
    const target: Partial<Target> = { path: 'rule[].on', is: true, absent: 'not_applicable' };
    expect(verdicts(target, lists)).toBe('PASS FAIL FAIL PASS NOT_EVALUATED FAIL NOT_APPLICABLE');
  });

  it('may be any', () => {
    const target: Partial<Target> = { path: 'rule[].on', is: true, each: 'any' };
    expect(built(target).expression).toBe('has(r.rule) && r.rule.exists(e0, has(e0.on) && is_true(e0.on))');
    expect(verdicts(target, lists)).toBe('PASS PASS FAIL PASS PASS NOT_EVALUATED FAIL');
  });

  it('may be values', () => {
    const target: Partial<Target> = { path: 'cidrs[]', none_of: ['0.0.0.0/0'] };
    const configurations = [{ cidrs: ['10.0.0.0/8'] }, { cidrs: ['10.0.0.0/8', '0.0.0.0/0'] }, { cidrs: '0.0.0.0/0' }, {}];
    expect(verdicts(target, configurations)).toBe('PASS FAIL FAIL PASS');
  });

  it('may hold lists', () => {
    const target: Partial<Target> = { path: 'a[].b.c[].d', is: true };
    const nested = (...flags: boolean[][]): Configuration => ({ a: flags.map((inner) => ({ b: [{ c: inner.map((d) => ({ d })) }] })) });
    expect(verdicts(target, [nested([true], [true, true]), nested([true], [true, false]), nested([true], []), {}])).toBe(
      'PASS FAIL FAIL FAIL',
    );
  });
});

describe('a condition', () => {
  it('makes a rule not applicable where it does not hold', () => {
    const target: Partial<Target> = { path: 'a', is: true, when: 'has(r.kind) && r.kind == "x"', given: { kind: 'x' } };
    expect(verdicts(target, [{ kind: 'x', a: true }, { kind: 'x' }, { kind: 'y' }, {}, { kind: '${var.k}' }])).toBe(
      'PASS FAIL NOT_APPLICABLE NOT_APPLICABLE NOT_EVALUATED',
    );
    expect(built(target).samples).toEqual({ pass: { kind: 'x', a: true }, fail: { kind: 'x', a: false } });
  });
});

describe('the generated pair of samples', () => {
  it.each<[string, Partial<Target>]>([
    ['is', { path: 'b.a', is: true }],
    ['is false', { path: 'b.a', is: false }],
    ['one_of', { path: 'b[].a', one_of: ['x'] }],
    ['one_of numbers', { path: 'a', one_of: [1, 2] }],
    ['one_of booleans', { path: 'a', one_of: [true] }],
    ['none_of', { path: 'a[]', none_of: ['x'] }],
    ['min', { path: 'a', min: 7 }],
    ['max', { path: 'a', max: 7 }],
    ['set', { path: 'b.a', set: true }],
    ['not set', { path: 'b.a', set: false }],
    ['absent fails', { path: 'b.c.a', is: false, absent: 'fail' }],
    ['any of them', { path: 'b[].a', is: true, each: 'any' }],
  ])('for %s passes once and fails once', (_, target) => {
    const { samples } = built(target);
    expect(verdicts(target, [samples.pass, samples.fail])).toBe('PASS FAIL');
  });

  it('is merged with what is given, element by element', () => {
    expect(merged({ a: [{ x: 1 }, { x: 2 }], b: 1 }, { a: [{ y: 3 }], b: 2 })).toEqual({ a: [{ x: 1, y: 3 }, { x: 2 }], b: 2 });
  });
});

describe('a mistake in a target', () => {
  it.each<[string, Partial<Target>, RegExp]>([
    ['no check', { path: 'a' }, /states no check/],
    ['no path', { is: true }, /needs a `path`/],
    ['an expression without samples', { cel: 'true' }, /needs `pass` and `fail`/],
    ['a path that is none', { path: 'a..b', is: true }, /is no attribute path/],
  ])('%s is told', (_, target, message) => {
    expect(() => built(target)).toThrow(message);
  });
});

describe('an attribute path', () => {
  it('is read step by step', () => {
    expect(parsePath('rule[].apply.sse-x')).toEqual([
      { name: 'rule', list: true },
      { name: 'apply', list: false },
      { name: 'sse-x', list: false },
    ]);
    for (const wrong of ['', '.a', 'a[0]', 'a b', 'a[].', '1a']) expect(() => parsePath(wrong)).toThrow();
  });

  it('makes a configuration', () => {
    expect(configurationWith(parsePath('a[].b.c[]'), 1)).toEqual({ a: [{ b: { c: [1] } }] });
  });

  it('is guarded at every level', () => {
    const presence = { absent: false, blockAbsent: false, each: 'all' } as const;
    expect(pathExpression(parsePath('a.b.c'), undefined, presence)).toBe('has(r.a) && has(r.a.b) && has(r.a.b.c)');
    expect(pathExpression(parsePath('a.b'), undefined, { ...presence, absent: true, blockAbsent: true })).toBe('!has(r.a) || !has(r.a.b)');
  });
});

describe('a list in an expression', () => {
  const target: Partial<Target> = {
    cel: '{{registries}}.exists(p, r.image.matches(p))',
    parameters: { registries: ['^ghcr[.]io/'] },
    pass: { image: 'ghcr.io/a' },
    fail: { image: 'evil.example/a' },
  };

  it('is what the target states, and a tenant may set another', () => {
    expect(verdicts(target, [{ image: 'ghcr.io/a' }, { image: 'registry.example.com/a' }])).toBe('PASS FAIL');
    const { template, parameters, expression } = built(target);
    expect([template, parameters]).toEqual([target.cel, target.parameters]);
    const own = fillParameters(template!, { registries: ['^registry[.]example[.]com/'] });
    expect(own).not.toBe(expression);
    expect(evaluate({ expression: own }, resource({ image: 'registry.example.com/a' })).result).toBe('PASS');
  });
});
