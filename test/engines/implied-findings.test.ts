import { plan, planned } from '../support/inventories.js';
import { findings, move, results, type RuleItem } from '../support/posture.js';
import { control, frameworks } from '../support/compliance.js';
import { recount, storedTallies } from '../support/tallies.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

const GROUP = 'aws_security_group.web';
const ALL = 'aws.security.group.open_all_ports';
const SSH = 'aws.security.group.open_port.ssh';
const TELNET = 'aws.security.group.open_port.telnet';
const anywhere = { cidr_blocks: ['0.0.0.0/0'] };
const open = plan({ [GROUP]: { name: 'web', ingress: [{ ...anywhere, protocol: '-1', from_port: 0, to_port: 0 }], egress: [] } });
const shell = (...more: number[]) =>
  plan({
    [GROUP]: {
      name: 'web',
      ingress: [22, ...more].map((port) => ({ ...anywhere, protocol: 'tcp', from_port: port, to_port: port })),
      egress: [],
    },
  });

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const fresh = async () => {
  const tenant = await world.tenant();
  return { tenant, analyst: await tenant.as('analyst'), admin: await tenant.as('tenant_admin') };
};
const ports = async (client: Client, query = '') =>
  (await findings(client, `resource_uid=${encodeURIComponent(planned(GROUP))}&${query}`)).filter(({ rule_id }) =>
    /open_(all_)?port/.test(rule_id),
  );
const dataOf = async (client: Client, { engine, finding_id }: { engine: string; finding_id: string }) => {
  const { body } = await client.call<{ finding: { findingData: Record<string, unknown> } }>(
    `/api/v1/views/finding/${engine}/${finding_id}`,
  );
  return body.finding.findingData;
};
const verdict = async (client: Client, rule: string) => (await results(client, rule)).items.map(({ result }) => result);
const expectCounted = async ({ tenant: { _id: tenant_id } }: TestTenant) =>
  expect(await storedTallies(world.database, tenant_id)).toEqual(await recount(world.database, tenant_id));

