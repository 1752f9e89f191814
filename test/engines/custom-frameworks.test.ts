import { expectError } from '../contract/expect-error.js';
import { attest, control, controls, DAY, frameworks, inMs, report, reportAnswer } from '../support/compliance.js';
import { plan } from '../support/inventories.js';
import { audited, ruleOf, violated, type Violations } from '../support/posture.js';
import { ocsf } from '../support/reports.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

let world: World;
let volumes: string;
let keys: string;
let databases: string;
beforeAll(async () => {
  world = await openWorld();
  const client = await (await world.tenant()).as('viewer');
  volumes = (await ruleOf(client, 'encryption_at_rest', 'aws_ebs_volume')).rule_id;
  databases = (await ruleOf(client, 'encryption_at_rest', 'aws_db_instance')).rule_id;
  keys = (await ruleOf(client, 'key_rotation', 'aws_kms_key')).rule_id;
});
afterAll(() => world.close());

interface Framework {
  framework_id: string;
  name: string;
  version: string;
  description: string | null;
  revision: number;
  controls: { control_id: string; section: string; title: string; rule_ids: string[] }[];
  created_by: string;
}
const PATH = '/api/v1/compliance/frameworks/custom';
const create = (client: Client, body: unknown) => client.call<Framework & Violations>(PATH, { body });
const replace = (client: Client, id: string, body: unknown) =>
  client.call<Framework & Violations>(`${PATH}/${id}`, { method: 'PUT', body });
const retire = (client: Client, id: string) => client.call(`${PATH}/${id}`, { method: 'DELETE' });
const callers = async ({ as }: TestTenant) => ({ analyst: await as('analyst'), admin: await as('tenant_admin') });
const fresh = async () => callers(await world.tenant());

/** Four controls: one of each kind of status, once ESTATE is in. */
const house = () => ({
  framework_id: 'house_rules',
  name: 'House rules',
  controls: [
    { control_id: 'H-1', section: 'Data', title: 'Volumes are encrypted', rule_ids: [volumes, keys] },
    { control_id: 'H-2', section: 'Data', title: 'Keys rotate', rule_ids: [keys] },
    { control_id: 'H-3', title: 'Databases are encrypted', rule_ids: [databases] },
    { control_id: 'H-4', title: 'People are trained' },
  ],
});
const ESTATE = plan({
  'aws_ebs_volume.a': { encrypted: false },
  'aws_kms_key.a': { enable_key_rotation: true },
  'aws_db_instance.a': { storage_encrypted: '${var.encrypted}' },
});
const statuses = async (client: Client, id = 'house_rules') =>
  Object.fromEntries((await controls(client, id)).map(({ control_id, status }) => [control_id, status]));

