import { brokenChange, plan, planned } from '../support/inventories.js';
import { audited, finding, findings, move, results, ruleOf, type RuleItem } from '../support/posture.js';
import { ocsf } from '../support/reports.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

let world: World;
let rule: RuleItem;
beforeAll(async () => {
  world = await openWorld();
  rule = await ruleOf(await (await world.tenant()).as('viewer'), 'encryption_at_rest', 'aws_ebs_volume');
});
afterAll(() => world.close());

const A = 'aws_ebs_volume.a';
const B = 'aws_ebs_volume.b';
const OPEN = { encrypted: false };
const MENDED = { encrypted: true };
/** What a plan cannot know. */
const UNTOLD = { encrypted: '${var.encrypted}' };

const analyst = async () => (await world.tenant()).as('analyst');
const on = (client: Client, address: string, scope = '') =>
  finding(client, `rule_id=${rule.rule_id}&resource_uid=${encodeURIComponent(planned(address, scope))}`);
const statuses = async (client: Client, query = '') =>
  Object.fromEntries(
    (await findings(client, `rule_id=${rule.rule_id}&${query}`)).map(({ resource_uid, status }) => [resource_uid, status]),
  );

describe('the same resource again', () => {
  it('that is mended closes its finding, with an entry in the audit log', async () => {
    const { as }: TestTenant = await world.tenant();
    const client = await as('analyst');
    await client.import(plan({ [A]: OPEN }));
    const before = await on(client, A);
    const run = await client.import(plan({ [A]: MENDED }), { scan_run_id: 'mended' });
    expect(run.counts).toMatchObject({ new: 0, resolved: 1, regressed: 0 });
    expect(await on(client, A)).toMatchObject({ finding_id: before.finding_id, status: 'RESOLVED', version: before.version + 1 });
    expect(await audited(await as('tenant_admin'), 'finding.resolve')).toMatchObject([
      {
        actor_email: 'system',
        target: `finding:${before.engine}/${before.finding_id}`,
        result: 'success',
        detail: { from: 'OPEN', to: 'RESOLVED', scan_run_id: 'mended' },
      },
    ]);
  });

  it('that passes elsewhere changes nothing here', async () => {
    const client = await analyst();
    await client.import(plan({ [A]: OPEN }));
    const before = await findings(client);
    const run = await client.import(plan({ [B]: MENDED }));
    expect(run.counts.resolved).toBe(0);
    expect(await findings(client, `resource_uid=${planned(A)}`)).toEqual(before);
    expect(await statuses(client)).toEqual({ [planned(A)]: 'OPEN' });
  });

  it('of which cannot be told whether it is mended neither opens nor closes', async () => {
    const client = await analyst();
    const artifact = 'stack';
    await client.import(plan({ [A]: OPEN, [B]: UNTOLD }), { artifact });
    expect(await statuses(client)).toEqual({ [planned(A, artifact)]: 'OPEN' });
    const run = await client.import(plan({ [A]: UNTOLD, [B]: UNTOLD }), { artifact });
    expect(run).toMatchObject({ state: 'COMPLETED', counts: { resolved: 0 } });
    expect(await statuses(client)).toEqual({ [planned(A, artifact)]: 'OPEN' });
    const { items } = await results(client, rule.rule_id);
    expect(items.map(({ result }) => result)).toEqual(['NOT_EVALUATED', 'NOT_EVALUATED']);
  });

  it('changes nothing when nothing changed: findings, results, tallies', async () => {
    const client = await analyst();
    const report = plan({ [A]: OPEN, [B]: MENDED });
    const state = async () => ({
      findings: (await findings(client))
        .map(({ scan_run_id: _run, last_seen_at: _at, ...rest }) => rest)
        .sort((a, b) => (a.finding_id < b.finding_id ? -1 : 1)),
      results: (await results(client, rule.rule_id)).items.map(({ scan_run_id: _run, evaluated_at: _at, ...rest }) => rest),
      control: await controlOf(client),
    });
    const first = await client.import(report);
    const before = await state();
    const again = await client.import(report);
    expect(again.counts).toEqual({ ...first.counts, new: 0, updated: first.counts.new });
    expect(again.total_findings).toBe(first.total_findings);
    expect(await state()).toEqual(before);
    expect(before.control).toMatchObject({ passed_results: 1, failed_results: 1, not_evaluated_results: 0 });
  });

  it('that breaks again reopens its finding as it was first seen', async () => {
    const client = await analyst();
    await client.import(plan({ [A]: OPEN }));
    const { finding_id, first_seen_at } = await on(client, A);
    await client.import(plan({ [A]: MENDED }));
    const run = await client.import(plan({ [A]: OPEN }));
    expect(run.counts).toMatchObject({ new: 0, regressed: 1, resolved: 0 });
    const back = await on(client, A);
    expect(back).toMatchObject({ finding_id, status: 'OPEN', first_seen_at });
    expect(back.regressed_at! > first_seen_at).toBe(true);
  });

  it('leaves a suppressed finding suppressed, whether it fails or passes', async () => {
    const client = await analyst();
    await client.import(plan({ [A]: OPEN }));
    await move(client, await on(client, A), 'SUPPRESSED');
    for (const values of [OPEN, MENDED, OPEN]) {
      await client.import(plan({ [A]: values }), { account_id: '111122223333' });
      await client.import(plan({ [A]: values }));
      expect((await on(client, A)).status).toBe('SUPPRESSED');
    }
  });
});

