import { RuleSet, type Evaluable } from '../../catalog/evaluate.js';
import { Inventory, companionTypes, readInventory } from '../../catalog/inventory.js';
import type { Subject } from '../../catalog/cel/asset-value.js';
import type { ImportItem } from '../../importers/types.js';
import { evaluate, resource, verdict } from './verdict.js';

const nothing = { companions: () => [], resources: () => [] };

describe('a rule', () => {
  const rule = { expression: 'has(r.on) && is_true(r.on)', applies: 'has(r.kind) && r.kind == "x"' };

  it.each([
    ['passes', { kind: 'x', on: true }, { result: 'PASS' }],
    ['fails', { kind: 'x' }, { result: 'FAIL', program: expect.any(Function) }],
    ['is not applicable', { kind: 'y', on: '${var.on}' }, { result: 'NOT_APPLICABLE' }],
    [
      'is not evaluated where a reference decides',
      { kind: 'x', on: '${var.on}' },
      { result: 'NOT_EVALUATED', reason: 'unresolved reference: ${var.on}' },
    ],
    [
      'is not evaluated where a reference decides whether it applies',
      { kind: '${var.k}' },
      { result: 'NOT_EVALUATED', reason: 'unresolved reference: ${var.k}' },
    ],
  ])('%s', (_, configuration, wanted) => {
    const { rule: _rule, ...said } = evaluate(rule, resource(configuration));
    expect(said).toEqual(wanted);
  });

  it('that makes no sense of a configuration is not evaluated, and says why', () => {
    expect(evaluate({ expression: 'r.a > 1' }, resource({ a: 'text' }))).toMatchObject({
      result: 'NOT_EVALUATED',
      reason: expect.stringMatching(/./),
    });
    expect(evaluate({ expression: 'r.a' }, resource({ a: 'text' }))).toMatchObject({ reason: 'the expression gave no boolean' });
  });
});

describe('a set of rules', () => {
  const rule = (rule_id: string, ...resource_types: string[]): Evaluable => ({ rule_id, resource_types, expression: 'has(r.a)' });

  it('asks the rules of a type, in their order', () => {
    const set = new RuleSet([rule('one', 'aws_thing'), rule('two', 'aws_other'), rule('three', 'aws_other', 'aws_thing')]);
    expect(set.evaluate(resource({}), nothing).map((evaluation) => evaluation.rule.rule_id)).toEqual(['one', 'three']);
    expect([set.judges('aws_thing'), set.judges('aws_third')]).toEqual([true, false]);
    expect(set.evaluate(resource({}, { resource_type: 'aws_third' }), nothing)).toEqual([]);
  });

  it('compiles an expression once, and only when a resource of its type comes', () => {
    const compiled: string[] = [];
    const rules = [rule('one', 'aws_thing'), rule('two', 'aws_thing'), { ...rule('three', 'aws_other'), expression: 'no CEL' }];
    const set = new RuleSet(rules, (expression) => {
      compiled.push(expression);
      return () => true;
    });
    for (let i = 0; i < 3; i++) set.evaluate(resource({}), nothing);
    expect(compiled).toEqual(['has(r.a)']);
  });
});

describe('companions', () => {
  const expression = 'companions(asset, "aws_bucket_block", "bucket").exists(c, is_true(c.block))';
  const bucket = resource({ bucket: 'logs', arn: 'arn:aws:s3:::logs' }, { resource_uid: 'b', resource_type: 'aws_bucket' });
  const block = (configuration: Record<string, unknown>, more: Partial<Subject> = {}): Subject =>
    resource({ block: true, ...configuration }, { resource_uid: 'c', resource_type: 'aws_bucket_block', ...more });
  const said = (others: Subject[], refersBy: string[] = [], asked = expression): string =>
    evaluate({ expression: asked }, bucket, others, refersBy).result;

  it('are found by what their attribute says: a name, an ARN, an id', () => {
    expect(said([block({ bucket: 'logs' })])).toBe('PASS');
    expect(said([block({ bucket: 'arn:aws:s3:::logs' })])).toBe('PASS');
    expect(said([block({ bucket: ['logs', 'more'] })])).toBe('PASS');
    expect(said([block({ bucket: 'other' })])).toBe('FAIL');
    expect(said([])).toBe('FAIL');
  });

  it('are found by an edge, where the attribute may be that reference', () => {
    expect(said([block({ bucket: '${aws_bucket.b.id}' })], ['c'])).toBe('PASS');
    expect(said([block({})], ['c'])).toBe('PASS');
    expect(said([block({ bucket: '${aws_bucket.b.id}' })])).toBe('FAIL');
    // it refers to the bucket by another attribute; this one names another bucket
    expect(said([block({ bucket: 'other', note: '${aws_bucket.b.id}' })], ['c'])).toBe('FAIL');
  });

  it('are found by any attribute where none is named', () => {
    const any = 'size(companions(asset, "aws_bucket_block", "")) == 1';
    expect(said([block({ bucket: 'other' })], ['c'], any)).toBe('PASS');
    expect(said([block({ bucket: 'logs' })], [], any)).toBe('PASS');
    expect(said([block({ bucket: 'other' })], [], any)).toBe('FAIL');
  });

  it('are of the named types only, and counted once', () => {
    const count = (types: string, n: number): string => `size(companions(asset, "${types}", "bucket")) == ${n}`;
    const others = [block({ bucket: 'logs' }), block({ bucket: 'logs' }, { resource_uid: 'd', resource_type: 'aws_bucket_lock' })];
    expect(said(others, ['c'], count('aws_bucket_block', 1))).toBe('PASS');
    expect(said(others, ['c'], count('aws_bucket_block, aws_bucket_lock', 2))).toBe('PASS');
  });

  it('leave a rule open where they do', () => {
    expect(said([block({ bucket: 'logs', block: '${var.block}' })])).toBe('NOT_EVALUATED');
  });

  it('may be named in a nested attribute', () => {
    const asked = 'size(companions(asset, "aws_bucket_block", "target.bucket")) == 1';
    expect(said([block({ target: [{ bucket: 'logs' }] })], [], asked)).toBe('PASS');
  });
});

