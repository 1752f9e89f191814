import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkFile } from '../../catalog/check-file.js';
import { expandFamilies } from '../../catalog/expand.js';
import type { FamilySource } from '../../catalog/families.js';
import { loadCatalog } from '../../catalog/catalog.js';
import { loadFrameworks } from '../../catalog/assessed.js';
import { CODE_TYPES } from '../../catalog/resource-name.js';
import { RuleSet } from '../../catalog/evaluate.js';
import { companionTypes } from '../../catalog/inventory.js';
import { findProfile, profileNames, profilesOf } from '../../catalog/profiles.js';
import { reportedOf } from '../../catalog/standing.js';
import { PostureEvaluation } from '../../subgraphs/scans/evaluation.js';
import type { AssetInput } from '../../importers/index.js';

const idsIn = (name: string): string[] => {
  const profile = findProfile(name)!;
  return loadCatalog().rules.flatMap((rule) => (profile.has(rule) ? [rule.rule_id] : []));
};

describe('profiles', () => {
  it('are recommended, the levels of CIS, all, and one a framework; none is empty', () => {
    const names = profileNames();
    expect(names.slice(0, 4)).toEqual(['recommended', 'cis-1', 'cis-2', 'all']);
    expect(new Set(names).size).toBe(names.length);
    // each is held by the rules that tell it
    const told = new Set(loadCatalog().rules.flatMap((rule) => profilesOf(rule)));
    expect(names.filter((name) => !told.has(name))).toEqual([]);
    expect(findProfile('strict')).toBeUndefined();
    expect(idsIn('all')).toHaveLength(loadCatalog().rules.length);
  });

  it('recommend 600 to 900 rules, of every provider and every engine, and of source code, none of them low', () => {
    const recommended = loadCatalog().rules.filter((rule) => findProfile('recommended')!.has(rule));
    const ofCode = recommended.filter(({ resource_types }) => resource_types.some((type) => Object.hasOwn(CODE_TYPES, type)));
    expect([recommended.length >= 600, recommended.length <= 900, ofCode.length > 0]).toEqual([true, true, true]);
    const every = (member: 'provider' | 'engine') => new Set(loadCatalog().rules.map((rule) => rule[member]));
    for (const member of ['provider', 'engine'] as const) expect(new Set(recommended.map((rule) => rule[member]))).toEqual(every(member));
    expect(recommended.filter(({ severity }) => severity === 'low' || severity === 'info').map(({ rule_id }) => rule_id)).toEqual([]);
  });

  it('of level 2 hold those of level 1, and more', () => {
    const [one, two] = [new Set(idsIn('cis-1')), new Set(idsIn('cis-2'))];
    expect([...one].filter((id) => !two.has(id))).toEqual([]);
    expect(two.size).toBeGreaterThan(one.size);
    const providers = loadFrameworks().flatMap(({ level_2, providers: own }) => (level_2 === undefined ? [] : own));
    expect([...providers].sort()).toEqual(['alicloud', 'aws', 'azure', 'gcp', 'ibm', 'k8s', 'oci']);
  });

  it('are told by each rule as they hold it', () => {
    const rules = loadCatalog().rules.filter((_, n) => n % 1_500 === 0);
    for (const rule of rules)
      expect([rule.rule_id, profilesOf(rule).sort()]).toEqual([
        rule.rule_id,
        profileNames()
          .filter((name) => findProfile(name)!.has(rule))
          .sort(),
      ]);
  });

  it('that name no rule of their family are a mistake', () => {
    const [family] = loadCatalog().families;
    const mistakes: string[] = [];
    const source: FamilySource = { family: { ...family!, implies: [], recommended: ['aws.nothing.*'] }, targets: new Map() };
    expandFamilies([source], mistakes);
    expect(mistakes).toEqual([`${family!.family}/family.yaml recommended: "aws.nothing.*" names no rule`]);
  });
});

