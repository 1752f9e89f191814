import { readFileSync } from 'node:fs';
import { loadCatalog } from '../../catalog/catalog.js';

const { rules } = loadCatalog();
const severe = rules.filter(({ severity }) => severity === 'critical' || severity === 'high');

it('at most a fifth of all rules are high or critical', () => {
  expect(severe.length / rules.length).toBeLessThanOrEqual(0.2);
});

it('docs/catalog.md argues each family with such rules, and no other', () => {
  const [, section] = /^## Severity$([^]*?)^## /m.exec(readFileSync('docs/catalog.md', 'utf8'))!;
  const argued = [...section!.matchAll(/^\| (?:critical, )?high \| ([a-z_, ]+) \|/gm)].flatMap(([, families]) => families!.split(', '));
  expect(argued.sort()).toEqual([...new Set(severe.map(({ family }) => family))].sort());
});

it('is critical only where the row of its family says so', () => {
  const text = readFileSync('docs/catalog.md', 'utf8');
  const families = new Set(rules.flatMap(({ severity, family }) => (severity === 'critical' ? [family] : [])));
  for (const family of families) expect(text).toMatch(new RegExp(`^\\| critical, high \\| [a-z_, ]*\\b${family}\\b`, 'm'));
});
