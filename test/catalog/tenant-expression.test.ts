import {
  MAX_EXPRESSION,
  MAX_OVERRUNS,
  MAX_STEPS,
  StepBudget,
  compileTenantExpression,
  expressionFaults,
} from '../../catalog/tenant-expression.js';
import { applyChanges, parameterFaults, withParameters } from '../../catalog/tenant-catalog.js';
import { RuleSet, bindingsOf } from '../../catalog/evaluate.js';
import type { Rule } from '../../catalog/types.js';
import { withinCpu } from '../support/within.js';
import { resource } from './verdict.js';

const nothing = { companions: () => [], resources: () => [] };
const LARGE = 100 * MAX_STEPS;
/** Compiles with a budget of its own. */
const compiler = (steps = LARGE) => {
  const budget = new StepBudget(steps);
  return (expression: string) => compileTenantExpression(expression, budget);
};
const run = (expression: string, configuration: Record<string, unknown>, steps = LARGE): { result: string; reason?: string } => {
  const set = new RuleSet([{ rule_id: 'own', resource_types: ['aws_thing'], expression }], compiler(steps));
  const { result, reason } = set.evaluate(resource(configuration), nothing)[0]!;
  return reason === undefined ? { result } : { result, reason };
};

describe('an expression that may be saved', () => {
  it.each([
    'true',
    'has(r.versioning) && r.versioning.enabled',
    'r.a in ["x", "y"] ? is_true(r.b) : !has(r.c)',
    'r.rule.all(x, has(x.on) && x.on == true) || asset.region.startsWith("eu-")',
    '!open_to_internet(asset, "tcp", 22)',
    'statements(r.policy).all(s, s.effect != "Allow" || !s.actions.exists(a, a == "*"))',
    'companions(asset, "aws_s3_bucket_policy", "bucket").exists(c, has(c.policy))',
    'number(r.days) >= 7 && string(r.name).matches("^[a-z]+$")',
    'has(asset.tags.owner) && asset.tags.owner != ""',
    'r.a == null || size(r.list) > 2',
    'r.list.map(x, x.name).exists(n, n == "a") && r.list.exists_one(x, x.name == "a")',
  ])('%s', (expression) => {
    expect(expressionFaults(expression)).toEqual([]);
  });
});

describe('an expression that may not', () => {
  it.each<[string, string, { line: number; column: number; message: RegExp }]>([
    ['is no CEL', 'has(r.a) &&', { line: 1, column: 10, message: /./ }],
    ['is no CEL in its second line', 'has(r.a) &&\n  r.b ==== 2', { line: 2, column: 7, message: /./ }],
    ['names an unknown variable', 'true && resource.a == 1', { line: 1, column: 9, message: /no variable resource/ }],
    ['calls an unknown function', 'fetch("https://example.com")', { line: 1, column: 1, message: /no function fetch/ }],
    ['calls an unknown method', 'r.a.replace("a", "b") == "b"', { line: 1, column: 4, message: /no method replace/ }],
    ['calls a function of the machinery', '@turn(1)', { line: 1, column: 1, message: /./ }],
    ['names an unknown fact', 'asset.owner == "a"', { line: 1, column: 6, message: /asset has no field owner/ }],
    ['gives a number', 'number(r.a)', { line: 1, column: 1, message: /must give a boolean, not number/ }],
    ['gives a value that may be anything', 'r.a', { line: 1, column: 2, message: /must give a boolean/ }],
    ['compares a number with a text', '1 == "1"', { line: 1, column: 2, message: /cannot be applied to number and string/ }],
    ['takes too few arguments', 'is_true()', { line: 1, column: 1, message: /takes 1 arguments, not 0/ }],
    ['asks a port by a text', 'open_to_internet(asset, "tcp", "22")', { line: 1, column: 1, message: /argument 3/ }],
    ['makes a message', 'google.protobuf.Duration{seconds: 1} == r.a', { line: 1, column: 1, message: /./ }],
  ])('%s', (_, expression, { line, column, message }) => {
    const [fault] = expressionFaults(expression);
    expect(fault).toMatchObject({ line, message: expect.stringMatching(message) });
    expect(fault!.column).toBe(column);
  });

  it.each([
    ['is too long', `r.a == "${'x'.repeat(MAX_EXPRESSION)}"`, /at most 2000/],
    ['has too many parts', Array.from({ length: 260 }, () => 'r.a').join('||'), /too costly: \d+ parts/],
    ['nests macros too deep', 'r.a.all(b, b.all(c, c.all(d, d.all(e, e.f))))', /nested 3 deep/],
    ['has a pattern that repeats a repetition', 'r.a.matches("((a{100}){100}){100}")', /too costly/],
    ['has a pattern that repeats too often', 'r.a.matches("a{1001}")', /too costly/],
    ['has a long pattern', `r.a.matches("${'x'.repeat(300)}")`, /too costly/],
    ['has a pattern that looks ahead', 'r.a.matches("(?=a)b")', /not RE2 syntax/],
    ['has a pattern that does not parse', 'r.a.matches("(a")', /not RE2 syntax/],
    ['has a pattern that is not written out', 'r.a.matches(r.b)', /written out/],
  ])('%s', (_, expression, message) => {
    expect(expressionFaults(expression).map((fault) => fault.message)).toEqual([expect.stringMatching(message)]);
  });

  it('is read at once, however deep its brackets are', async () => {
    const deep = `${'('.repeat(990)}true${')'.repeat(990)}`;
    for (const expression of [deep, `${'!'.repeat(1_900)}true`, '['.repeat(1_900)])
      await withinCpu(2_000, () => expressionFaults(expression));
  });
});

