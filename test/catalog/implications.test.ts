import { addImplications, saidByFamily } from '../../catalog/implications.js';
import { sampleVerdict } from '../../catalog/samples.js';
import type { Family, Rule } from '../../catalog/types.js';
import { expandWholeCatalog } from './whole-catalog.js';

const rule = (rule_id: string, family: string, resource_types = ['aws_thing']): Rule => ({
  rule_id,
  family,
  provider: 'aws',
  resource_types,
  severity: 'high',
  engine: 'check',
  expression: rule_id,
  expected: '',
});
const family = (name: string, ...implies: Family['implies']): Family => ({ family: name, implies }) as unknown as Family;

/** What rules imply, and what is wrong with what families say. */
function implied(rules: Rule[], families: Family[]): { implies: Record<string, string[]>; mistakes: string[] } {
  const mistakes: string[] = [];
  addImplications(
    rules,
    families.flatMap((one) => saidByFamily(one, rules, mistakes)),
    mistakes,
  );
  return { implies: Object.fromEntries(rules.flatMap(({ rule_id, implies }) => (implies ? [[rule_id, implies]] : []))), mistakes };
}
const rules = () => [
  rule('aws.thing.all', 'all'),
  rule('aws.thing.port.ssh', 'port'),
  rule('aws.thing.port.rdp', 'port'),
  rule('aws.thing.cidr', 'cidr'),
  rule('aws.other.port.ssh', 'port', ['aws_other']),
];

describe('what a family says that its rules imply', () => {
  it('is of rules of a type in common, with all that these imply', () => {
    const { implies, mistakes } = implied(rules(), [family('all', { rules: ['port'] }), family('port', { by: ['ssh'], rules: ['cidr'] })]);
    expect(mistakes).toEqual([]);
    expect(implies).toEqual({
      'aws.thing.all': ['aws.thing.cidr', 'aws.thing.port.rdp', 'aws.thing.port.ssh'],
      'aws.thing.port.ssh': ['aws.thing.cidr'],
    });
  });

  it('is refused where it names nothing', () => {
    const { mistakes } = implied(rules(), [
      family('all', { rules: ['ports'] }, { rules: ['port/telnet'] }),
      family('cidr', { by: ['none'], rules: ['port'] }),
    ]);
    expect(mistakes).toEqual([
      'cidr/family.yaml implies: none is the end of no rule of the family',
      'all/family.yaml implies: ports names no other rule of the same resource type',
      'all/family.yaml implies: port/telnet names no other rule of the same resource type',
      'cidr/family.yaml implies: port names no other rule of the same resource type',
    ]);
  });

  it('is refused where a rule implies itself by way of others', () => {
    const { mistakes } = implied(rules(), [
      family('all', { rules: ['cidr'] }),
      family('cidr', { rules: ['port/ssh'] }),
      family('port', { by: ['ssh'], rules: ['all'] }),
    ]);
    expect(mistakes).toEqual([
      expect.stringContaining('a circle of aws.thing.all -> aws.thing.cidr -> aws.thing.port.ssh -> aws.thing.all') as string,
    ]);
  });
});

describe('the implications of the catalog', () => {
  const catalog = expandWholeCatalog().rules;
  const byId = new Map(catalog.map((one) => [one.rule_id, one]));
  const implying = catalog.filter(({ implies }) => implies !== undefined);

  it('are of every kind that a failure makes redundant', () => {
    const pairs = [
      ['aws.security.group.open_all_ports', 'aws.security.group.open_port.ssh'],
      ['aws.iam.policy.policy_admin_access', 'aws.iam.policy.policy_full_service_access.s3'],
      ['aws.iam.policy.policy_full_service_access.iam', 'aws.iam.policy.policy_privilege_escalation.put_user_policy'],
      ['k8s.cluster.role.kubernetes_rbac.wildcard_all', 'k8s.cluster.role.kubernetes_rbac.secrets_read'],
      ['azure.storage.account.anonymous_blob_access', 'azure.storage.account.public_network_access'],
      ['k8s.deployment.privileged_container', 'k8s.deployment.container_capability.sys_admin'],
      ['k8s.deployment.pod_security_context_set', 'k8s.deployment.privilege_escalation'],
    ] as const;
    for (const [strong, weak] of pairs) expect([strong, byId.get(strong)?.implies]).toEqual([strong, expect.arrayContaining([weak])]);
  });

  it('stay within an engine: who reads a finding reads what it stands for', () => {
    const across = implying.filter(({ engine, implies }) => implies!.some((id) => byId.get(id)!.engine !== engine));
    expect(across.map(({ rule_id }) => rule_id)).toEqual([]);
    const engines = new Map(catalog.flatMap(({ together, engine }) => (together === undefined ? [] : [[together, engine]])));
    for (const { rule_id, together, engine } of catalog)
      if (together !== undefined) expect([rule_id, engines.get(together)]).toEqual([rule_id, engine]);
  });

  it('show on the sample that fails: where none of what a rule implies fails on it too, the implication is idle', () => {
    const idle = implying.filter(
      ({ implies, samples }) => !implies!.some((id) => sampleVerdict(byId.get(id)!, samples.fail).result === 'FAIL'),
    );
    // samples show the attribute that a rule asks for and leave the rest out
    expect(idle.length / implying.length).toBeLessThan(0.5);
  });

  it('never hold both ways', () => {
    const circular = implying.filter(({ rule_id, implies }) => implies!.some((id) => byId.get(id)!.implies?.includes(rule_id)));
    expect(circular.map(({ rule_id }) => rule_id)).toEqual([]);
  });
});
