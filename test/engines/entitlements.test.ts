import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const ACCOUNT = '111122223333';
const DAY = 86_400_000;
const iam = (rest: string): string => `arn:aws:iam::${ACCOUNT}:${rest}`;
const resource = (type: string, name: string, attributes: Record<string, unknown>) => ({
  ...{ mode: 'managed', type, name, provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
  instances: [{ attributes }],
});
const policy = (...Statement: object[]): string => JSON.stringify({ Version: '2012-10-17', Statement });
const role = (name: string, allowed: string[], created = '2020-01-01T00:00:00Z') => [
  resource('aws_iam_role', name, {
    ...{ id: name, name, arn: iam(`role/apps/${name}`), path: '/apps/', create_date: created },
    assume_role_policy: policy({ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'ec2.amazonaws.com' } }),
  }),
  resource('aws_iam_role_policy', name, {
    ...{ id: `${name}:p`, role: name, name: 'p' },
    policy: policy({ Effect: 'Allow', Action: allowed, Resource: '*' }),
  }),
];
const state = (...resources: object[][]) => ({
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'entitlements' },
  resources: resources.flat(),
});

let count = 0;
const event = (daysAgo: number, role: string, source: string, eventName: string, own: object = {}) => ({
  eventVersion: '1.09',
  eventID: `20000000-0000-4000-8000-${String((count += 1)).padStart(12, '0')}`,
  eventTime: new Date(Date.now() - daysAgo * DAY - 60_000).toISOString(),
  eventSource: `${source}.amazonaws.com`,
  eventName,
  awsRegion: 'eu-central-1',
  recipientAccountId: ACCOUNT,
  eventCategory: 'Management',
  readOnly: /^(?:Describe|Get|List)/.test(eventName),
  userIdentity: {
    type: 'AssumedRole',
    arn: `arn:aws:sts::${ACCOUNT}:assumed-role/${role}/s`,
    accountId: ACCOUNT,
    sessionContext: { sessionIssuer: { type: 'Role', arn: iam(`role/apps/${role}`) } },
  },
  ...own,
});
const onData = (bucket: string, key: string) => ({
  ...{ eventCategory: 'Data', managementEvent: false },
  resources: [{ ARN: `arn:aws:s3:::${bucket}/${key}` }, { ARN: `arn:aws:s3:::${bucket}` }],
});
/** A log of some days of management events and of S3's. */
const log = (from: number, ...events: object[]) => ({
  Records: [from, 0]
    .flatMap((days) => [
      event(days, 'other', 'ec2', 'DescribeRegions'),
      event(days, 'other', 'ec2', 'CreateTags'),
      event(days, 'other', 's3', 'GetObject', onData('logs', 'x')),
    ])
    .concat(events as ReturnType<typeof event>[]),
});

interface Entitlement {
  identity_uid: string;
  [name: string]: unknown;
}
const list = async (client: Client, query = ''): Promise<Entitlement[]> =>
  (await client.call<{ items: Entitlement[] }>(`/api/v1/ciem/entitlements?${query}`)).body.items;
const nameOf = ({ identity_uid }: Entitlement): string => identity_uid.split('/').at(-1)!;
interface Detail {
  entitlement: Entitlement;
  used: { right: string; resources: string[] | null }[];
  proposal: { state: string; documents: object[]; proof: { holds: boolean } | null; left_out: string[] };
}
const detail = async (client: Client, name: string): Promise<Detail> =>
  (await client.call<Detail>(`/api/v1/ciem/entitlements/${encodeURIComponent(iam(`role/apps/${name}`))}`)).body;
const findings = async (client: Client): Promise<string[]> => {
  const { body } = await client.call<{ items: { rule_id: string; status: string; resource_uid: string }[] }>(
    '/api/v1/ciem/findings?page_size=100',
  );
  return body.items.map(({ rule_id, status, resource_uid }) => `${rule_id} ${resource_uid.split('/').at(-1)} ${status}`).sort();
};
const completed = { state: 'COMPLETED' };