describe('a framework of the tenant’s own', () => {
  it('is scored as the catalog’s are: what fails, what passes, what nothing was said of', async () => {
    const { analyst, admin } = await fresh();
    const { status, body } = await create(admin, house());
    expect(status).toBe(201);
    expect(body).toMatchObject({
      framework_id: 'house_rules',
      version: '-',
      description: null,
      revision: 1,
      created_by: admin.user!.email,
    });
    expect(body.controls[3]).toEqual({ control_id: 'H-4', section: '', title: 'People are trained', rule_ids: [] });
    expect(await report(analyst, 'house_rules')).toMatchObject({
      score: 0,
      total_controls: 4,
      mapped_controls: 3,
      manual_controls: 1,
      custom: true,
    });
    await analyst.import(ESTATE);
    expect(await statuses(analyst)).toEqual({ 'H-1': 'FAIL', 'H-2': 'PASS', 'H-3': 'NOT_ASSESSED', 'H-4': 'MANUAL' });
    expect(await report(analyst, 'house_rules')).toMatchObject({ score: 50, pass_count: 1, fail_count: 1, trend: [{ score: 50 }] });
    const detail = await control(analyst, 'house_rules', 'H-1');
    expect(detail.rules.map(({ rule_id, passed, failed }) => [rule_id, passed, failed])).toEqual([
      [volumes, 0, 1],
      [keys, 1, 0],
    ]);
    expect(detail.failing_findings.map(({ rule_id }) => rule_id)).toEqual([volumes]);
    await attest(analyst, {
      framework_id: 'house_rules',
      control_id: 'H-4',
      status: 'met',
      evidence: 'Certificates',
      expires_at: inMs(DAY),
    });
    expect(await report(analyst, 'house_rules')).toMatchObject({ score: 66.7, pass_count: 2, fail_count: 1 });
  });

  it('heads the list of frameworks', async () => {
    const { admin } = await fresh();
    const catalog = (await frameworks(admin)).total;
    await create(admin, house());
    const all = await frameworks(admin);
    expect(all.total).toBe(catalog + 1);
    expect(all.items[0]).toMatchObject({ framework_id: 'house_rules', framework_name: 'House rules', custom: true });
    expect((await frameworks(admin, 'custom=true')).items).toEqual([all.items[0]]);
    expect(await frameworks(admin, 'custom=false')).toMatchObject({ total: catalog });
  });

  it('may be assessed by a rule of the tenant’s own', async () => {
    const { analyst, admin } = await fresh();
    const rule = { rule_id: 'owned', title: 'Volumes name their owner', severity: 'low', resource_types: ['aws_ebs_volume'] };
    await admin.call('/api/v1/rules/custom', { body: { ...rule, expression: 'has(asset.tags.Owner)' } });
    const own = { framework_id: 'own', name: 'Own', controls: [{ control_id: '1', title: 'Owners', rule_ids: ['custom.owned'] }] };
    expect((await create(admin, own)).status).toBe(201);
    await analyst.import(ESTATE);
    expect(await statuses(analyst, 'own')).toEqual({ '1': 'FAIL' });
    await admin.call('/api/v1/rules/custom/custom.owned', { method: 'DELETE' });
    expect(violated(await replace(admin, 'own', own)).map(({ path }) => path)).toEqual(['controls.0.rule_ids.0']);
    await analyst.import(ESTATE);
    expect(await statuses(analyst, 'own')).toEqual({ '1': 'NOT_ASSESSED' });
  });

  it('is replaced as a whole, as a new revision', async () => {
    const { analyst, admin } = await fresh();
    await create(admin, house());
    await analyst.import(ESTATE);
    const other = { name: 'House rules, again', version: '2', controls: [{ control_id: 'K', title: 'Keys rotate', rule_ids: [keys] }] };
    const { status, body } = await replace(admin, 'house_rules', other);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { framework_id: 'house_rules', revision: 2, version: '2', name: other.name },
    });
    expect(await statuses(analyst)).toEqual({ K: 'PASS' });
    expect(await report(analyst, 'house_rules')).toMatchObject({ score: 100, framework_name: other.name, total_controls: 1 });
    expect(violated(await replace(admin, 'house_rules', { ...other, controls: [] })).map(({ path }) => path)).toEqual(['controls']);
    expect((await report(analyst, 'house_rules')).total_controls).toBe(1);
    expectError(await replace(admin, 'none_such', other), 'NOT_FOUND', 'compliance');
    expectError(await replace(admin, 'cis_aws_3_0_0', other), 'NOT_FOUND', 'compliance');
  });

  it('is there no more when it is retired, and its id is not used again', async () => {
    const { admin } = await fresh();
    await create(admin, house());
    expect(await retire(admin, 'house_rules')).toMatchObject({ status: 204, text: '' });
    expectError(await reportAnswer(admin, 'house_rules'), 'NOT_FOUND', 'compliance');
    expect(await frameworks(admin, 'custom=true')).toMatchObject({ total: 0 });
    expectError(await retire(admin, 'house_rules'), 'NOT_FOUND', 'compliance');
    expectError(await replace(admin, 'house_rules', house()), 'NOT_FOUND', 'compliance');
    expectError(await create(admin, house()), 'CONFLICT', 'compliance');
    expectError(await retire(admin, 'cis_aws_3_0_0'), 'NOT_FOUND', 'compliance');
  });

  it('leaves a trace of every change in the audit log', async () => {
    const { admin } = await fresh();
    await create(admin, house());
    await replace(admin, 'house_rules', { ...house(), name: 'Again' });
    await retire(admin, 'house_rules');
    const expected = { 'framework.create': [1, 'House rules'], 'framework.update': [2, 'Again'], 'framework.retire': [2, 'Again'] };
    for (const [action, [revision, name]] of Object.entries(expected))
      expect(await audited(admin, action)).toMatchObject([
        { actor_email: admin.user!.email, target: 'framework:house_rules', result: 'success', detail: { revision, name, controls: 4 } },
      ]);
  });
});

