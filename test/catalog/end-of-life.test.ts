import { describe, expect, it } from '@jest/globals';
import { readEndOfLife } from '../../catalog/end-of-life.js';
import { sampleVerdict } from '../../catalog/samples.js';
import type { ExpandedRule } from '../../catalog/types.js';
import { expandWholeCatalog } from './whole-catalog.js';

const DAY = 86_400_000;
const products = readEndOfLife();
const now = Date.now();
const days = (date: string): number => (Date.parse(date) - now) / DAY;

describe('the table of ends of life', () => {
  it('has a version of each product that is supported in six months, or says why no day is known', () => {
    const stale = products.filter(({ open, versions }) => open === undefined && !Object.values(versions).some((date) => days(date) > 183));
    expect(stale.map(({ product }) => product)).toEqual([]);
  });

  it('calls none open that has days ahead', () => {
    const dated = products.filter(({ open, versions }) => open !== undefined && Object.values(versions).some((date) => days(date) > 0));
    expect(dated.map(({ product }) => product)).toEqual([]);
  });
});

/** Ends of rules' ids, and the products of whose versions they speak. */
const SPEAKS_OF: readonly (readonly [RegExp, string])[] = [
  [/_postgres$/, 'postgres'],
  [/_mysql$/, 'mysql'],
  [/_mariadb$/, 'mariadb'],
  [/_mongodb$/, 'mongodb'],
  [/_redis$/, 'redis'],
  [/_rabbitmq$/, 'rabbitmq'],
  [/kubernetes(?:_version)?$/, 'kubernetes'],
  [/runtime_python$/, 'python'],
  [/runtime_php$/, 'php'],
  [/runtime_node$/, 'nodejs'],
];

const { rules } = expandWholeCatalog();
const spoken = rules.flatMap((rule) => {
  const product = rule.family === 'supported_version' ? SPEAKS_OF.find(([end]) => end.test(rule.rule_id))?.[1] : undefined;
  const attribute = attributeOf(rule);
  return product === undefined || attribute === undefined ? [] : [{ rule, product, attribute }];
});

/** The attribute of the passing sample that holds a version by itself. */
function attributeOf({ samples: { pass } }: ExpandedRule): string | undefined {
  return Object.keys(pass).find((name) => /version/.test(name) && /^\d+(?:\.\d+)*$/.test(String(pass[name])));
}

describe('rules about versions', () => {
  it('are tried, those of five products at least', () => {
    expect(new Set(spoken.map(({ product }) => product)).size).toBeGreaterThanOrEqual(5);
  });

  it('accept what its makers support, and nothing that they gave up three years ago, whatever longer support a provider sells', () => {
    const faults = spoken.flatMap(({ rule, product, attribute }) =>
      Object.entries(products.find((one) => one.product === product)!.versions).flatMap(([version, date]) => {
        const left = days(date);
        const wanted = left > 0 ? 'PASS' : left < -3 * 365 ? 'FAIL' : undefined;
        const { result } = sampleVerdict(rule, { ...rule.samples.pass, [attribute]: version });
        return wanted === undefined || result === wanted
          ? []
          : [`${rule.rule_id}: ${product} ${version}, which ends ${date}, is ${result}`];
      }),
    );
    expect(faults).toEqual([]);
  });
});
