import { permissionsOf } from '../../schema/permissions.js';
import { expectError } from '../contract/expect-error.js';
import { findingEngines } from '../contract/registry-facts.js';
import { control, controlAnswer, controls, DAY, frameworks, inMs, report, type ControlDetail } from '../support/compliance.js';
import { plan, pod } from '../support/inventories.js';
import { finding, findings, move, results, ruleOf, type Page, type RuleItem } from '../support/posture.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

const CIS = 'cis_aws_3_0_0';
/** The control of CIS that asks for encrypted volumes. */
const VOLUMES = '2.2.1';
const RESTRICTED = findingEngines
  .filter(({ permission }) => !permissionsOf('viewer').includes(permission))
  .map(({ viewSegment }) => viewSegment)
  .sort();

let world: World;
let tenant: TestTenant;
let client: Client;
let rule: string;
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  client = await tenant.as('analyst');
  rule = (await ruleOf(client, 'encryption_at_rest', 'aws_ebs_volume')).rule_id;
  const volumes = { 'aws_ebs_volume.a': { encrypted: false }, 'aws_ebs_volume.b': { encrypted: true } };
  await client.import(plan({ ...volumes, 'aws_ebs_volume.c': { encrypted: '${var.c}' } }), { account_id: '111122223333' });
  await client.import(plan({ 'aws_ebs_volume.d': { encrypted: false } }), { account_id: '999999999999' });
  await client.import(pod('web', { privileged: true }));
});
afterAll(() => world.close());

/** A control that a rule assesses, with its framework. */
async function controlOfRule({ controls: named }: RuleItem) {
  const { framework, control_id } = named[0]!;
  const { items } = await frameworks(client);
  const found = items.find(
    ({ framework_name, version }) => (version === '-' ? framework_name : `${framework_name} ${version}`) === framework,
  )!;
  return { framework_id: found.framework_id, control_id };
}
const privileged = async () => {
  const query = 'family=container_privilege&resource_type=kubernetes_pod&q=privileged_container';
  const { body } = await client.call<Page<RuleItem>>(`/api/v1/rules?${query}`);
  return body.items.find(({ rule_id }) => rule_id.endsWith('.privileged_container'))!;
};

describe('the controls of a framework', () => {
  it('are listed in its order, with a filter by status', async () => {
    const all = await controls(client, CIS);
    expect(all).toHaveLength((await report(client, CIS)).total_controls);
    for (const status of ['PASS', 'FAIL', 'NOT_ASSESSED', 'MANUAL'] as const)
      expect(await controls(client, CIS, `status=${status}`)).toEqual(all.filter((one) => one.status === status));
    expect(await controls(client, CIS, 'status=FAIL,MANUAL')).toEqual(all.filter(({ status }) => status === 'FAIL' || status === 'MANUAL'));
    expectError(await client.call(`/api/v1/compliance/framework/${CIS}/controls?status=DONE`), 'BAD_REQUEST', 'compliance');
  });

  it('come page by page with the number of those that are selected', async () => {
    const manual = await controls(client, CIS, 'status=MANUAL');
    const { body } = await client.call<Page<unknown>>(`/api/v1/compliance/framework/${CIS}/controls?status=MANUAL&page_size=3&page=2`);
    expect(body).toEqual({ items: manual.slice(3, 6), total: manual.length, page: 2, page_size: 3, has_more: manual.length > 6 });
  });

  it('say why no rule assesses them, and nothing where one does', async () => {
    for (const { status, assessable, not_assessed_because, rule_count } of await controls(client, CIS)) {
      if (status === 'MANUAL')
        expect({ assessable, not_assessed_because }).toEqual({
          assessable: false,
          not_assessed_because: expect.stringMatching(/\S/) as string,
        });
      else expect(assessable).toBe(true);
      if (rule_count > 0) expect(not_assessed_because).toBeNull();
    }
  });
});

