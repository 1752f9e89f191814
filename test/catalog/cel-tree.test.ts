import { parse } from '@bufbuild/cel';
import { compile } from '../../catalog/cel/environment.js';
import { writtenTrees } from '../../catalog/cel/parsed.js';
import { readTree, writeTree, type Written } from '../../catalog/cel/tree.js';
import { expandWholeCatalog } from './whole-catalog.js';

/** A tree as its reader makes it: nodes have no numbers. */
function withoutNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, key === 'id' ? 0n : withoutNumbers(inner)]));
}

const treeOf = (expression: string): unknown => withoutNumbers(parse(expression).expr);
const readBack = (expression: string): unknown => readTree(JSON.parse(JSON.stringify(writeTree(parse(expression).expr!))) as Written);

describe('the written form of an expression', () => {
  it.each([
    'true',
    'null',
    '1.5 < -2',
    'r.a == "x\\n\\u2028\\"" && !has(r.b)',
    'r.a[0]["k"].size() > 2 ? [1, 2] : []',
    'r.list.exists(e, e.name.matches("^a\\\\d")) || r.list.filter(e, e > 1).map(e, e + 1) == [2]',
    '9007199254740993 == 1',
  ])('%s is read as it was parsed', (expression) => {
    expect(readBack(expression)).toEqual(treeOf(expression));
  });

  it.each(['{"a": 1}', 'b"bytes"', '1u', 'cel.Type{a: 1}'])('there is none of %s', (expression) => {
    expect(writeTree(parse(expression).expr!)).toBeUndefined();
    expect(writtenTrees(new Set([expression]))).toBe('');
  });

  it('there is one of what the catalog asks, every seventh rule', () => {
    const asked = new Set(
      expandWholeCatalog().rules.flatMap(({ expression, applies = [] }, n) => (n % 7 === 0 ? [expression, applies].flat() : [])),
    );
    for (const expression of asked) {
      const tree = writeTree(parse(expression).expr!);
      if (tree === undefined) continue;
      expect(readTree(JSON.parse(JSON.stringify(tree)) as Written)).toEqual(treeOf(expression));
    }
    expect(writtenTrees(asked).split('\n').length).toBeGreaterThan(asked.size * 0.99);
    expect(() => compile([...asked][0]!)).not.toThrow();
  });
});
