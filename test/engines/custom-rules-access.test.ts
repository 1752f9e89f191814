import { expectError } from '../contract/expect-error.js';
import { plan, planned } from '../support/inventories.js';
import { findings, results, violated, type Page, type RuleItem, type Violations } from '../support/posture.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const RULE = {
  rule_id: 'owned',
  title: 'Queues name their owner',
  severity: 'low',
  resource_types: ['aws_sqs_queue'],
  expression: 'has(asset.tags.Owner)',
};
const QUEUES = plan({
  'aws_sqs_queue.a': { name: 'a', tags: { Owner: 'shop' }, visibility: 30 },
  'aws_sqs_queue.b': { name: 'b', visibility: '${var.visibility}' },
  'aws_sqs_queue.c': { name: 'c', visibility: 5 },
});

interface Trial {
  valid: boolean;
  evaluated: number;
  passed: number;
  failed: number;
  not_applicable: number;
  not_evaluated: number;
  samples: { resource_uid: string; result: string; reason: string | null }[];
}
const validate = (client: Client, expression: string) =>
  client.call<Trial & Violations>('/api/v1/rules/custom/validate', { body: { resource_types: ['aws_sqs_queue'], expression } });

describe('a trial of a rule', () => {
  it('counts what it would say of the stored inventory, names what does not pass, and saves nothing', async () => {
    const { as } = await world.tenant();
    const [analyst, admin] = [await as('analyst'), await as('tenant_admin')];
    await analyst.import(QUEUES);
    const before = await findings(analyst);
    const { status, body } = await validate(admin, 'r.visibility >= 30');
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { valid: true, evaluated: 3, passed: 1, failed: 1, not_applicable: 0, not_evaluated: 1 },
    });
    const samples = body.samples.map(({ resource_uid, result, reason }) => [resource_uid, result, reason !== null]);
    expect(samples.sort()).toEqual([
      [planned('aws_sqs_queue.b'), 'NOT_EVALUATED', true],
      [planned('aws_sqs_queue.c'), 'FAIL', false],
    ]);
    expect(await findings(analyst)).toEqual(before);
    expect((await admin.call<Page<RuleItem>>('/api/v1/rules?source=custom')).body.total).toBe(0);
  });

  it('sees nothing of another tenant', async () => {
    const [mine, theirs] = [await world.tenant(), await world.tenant()];
    await (await mine.as('analyst')).import(QUEUES);
    expect((await validate(await theirs.as('tenant_admin'), 'has(r.name)')).body).toMatchObject({ evaluated: 0, samples: [] });
  });

  it('needs resource types and an expression', async () => {
    const admin = await (await world.tenant()).as('tenant_admin');
    const answer = await admin.call<Violations>('/api/v1/rules/custom/validate', { body: {} });
    expect(violated(answer).map(({ path }) => path)).toEqual(['resource_types', 'expression']);
  });
});

describe('rules of the tenant’s own', () => {
  it.each(['viewer', 'analyst'] as const)('are not made, changed, tried or retired by a %s, who may read them', async (role) => {
    const { as } = await world.tenant();
    const [admin, caller] = [await as('tenant_admin'), await as(role)];
    await admin.call('/api/v1/rules/custom', { body: RULE });
    const path = '/api/v1/rules/custom/custom.owned';
    expectError(await caller.call('/api/v1/rules/custom', { body: { ...RULE, rule_id: 'other' } }), 'FORBIDDEN', 'rules');
    expectError(await caller.call(path, { method: 'PATCH', body: { title: 'Another' } }), 'FORBIDDEN', 'rules');
    expectError(await caller.call(path, { method: 'DELETE' }), 'FORBIDDEN', 'rules');
    expectError(await validate(caller, 'has(r.name)'), 'FORBIDDEN', 'rules');
    expect((await caller.call<RuleItem>('/api/v1/rules/custom.owned')).body).toMatchObject({ version: 1, title: RULE.title });
  });

  it('are not there for another tenant: not to read, change, retire, or evaluate; the id is free there', async () => {
    const [mine, theirs] = [await world.tenant(), await world.tenant()];
    const [admin, stranger] = [await mine.as('tenant_admin'), await theirs.as('tenant_admin')];
    await admin.call('/api/v1/rules/custom', { body: RULE });
    const path = '/api/v1/rules/custom/custom.owned';
    const absent = await stranger.call('/api/v1/rules/custom.absent');
    const answers = [
      await stranger.call('/api/v1/rules/custom.owned'),
      await stranger.call(path, { method: 'PATCH', body: { title: 'Another' } }),
      await stranger.call(path, { method: 'DELETE' }),
    ];
    for (const answer of answers) {
      expectError(answer, 'NOT_FOUND', 'rules');
      expect(answer.body).toEqual(absent.body);
    }
    expectError(await stranger.call('/api/v1/check/rules/custom.owned/results'), 'NOT_FOUND', 'check');
    const reader = await theirs.as('analyst');
    await reader.import(QUEUES);
    expect(await findings(reader, 'rule_id=custom.owned')).toEqual([]);
    expect((await admin.call<RuleItem>('/api/v1/rules/custom.owned')).body).toMatchObject({ version: 1, title: RULE.title, enabled: true });
    expect((await stranger.call('/api/v1/rules/custom', { body: RULE })).status).toBe(201);
  });

  it('are made, changed and retired through the graph, too', async () => {
    const { as } = await world.tenant();
    const [admin, analyst] = [await as('tenant_admin'), await as('analyst')];
    const made = await admin.graphql<{ create_custom_rule: RuleItem }>(
      'mutation($input: CustomRuleInput!) { create_custom_rule(input: $input) { rule_id version } }',
      { input: RULE },
    );
    expect(made.data).toEqual({ create_custom_rule: { rule_id: 'custom.owned', version: 1 } });
    await analyst.import(QUEUES);
    expect((await results(analyst, 'custom.owned')).total).toBe(3);
    const change = 'mutation($id: ID!) { update_custom_rule(rule_id: $id, input: { title: "Changed" }) { title version } }';
    expect((await admin.graphql(change, { id: 'custom.owned' })).data).toEqual({ update_custom_rule: { title: 'Changed', version: 2 } });
    const refused = await admin.graphql('mutation($input: CustomRuleInput!) { create_custom_rule(input: $input) { rule_id } }', {
      input: { ...RULE, rule_id: 'other', expression: 'r.' },
    });
    expect(refused.errors![0]!.extensions.code).toBe('VALIDATION_ERROR');
    expect((await analyst.graphql(change, { id: 'custom.owned' })).errors![0]!.extensions.code).toBe('FORBIDDEN');
    await admin.graphql('mutation { retire_custom_rule(rule_id: "custom.owned") }');
    expect((await admin.call<Page<RuleItem>>('/api/v1/rules?source=custom')).body.total).toBe(0);
  });
});
