import { expectError } from '../contract/expect-error.js';
import { plan } from '../support/inventories.js';
import { audited, finding, findings, results, ruleOf, violated, type Page, type RuleItem, type Violations } from '../support/posture.js';
import { eventually } from '../support/receiver.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

let world: World;
let volumeRule: string;
let retention: RuleItem;
let userNames: RuleItem;
beforeAll(async () => {
  world = await openWorld();
  const client = await (await world.tenant()).as('viewer');
  volumeRule = (await ruleOf(client, 'encryption_at_rest', 'aws_ebs_volume')).rule_id;
  retention = await ruleOf(client, 'backup_retention', 'aws_db_instance');
  const { body } = await client.call<Page<RuleItem>>('/api/v1/rules?resource_type=aws_db_instance&page_size=200');
  userNames = body.items.find(({ parameters }) => Array.isArray(parameters?.['accepted']))!;
});
afterAll(() => world.close());

interface Settings {
  rule_id: string;
  enabled: boolean;
  severity: string | null;
  parameters: Record<string, unknown> | null;
  effective_severity: string;
  effective_parameters: Record<string, unknown> | null;
  updated_by: string;
}
const put = (client: Client, ruleId: string, body: Record<string, unknown>) =>
  client.call<Settings & Violations>(`/api/v1/rules/${ruleId}/settings`, { method: 'PUT', body });
const rule = async (client: Client, ruleId: string) => (await client.call<RuleItem>(`/api/v1/rules/${ruleId}`)).body;
const callers = async ({ as }: TestTenant) => ({ analyst: await as('analyst'), admin: await as('tenant_admin') });
const VOLUME = plan({ 'aws_ebs_volume.data': { encrypted: false } });
const database = (days: number) => plan({ 'aws_db_instance.orders': { backup_retention_period: days } });

describe('a rule that is switched off', () => {
  it('raises nothing any more: what was open closes at once, and comes back with the next run when it is switched on', async () => {
    const { analyst, admin } = await callers(await world.tenant());
    await analyst.import(VOLUME);
    const others = (await findings(analyst)).filter(({ rule_id }) => rule_id !== volumeRule);
    expect(others.length).toBeGreaterThan(0);
    const { status, body } = await put(admin, volumeRule, { enabled: false });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { rule_id: volumeRule, enabled: false, severity: null, parameters: null },
    });
    await eventually(
      () => finding(analyst, `rule_id=${volumeRule}`),
      ({ status: now }) => now === 'RESOLVED',
    );
    expect((await results(analyst, volumeRule)).items).toEqual([]);
    expect((await analyst.import(VOLUME)).counts).toMatchObject({ resolved: 0, new: 0, updated: others.length });
    expect((await findings(analyst, 'status=OPEN')).map(({ finding_id }) => finding_id).sort()).toEqual(
      others.map(({ finding_id }) => finding_id).sort(),
    );
    await put(admin, volumeRule, { enabled: true });
    expect((await analyst.import(VOLUME)).counts).toMatchObject({ regressed: 1, new: 0 });
    expect((await finding(analyst, `rule_id=${volumeRule}`)).status).toBe('OPEN');
  });

  it('is what enabled=false lists', async () => {
    const { admin } = await callers(await world.tenant());
    const listed = async (enabled: boolean) =>
      (await admin.call<Page<RuleItem>>(`/api/v1/rules?enabled=${enabled}&resource_type=aws_ebs_volume`)).body.items.map(
        ({ rule_id }) => rule_id,
      );
    const all = await listed(true);
    expect(await listed(false)).toEqual([]);
    await put(admin, volumeRule, { enabled: false });
    expect(await listed(false)).toEqual([volumeRule]);
    expect(await listed(true)).toEqual(all.filter((id) => id !== volumeRule));
    expect(await rule(admin, volumeRule)).toMatchObject({ enabled: false });
  });
});

describe('another severity', () => {
  it('is the finding’s at once, and what the filters of findings and rules go by', async () => {
    const { analyst, admin } = await callers(await world.tenant());
    await analyst.import(VOLUME);
    const before = await finding(analyst, `rule_id=${volumeRule}`);
    expect(before.severity).toBe('medium');
    expect((await put(admin, volumeRule, { severity: 'low' })).body).toMatchObject({
      severity: 'low',
      effective_severity: 'low',
      enabled: true,
    });
    const after = await eventually(
      () => finding(analyst, `rule_id=${volumeRule}`),
      ({ severity }) => severity === 'low',
    );
    expect(after).toMatchObject({ finding_id: before.finding_id, severity: 'low', status: 'OPEN', first_seen_at: before.first_seen_at });
    const ids = async (severity: string) => (await findings(analyst, `severity=${severity}`)).map(({ finding_id }) => finding_id);
    expect(await ids('low')).toContain(before.finding_id);
    expect(await ids('medium')).not.toContain(before.finding_id);
    const query = 'severity=low&family=encryption_at_rest&resource_type=aws_ebs_volume';
    expect((await admin.call<Page<RuleItem>>(`/api/v1/rules?${query}`)).body.items).toMatchObject([
      { rule_id: volumeRule, severity: 'low' },
    ]);
    expect((await put(admin, volumeRule, {})).body).toMatchObject({ severity: null, effective_severity: 'medium' });
    await analyst.import(VOLUME);
    expect((await finding(analyst, `rule_id=${volumeRule}`)).severity).toBe('medium');
  });
});

