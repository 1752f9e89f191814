import { eventually } from '../support/receiver.js';
import { navigatorLayer } from './navigator-layer.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

const DAY = 86_400_000;
const ACCOUNT = '111122223333';
const EVE = `arn:aws:iam::${ACCOUNT}:user/eve`;
/** Noon of the day before yesterday: within what is kept and what the heatmap shows. */
const NOON = new Date(Math.floor(Date.now() / DAY - 2) * DAY + DAY / 2);

interface Listed<Item> {
  items: Item[];
  total: number;
}
interface Heatmap {
  total: number;
  hours: string[];
  rows: { value: string | null; label: string | null; total: number; counts: number[] }[];
}

let world: World;
let tenant: TestTenant;
let admin: Client;
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  admin = await tenant.as('tenant_admin');
});
afterAll(() => world.close());

/** A call of eve's, some seconds after noon. */
const call = (eventID: string, seconds: number, service: string, eventName: string, requestParameters: object = {}) => ({
  ...{ eventVersion: '1.09', eventID, eventTime: new Date(NOON.getTime() + seconds * 1_000).toISOString(), awsRegion: 'eu-central-1' },
  ...{ eventSource: `${service}.amazonaws.com`, eventName, requestParameters, recipientAccountId: ACCOUNT, userAgent: 'aws-cli/2' },
  ...{ sourceIPAddress: '203.0.113.7', userIdentity: { type: 'IAMUser', arn: EVE, userName: 'eve', accountId: ACCOUNT } },
});
const secrets = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => {
    const secretId = `arn:aws:secretsmanager:eu-central-1:${ACCOUNT}:secret:s-${from + n}`;
    return call(`secret-${from + n}`, from + n, 'secretsmanager', 'GetSecretValue', { secretId });
  });
const bring = async (client: Client, Records: object[]) => {
  const run = await client.import({ Records });
  expect([run.state, run.errors]).toEqual(['COMPLETED', []]);
  return run;
};
interface Found {
  finding_id: string;
  rule_id: string;
  resource_uid: string;
  status: string;
}
const findings = async (client = admin) => (await client.call<Listed<Found>>('/api/v1/cdr/findings')).body.items;
const eventsOf = async (id: string, query = '', client = admin) =>
  client.call<Listed<{ event_id: string }>>(`/api/v1/cdr/detections/${id}/events${query}`);

it('raises one finding an actor, rule and day for what rules see, with its window and events, however often and in how many files it comes', async () => {
  const first = call('trail-1', 0, 'cloudtrail', 'StopLogging', { name: 'main' });
  const run = await bring(admin, [first, call('look-1', 1, 'ec2', 'DescribeInstances'), ...secrets(0, 6)]);
  expect(run.counts.new).toBe(1);
  const [finding, ...others] = await findings();
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ rule_id: 'palisade-detection-aws-trail-stopped', resource_uid: EVE, status: 'OPEN' });

  // the rest of the secrets comes in another file, with an event that was there before and another of the same
  await bring(admin, [first, call('trail-2', 3_700, 'cloudtrail', 'DeleteTrail', { name: 'main' }), ...secrets(6, 12)]);
  const all = await findings();
  expect(all.map(({ rule_id }) => rule_id).sort()).toEqual([
    'palisade-detection-aws-secrets-read-in-bulk',
    'palisade-detection-aws-trail-stopped',
  ]);
  // on a busy machine an engine may be late, which is another test's
  const view = await eventually(
    () => admin.call(`/api/v1/views/finding/cdr/${finding!.finding_id}`),
    ({ status }) => status !== 503,
  );
  expect(view.text).toContain('T1562.008');
  expect(view.text).toContain(new Date(NOON.getTime() + 3_700_000).toISOString());

  const events = await eventsOf(finding!.finding_id);
  expect(events.body.items.map(({ event_id }) => event_id)).toEqual(['trail-2', 'trail-1']);
  const bulk = all.find(({ rule_id }) => rule_id.endsWith('in-bulk'))!;
  const second = await eventsOf(bulk.finding_id, '?page=2&page_size=5');
  expect([second.body.total, second.body.items.map(({ event_id }) => event_id)]).toEqual([
    12,
    ['secret-6', 'secret-5', 'secret-4', 'secret-3', 'secret-2'],
  ]);
});

