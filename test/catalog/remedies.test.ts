import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkInventory } from '../../catalog/check-file.js';
import { RuleSet } from '../../catalog/evaluate.js';
import { companionTypes } from '../../catalog/inventory.js';
import { readCommands } from '../../catalog/remedies/commands.js';
import { remediesOf, remedyMarkdown, type Remedy } from '../../catalog/remedies/remedies.js';
import { findSources } from '../../sources/find.js';
import { needing, shared } from '../support/shared.js';
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

it('shows values that the provider takes, not what stands for any', () => {
  const invented = Object.entries(remedies).flatMap(([rule_id, remedy]) =>
    'unchanged' in remedy
      ? []
      : [remedy.before, remedy.after].filter((text) => /"something-else"|= "value"$/m.test(text)).map(() => rule_id),
  );
  expect(invented).toEqual([]);
});

/** What providers had before the releases whose schemas these are, or the schemas cut off or lack. */
const UNLISTED = [
  'alicloud_eci_container_group.containers.security_context',
  'alicloud_mongodb_instance.security_ip_list',
  'alicloud_polardb_cluster.db_cluster_ip_array',
  'azurerm_kubernetes_cluster.addon_profile',
  'google_container_cluster.master_auth.username',
  'google_container_cluster.master_auth.password',
];

const schemas = shared('data/provider-schemas');
needing(schemas).it('is written as the provider takes it: attributes that there are, blocks as blocks, lists as lists', () => {
  const types = attributesByType(schemas!);
  const faults = Object.entries(remedies).flatMap(([rule_id, remedy]) =>
    'unchanged' in remedy
      ? []
      : [remedy.before, remedy.after]
          .flatMap((text) => membersOf(text).flatMap((member) => faultOf(member, types) ?? []))
          .map((fault) => `${rule_id}: ${fault}`),
  );
  expect([...new Set(faults)]).toEqual([]);
});

interface Member {
  type: string;
  path: string;
  /** How it is written. */
  as: 'block' | 'list' | 'value';
}

/** The members of resources, in the form that remedies are written in: a line each, what goes on over lines ends at the same depth. */
function membersOf(text: string): Member[] {
  const members: Member[] = [];
  const within: string[] = [];
  let until: RegExp | undefined;
  for (const line of text.split('\n')) {
    if (until !== undefined) {
      if (until.test(line)) until = undefined;
      continue;
    }
    const [, kind, named] = /^(resource|data) "(\w+)"/.exec(line) ?? [];
    const type = kind === 'data' && named !== OF_PLANS ? `data_${named}` : named;
    const [, depth = '', name = '', block, value = ''] = /^( *)([\w-]+) (\{\}?$|= (.*)$)/.exec(line) ?? [];
    if (type !== undefined) within.splice(0, within.length, type);
    else if (/^ *\}$/.test(line)) within.pop();
    else if (name !== '') {
      const isBlock = value === '' && block!.startsWith('{');
      members.push({
        type: within[0]!,
        path: [...within.slice(1), name].join('.'),
        as: isBlock ? 'block' : value.startsWith('[') ? 'list' : 'value',
      });
      if (block === '{') within.push(name);
      else if (/(?:[[{(]|<<-EOT)$/.test(value)) until = new RegExp(`^${depth}(?:[\\]})]|EOT)`);
    }
  }
  return members;
}

/** By type and attribute, lists without their brackets, what the schema says that it is. */
function attributesByType(folder: string): Map<string, Map<string, string>> {
  const types = new Map<string, Map<string, string>>();
  for (const provider of ['alicloud', 'aws', 'azurerm', 'google', 'ibm', 'kubernetes', 'oci'])
    for (const line of readFileSync(join(folder, `${provider}.jsonl`), 'utf8')
      .split('\n')
      .filter(Boolean)) {
      const { type, data, attrs } = JSON.parse(line) as { type: string; data: boolean; attrs: { p: string; t: string }[] };
      if (!data || !types.has(type)) types.set(type, new Map(attrs.map(({ p, t }) => [p.replaceAll('[]', ''), t])));
    }
  return types;
}

function faultOf({ type, path, as }: Member, types: ReadonlyMap<string, ReadonlyMap<string, string>>): string | undefined {
  const attributes = types.get(type);
  if (attributes === undefined || UNLISTED.some((unlisted) => `${type}.${path}.`.startsWith(`${unlisted}.`))) return undefined;
  const told = attributes.get(path);
  // what lies deep in a Pod is cut off
  if (told === undefined) return type.startsWith('kubernetes_') && path.split('.').length > 5 ? undefined : `${type} has no ${path}`;
  if (/^(?:List|Set|any)$/.test(told)) return undefined;
  const is = told.startsWith('block') ? 'block' : told.endsWith('[]') ? 'list' : 'value';
  return is === as ? undefined : `${type}.${path} is a ${is}, and written as a ${as}`;
}

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
