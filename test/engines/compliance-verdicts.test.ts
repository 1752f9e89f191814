import { control, controls, frameworks, report } from '../support/compliance.js';
import { brokenChange, plan } from '../support/inventories.js';
import { finding, findings, move, results, ruleOf } from '../support/posture.js';
import { openWorld, type Client, type World } from '../support/world.js';

const CIS = 'cis_aws_3_0_0';
/** The control of CIS that asks for encrypted volumes. */
const VOLUMES = '2.2.1';
const SCOPE = { account_id: '111122223333', artifact: 'stack' };
const [BARE, ENCRYPTED] = [{ encrypted: false }, { encrypted: true }];

let world: World;
let rule: string;
beforeAll(async () => {
  world = await openWorld();
  rule = (await ruleOf(await (await world.tenant()).as('analyst'), 'encryption_at_rest', 'aws_ebs_volume')).rule_id;
});
afterAll(() => world.close());

const volumes = (all: Record<string, object>) =>
  plan(Object.fromEntries(Object.entries(all).map(([name, attributes]) => [`aws_ebs_volume.${name}`, { ...attributes }])));

/** A tenant whose one unencrypted volume has a finding. */
async function estate(): Promise<Client> {
  const client = await (await world.tenant()).as('analyst');
  await client.import(volumes({ a: BARE }), SCOPE);
  return client;
}
const found = (client: Client) => finding(client, `rule_id=${rule}`);
const judge = async (client: Client, ...statuses: string[]) => {
  for (const status of statuses) await move(client, await found(client), status);
};

/** What the detail of the finding says of the control. */
async function mapping(client: Client): Promise<string> {
  const { engine, finding_id } = await found(client);
  const { body } = await client.call<{ compliance: { controlMappings: { framework: string; controlId: string; status: string }[] } }>(
    `/api/v1/views/finding/${engine}/${finding_id}`,
  );
  return body.compliance.controlMappings.find(({ framework, controlId }) => framework === CIS && controlId === VOLUMES)!.status;
}

/** What is said of the control in every place that says something of it. */
async function said(client: Client) {
  const [detail, listed, whole, all, ofAccount, ofProvider] = await Promise.all([
    control(client, CIS, VOLUMES),
    controls(client, CIS),
    report(client, CIS),
    frameworks(client, 'q=cis_aws_3'),
    control(client, CIS, VOLUMES, `account_id=${SCOPE.account_id}`),
    controls(client, CIS, 'provider=aws&status=PASS,FAIL'),
  ]);
  const one = listed.find(({ control_id }) => control_id === VOLUMES)!;
  const { failed_results, passed_results, status } = detail;
  expect(one).toMatchObject({ status, failed_results, passed_results });
  expect(ofAccount).toMatchObject({ status, failed_results, passed_results });
  expect(ofProvider.find(({ control_id }) => control_id === VOLUMES)?.status ?? 'NOT_ASSESSED').toBe(status);
  expect(detail.rules.find(({ rule_id }) => rule_id === rule)).toMatchObject({ failed: failed_results, passed: passed_results });
  // the counts of the report are those of the controls
  const having = (wanted: string) => listed.filter((entry) => entry.status === wanted).length;
  expect(whole).toMatchObject({ pass_count: having('PASS'), fail_count: having('FAIL') });
  expect(all.items[0]).toMatchObject({ score: whole.score, pass_count: whole.pass_count, fail_count: whole.fail_count });
  if (whole.assessed_controls > 0) expect(whole.by_provider['aws']).toMatchObject({ score: whole.score, fail_count: whole.fail_count });
  return { status, failed_results, passed_results };
}
const FAILING = { status: 'FAIL', failed_results: 1, passed_results: 0 };
const PASSING = { status: 'PASS', failed_results: 0, passed_results: 1 };