describe('all resources of a type', () => {
  const asked = 'size(resources(asset, "aws_trail")) == 1';
  const trail = (more: Partial<Subject>): Subject => resource({}, { resource_uid: 't', resource_type: 'aws_trail', ...more });

  it('are those of the same account, or of none', () => {
    expect(evaluate({ expression: asked }, resource({}), [trail({})]).result).toBe('PASS');
    expect(evaluate({ expression: asked }, resource({}), [trail({ account_id: undefined })]).result).toBe('PASS');
    expect(evaluate({ expression: asked }, resource({}), [trail({ account_id: '444455556666' })]).result).toBe('FAIL');
  });
});

describe('an inventory', () => {
  it('keeps what rules look at beside the resource that they judge', () => {
    const types = companionTypes([
      { expression: 'companions(asset, "aws_a, aws_b", "x").all(c, true)' },
      { expression: 'true', applies: 'size(resources(asset, "aws_c")) > 0' },
      { expression: 'r.text == "companions"' },
    ]);
    expect([...types].sort()).toEqual(['aws_a', 'aws_b', 'aws_c']);
    const inventory = new Inventory(types);
    inventory.add(resource({ name: 'd' }, { resource_type: 'aws_d' }));
    expect(inventory.resources(resource({}), ['aws_d'])).toEqual([]);
  });

  it('is read from a report, edges before or after the resources that they tie', async () => {
    const asset = (resource_uid: string, resource_type: string): ImportItem =>
      ({
        kind: 'asset',
        asset: { ...resource({ n: resource_uid }), resource_uid, resource_type, source: { format: 'f', address: 'a' }, position: '1' },
      }) as ImportItem;
    const edge = (from: string, to: string): ImportItem => ({ kind: 'edge', edge: { from, to, kind: 'refers_to' } });
    async function* items(): AsyncGenerator<ImportItem> {
      yield* [edge('c', 'b'), asset('b', 'aws_bucket'), asset('c', 'aws_bucket_block'), edge('d', 'b')];
    }
    const inventory = await readInventory(items(), new Set(['aws_bucket_block']));
    const bucket = resource({}, { resource_uid: 'b', resource_type: 'aws_bucket' });
    expect(inventory.companions(bucket, ['aws_bucket_block'], '')).toEqual([{ n: 'c' }]);
  });

  it('ties what names the resource by any attribute where none is asked for, as a scan tells no references', () => {
    const inventory = new Inventory(new Set(['aws_alarm']));
    const dimensions = [{ name: 'QueueName', value: 'jobs' }];
    inventory.add(resource({ n: 'a', dimensions }, { resource_type: 'aws_alarm' }));
    inventory.add(resource({ n: 'b', dimensions: [{ name: 'QueueName', value: 'other' }] }, { resource_type: 'aws_alarm' }));
    const queue = resource({ name: 'jobs' }, { resource_type: 'aws_queue' });
    expect(inventory.companions(queue, ['aws_alarm'], '')).toEqual([{ n: 'a', dimensions }]);
    expect(inventory.companions(queue, ['aws_alarm'], 'n')).toEqual([]);
  });
});

it('a configuration with a name of many an object is nothing special', () => {
  expect(verdict('has(r.hasOwnProperty)', {})).toBe('FAIL');
  expect(verdict('r.keys == "a" && r.size == 1', { keys: 'a', size: 1 })).toBe('PASS');
});