/** A key is tried out, another is made, and the trail is stopped: some seconds after noon. */
const takeover = (from: number) => [
  call(`who-${from}`, from, 'sts', 'GetCallerIdentity'),
  call(`key-${from}`, from + 60, 'iam', 'CreateAccessKey'),
  call(`stop-${from}`, from + 120, 'cloudtrail', 'StopLogging', { name: 'main' }),
];
const SEQUENCE = 'palisade-detection-aws-key-tried-and-trail-stopped';
/** What the findings of sequences say of their steps. */
const sequencesOf = async (client: Client) => {
  const found = (await findings(client)).filter(({ rule_id }) => rule_id === SEQUENCE);
  const views = await Promise.all(
    found.map(({ finding_id }) =>
      eventually(
        () =>
          client.call<{ finding: { findingData: { steps: { step: string; event_id: string; at: string }[] } } }>(
            `/api/v1/views/finding/cdr/${finding_id}`,
          ),
        ({ status }) => status !== 503,
      ),
    ),
  );
  return views.map(({ body }) => body.finding.findingData.steps.map(({ step, event_id, at }) => [step, event_id, at])).sort();
};

it('raises one finding for a sequence, with the event of each step, however the log is cut and in whichever order it comes, over midnight too', async () => {
  // half a day behind noon a day ends
  const [first, second, third, ...night] = [...takeover(0), ...takeover(43_150)] as [object, object, object, ...object[]];
  const whole = await (await world.tenant()).as('tenant_admin');
  await bring(whole, [third, first, second, ...night]);
  const expected = await sequencesOf(whole);
  expect(expected.map((steps) => steps.map(([step]) => step))).toEqual(
    Array.from({ length: 2 }, () => ['A user asked who they are', 'An access key was made', 'A trail was deleted or stopped']),
  );
  expect(expected.flat().map(([, , at]) => at)).toEqual(
    [0, 60, 120, 43_150, 43_210, 43_270].map((n) => new Date(NOON.getTime() + n * 1_000).toISOString()),
  );

  const cut = await (await world.tenant()).as('tenant_admin');
  for (const part of [[night[2]!, third], [night[1]!, first], [second], [night[0]!]]) await bring(cut, part);
  expect(await sequencesOf(cut)).toEqual(expected);

  const apart = await (await world.tenant()).as('tenant_admin');
  await bring(apart, [third, second, { ...first, eventTime: new Date(NOON.getTime() - 3_600_000).toISOString() }]);
  expect(await sequencesOf(apart)).toEqual([]);
  // a rule that is a step raises what it sees itself, one of interest in its order alone does not
  expect((await findings(apart)).map(({ rule_id }) => rule_id)).toEqual(['palisade-detection-aws-trail-stopped']);
});

it('raises one finding for the passwords of many users that were tried from one address, in however many files its log comes', async () => {
  const sprayed = await (await world.tenant()).as('tenant_admin');
  const signIn = (n: number, userName = `user-${n}`) => ({
    ...call(`sign-in-${n}`, n, 'signin', 'ConsoleLogin'),
    ...{ eventType: 'AwsConsoleSignIn', errorMessage: 'Failed authentication', responseElements: { ConsoleLogin: 'Failure' } },
    userIdentity: { type: 'IAMUser', userName, accountId: ACCOUNT },
  });
  await bring(sprayed, [...Array.from({ length: 9 }, (_, n) => signIn(n)), signIn(20, 'user-3')]);
  expect(await findings(sprayed)).toEqual([]);
  await bring(sprayed, [signIn(9), signIn(10)]);
  const [finding, ...others] = await findings(sprayed);
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ rule_id: 'palisade-detection-aws-passwords-sprayed', resource_uid: '203.0.113.7', status: 'OPEN' });
  const view = await eventually(
    () =>
      sprayed.call<{ finding: { findingData: { principal?: string; principals: string[]; source_ip: string } } }>(
        `/api/v1/views/finding/cdr/${finding!.finding_id}`,
      ),
    ({ status }) => status !== 503,
  );
  const { principal, principals, source_ip } = view.body.finding.findingData;
  expect([principal ?? null, source_ip]).toEqual([null, '203.0.113.7']);
  expect(principals).toHaveLength(11);
  expect(principals).toContain(`arn:aws:iam::${ACCOUNT}:user/user-10`);
  expect((await eventsOf(finding!.finding_id, '', sprayed)).body.total).toBe(12);
});

it('answers for a detection of another tenant as for one that never was', async () => {
  const [{ finding_id }] = (await findings()) as [Found];
  const other = await (await world.tenant()).as('tenant_admin');
  const [foreign, absent] = [await eventsOf(finding_id, '', other), await eventsOf('0'.repeat(32), '', other)];
  expect([foreign.status, foreign.text.replace(/"request_id":"[^"]*"/, '')]).toEqual([
    404,
    absent.text.replace(/"request_id":"[^"]*"/, ''),
  ]);
});

