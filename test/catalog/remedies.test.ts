import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkInventory } from '../../catalog/check-file.js';
import { RuleSet } from '../../catalog/evaluate.js';
import { companionTypes } from '../../catalog/inventory.js';
import { readCommands } from '../../catalog/remedies/commands.js';
import { remediesOf, remedyMarkdown, type Remedy } from '../../catalog/remedies/remedies.js';
import { findSources } from '../../sources/find.js';
import { expandWholeCatalog } from './whole-catalog.js';

const { rules } = expandWholeCatalog();
const recommended = rules.filter((rule) => rule.recommended === true);
const remedies = remediesOf(rules);

it('every recommended rule has a change of configuration and a command, or says why it has none', () => {
  const faults = recommended.flatMap(({ rule_id }) => {
    const remedy = remedies[rule_id]!;
    const change = 'unchanged' in remedy ? remedy.unchanged : remedy.after;
    const command = 'command' in remedy ? remedy.command : 'no_command' in remedy ? remedy.no_command : undefined;
    return change.trim() !== '' && command?.trim() ? [] : [rule_id];
  });
  expect(faults).toEqual([]);
  expect(Object.keys(remedies)).toHaveLength(recommended.length);
});

it('commands have no variable left, and every item of their tables is some rule’s', () => {
  expect(Object.entries(remedies).filter(([, remedy]) => 'command' in remedy && /\{[a-z]+\}/.test(remedy.command!))).toEqual([]);
  const idle = [...readCommands()].flatMap(([provider, items]) =>
    items.filter((item) => {
      const own = recommended.filter((rule) => rule.provider === provider);
      return !own.some((rule) => items.find((one) => one.fits(rule)) === item);
    }),
  );
  expect(idle.map(({ place }) => place)).toEqual([]);
});

it('is written in Markdown with fences that nothing in it ends', () => {
  for (const remedy of Object.values(remedies)) expect(remedyMarkdown(remedy).match(/^```/gm)?.length ?? 0).toBe(fencesOf(remedy));
});

const fencesOf = (remedy: Remedy): number => ('unchanged' in remedy ? 0 : 4) + ('command' in remedy ? 2 : 0);

/** Documents that are read from plans, never judged by themselves in source code. */
const OF_PLANS = 'aws_iam_policy_document';

describe('read again by `palisade check`', () => {
  const folder = mkdtempSync(join(tmpdir(), 'remedies-'));
  const verdicts = new Map<string, string>();

  beforeAll(async () => {
    for (const [i, { rule_id }] of recommended.entries()) {
      const remedy = remedies[rule_id]!;
      if ('unchanged' in remedy) continue;
      for (const when of ['before', 'after'] as const) {
        mkdirSync(join(folder, `${i}-${when}`));
        writeFileSync(join(folder, `${i}-${when}`, 'main.tf'), `${remedy[when]}\n`);
      }
    }
    const { sources } = await findSources([folder], { readInput: () => Promise.resolve(Buffer.from('')) });
    const set = new RuleSet(recommended);
    const companions = companionTypes(recommended);
    for (const source of sources)
      await checkInventory(source, set, companions, ({ evaluations }) => {
        for (const { rule, result, reason = '' } of evaluations) {
          const key = `${/(\d+-\w+)/.exec(source.name)?.[1]} ${rule.rule_id}`;
          if (verdicts.get(key) !== 'FAIL') verdicts.set(key, result === 'NOT_EVALUATED' ? `${result} ${reason}` : result);
        }
      });
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('the configuration before fails, and the one after does not', () => {
    const faults = recommended.flatMap(({ rule_id, resource_types }, i) => {
      if ('unchanged' in remedies[rule_id]! || resource_types.includes(OF_PLANS)) return [];
      const before = verdicts.get(`${i}-before ${rule_id}`);
      const after = verdicts.get(`${i}-after ${rule_id}`);
      // whether a reference stands in the place of a secret is told, what it holds is not
      const passes = after === 'PASS' || after === 'NOT_APPLICABLE' || after?.includes('${random_password.');
      return before === 'FAIL' && passes ? [] : [`${rule_id}: before ${before}, after ${after}`];
    });
    expect(faults).toEqual([]);
  });
});
