import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const ACCOUNT = '111122223333';
const ago = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
const arnOf = (user: string): string => `arn:aws:iam::${ACCOUNT}:${user === '<root_account>' ? 'root' : `user/${user}`}`;

interface Row {
  user: string;
  created?: number;
  password?: number | 'never';
  mfa?: boolean;
  /** Days since a key was last used, or that it was never; made when the user was. */
  keys?: (number | 'never')[];
}
const COLUMNS = [
  'user',
  'arn',
  'user_creation_time',
  'password_enabled',
  'password_last_used',
  'password_last_changed',
  'mfa_active',
].concat([1, 2].flatMap((n) => ['active', 'last_rotated', 'last_used_date'].map((name) => `access_key_${n}_${name}`)));
const cells = ({ user, created = 400, password, mfa = true, keys = [] }: Row): string =>
  [
    ...[user, arnOf(user), ago(created)],
    ...(password === undefined ? ['false', 'N/A', 'N/A'] : ['true', password === 'never' ? 'no_information' : ago(password), ago(created)]),
    String(mfa),
    ...[0, 1].flatMap((n) => {
      const used = keys[n];
      return used === undefined ? ['false', 'N/A', 'N/A'] : ['true', ago(created), used === 'never' ? 'N/A' : ago(used)];
    }),
  ].join(',');
const report = (...rows: Row[]): string => [COLUMNS.join(','), ...rows.map(cells)].join('\n');

const see = async (client: Client, text: unknown) => expect(await client.import(text)).toMatchObject({ state: 'COMPLETED' });
interface Finding {
  finding_id: string;
  rule_id: string;
  status: string;
  resource_uid: string;
}
const findings = async (client: Client): Promise<Finding[]> =>
  (await client.call<{ items: Finding[] }>('/api/v1/iam-security/findings?page_size=100')).body.items;
const told = async (client: Client): Promise<string[]> =>
  (await findings(client)).map(({ rule_id, resource_uid, status }) => `${rule_id} ${resource_uid.split(/[:/]/).at(-1)} ${status}`).sort();
const evidenceOf = async (client: Client, rule: string): Promise<Record<string, unknown>> => {
  const { finding_id } = (await findings(client)).find(({ rule_id }) => rule_id === rule)!;
  const { body } = await client.call<{ finding: { findingData: Record<string, unknown> } }>(`/api/v1/views/finding/iam/${finding_id}`);
  return body.finding.findingData;
};
const logOf = (user: string, days: number, error?: string) => ({
  Records: [
    {
      ...{ eventVersion: '1.09', eventID: `30000000-0000-4000-8000-${String(Date.now()).slice(-12)}`, eventTime: ago(days) },
      ...{ eventSource: 'ec2.amazonaws.com', eventName: 'DescribeInstances', awsRegion: 'eu-central-1', recipientAccountId: ACCOUNT },
      ...{ userIdentity: { type: 'IAMUser', arn: arnOf(user), accountId: ACCOUNT, userName: user }, ...(error && { errorCode: error }) },
    },
  ],
});

it('a credential report fills the list of identities', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, report({ user: '<root_account>' }, { user: 'ann', password: 3, keys: [40, 2] }, { user: 'bob', mfa: false }));
  const { body } = await client.call<{ items: Record<string, unknown>[] }>('/api/v1/iam-security/identities?sort=resource_uid');
  expect(body.items).toMatchObject([
    { resource_uid: arnOf('<root_account>'), kind: 'root', account_id: ACCOUNT },
    {
      resource_uid: arnOf('ann'),
      kind: 'user',
      console: true,
      mfa: true,
      keys: 2,
      last_used_at: expect.stringContaining(ago(2).slice(0, 10)) as string,
    },
    { resource_uid: arnOf('bob'), kind: 'user', console: false, mfa: false, keys: 0, last_used_at: null },
  ]);
});

it('who has not used a password or a key for 90 days is a finding, and so is a key that alone was not used', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(
    client,
    report(
      { user: 'gone', password: 120 },
      { user: 'robot', keys: ['never'] },
      { user: 'both', password: 200, keys: [95, 1] },
      { user: 'busy', password: 1, keys: [89] },
      { user: 'fresh', created: 10, password: 'never', keys: ['never'] },
      { user: 'bare' },
      { user: '<root_account>', keys: [300] },
    ),
  );
  expect(await told(client)).toEqual([
    'palisade-access-key-unused both OPEN',
    'palisade-identity-unused gone OPEN',
    'palisade-identity-unused-keys robot OPEN',
    'palisade-password-unused both OPEN',
  ]);
  expect(await evidenceOf(client, 'palisade-identity-unused')).toMatchObject({
    ...{ principal: arnOf('gone'), principal_type: 'user', attribute: 'last_used_at', window_days: 90, unused: ['password'] },
    ...{
      actual: expect.stringContaining(ago(120).slice(0, 10)) as string,
      status_detail: expect.stringMatching(/^Last used at .*, as seen at/) as string,
    },
  });
  expect(await evidenceOf(client, 'palisade-identity-unused-keys')).toMatchObject({
    ...{ actual: null, unused: ['access key 1'], status_detail: expect.stringMatching(/^Never used, as seen at/) as string },
  });
  expect(await evidenceOf(client, 'palisade-access-key-unused')).toMatchObject({ unused: ['access key 1'] });

  // another report shows a use
  await see(client, report({ user: 'gone', password: 0 }, { user: 'both', password: 200, keys: [1, 1] }));
  expect((await told(client)).filter((line) => !line.includes('robot'))).toEqual([
    'palisade-access-key-unused both RESOLVED',
    'palisade-identity-unused gone RESOLVED',
    'palisade-password-unused both OPEN',
  ]);
});

it('a call in an audit log shows that an identity is in use, and a refused one does not', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, report({ user: 'robot', keys: [100] }));
  expect(await told(client)).toEqual(['palisade-identity-unused-keys robot OPEN']);
  await see(client, logOf('robot', 1, 'AccessDenied'));
  expect(await told(client)).toEqual(['palisade-identity-unused-keys robot OPEN']);
  await see(client, logOf('robot', 95));
  expect(await told(client)).toEqual(['palisade-identity-unused-keys robot OPEN']);
  await see(client, logOf('robot', 2));
  expect(await told(client)).toEqual(['palisade-identity-unused-keys robot RESOLVED']);
});