it('finds the events of a detection of another product by its actor and time', async () => {
  const own = await (await world.tenant()).as('tenant_admin');
  await bring(own, [call('early', -600, 'ec2', 'RunInstances'), call('within', 5, 'ec2', 'RunInstances')]);
  await own.import([
    {
      ...{
        schemaVersion: '2.0',
        accountId: ACCOUNT,
        region: 'eu-central-1',
        partition: 'aws',
        id: 'f1',
        type: 'Recon:IAMUser/MaliciousIPCaller',
        severity: 5,
      },
      ...{ arn: 'arn:aws:guardduty:eu-central-1:111122223333:detector/d/finding/f1', title: 'Recon', description: 'Recon' },
      resource: { resourceType: 'AccessKey', accessKeyDetails: { userName: 'eve', userType: 'IAMUser', principalId: 'AIDA' } },
      service: { eventFirstSeen: NOON.toISOString(), eventLastSeen: new Date(NOON.getTime() + 60_000).toISOString(), count: 1 },
      createdAt: NOON.toISOString(),
      updatedAt: NOON.toISOString(),
    },
  ]);
  const found = await findings(own);
  const events = await eventsOf(found.find(({ rule_id }) => rule_id.startsWith('Recon'))!.finding_id, '', own);
  expect(events.body.items.map(({ event_id }) => event_id)).toEqual(['within']);
});

it('counts detections by the hour in which they happened, zeros included, by tactic and by account', async () => {
  const { body } = await admin.call<Heatmap>('/api/v1/cdr/heatmap');
  expect([body.total, body.hours.length >= 168, body.rows.length]).toEqual([2, true, 14]);
  const evasion = body.rows.find(({ value }) => value === 'TA0005')!;
  const hour = body.hours.indexOf(new Date(Math.floor((NOON.getTime() + 3_700_000) / 3_600_000) * 3_600_000).toISOString());
  expect([evasion.label, evasion.total, evasion.counts[hour], evasion.counts.length]).toEqual(['Defense Evasion', 1, 1, body.hours.length]);
  expect(body.rows.find(({ value }) => value === 'TA0043')!.total).toBe(0);
  const byAccount = (await admin.call<Heatmap>('/api/v1/cdr/heatmap?by=account&severity=high')).body;
  expect(byAccount.rows.map(({ value, total }) => [value, total])).toEqual([[ACCOUNT, 2]]);
  expect((await admin.call<Heatmap>('/api/v1/cdr/heatmap?severity=low')).body.total).toBe(0);
});

it('refuses a range of the heatmap that is no range, or too long', async () => {
  const statuses = await Promise.all(
    ['from=2030-01-02T00:00:00Z&to=2030-01-01T00:00:00Z', 'from=2030-01-01T00:00:00Z&to=2030-03-01T00:00:00Z', 'by=colour'].map(
      async (query) => (await admin.call(`/api/v1/cdr/heatmap?${query}`)).status,
    ),
  );
  expect(statuses).toEqual([400, 400, 400]);
});

interface Coverage {
  tactics: {
    tactic_id: string;
    covered: number;
    techniques: { technique_id: string; detections: number; open_findings: number; rules: number }[];
  }[];
  restrictedEngines: string[];
  degradedEngines: string[];
}

it('shows detections, open findings and rules by technique, and as a layer of ATT&CK Navigator', async () => {
  const { body } = await eventually(
    () => admin.call<Coverage>('/api/v1/threat/mitre-coverage'),
    ({ body: { degradedEngines } }) => degradedEngines?.length === 0,
  );
  expect(body.restrictedEngines).toEqual([]);
  const techniques = new Map(body.tactics.flatMap((tactic) => tactic.techniques.map((one) => [one.technique_id, one])));
  expect(techniques.get('T1562.008')).toMatchObject({ detections: 1, open_findings: 0 });
  expect(techniques.get('T1562.008')!.rules).toBeGreaterThan(3);
  expect(techniques.get('T1001')).toMatchObject({ detections: 0, open_findings: 0, rules: 0 });
  const layer = (
    await admin.call<{ domain: string; techniques: { techniqueID: string; tactic: string; score?: number }[] }>(
      '/api/v1/threat/mitre-coverage/navigator-layer',
    )
  ).body;
  // nothing around it, and nothing that the format has not
  expect(navigatorLayer.safeParse(layer).error?.issues ?? []).toEqual([]);
  expect(layer.techniques.find(({ techniqueID }) => techniqueID === 'T1562.008')).toMatchObject({ tactic: 'defense-evasion', score: 1 });
});

it('counts nothing of engines that the caller may not read', async () => {
  const viewer = await tenant.as('viewer');
  const { status, body } = await viewer.call<Coverage>('/api/v1/threat/mitre-coverage');
  if (status === 200) expect(body.restrictedEngines.length).toBeGreaterThan(0);
  else expect(status).toBe(403);
});
