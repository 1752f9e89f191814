import { openWorld, type Client, type World } from '../support/world.js';

const DAY = 86_400_000;
const ACCOUNT = '111122223333';
const EVE = `arn:aws:iam::${ACCOUNT}:user/eve`;
/** Noon of the day before yesterday: within what is kept. */
const NOON = new Date(Math.floor(Date.now() / DAY - 2) * DAY + DAY / 2);
const at = (seconds: number) => new Date(NOON.getTime() + seconds * 1_000).toISOString();

interface Found {
  finding_id: string;
  rule_id: string;
  resource_uid: string;
  severity: string;
  status: string;
}

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const call = (eventID: string, seconds: number, sourceIPAddress: string, requestParameters: object = {}) => ({
  ...{ eventVersion: '1.09', eventID, eventTime: at(seconds), awsRegion: 'eu-central-1', eventSource: 'sns.amazonaws.com' },
  ...{ eventName: 'Subscribe', requestParameters, recipientAccountId: ACCOUNT, userAgent: 'aws-cli/2', sourceIPAddress },
  userIdentity: { type: 'IAMUser', arn: EVE, userName: 'eve', accountId: ACCOUNT },
});
const idOf = (no: number) => `indicator--00000000-0000-4000-8000-${String(no).padStart(12, '0')}`;
const indicator = (no: number, pattern: string, more: object = {}) => ({
  ...{ type: 'indicator', spec_version: '2.1', id: idOf(no), created: at(-90 * 86_400), modified: at(-90 * 86_400), pattern },
  ...{ pattern_type: 'stix', valid_from: at(-90 * 86_400), ...more },
});
const bundle = (...objects: object[]) => ({ type: 'bundle', id: 'bundle--00000000-0000-4000-8000-000000000000', objects });
const newClient = async () => (await world.tenant()).as('tenant_admin');
const bring = async (client: Client, report: object) => {
  const run = await client.import(report);
  expect([run.state, run.errors]).toEqual(['COMPLETED', []]);
  return run;
};
const findings = async (client: Client) =>
  (await client.call<{ items: Found[] }>('/api/v1/threat/findings?status=OPEN,RESOLVED')).body.items
    .map(({ rule_id, resource_uid, severity, status }) => [rule_id, resource_uid, severity, status].join(' '))
    .sort();

const LOG = [
  call('one', 0, '198.51.100.7'),
  call('two', 10, '203.0.113.99'),
  call('three', 20, '192.0.2.1', { endpoint: 'https://Evil.example.net/hook' }),
  call('four', 30, '10.0.0.7'),
];
const KNOWN = bundle(
  indicator(1, "[ipv4-addr:value = '198.51.100.7' OR ipv4-addr:value = '10.0.0.7']", { confidence: 90 }),
  indicator(2, "[ipv4-addr:value IN ('203.0.113.0/24')]", { confidence: 10 }),
  indicator(3, "[domain-name:value = 'evil.example.net'] OR [url:value = 'https://other.example.net/']"),
  indicator(4, "[ipv4-addr:value = '192.0.2.1']", { valid_until: at(20) }),
);
const EXPECTED = [
  `palisade-indicator-address ${EVE} high OPEN`,
  `palisade-indicator-address ${EVE} low OPEN`,
  `palisade-indicator-domain ${EVE} medium OPEN`,
];

it('finds what indicators name in events, whichever of both comes first, in one file or two, and again changes nothing', async () => {
  const [before, behind] = [await newClient(), await newClient()];
  await bring(before, KNOWN);
  await bring(before, { Records: LOG });
  expect(await findings(before)).toEqual(EXPECTED);
  await bring(behind, { Records: LOG.slice(2) });
  expect(await findings(behind)).toEqual([]);
  await bring(behind, KNOWN);
  await bring(behind, { Records: LOG.slice(0, 2) });
  expect(await findings(behind)).toEqual(EXPECTED);

  const again = await bring(behind, KNOWN);
  expect([again.counts.new, again.counts.records]).toEqual([0, 4]);
  expect(await findings(behind)).toEqual(EXPECTED);
  // of another tenant it finds nothing
  expect(await findings(await newClient())).toEqual([]);
});

it('closes what an indicator was found by that is taken back, and an older version brings nothing back', async () => {
  const client = await newClient();
  await bring(client, { Records: LOG });
  await bring(client, KNOWN);
  await bring(client, bundle(indicator(1, "[ipv4-addr:value = '198.51.100.7']", { confidence: 90, revoked: true, modified: at(0) })));
  // a later version names another network
  await bring(client, bundle(indicator(2, "[ipv4-addr:value = '198.18.0.0/16']", { confidence: 10, modified: at(0) })));
  const closed = [EXPECTED[0]!.replace('OPEN', 'RESOLVED'), EXPECTED[1]!.replace('OPEN', 'RESOLVED'), EXPECTED[2]!].sort();
  expect(await findings(client)).toEqual(closed);
  await bring(client, KNOWN);
  expect(await findings(client)).toEqual(closed);
});

it('goes by the time of each event, for an indicator that is valid for a part of an hour', async () => {
  const log = [0, 600, 1_200, 1_800].map((seconds) =>
    call(`at-${seconds}`, seconds, '198.51.100.7', { endpoint: 'https://evil.example.net/hook' }),
  );
  const within = (no: number, pattern: string, from: number, until: number) =>
    indicator(no, pattern, { valid_from: at(from), valid_until: at(until) });
  const client = await newClient();
  await bring(client, { Records: log });
  await bring(
    client,
    bundle(
      within(1, "[ipv4-addr:value = '198.51.100.7']", 500, 700),
      within(2, "[domain-name:value = 'evil.example.net']", 601, 1_199),
      within(3, "[url:value = 'https://evil.example.net/hook']", 600, 1_200),
    ),
  );
  expect(await findings(client)).toEqual([`palisade-indicator-address ${EVE} medium OPEN`, `palisade-indicator-url ${EVE} medium OPEN`]);
  const { items } = (await client.call<{ items: Found[] }>('/api/v1/threat/findings?rule_id=palisade-indicator-url')).body;
  const { text } = await client.call(`/api/v1/views/finding/threat/${items[0]!.finding_id}`);
  expect(text).toContain('"at-600"');
});

it('names what it was found by, and the events', async () => {
  const client = await newClient();
  await bring(client, { Records: LOG });
  await bring(client, KNOWN);
  const { items } = (await client.call<{ items: Found[] }>('/api/v1/threat/findings?severity=high')).body;
  const { text } = await client.call(`/api/v1/views/finding/threat/${items[0]!.finding_id}`);
  for (const named of ['198.51.100.7', idOf(1), '"one"', at(0)]) expect(text).toContain(named);
});

it('takes what of a list can be read, and says what cannot and why', async () => {
  const client = await newClient();
  const run = await client.import(`indicator,indicator_type,confidence\n198.51.100.7,ip,95\nnowhere,ip,\n198.51.100.8,ip,101\n`);
  expect([run.state, run.counts.records, run.counts.skipped]).toEqual(['PARTIAL', 1, 2]);
  expect(run.errors.map(({ reason }) => reason)).toEqual([
    expect.stringContaining('"nowhere" is no address'),
    expect.stringContaining('confidence'),
  ]);
  await bring(client, { Records: LOG });
  expect(await findings(client)).toEqual([`palisade-indicator-address ${EVE} high OPEN`]);
});