describe('an evaluation', () => {
  it('answers as the catalog does', () => {
    expect(run('r.rule.all(x, is_true(x.on))', { rule: [{ on: true }, { on: 'true' }] })).toEqual({ result: 'PASS' });
    expect(run('r.rule.exists(x, x == "a")', { rule: ['${var.a}', 'a'] })).toEqual({ result: 'PASS' });
    expect(run('has(r.a)', { a: '${var.a}' })).toEqual({ result: 'NOT_EVALUATED', reason: 'unresolved reference: ${var.a}' });
  });

  it('is given up after it ran out of its budget three times', () => {
    const list = Array.from({ length: 2_000 }, (_, i) => i);
    const program = compiler()('r.list.all(x, r.list.all(y, r.list.all(z, x + y + z >= 0)))');
    const bindings = bindingsOf(
      { resource_uid: 'a', resource_type: 'aws_s3_bucket', provider: 'aws', region: 'global', configuration: { list } },
      { companions: () => [], resources: () => [] },
    );
    const said = Array.from({ length: MAX_OVERRUNS + 1 }, () => String((program(bindings) as Error).message));
    expect(said.slice(0, MAX_OVERRUNS)).toEqual(said.slice(0, MAX_OVERRUNS).map(() => 'the expression takes too many steps'));
    expect(said.at(-1)).toBe('the expression took too many steps on other resources');
  });

  it('may go through a list of many elements', () => {
    expect(run('r.list.all(x, x >= 0)', { list: Array.from({ length: 50_000 }, (_, i) => i) })).toEqual({ result: 'PASS' });
  });

  it('ends when it takes too many steps', () => {
    const list = Array.from({ length: 2_000 }, (_, i) => i);
    const loop = 'r.list.all(x, r.list.all(y, r.list.all(z, x + y + z >= 0)))';
    // 8,000,000,000 of them, did nobody count
    expect(run(loop, { list })).toEqual({ result: 'NOT_EVALUATED', reason: 'the expression takes too many steps' });
    // the budget is each evaluation's own
    expect(run('r.list.all(x, x >= 0)', { list })).toEqual({ result: 'PASS' });
  });

  it('ends when its loops are in what companions and maps give', () => {
    const list = Array.from({ length: 2_000 }, (_, i) => i);
    const loops = ['r.list.map(x, r.list.map(y, r.list)).size() > 0', 'r.list.filter(x, r.list.exists_one(y, x == y)).size() == 2000'];
    for (const loop of loops) {
      expect(expressionFaults(loop)).toEqual([]);
      expect(run(loop, { list }).result).toBe('NOT_EVALUATED');
    }
  });

  it('counts calls by the size of what they are given', () => {
    const big = JSON.stringify(Array.from({ length: 60_000 }, (_, i) => ({ i })));
    const list = Array.from({ length: 10_000 }, (_, i) => i);
    for (const call of [
      'json(r.big) != x',
      '!holds_credential(r.big)',
      'lower(r.big) != "a"',
      'r.big != string(x)',
      '!r.big.contains("zzz" + string(x))',
      '!r.big.matches("^x{30}$")',
      'r.big + string(x) != "a"',
      'size(strings(r.big)) >= 0',
      'size(statements(r.big)) >= 0',
      '!(x in r.wide)',
      'r.wide[0] != x',
      'r.wide != r.list',
      'r.list.map(y, y).size() > 0',
      'r.list.filter(y, y > x).size() >= 0',
      '{"x": r.big}.x != string(x)',
      'type(r.big) == string && r.big != string(x)',
    ]) {
      const wide = list.map((n) => ({ n }));
      const said = run(`r.list.all(x, ${call})`, { list, big, wide });
      expect([call, said]).toEqual([call, { result: 'NOT_EVALUATED', reason: 'the expression takes too many steps' }]);
    }
  });

  it('counts the same however often it is asked and whatever was asked before', () => {
    const expressions = ['r.list.all(x, r.text.contains("a"))', 'json(r.text).size() > 0', '!open_to_internet(asset, "tcp", 22)'];
    const configuration = { list: [1, 2, 3], text: '{"a": [1, 2, 3]}', ingress: [{ protocol: 'tcp', from_port: 22, to_port: 22 }] };
    const counted = (before: string[], expression: string): number => {
      const budget = new StepBudget(LARGE);
      const bindings = bindingsOf({ ...resource(configuration), resource_type: 'aws_security_group' }, nothing);
      for (const other of before) compileTenantExpression(other, budget)(bindings);
      const left = budget.left;
      compileTenantExpression(expression, budget)(bindings);
      return left - budget.left;
    };
    for (const expression of expressions) {
      const alone = counted([], expression);
      expect(alone).toBeGreaterThan(0);
      expect([expression, counted([...expressions, expression], expression)]).toEqual([expression, alone]);
    }
  });

  it('that took too many steps gives no answer, also where what is left of it would', () => {
    const list = Array.from({ length: 2_000 }, (_, i) => i);
    const loop = 'r.list.all(x, r.list.all(y, x + y >= 0)) || true';
    expect(run(loop, { list }).result).toBe('NOT_EVALUATED');
  });

  it.each(['(a+)+$', '(a|aa)+$', '(.*)*b', '(a*)*(a*)*(a*)*b', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    'takes linear time for the pattern %s',
    async (pattern) => {
      const expression = `string(r.a).matches("${pattern}")`;
      expect(expressionFaults(expression)).toEqual([]);
      await withinCpu(2_000, () => run(expression, { a: `${'a'.repeat(20_000)}!` }));
    },
  );
});

describe('the budget of a run', () => {
  const list = Array.from({ length: 100 }, (_, i) => i);
  const rules = ['a', 'b', 'c', 'd'].map((rule_id) => ({
    rule_id,
    resource_types: ['aws_thing'],
    expression: `r.list.all(x, x >= 0) && "${rule_id}" != ""`,
  }));
  const verdicts = (steps: number, resources = 5): string[] => {
    const set = new RuleSet(rules, compiler(steps));
    return Array.from({ length: resources }, () =>
      set
        .evaluate(resource({ list }), nothing)
        .map(({ result }) => result[0])
        .join(''),
    );
  };

  it('is spent in the order of the resources, and of the rules on each', () => {
    expect(verdicts(LARGE)).toEqual(Array.from({ length: 5 }, () => 'PPPP'));
    const few = verdicts(10_000);
    expect(few.join('')).toMatch(/^P+N+$/);
    expect(verdicts(10_000)).toEqual(few);
    // nothing is evaluated again once something was not
    expect(verdicts(0)).toEqual(Array.from({ length: 5 }, () => 'NNNN'));
  });

  it('is named where it is spent', () => {
    expect(run('r.list.all(x, x >= 0)', { list }, 10)).toEqual({
      result: 'NOT_EVALUATED',
      reason: "the budget of 10 evaluation steps for the tenant's own rules is spent",
    });
  });
});

describe('changes of a tenant', () => {
  const rule = {
    rule_id: 'aws.thing.days',
    severity: 'high',
    expression: 'has(r.days) && number(r.days) >= 7',
    template: 'has(r.days) && number(r.days) >= {{minimum}}',
    parameters: { minimum: 7 },
    expected: 'at least 7',
  } as unknown as Rule;
  const change = { rule_id: rule.rule_id, enabled: true, severity: null, parameters: null };

  it('switch a rule off, and change its severity and its values', () => {
    expect(applyChanges([rule], [{ ...change, enabled: false }])).toEqual([]);
    expect(applyChanges([rule], [{ ...change, severity: 'low' }])).toEqual([{ ...rule, severity: 'low', severity_set: true }]);
    expect(applyChanges([rule], [{ ...change, parameters: { minimum: 30 } }])[0]!.expression).toBe('has(r.days) && number(r.days) >= 30');
    expect(applyChanges([rule], [{ ...change, rule_id: 'another', enabled: false }])).toEqual([rule]);
    expect(rule.parameters).toEqual({ minimum: 7 });
  });

  it('write values so that they are no expression', () => {
    const listed = { ...rule, template: 'r.a in {{accepted}}', parameters: { accepted: ['x'] } } as Rule;
    const { expression } = withParameters(listed, { accepted: ['"] || true || r.b in ["', 'y'] });
    expect(expression).toBe('r.a in ["\\"] || true || r.b in [\\"", "y"]');
    expect(expressionFaults(expression)).toEqual([]);
  });

  it.each([
    [{ minimum: 30 }, []],
    [{ maximum: 30 }, [{ name: 'maximum', message: "the rule's parameters are minimum" }]],
    [{ minimum: '30' }, [{ name: 'minimum', message: 'must be a number' }]],
    [{ minimum: Number.NaN }, [{ name: 'minimum', message: 'must be a number' }]],
    [{ minimum: [30] }, [{ name: 'minimum', message: 'must be a number' }]],
  ])('are checked: %j', (values, faults) => {
    expect(parameterFaults(rule, values)).toEqual(faults);
  });

  it('of lists are checked element by element', () => {
    const listed = { ...rule, parameters: { accepted: ['x'] } } as Rule;
    expect(parameterFaults(listed, { accepted: ['y', 'z'] })).toEqual([]);
    for (const accepted of [[], [1], 'y', ['y', 1], Array.from({ length: 101 }, String)])
      expect(parameterFaults(listed, { accepted })).toHaveLength(1);
    expect(parameterFaults({ ...rule, parameters: undefined } as unknown as Rule, { minimum: 1 })).toEqual([
      { name: 'minimum', message: 'the rule has no parameters' },
    ]);
  });
});