it('what is given is told without a log, and nothing of it is called unused', async () => {
  const client = await (await world.tenant()).as('analyst');
  expect(await client.import(state(role('app', ['s3:GetObject', 's3:PutObject', 'sqs:SendMessage'])))).toMatchObject(completed);
  const [app] = await list(client);
  expect(app).toMatchObject({
    ...{ resource_type: 'aws_iam_role', kind: 'role', human: false, administrator: false, privilege: 'write' },
    ...{ granted_rights: 3, granted_services: 2, used_rights: 0, judged_rights: 0, unused_rights: 0, share_used: 0 },
    ...{ unused: null, evidence: 'insufficient_evidence', last_used_at: null },
  });
  expect(app!['missing']).toEqual([
    expect.stringMatching(/^the log data:s3 is not held, and .* is needed for s3$/),
    expect.stringMatching(/^the log data:sqs is not held/),
  ]);
  expect((await detail(client, 'app')).proposal).toMatchObject({ state: 'insufficient_evidence', documents: [], proof: null });
  expect(await findings(client)).toEqual([]);
});

it('with logs of 90 days the least is proposed, proved, and what is unused is a finding', async () => {
  const client = await (await world.tenant()).as('analyst');
  await client.import(
    state(
      role('app', ['s3:GetObject', 's3:PutObject', 's3:ListBucket', 'ec2:Describe*', 'ec2:StartInstances', 'ec2:StopInstances']),
      role('idle', ['ec2:RunInstances']),
      role('new', ['ec2:RunInstances'], new Date(Date.now() - 5 * DAY).toISOString()),
      role('admin', ['*']),
    ),
  );
  const events = [
    event(3, 'app', 's3', 'GetObject', onData('ledger', 'a')),
    event(2, 'app', 's3', 'ListObjectsV2', { ...onData('ledger', ''), resources: [{ ARN: 'arn:aws:s3:::ledger' }] }),
    event(1, 'app', 'ec2', 'DescribeInstances'),
    event(1, 'app', 'ec2', 'StartInstances', { errorCode: 'Client.UnauthorizedOperation' }),
    event(95, 'app', 's3', 'PutObject', onData('ledger', 'old')),
    event(1, 'admin', 'ec2', 'DescribeVpcs'),
  ];
  expect(await client.import(log(96, ...events))).toMatchObject({ ...completed, format: 'cloudtrail' });
  const byName = new Map((await list(client)).map((one) => [nameOf(one), one]));
  const app = byName.get('app')!;
  expect(app).toMatchObject({ evidence: 'sufficient', unused: false, used_rights: 3, missing: [], used_services: 2 });
  expect([app['judged_rights'], app['unused_rights']]).toEqual([app['granted_rights'], (app['granted_rights'] as number) - 3]);
  expect(byName.get('idle')).toMatchObject({
    evidence: 'sufficient',
    unused: true,
    unused_rights: 1,
    unused_services: ['ec2'],
    share_used: 0,
  });
  // it has not been there for 90 days
  expect(byName.get('new')).toMatchObject({ evidence: 'sufficient', unused: null });
  // an administrator has rights that no log shows
  expect(byName.get('admin')).toMatchObject({ administrator: true, evidence: 'insufficient_evidence', used_rights: 1 });

  const { proposal, used } = await detail(client, 'app');
  expect(used.map(({ right, resources }) => [right, resources])).toEqual([
    ['ec2:DescribeInstances', null],
    ['s3:GetObject', ['arn:aws:s3:::ledger/*']],
    ['s3:ListBucket', ['arn:aws:s3:::ledger']],
  ]);
  expect(proposal).toMatchObject({ state: 'proposed', form: 'aws_policy', proof: { holds: true, lost: [], beyond: [] }, left_out: [] });
  expect(proposal.documents).toEqual([
    {
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Allow', Action: ['ec2:DescribeInstances'], Resource: ['*'] },
        { Effect: 'Allow', Action: ['s3:GetObject'], Resource: ['arn:aws:s3:::ledger/*'] },
        { Effect: 'Allow', Action: ['s3:ListBucket'], Resource: ['arn:aws:s3:::ledger'] },
      ],
    },
  ]);
  expect((await detail(client, 'idle')).proposal).toMatchObject({ state: 'nothing_used', documents: [] });
  expect((await detail(client, 'admin')).proposal).toMatchObject({ state: 'insufficient_evidence' });
  expect(await findings(client)).toEqual([
    'palisade-administrator-hardly-used admin OPEN',
    'palisade-entitlements-excessive app OPEN',
    'palisade-entitlements-unused idle OPEN',
    'palisade-machine-administrator admin OPEN',
  ]);

  // what is used again is no finding any more, and the list follows the log without a new inventory
  await client.import(log(0.5, event(0.1, 'idle', 'ec2', 'RunInstances')));
  expect((await findings(client)).filter((one) => one.includes('idle'))).toEqual(['palisade-entitlements-unused idle RESOLVED']);
  expect((await list(client, `identity_uid=${encodeURIComponent(iam('role/apps/idle'))}`))[0]).toMatchObject({
    unused: false,
    share_used: 1,
  });
});