/** The control of CIS that the volume's encryption assesses, with its counts of results. */
async function controlOf(client: Client) {
  const path = '/api/v1/compliance/framework/cis_aws_3_0_0/controls?page_size=200';
  const { body } = await client.call<{ items: { control_id: string; failed_results: number }[] }>(path);
  return body.items.find(({ control_id }) => control_id === '2.2.1');
}

describe('a resource that is gone', () => {
  it('keeps its findings while no run names what it covers', async () => {
    const client = await analyst();
    await client.import(plan({ [A]: OPEN, [B]: OPEN }));
    expect((await client.import(plan({ [A]: OPEN }))).counts.resolved).toBe(0);
    expect(await statuses(client)).toEqual({ [planned(A)]: 'OPEN', [planned(B)]: 'OPEN' });
  });

  it.each([
    ['account', { account_id: '111122223333' }, { account_id: '999999999999' }],
    ['artifact', { artifact: 'stack-one' }, { artifact: 'stack-two' }],
  ])('loses them to a run that names its %s, and to no other', async (_what, mine, other) => {
    const client = await analyst();
    const [scope] = Object.values(mine) as [string];
    const [elsewhere] = Object.values(other) as [string];
    await client.import(plan({ [A]: OPEN, [B]: OPEN }), mine);
    await client.import(plan({ [B]: OPEN }), other);
    await client.import(plan({ [A]: OPEN }), other);
    expect(await statuses(client)).toEqual({
      [planned(A, scope)]: 'OPEN',
      [planned(B, scope)]: 'OPEN',
      [planned(A, elsewhere)]: 'OPEN',
      [planned(B, elsewhere)]: 'RESOLVED',
    });
    await client.import(plan({ [A]: OPEN }), mine);
    expect(await statuses(client)).toMatchObject({ [planned(A, scope)]: 'OPEN', [planned(B, scope)]: 'RESOLVED' });
  });

  it('loses them also where the run names an artifact and the resource itself says its account', async () => {
    const client = await analyst();
    const arn = (name: string) => `arn:aws:ec2:eu-west-1:111122223333:volume/${name}`;
    await client.import(plan({ [A]: { arn: arn('vol-a'), ...OPEN }, [B]: { arn: arn('vol-b'), ...OPEN } }), { artifact: 'stack' });
    await client.import(plan({ [A]: { arn: arn('vol-a'), ...OPEN } }), { artifact: 'stack' });
    expect(await statuses(client)).toEqual({ [arn('vol-a')]: 'OPEN', [arn('vol-b')]: 'RESOLVED' });
  });
});

describe('a run', () => {
  it('counts what it resolves in every engine, also where nothing fails any more', async () => {
    const client = await analyst();
    const task = (privileged: boolean) =>
      plan({ 'aws_ecs_task_definition.t': { family: 't', container_definitions: JSON.stringify([{ name: 'app', privileged }]) } });
    await client.import(task(true));
    const open = await findings(client, 'status=OPEN');
    expect(open.map(({ engine }) => engine)).toContain('container-security');
    const run = await client.import(task(false));
    const left = new Set((await findings(client, 'status=OPEN')).map(({ finding_id }) => finding_id));
    expect(run.counts.resolved).toBe(open.filter(({ finding_id }) => !left.has(finding_id)).length);
    expect(run.counts.resolved).toBeGreaterThan(0);
  });
});

describe('a run that is not complete', () => {
  it('opens what fails and resolves nothing, neither what passes nor what is gone', async () => {
    const client = await analyst();
    const artifact = 'stack';
    await client.import(plan({ [A]: OPEN, [B]: OPEN }), { artifact });
    const run = await client.import(plan({ [A]: MENDED, 'aws_ebs_volume.c': OPEN }, { more: [brokenChange] }), { artifact });
    expect(run).toMatchObject({ state: 'PARTIAL', counts: { records: 2, skipped: 1, resolved: 0 } });
    expect(await statuses(client)).toEqual({
      [planned(A, artifact)]: 'OPEN',
      [planned(B, artifact)]: 'OPEN',
      [planned('aws_ebs_volume.c', artifact)]: 'OPEN',
    });
  });
});

describe('a scanner beside the evaluation', () => {
  const account = '111122223333';
  const arn = `arn:aws:ec2:eu-west-1:${account}:volume/vol-1`;
  const elsewhere = `arn:aws:ec2:eu-west-1:${account}:volume/vol-2`;
  const ours = (encrypted: boolean) => plan({ [A]: { arn, encrypted } });
  const theirs = (...resources: string[]) => ocsf(resources.map((resource) => ({ rule: 'scanner_rule', resource, account })));
  const state = async (client: Client) => {
    const found = await findings(client, `resource_uid=${encodeURIComponent(arn)}&rule_id=${rule.rule_id},scanner_rule`);
    return Object.fromEntries(found.map(({ rule_id, status }) => [rule_id, status]));
  };

  it('has findings of its own on the resource, which neither closes for the other', async () => {
    const client = await analyst();
    await client.import(ours(false), { account_id: account });
    await client.import(theirs(arn), { account_id: account });
    expect(await state(client)).toEqual({ [rule.rule_id]: 'OPEN', scanner_rule: 'OPEN' });
    await client.import(ours(true), { account_id: account });
    expect(await state(client)).toEqual({ [rule.rule_id]: 'RESOLVED', scanner_rule: 'OPEN' });
    await client.import(ours(false), { account_id: account });
    await client.import(theirs(elsewhere), { account_id: account });
    expect(await state(client)).toEqual({ [rule.rule_id]: 'OPEN', scanner_rule: 'RESOLVED' });
  });
});