describe('failures of one cause', () => {
  it('are one finding, whose evidence names the others, and stay results of their rules', async () => {
    const { tenant, analyst } = await fresh();
    await analyst.import(open);
    const raised = await ports(analyst);
    expect(raised.map(({ rule_id, severity }) => [rule_id, severity])).toEqual([[ALL, 'critical']]);
    const data = await dataOf(analyst, raised[0]!);
    expect(data['implied']).toEqual(expect.arrayContaining([SSH, TELNET]));
    expect(data['implied_details']).toEqual(
      expect.arrayContaining([expect.stringContaining('`ingress[0]` admits every protocol on every port')]),
    );
    expect(data['status_detail']).toContain('`ingress[0]` admits every protocol on every port from 0.0.0.0/0');
    expect(await verdict(analyst, SSH)).toEqual(['FAIL']);
    await expectCounted(tenant);
  });

  it('of several ports are a finding of the worst', async () => {
    const { analyst } = await fresh();
    await analyst.import(shell(23, 80));
    const [one, ...others] = await ports(analyst);
    expect([one, others]).toMatchObject([{ rule_id: TELNET, severity: 'critical' }, []]);
    expect((await dataOf(analyst, one!))['implied_details']).toEqual(
      expect.arrayContaining([
        expect.stringContaining('`ingress[0]` admits tcp port 22 from 0.0.0.0/0'),
        expect.stringContaining('`ingress[2]` admits tcp port 80'),
      ]),
    );
  });

  it('count for scores as before: a finding that another stands for from now on closes with the reason, and its rule fails still', async () => {
    const { tenant, analyst } = await fresh();
    await analyst.import(shell(), { scan_run_id: 'shell' });
    const [before] = await ports(analyst);
    expect(before).toMatchObject({ rule_id: SSH, status: 'OPEN' });
    await analyst.import(open, { scan_run_id: 'open' });
    expect((await ports(analyst)).map(({ rule_id, status }) => [rule_id, status]).sort()).toEqual([
      [ALL, 'OPEN'],
      [SSH, 'RESOLVED'],
    ]);
    const { data } = await analyst.graphql<Record<string, { resolved_by: unknown }>>(
      'query($id: ID!) { network_security_finding(finding_id: $id) { resolved_by { scan_run_id implied_by } } }',
      { id: before!.finding_id },
    );
    expect(data!['network_security_finding']!.resolved_by).toEqual({ scan_run_id: 'open', implied_by: ALL });
    await expectCounted(tenant);
    const counted = Object.entries(await storedTallies(world.database, tenant.tenant._id));
    expect(counted.filter(([key]) => key.startsWith(`${SSH}|`)).map(([, verdicts]) => verdicts)).toEqual([{ FAIL: 1 }]);
    // and is back where it is mended no longer by what stood for it
    await analyst.import(shell(), { scan_run_id: 'again' });
    expect((await ports(analyst)).map(({ rule_id, status }) => [rule_id, status]).sort()).toEqual([
      [ALL, 'RESOLVED'],
      [SSH, 'OPEN'],
    ]);
    await expectCounted(tenant);
  });

  it.each(['SUPPRESSED', 'FALSE_POSITIVE'])('come to light with the next run where a person calls the strongest %s', async (status) => {
    const { tenant, analyst } = await fresh();
    await analyst.import(open);
    await move(analyst, (await ports(analyst))[0]!, status);
    await analyst.import(open);
    const raised = await ports(analyst);
    expect(raised.find(({ rule_id }) => rule_id === ALL)).toMatchObject({ status });
    const others = raised.filter(({ rule_id }) => rule_id !== ALL);
    expect(others).toMatchObject([{ status: 'OPEN', severity: 'critical' }]);
    expect(others[0]!.rule_id).toContain('.open_port.');
    await expectCounted(tenant);
  });

  it('come to light where the tenant switches the strongest off', async () => {
    const { analyst, admin } = await fresh();
    const off = await admin.call(`/api/v1/rules/${ALL}/settings`, { method: 'PUT', body: { enabled: false } });
    expect(off.status).toBe(200);
    await analyst.import(open);
    const raised = await ports(analyst);
    expect(raised).toHaveLength(1);
    expect(raised[0]!.rule_id).toContain('.open_port.');
  });

  it('are found by the rules for which others stand, in the own tenant alone', async () => {
    const [one, two] = [await fresh(), await fresh()];
    await one.analyst.import(open);
    const standing = async (client: Client, rule: string) =>
      (await ports(client, `stands_for=${encodeURIComponent(rule)}`)).map(({ rule_id }) => rule_id);
    expect([await standing(one.analyst, SSH), await standing(one.analyst, ALL)]).toEqual([[ALL], []]);
    expect(await standing(two.analyst, SSH)).toEqual([]);
    await two.analyst.import(shell(23));
    expect([await standing(two.analyst, SSH), await standing(one.analyst, SSH)]).toEqual([[TELNET], [ALL]]);
  });

  it('are linked from the controls that they fail to the finding that stands for them', async () => {
    const { analyst } = await fresh();
    await analyst.import(open);
    const { body } = await analyst.call<RuleItem>(`/api/v1/rules/${SSH}`);
    const all = (await frameworks(analyst)).items;
    const named = body.controls.find(({ framework }) =>
      all.some(({ framework_name, version }) => framework === `${framework_name} ${version}`),
    )!;
    const { framework_id } = all.find(({ framework_name, version }) => named.framework === `${framework_name} ${version}`)!;
    const detail = await control(analyst, framework_id, named.control_id);
    expect(detail.status).toBe('FAIL');
    expect(detail.failing_findings.filter(({ resource_uid }) => resource_uid === planned(GROUP)).map(({ rule_id }) => rule_id)).toContain(
      ALL,
    );
    expect(new Set(detail.failing_findings.map(({ finding_id }) => finding_id)).size).toBe(detail.failing_findings.length);
  });
});