describe('a control whose only finding', () => {
  it.each([
    ['is OPEN', []],
    ['is IN_PROGRESS', ['IN_PROGRESS']],
    ['is SUPPRESSED: an accepted risk', ['SUPPRESSED']],
    ['was lifted from its suppression', ['SUPPRESSED', 'OPEN']],
    ['was called a false positive and is OPEN again', ['FALSE_POSITIVE', 'OPEN']],
  ])('%s fails, in the detail and in every score', async (_, moves) => {
    const client = await estate();
    await judge(client, ...moves);
    expect(await mapping(client)).toBe('FAIL');
    expect(await said(client)).toEqual(FAILING);
  });

  it.each([
    ['is a FALSE_POSITIVE', ['FALSE_POSITIVE']],
    ['was SUPPRESSED and is a FALSE_POSITIVE now', ['SUPPRESSED', 'FALSE_POSITIVE']],
    ['a person has RESOLVED, with no run since', ['RESOLVED']],
  ])('%s passes, in the detail and in every score', async (_, moves) => {
    const client = await estate();
    await judge(client, ...moves);
    expect(await mapping(client)).toBe('PASS');
    expect(await said(client)).toEqual(PASSING);
    // what the evaluation said stays what it was
    expect((await results(client, rule)).items).toMatchObject([{ result: 'FAIL' }]);
  });

  it('is SUPPRESSED passes once a completed run sees the resource mended, and goes on passing when the suppression is lifted', async () => {
    const client = await estate();
    await judge(client, 'SUPPRESSED');
    await client.import(volumes({ a: ENCRYPTED }), SCOPE);
    expect(await found(client)).toMatchObject({ status: 'SUPPRESSED' });
    expect(await mapping(client)).toBe('PASS');
    expect(await said(client)).toEqual(PASSING);
    await judge(client, 'OPEN');
    expect(await found(client)).toMatchObject({ status: 'RESOLVED' });
    expect(await said(client)).toEqual(PASSING);
  });

  it('is SUPPRESSED is not assessed any more once the resource is gone', async () => {
    const client = await estate();
    await judge(client, 'SUPPRESSED');
    await client.import(volumes({}), SCOPE);
    expect(await mapping(client)).toBe('PASS');
    expect(await said(client)).toEqual({ status: 'NOT_ASSESSED', failed_results: 0, passed_results: 0 });
  });

  it('a person has RESOLVED fails again when a run sees it again', async () => {
    const client = await estate();
    await judge(client, 'RESOLVED');
    await client.import(volumes({ a: BARE }), SCOPE);
    expect(await found(client)).toMatchObject({ status: 'OPEN' });
    expect(await said(client)).toEqual(FAILING);
  });

  it('is a FALSE_POSITIVE passes whatever runs say of it: failing again, mended, gone, come back', async () => {
    const client = await estate();
    await judge(client, 'FALSE_POSITIVE');
    for (const [present, counts] of [
      [{ a: BARE }, PASSING],
      [{ a: ENCRYPTED }, PASSING],
      [{}, { status: 'NOT_ASSESSED', failed_results: 0, passed_results: 0 }],
      [{ a: BARE }, PASSING],
    ] as const) {
      await client.import(volumes(present), SCOPE);
      expect(await mapping(client)).toBe('PASS');
      expect(await said(client)).toEqual(counts);
    }
    await judge(client, 'OPEN');
    expect(await said(client)).toEqual(FAILING);
  });

  it('is open still fails when the run that saw it mended was not complete', async () => {
    const client = await estate();
    const partial = volumes({ a: ENCRYPTED });
    (partial['resource_changes'] as object[]).push(brokenChange);
    expect((await client.import(partial, SCOPE)).state).toBe('PARTIAL');
    expect(await mapping(client)).toBe('FAIL');
    expect(await said(client)).toEqual(FAILING);
    await client.import(volumes({ a: ENCRYPTED }), SCOPE);
    expect(await said(client)).toEqual(PASSING);
  });

  it('is open still fails while the rule cannot tell', async () => {
    const client = await estate();
    await client.import(volumes({ a: { encrypted: '${var.encrypted}' } }), SCOPE);
    expect(await mapping(client)).toBe('FAIL');
    expect(await said(client)).toEqual(FAILING);
  });
});

describe('a control', () => {
  it('passes with results that pass and no finding', async () => {
    const client = await (await world.tenant()).as('analyst');
    await client.import(volumes({ a: ENCRYPTED }), SCOPE);
    expect(await findings(client, `rule_id=${rule}`)).toEqual([]);
    expect(await said(client)).toEqual(PASSING);
  });

  it('fails while one of its findings does, and counts each resource once', async () => {
    const client = await (await world.tenant()).as('analyst');
    await client.import(volumes({ a: BARE, b: BARE, c: BARE, d: ENCRYPTED }), SCOPE);
    const all = await findings(client, `rule_id=${rule}`);
    await move(client, all[0]!, 'FALSE_POSITIVE');
    await move(client, all[1]!, 'RESOLVED');
    expect(await said(client)).toEqual({ status: 'FAIL', failed_results: 1, passed_results: 3 });
    await move(client, all[2]!, 'FALSE_POSITIVE');
    expect(await said(client)).toEqual({ status: 'PASS', failed_results: 0, passed_results: 4 });
    await move(client, all[1]!, 'OPEN');
    expect(await said(client)).toEqual({ status: 'FAIL', failed_results: 1, passed_results: 3 });
  });

  it('of a framework of the tenant’s own is judged alike', async () => {
    const tenant = await world.tenant();
    const [client, admin] = [await tenant.as('analyst'), await tenant.as('tenant_admin')];
    await client.import(volumes({ a: BARE }), SCOPE);
    const body = { framework_id: 'our_own', name: 'Ours', controls: [{ control_id: '1', title: 'Encrypt', rule_ids: [rule] }] };
    expect(await admin.call('/api/v1/compliance/frameworks/custom', { body })).toMatchObject({ status: 201 });
    expect(await report(client, 'our_own')).toMatchObject({ score: 0, assessed_controls: 1, fail_count: 1 });
    await judge(client, 'FALSE_POSITIVE');
    expect(await report(client, 'our_own')).toMatchObject({ score: 100, pass_count: 1, fail_count: 0 });
    expect(await control(client, 'our_own', '1')).toMatchObject({ ...PASSING, failing_total: 0, failing_findings: [] });
  });
});
