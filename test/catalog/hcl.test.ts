import { parseHcl } from '../../catalog/cel/hcl.js';
import { withinCpu } from '../support/within.js';

describe('HCL literals', () => {
  it.each([
    ['{}', {}],
    ['[]', []],
    ['{ a = 1, b = "two", c = true, d = null }', { a: 1, b: 'two', c: true, d: null }],
    ['{ "a": [1, 2.5, -3] }', { a: [1, 2.5, -3] }],
    ['{\n  a = 1\n  b = {\n    c = [\n      "x",\n      "y",\n    ]\n  }\n}', { a: 1, b: { c: ['x', 'y'] } }],
    ['{ a = 1 # one\n // two\n b = 2 /* three */ }', { a: 1, b: 2 }],
    ['"a \\"quoted\\" text\\n"', 'a "quoted" text\n'],
    ['{ "aws:SourceArn" = "x", with-dash = 1 }', { 'aws:SourceArn': 'x', 'with-dash': 1 }],
    ['{ __proto__ = 1 }', JSON.parse('{"__proto__": 1}')],
  ])('%s are read', (text, value) => {
    expect(parseHcl(text)).toEqual(value);
  });
});

describe('what is no literal', () => {
  it.each([
    ['{ a = var.b }', { a: '${var.b}' }],
    ['{ a = aws_s3_bucket.b.arn, c = 1 }', { a: '${aws_s3_bucket.b.arn}', c: 1 }],
    ['[format("%s/*", var.b), "c"]', ['${format("%s/*", var.b)}', 'c']],
    ['{ a = "${var.b}/*" }', { a: '${var.b}/*' }],
    ['{ a = "${lookup(var.m, "k")}" }', { a: '${lookup(var.m, "k")}' }],
    ['{ a = "b" == var.c ? 1 : 2 }', { a: '${"b" == var.c ? 1 : 2}' }],
    ['{ a = [1, 2][0] }', { a: '${[1, 2][0]}' }],
  ])('stays a reference inside %s', (text, value) => {
    expect(parseHcl(text)).toEqual(value);
  });

  it.each([
    '[for s in var.list : s]',
    '{ for k, v in var.map : k => v }',
    '{ (var.key) = 1 }',
    '{ a = ',
    '[1, 2',
    '"open',
    '{ a 1 }',
    '[1] + [2',
  ])('makes %s no literal as a whole', (text) => {
    expect(parseHcl(text) === undefined || typeof parseHcl(text) === 'string').toBe(true);
  });
});

describe('a text made to hurt', () => {
  it('may be nested without end', () => {
    expect(parseHcl('['.repeat(100_000))).toBeUndefined();
    expect(parseHcl('{a='.repeat(60_000))).toBeUndefined();
  });

  it('is left alone when it is very long', () => {
    expect(parseHcl(`"${'x'.repeat(300_000)}"`)).toBeUndefined();
  });

  it('takes time by its length only', async () => {
    for (const text of [
      `{ a = ${'"${'.repeat(40_000)}`,
      `[${'"a" == '.repeat(20_000)}`,
      `{${' # comment\n'.repeat(15_000)}`,
      `[${'"a",'.repeat(49_000)}]`,
    ])
      await withinCpu(2_000, () => parseHcl(text));
  });
});