describe('one control', () => {
  it('fails when any of its rules fails anywhere, and counts the results of its rules', async () => {
    const detail = await control(client, CIS, VOLUMES);
    expect(detail).toMatchObject({
      framework_id: CIS,
      control_id: VOLUMES,
      status: 'FAIL',
      assessable: true,
      passed_results: 1,
      failed_results: 2,
      not_evaluated_results: 1,
      attestation: null,
      degradedEngines: [],
      restrictedEngines: [],
    });
    expect(detail.rules).toHaveLength(detail.rule_count);
    expect(detail.rules[0]).toEqual({ rule_id: rule, passed: 1, failed: 2, not_applicable: 0, not_evaluated: 1 });
    expect((await results(client, rule)).total).toBe(4);
    const listed = (await controls(client, CIS)).find(({ control_id }) => control_id === VOLUMES)!;
    expect(detail).toMatchObject(listed);
  });

  it('names the open findings of its rules and no others', async () => {
    const own = await (await world.tenant()).as('analyst');
    await own.import(plan({ 'aws_ebs_volume.a': { encrypted: false }, 'aws_ebs_volume.b': { encrypted: false } }));
    const open = await findings(own, `rule_id=${rule}`);
    const { failing_findings, failing_total } = await control(own, CIS, VOLUMES);
    expect(failing_total).toBe(2);
    expect(failing_findings.map(({ finding_id, engine }) => [engine, finding_id]).sort()).toEqual(
      open.map(({ finding_id, engine }) => [engine, finding_id]).sort(),
    );
    await move(own, open[0]!, 'SUPPRESSED');
    const after = await control(own, CIS, VOLUMES);
    expect(after.failing_findings.map(({ finding_id }) => finding_id)).toEqual([open[1]!.finding_id]);
    expect(after).toMatchObject({ status: 'FAIL', failing_total: 1 });
  });

  it('looks at one account where it is asked to', async () => {
    const one = await control(client, CIS, VOLUMES, 'account_id=999999999999');
    expect(one).toMatchObject({ passed_results: 0, failed_results: 1, failing_total: 1 });
    expect(one.failing_findings).toMatchObject([{ account_id: '999999999999' }]);
    expect(await control(client, CIS, VOLUMES, 'provider=gcp')).toMatchObject({ status: 'NOT_ASSESSED', failing_total: 0 });
  });

  it('passes when the last resource is mended, and says so in its history', async () => {
    const own = await (await world.tenant()).as('analyst');
    const today = new Date().toISOString().slice(0, 10);
    await own.import(plan({ 'aws_ebs_volume.a': { encrypted: false } }));
    expect(await control(own, CIS, VOLUMES)).toMatchObject({ status: 'FAIL', history: [{ date: today, status: 'FAIL' }] });
    await own.import(plan({ 'aws_ebs_volume.a': { encrypted: true } }));
    expect(await control(own, CIS, VOLUMES)).toMatchObject({
      status: 'PASS',
      failing_total: 0,
      failing_findings: [],
      history: [{ date: today, status: 'PASS' }],
    });
  });

  it('forgets a resource that is gone from what a run covers', async () => {
    const own = await (await world.tenant()).as('analyst');
    const artifact = 'stack';
    await own.import(plan({ 'aws_ebs_volume.a': { encrypted: false }, 'aws_ebs_volume.b': { encrypted: true } }), { artifact });
    await own.import(plan({ 'aws_ebs_volume.b': { encrypted: true } }), { artifact });
    expect((await finding(own, `rule_id=${rule}`)).status).toBe('RESOLVED');
    expect((await results(own, rule)).items).toMatchObject([{ result: 'PASS' }]);
    expect(await control(own, CIS, VOLUMES)).toMatchObject({ status: 'PASS', passed_results: 1, failed_results: 0, failing_total: 0 });
  });

  it('shows a viewer the status, and names the engines whose findings the role may not read', async () => {
    const { framework_id, control_id } = await controlOfRule(await privileged());
    const seen = await control(client, framework_id, control_id);
    expect(seen).toMatchObject({ status: 'FAIL', restrictedEngines: [] });
    expect(seen.failing_findings.map(({ engine }) => engine)).toContain('container-security');
    const viewer = await tenant.as('viewer');
    const shown = await control(viewer, framework_id, control_id);
    expect(shown).toMatchObject({ status: 'FAIL', failed_results: seen.failed_results, rules: seen.rules });
    expect([...shown.restrictedEngines].sort()).toEqual(RESTRICTED);
    expect(shown.failing_findings.map(({ engine }) => engine)).not.toContain('container-security');
    expect(shown.failing_total).toBe(seen.failing_findings.filter(({ engine }) => !RESTRICTED.includes(engine)).length);
  });

  it('shows an API key the findings that the key may read, whatever its owner may', async () => {
    const owner = await tenant.as('tenant_admin');
    const body = { name: 'Scores', permissions: ['compliance:read', 'check:read'], expires_at: inMs(DAY) };
    const { key } = (await owner.call<{ key: string }>('/api/v1/api-keys', { body })).body;
    const { framework_id, control_id } = await controlOfRule(await privileged());
    const { body: shown } = await world.anonymous.call<ControlDetail>(
      `/api/v1/compliance/framework/${framework_id}/controls/${control_id}`,
      { headers: { authorization: `Bearer ${key}` } },
    );
    const withheld = findingEngines.filter(({ permission }) => permission !== 'check:read').map(({ viewSegment }) => viewSegment);
    expect(shown.degradedEngines).toEqual([]);
    expect([...shown.restrictedEngines].sort()).toEqual(withheld.sort());
  });

  it('is not found where there is none', async () => {
    expectError(await controlAnswer(client, CIS, '99.99'), 'NOT_FOUND', 'compliance');
    expectError(await controlAnswer(client, 'none_such', VOLUMES), 'NOT_FOUND', 'compliance');
  });
});