describe('other values for parameters', () => {
  it('are what the next run goes by, in the verdict and in the evidence', async () => {
    const { analyst, admin } = await callers(await world.tenant());
    const verdict = async () => (await results(analyst, retention.rule_id)).items.map(({ result }) => result);
    await analyst.import(database(10));
    expect(await verdict()).toEqual(['PASS']);
    const { body } = await put(admin, retention.rule_id, { parameters: { minimum: 14 } });
    expect(body).toMatchObject({ parameters: { minimum: 14 }, effective_parameters: { minimum: 14 } });
    expect(await rule(admin, retention.rule_id)).toMatchObject({ parameters: { minimum: 14 } });
    await analyst.import(database(10));
    expect(await verdict()).toEqual(['FAIL']);
    const open = await finding(analyst, `rule_id=${retention.rule_id}`);
    const { body: detail } = await analyst.call<{ finding: { findingData: { expression: string; expected: string } } }>(
      `/api/v1/views/finding/${open.engine}/${open.finding_id}`,
    );
    expect(detail.finding.findingData.expression).toContain('>= 14');
    expect(detail.finding.findingData.expected).toContain('14');
    await analyst.import(database(14));
    expect(await verdict()).toEqual(['PASS']);
    expect((await finding(analyst, `rule_id=${retention.rule_id}`)).status).toBe('RESOLVED');
  });

  it.each([
    ['an unknown name', () => retention.rule_id, { maximal: 3 }, ['parameters.maximal']],
    ['a text for a number', () => retention.rule_id, { minimum: '14' }, ['parameters.minimum']],
    ['a list for a number', () => retention.rule_id, { minimum: [14] }, ['parameters.minimum']],
    ['a number for a list', () => userNames.rule_id, { accepted: 3 }, ['parameters.accepted']],
    ['an empty list', () => userNames.rule_id, { accepted: [] }, ['parameters.accepted']],
    ['a list of other things', () => userNames.rule_id, { accepted: [{ a: 1 }] }, ['parameters.accepted']],
    ['two mistakes', () => retention.rule_id, { minimum: null, other: 1 }, ['parameters.minimum', 'parameters.other']],
    ['a value for a rule without any', () => volumeRule, { minimum: 1 }, ['parameters.minimum']],
  ])('are refused: %s', async (_case, id, parameters, paths) => {
    const { admin } = await callers(await world.tenant());
    expect(violated(await put(admin, id(), { parameters })).map(({ path }) => path)).toEqual(paths);
    expect(await rule(admin, id())).not.toMatchObject({ parameters });
  });
});

describe('settings', () => {
  it('are changed by administrators only', async () => {
    const { as } = await world.tenant();
    for (const role of ['viewer', 'analyst'] as const)
      expectError(await put(await as(role), volumeRule, { enabled: false }), 'FORBIDDEN', 'rules');
    expect(await rule(await as('viewer'), volumeRule)).toMatchObject({ enabled: true });
  });

  it('are of rules that the catalog has', async () => {
    const { admin } = await callers(await world.tenant());
    expectError(await put(admin, 'aws.none.such', { enabled: false }), 'NOT_FOUND', 'rules');
  });

  it('leave a trace in the audit log', async () => {
    const { admin } = await callers(await world.tenant());
    await put(admin, retention.rule_id, { severity: 'critical', parameters: { minimum: 30 } });
    expect(await audited(admin, 'rule.settings')).toMatchObject([
      {
        actor_email: admin.user!.email,
        target: `rule:${retention.rule_id}`,
        result: 'success',
        detail: { enabled: true, severity: 'critical', parameters: { minimum: 30 } },
      },
    ]);
  });

  it('of one tenant do not touch another', async () => {
    const [mine, theirs] = [await callers(await world.tenant()), await callers(await world.tenant())];
    await put(mine.admin, volumeRule, { enabled: false, severity: 'info' });
    expect(await rule(theirs.admin, volumeRule)).toMatchObject({ enabled: true, severity: 'medium' });
    await theirs.analyst.import(VOLUME);
    expect(await finding(theirs.analyst, `rule_id=${volumeRule}`)).toMatchObject({ status: 'OPEN', severity: 'medium' });
    await mine.analyst.import(VOLUME);
    expect(await findings(mine.analyst, `rule_id=${volumeRule}`)).toEqual([]);
  });
});