describe('a definition', () => {
  const one = (change: Record<string, unknown>) => ({ name: 'N', controls: [{ control_id: '1', title: 'T', ...change }] });

  it.each([
    ['unknown rules', () => one({ rule_ids: [volumes, 'aws.none', 'custom.none'] }), ['controls.0.rule_ids.1', 'controls.0.rule_ids.2']],
    ['a control twice', () => ({ name: 'N', controls: [1, 2].map(() => ({ control_id: '1', title: 'T' })) }), ['controls.1.control_id']],
    ['no controls', () => ({ name: 'N', controls: [] }), ['controls']],
    ['empty texts', () => ({ ...one({ title: ' ' }), name: '' }), ['name', 'controls.0.title']],
    ['an id of other characters', () => ({ ...one({}), framework_id: 'House Rules' }), ['framework_id']],
  ])('is refused with %s, by path', async (_case, body, paths) => {
    const { admin } = await fresh();
    expect(violated(await create(admin, body())).map(({ path }) => path)).toEqual(paths);
    expect(await frameworks(admin, 'custom=true')).toMatchObject({ total: 0 });
  });

  it('is not assessed by the rules of scanners', async () => {
    const { analyst, admin } = await fresh();
    await analyst.import(ocsf([{ rule: 'scanner_rule', resource: 'arn:aws:s3:::a' }]));
    expect(violated(await create(admin, one({ rule_ids: ['scanner_rule'] }))).map(({ path }) => path)).toEqual(['controls.0.rule_ids.0']);
  });

  it('names a rule once, however often it says it, and gets an id where it has none', async () => {
    const { admin } = await fresh();
    const { status, body } = await create(admin, one({ rule_ids: [volumes, volumes] }));
    expect(status).toBe(201);
    expect(body.controls[0]!.rule_ids).toEqual([volumes]);
    expect(body.framework_id).toMatch(/^custom_[0-9a-f]{12}$/);
  });

  it('needs an id that neither the catalog nor the tenant has', async () => {
    const { admin } = await fresh();
    expectError(await create(admin, { ...house(), framework_id: 'cis_aws_3_0_0' }), 'CONFLICT', 'compliance');
    await create(admin, house());
    expectError(await create(admin, house()), 'CONFLICT', 'compliance');
  });
});

describe('who may', () => {
  it.each(['viewer', 'analyst'] as const)('a %s reads, and changes nothing', async (role) => {
    const { as } = await world.tenant();
    const [admin, caller] = [await as('tenant_admin'), await as(role)];
    await create(admin, house());
    expectError(await create(caller, { ...house(), framework_id: 'other' }), 'FORBIDDEN', 'compliance');
    expectError(await replace(caller, 'house_rules', house()), 'FORBIDDEN', 'compliance');
    expectError(await retire(caller, 'house_rules'), 'FORBIDDEN', 'compliance');
    expect(await report(caller, 'house_rules')).toMatchObject({ framework_name: 'House rules' });
  });

  it('nobody of another tenant, where the id is free', async () => {
    const [mine, theirs] = [await fresh(), await fresh()];
    await create(mine.admin, house());
    for (const answer of [
      await reportAnswer(theirs.admin, 'house_rules'),
      await replace(theirs.admin, 'house_rules', house()),
      await retire(theirs.admin, 'house_rules'),
    ])
      expectError(answer, 'NOT_FOUND', 'compliance');
    expect(await frameworks(theirs.admin, 'custom=true')).toMatchObject({ total: 0 });
    expect((await create(theirs.admin, { ...house(), name: 'Theirs' })).status).toBe(201);
    expect(await report(mine.admin, 'house_rules')).toMatchObject({ framework_name: 'House rules' });
  });

  it('the same through the graph', async () => {
    const { analyst, admin } = await fresh();
    const mutation = 'mutation($input: CustomFrameworkInput!) { create_framework(input: $input) { framework_id revision } }';
    expect((await admin.graphql(mutation, { input: house() })).data).toEqual({
      create_framework: { framework_id: 'house_rules', revision: 1 },
    });
    await analyst.import(ESTATE);
    const query =
      '{ framework_report(framework_id: "house_rules") { score trend { score } } framework_controls(framework_id: "house_rules", status: [FAIL]) { items { control_id } } }';
    expect((await analyst.graphql(query)).data).toEqual({
      framework_report: { score: 50, trend: [{ score: 50 }] },
      framework_controls: { items: [{ control_id: 'H-1' }] },
    });
    expect((await analyst.graphql(mutation, { input: { ...house(), framework_id: 'other' } })).errors![0]!.extensions.code).toBe(
      'FORBIDDEN',
    );
    expect((await admin.graphql(mutation, { input: house() })).errors![0]!.extensions.code).toBe('CONFLICT');
  });
});
