import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { PROVIDERS } from '../../schema/model.js';
import { expandWholeCatalog } from './whole-catalog.js';

interface Subject {
  subject: string;
  name: string;
  rules: Record<string, string[]>;
  without?: Record<string, string>;
}

const subjects = load(readFileSync('catalog/alarms.yaml', 'utf8')) as Subject[];
const ids = new Set(expandWholeCatalog().rules.map(({ rule_id }) => rule_id));
const CLOUDS = PROVIDERS.filter((provider) => provider !== 'k8s');

it('every cloud is asked for an alarm on every subject, or it is said why not', () => {
  for (const { subject, rules, without = {} } of subjects)
    expect([subject, ...Object.keys(rules), ...Object.keys(without)].sort()).toEqual([subject, ...CLOUDS].sort());
  expect(subjects.length).toBeGreaterThanOrEqual(12);
});

it('names rules of the cloud that there are, each for one subject', () => {
  const named = subjects.flatMap(({ rules }) =>
    Object.entries(rules).flatMap(([provider, list]) => list.map((id) => [provider, id] as const)),
  );
  expect(named.filter(([provider, id]) => !ids.has(id) || !id.startsWith(`${provider}.`))).toEqual([]);
  expect(new Set(named.map(([, id]) => id)).size).toBe(named.length);
});