describe('what is outside of the profile', () => {
  const group = (type: string, configuration: Record<string, unknown>): AssetInput => ({
    resource_uid: 'uid',
    resource_type: type,
    provider: 'aws',
    region: 'eu-central-1',
    configuration,
    source: { format: 'terraform_plan', address: 'aws_security_group.web' },
    position: '1',
  });
  const open = group('aws_security_group', {
    name: 'web',
    ingress: [{ protocol: '-1', from_port: 0, to_port: 0, cidr_blocks: ['0.0.0.0/0'] }],
  });
  const ALL_PORTS = 'aws.security.group.open_all_ports';
  const SSH = 'aws.security.group.open_port.ssh';
  const judge = (profile: string) =>
    new PostureEvaluation({ scope: {}, tenant: { profile, revision: 0, settings: [], rules: [] }, steps: 1_000_000 }).judge(open);

  it('stands for nothing: what it stood for is reported by itself', () => {
    const narrow = profileNames().find(
      (name) => findProfile(name)!.has({ rule_id: SSH }) && !findProfile(name)!.has({ rule_id: ALL_PORTS }),
    );
    expect(narrow).toBeDefined();
    expect(judge('all').failures.map(({ rule_id }) => rule_id)).toContain(ALL_PORTS);
    const judged = judge(narrow!);
    expect(judged.outside).toContain(ALL_PORTS);
    expect(judged.failures.map(({ rule_id }) => rule_id)).not.toContain(ALL_PORTS);
    const told = [...judged.failures.map(({ rule_id }) => rule_id), ...Object.keys(judged.implied)];
    expect(told).toContain(SSH);
    for (const rule_id of told) expect(findProfile(narrow!)!.has({ rule_id })).toBe(true);
  });

  it('is evaluated all the same: results know no profile', () => {
    expect(judge('recommended').results).toEqual(judge('all').results);
  });

  it('is recalled from results as it was judged', () => {
    const evaluation = new PostureEvaluation({
      scope: {},
      tenant: { profile: 'recommended', revision: 0, settings: [], rules: [] },
      steps: 1_000_000,
    });
    const judged = evaluation.judge(open);
    expect(evaluation.recall(open, judged.results.results, [])).toEqual(judged);
  });
});

/** Findings a resource, by the recommended profile. */
async function findingsOf(path: string): Promise<{ resources: number; findings: number; most: number }> {
  const { rules } = loadCatalog();
  const recommended = findProfile('recommended')!;
  const chosen = rules.filter((rule) => recommended.has(rule));
  const counts: number[] = [];
  await checkFile(path, new RuleSet(chosen), companionTypes(chosen), ({ evaluations }) => {
    counts.push(reportedOf(evaluations.filter(({ result }) => result === 'FAIL')).length);
  });
  return { resources: counts.length, findings: counts.reduce((sum, count) => sum + count, 0), most: Math.max(0, ...counts) };
}

const samples = join('..', 'shared', 'data', 'samples');
describe('the recommended profile is quiet', () => {
  it.each(['demo/reports/terraform.plan.json', 'demo/reports/cluster.yaml'])('on %s', async (path) => {
    const { resources, findings } = await findingsOf(path);
    expect(resources).toBeGreaterThan(10);
    expect(findings).toBeGreaterThan(5);
    expect(findings / resources).toBeLessThanOrEqual(1);
  });

  it.each(['terraform_plan/plan__tfplan.json', 'terraform_plan_derived/checkov_gcp_dev.plan.json', 'k8s_manifests/checkov_k8s_dev.yaml'])(
    'on badly kept samples: at most four findings a resource in %s',
    async (name) => {
      const path = join(samples, name);
      if (!existsSync(path)) return console.warn(`${path} is not there`);
      const { resources, findings } = await findingsOf(path);
      expect(findings / resources).toBeLessThanOrEqual(4);
    },
  );
});
