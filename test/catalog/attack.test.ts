import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tacticsOf, tacticsOfTechnique } from '../../catalog/attack.js';
import { loadCatalog } from '../../catalog/catalog.js';
import { needing, shared } from '../support/shared.js';

const SAMPLES = shared('data/samples');

it('has the tactics of every technique that the catalog names', () => {
  const named = new Set(loadCatalog().families.flatMap(({ techniques }) => techniques));
  expect(named.size).toBeGreaterThan(0);
  expect([...named].filter((technique) => tacticsOfTechnique(technique) === undefined)).toEqual([]);
});

needing(SAMPLES).it('has the tactics of every technique that the samples name (skipped without ../shared)', () => {
  const named = new Set<string>();
  for (const file of readdirSync(SAMPLES!, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(json|sarif)$/.test(path)))
    for (const [technique] of readFileSync(join(SAMPLES!, file), 'utf8').matchAll(/\bT1[0-6]\d{2}(\.\d{3})?\b/g)) named.add(technique);
  expect([...named].filter((technique) => tacticsOfTechnique(technique) === undefined)).toEqual([]);
});

it('gives the tactics of techniques and sub-techniques, each once, and what a report says only where no technique tells', () => {
  expect(tacticsOf(['T1190', 'T1552.001', 'T1552'], ['TA0040'])).toEqual(['TA0001', 'TA0006']);
  expect(tacticsOf([], ['TA0040'])).toEqual(['TA0040']);
  expect(tacticsOfTechnique('T9999')).toBeUndefined();
});
