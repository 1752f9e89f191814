import { loadCatalog } from '../../catalog/catalog.js';
import { compile } from '../../catalog/cel/environment.js';
import { messageOf } from '../../catalog/evidence.js';
import { attributesRead } from '../../catalog/found/attributes-read.js';
import { RuleSet } from '../../catalog/evaluate.js';
import { Inventory, companionTypes } from '../../catalog/inventory.js';
import { subjectOf } from '../../catalog/subject.js';
import type { Rule } from '../../catalog/types.js';
import { expandWholeCatalog } from './whole-catalog.js';
import { resource } from './verdict.js';

const { rules } = expandWholeCatalog();
const byId = new Map(rules.map((rule) => [rule.rule_id, rule]));

/** The message of a rule of the catalog on a configuration that it fails. */
function message(rule: Rule, configuration: Record<string, unknown>, sensitive: string[] = []): string {
  const subject = resource(configuration, { resource_type: rule.resource_types[0]!, provider: rule.provider });
  const inventory = new Inventory(companionTypes([rule]));
  const [evaluation] = new RuleSet([rule]).evaluate(subject, inventory);
  expect([rule.rule_id, evaluation!.result]).toEqual([rule.rule_id, 'FAIL']);
  return messageOf(evaluation!, subject, 'The title', sensitive);
}
const of = (id: string, configuration: Record<string, unknown>, sensitive?: string[]): string =>
  message(byId.get(id)!, configuration, sensitive);

describe('what is found', () => {
  const closed = { protocol: 'tcp', from_port: 443, to_port: 443, cidr_blocks: ['10.0.0.0/8'] };
  const open = { protocol: 'tcp', from_port: 20, to_port: 30, cidr_blocks: ['10.0.0.0/8', '0.0.0.0/0'] };

  it('of a firewall is the rule, with protocol, ports and addresses', () => {
    expect(of('aws.security.group.open_port.ssh', { ingress: [closed, open], egress: [open] })).toMatch(
      /^`ingress\[1\]` admits tcp ports 20-30 from 0\.0\.0\.0\/0; /,
    );
    expect(of('aws.security.group.open_all_ports', { ingress: [{ ...open, protocol: '-1' }] })).toMatch(
      /^`ingress\[0\]` admits every protocol on every port from 0\.0\.0\.0\/0; /,
    );
    expect(of('aws.security.group_rule.open_port.ssh', { type: 'ingress', ...open })).toMatch(
      /^it admits tcp ports 20-30 from 0\.0\.0\.0\/0; /,
    );
  });

  it('of a policy is the statement, with its actions and resources', () => {
    const read = { Sid: 'Read', Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::orders/*' };
    const write = { Sid: 'Write', Effect: 'Allow', Action: ['ec2:RunInstances', 'iam:PutUserPolicy'], Resource: '*' };
    const policy = JSON.stringify({ Version: '2012-10-17', Statement: [read, write] });
    expect(of('aws.iam.policy.policy_privilege_escalation.put_user_policy', { policy })).toMatch(
      /^`policy` statement 2 \(Write\) allows `iam:PutUserPolicy` on `\*`; /,
    );
    expect(of('aws.iam.policy.policy_wildcard_resource', { policy })).toMatch(
      /^`policy` statement 2 \(Write\) allows `ec2:RunInstances`, /,
    );
  });

  it('in a list is the element at fault, with its place', () => {
    const containers = [
      { name: 'a', security_context: { privileged: false } },
      { name: 'b', security_context: { privileged: true } },
    ];
    const spec = { template: { spec: { container: containers } } };
    const said = of('k8s.deployment.privileged_container', { spec });
    expect(said).toContain('`spec.template.spec.container[1].security_context.privileged` is `true`');
    expect(said).not.toContain('container[0]');
  });

  it('is masked where the source marks it, and where a rule asks for secrets', () => {
    const secret = rules.find(({ expression, path }) => path !== undefined && expression.includes('is_literal('))!;
    const said = message(secret, secret.samples.fail);
    expect(said).toMatch(/` is written out; /);
    const plain = rules.find(({ rule_id }) => rule_id === 'aws.db.instance.backup_retention')!;
    expect(message(plain, { backup_retention_period: 0 }, ['backup_retention_period'])).toContain('is [REDACTED]');
  });
});

describe('the attributes that an expression reads', () => {
  it.each([
    ['has(r.a) && r.b.c > 1', ['a', 'b.c']],
    ['r.list.all(e, !has(e.x) || e.x.y == "r.not.this")', ['list[].x.y']],
    ['strings(r.names).exists(n, n == "*")', ['names[]']],
    ['r.a.all(c, c.b.exists(d, d.e)) && r.z.all(c, c.y)', ['a[].b[].e', 'z[].y']],
    ['r.name.matches("^a") && r.tags.size() > 0', ['name', 'tags']],
  ])('of %s', (expression, paths) => {
    expect([...attributesRead(expression).paths].sort()).toEqual([...paths].sort());
  });

  it('name the documents of policies', () => {
    expect(attributesRead('r.inline.all(i, statements(i.policy).all(s, s.effect == "Deny"))').documents).toEqual(['inline[].policy']);
    expect(attributesRead('!statements(r).exists(s, s.effect == "Allow")').documents).toEqual(['']);
  });
});

it('every rule tells of its failing sample where it is, or what is not there, in bounded words', () => {
  const told = rules.map((rule) => {
    const { $companions: _, ...configuration } = rule.samples.fail;
    const subject = subjectOf(resource(configuration, { resource_type: rule.resource_types[0]!, provider: rule.provider }) as never);
    return [rule.rule_id, messageOf({ rule, result: 'FAIL', program: compile(rule.expression) }, subject, 'T')] as const;
  });
  const faults = told.filter(([, said]) => {
    const [found = ''] = said.split('; ');
    const isBound = said.length <= 600 && !/not so|undefined|\[object/.test(said);
    return !isBound || !/`|^it (?:admits|lets out)|does not say so/.test(found) || /^expected/.test(said);
  });
  expect(faults).toEqual([]);
  const silent = told.filter(([, said]) => said.startsWith('its configuration does not say so'));
  expect(silent.length / rules.length).toBeLessThan(0.01);
});

it('the built catalog tells the same as its files', () => {
  expect(loadCatalog().rules).toHaveLength(rules.length);
});