it('a report of last access shows what logs do not, as long as it is new, and the later report stays', async () => {
  const client = await (await world.tenant()).as('analyst');
  await client.import(state(role('app', ['s3:GetObject', 's3:PutObject', 'sqs:SendMessage'])));
  const report = (daysAgo: number, s3: object, sqs: object = {}) => {
    const at = new Date(Date.now() - daysAgo * DAY).toISOString();
    const services = [
      { ServiceName: 'Amazon S3', ServiceNamespace: 's3', TotalAuthenticatedEntities: 0, ...s3 },
      { ServiceName: 'Amazon SQS', ServiceNamespace: 'sqs', TotalAuthenticatedEntities: 0, ...sqs },
    ];
    const job = { JobStatus: 'COMPLETED', JobCreationDate: at, JobCompletionDate: at };
    return { Arn: iam('role/apps/app'), ...job, ServicesLastAccessed: services };
  };
  const used = (daysAgo: number) => ({
    LastAuthenticated: new Date(Date.now() - daysAgo * DAY).toISOString(),
    ...{ LastAuthenticatedEntity: iam('role/apps/app'), TotalAuthenticatedEntities: 1 },
  });
  expect(await client.import(report(1, {}))).toMatchObject({ ...completed, format: 'aws_last_accessed' });
  expect((await list(client))[0]).toMatchObject({ evidence: 'sufficient', judged_rights: 3, unused_rights: 3, unused: true, missing: [] });
  expect(await findings(client)).toEqual(['palisade-entitlements-unused app OPEN']);

  // an earlier one changes nothing
  await client.import(report(2, used(3)));
  expect((await list(client))[0]).toMatchObject({ unused: true });

  // a service that was used has rights of which nothing is known
  await client.import(report(0, used(3), used(100)));
  expect((await list(client))[0]).toMatchObject({
    ...{ evidence: 'insufficient_evidence', judged_rights: 1, unused_rights: 1, unused: false, unused_services: ['sqs'] },
    missing: [expect.stringMatching(/^the log data:s3 is not held/)],
  });
  expect(String((await list(client))[0]!['last_used_at']).slice(0, 10)).toBe(used(3).LastAuthenticated.slice(0, 10));
  expect(await findings(client)).toEqual(['palisade-entitlements-unused app RESOLVED']);
});

it('filters and orders', async () => {
  const client = await (await world.tenant()).as('analyst');
  await client.import(state(role('one', ['ec2:RunInstances']), role('two', ['s3:GetObject', 's3:PutObject']), role('all', ['*'])));
  await client.import(log(96, event(2, 'one', 'ec2', 'RunInstances')));
  const names = async (query: string) => (await list(client, query)).map(nameOf);
  expect(await names('sort=granted_rights')).toEqual(['one', 'two', 'all']);
  expect(await names('sort=-granted_rights')).toEqual(['all', 'two', 'one']);
  expect((await names(''))[0]).toBe('all');
  expect(await names('unused=true')).toEqual(['two']);
  expect(await names('evidence=sufficient&sort=identity_uid')).toEqual(['one', 'two']);
  expect(await names('administrator=true')).toEqual(['all']);
  expect(await names('share_used_max=0')).toEqual(['two'].concat(await names('administrator=true')).sort((a) => (a === 'all' ? -1 : 1)));
  expect(await names('q=TWO')).toEqual(['two']);
  expect(await names(`last_used_before=${encodeURIComponent(new Date(Date.now() - DAY).toISOString())}`)).toEqual(['one']);
  expect((await client.call('/api/v1/ciem/entitlements?sort=name')).status).toBe(400);
  expect((await client.call('/api/v1/ciem/entitlements?share_used_max=2')).status).toBe(400);
  expect((await client.call(`/api/v1/ciem/entitlements/${encodeURIComponent(iam('role/nobody'))}`)).status).toBe(404);
});
