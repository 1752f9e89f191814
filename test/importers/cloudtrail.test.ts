import type { EventInput } from '../../schema/observations.js';
import { findSecretPaths } from '../../redaction/secret-keys.js';
import { fixture } from './fixtures.js';
import { readAll } from './read-all.js';

const ACCOUNT = '111122223333';
const iam = (rest: string): string => `arn:aws:iam::${ACCOUNT}:${rest}`;

const base = {
  eventVersion: '1.09',
  eventTime: '2026-11-01T08:00:00Z',
  eventSource: 's3.amazonaws.com',
  eventName: 'PutObject',
  awsRegion: 'eu-central-1',
  eventID: '10000000-0000-4000-8000-000000000001',
  readOnly: false,
  eventCategory: 'Management',
  managementEvent: true,
  recipientAccountId: ACCOUNT,
  userIdentity: { type: 'IAMUser', arn: iam('user/ann'), accountId: ACCOUNT, userName: 'ann' },
};

async function events(...records: object[]): Promise<EventInput[]> {
  const { items, broken } = await readAll('cloudtrail', { Records: records });
  expect(broken).toEqual([]);
  return items.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
}
const event = async (own: object): Promise<EventInput> => (await events({ ...base, ...own }))[0]!;

const session = (role: string, own: object = {}) => ({
  type: 'AssumedRole',
  arn: `arn:aws:sts::${ACCOUNT}:assumed-role/${role}/ann`,
  principalId: 'AROA:ann',
  accountId: ACCOUNT,
  ...own,
});

it.each<[string, object, Partial<EventInput>]>([
  ['the root user', { type: 'Root', arn: iam('root'), accountId: ACCOUNT }, { actor: iam('root'), actor_kind: 'root' }],
  ['a user', { type: 'IAMUser', arn: iam('user/ann'), userName: 'ann' }, { actor: iam('user/ann'), actor_kind: 'user' }],
  [
    'a session of a role that lies in a path',
    session('deploy', { sessionContext: { sessionIssuer: { type: 'Role', arn: iam('role/teams/deploy') } } }),
    { actor: iam('role/teams/deploy'), actor_kind: 'role', session: 'ann' },
  ],
  ['a session that does not name its issuer', session('deploy'), { actor: iam('role/deploy'), actor_kind: 'role', session: 'ann' }],
  [
    'a session that another source of identities began',
    session('deploy', {
      sessionContext: { sessionIssuer: { arn: iam('role/deploy') }, webIdFederationData: { federatedProvider: iam('oidc-provider/x') } },
    }),
    { actor: iam('role/deploy'), chain: [`Federated:${iam('oidc-provider/x')}`] },
  ],
  [
    'a federated user',
    {
      type: 'FederatedUser',
      arn: `arn:aws:sts::${ACCOUNT}:federated-user/bob`,
      sessionContext: { sessionIssuer: { type: 'IAMUser', arn: iam('user/ann') } },
    },
    { actor: iam('user/ann'), actor_kind: 'user', session: 'bob' },
  ],
  ['a service', { type: 'AWSService', invokedBy: 'ec2.amazonaws.com' }, { actor: 'Service:ec2.amazonaws.com', actor_kind: 'service' }],
  [
    'another account',
    { type: 'AWSAccount', accountId: '999988887777', principalId: 'AIDAX:s' },
    { actor: '999988887777', actor_kind: 'account' },
  ],
  ['anybody', { type: 'AWSAccount', accountId: 'ANONYMOUS_PRINCIPAL', principalId: '' }, { actor: 'anonymous', actor_kind: 'anonymous' }],
  [
    'who comes by SAML',
    { type: 'SAMLUser', userName: 'ann@example.com', identityProvider: 'directory' },
    { actor: 'Federated:directory:ann@example.com', actor_kind: 'federated' },
  ],
  [
    'a user of IAM Identity Center',
    { type: 'IdentityCenterUser', onBehalfOf: { userId: '544894e8-80c1-707f-60e3-3ba6510dfac1', identityStoreArn: 'arn:x' } },
    { actor: '544894e8-80c1-707f-60e3-3ba6510dfac1', actor_kind: 'user' },
  ],
])('%s is who acted', async (_case, userIdentity, expected) => {
  expect(await event({ userIdentity })).toMatchObject(expected);
});

it('an event of a service without an identity is of the service', async () => {
  const { userIdentity: _, ...without } = base;
  const [told] = await events({ ...without, eventType: 'AwsServiceEvent', eventSource: 'kms.amazonaws.com', eventName: 'RotateKey' });
  expect(told).toMatchObject({ actor: 'Service:kms.amazonaws.com', actor_kind: 'service', service: 'kms' });
});

it.each<[string, object, Partial<EventInput>]>([
  ['a call that changes', {}, { log: 'management:write', outcome: 'success' }],
  ['a call that looks', { readOnly: true, eventName: 'ListBuckets' }, { log: 'management:read' }],
  [
    'a call that looks, in a record that does not say so',
    { readOnly: undefined, eventName: 'DescribeInstances' },
    { log: 'management:read' },
  ],
  ['a call on data', { eventCategory: 'Data', managementEvent: false }, { log: 'data:s3' }],
  ['a call on data, in an old record', { eventCategory: undefined, managementEvent: false }, { log: 'data:s3' }],
  ['a refusal', { errorCode: 'AccessDenied' }, { outcome: 'denied', error: 'AccessDenied' }],
  ['a refusal of EC2', { errorCode: 'Client.UnauthorizedOperation' }, { outcome: 'denied' }],
  ['another error', { errorCode: 'NoSuchBucket' }, { outcome: 'failure', error: 'NoSuchBucket' }],
  [
    'a sign-in',
    { eventName: 'ConsoleLogin', eventSource: 'signin.amazonaws.com', responseElements: { ConsoleLogin: 'Success' } },
    { outcome: 'success' },
  ],
  [
    'a sign-in that failed',
    { eventName: 'ConsoleLogin', responseElements: { ConsoleLogin: 'Failure' }, errorMessage: 'Failed authentication' },
    { outcome: 'failure', error: 'Failed authentication' },
  ],
  ['a time with a zone', { eventTime: '2026-11-01T09:00:00+01:00' }, { time: new Date('2026-11-01T08:00:00Z') }],
])('%s', async (_case, own, expected) => {
  expect(await event(own)).toMatchObject(expected);
});

it('who became whom is known from the calls that began the sessions', async () => {
  const { items } = await readAll('cloudtrail', fixture('cloudtrail', 'trail.json'));
  const told = items.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
  expect(told.map(({ actor, chain, key }) => [actor.split('/').at(-1), chain?.map((one) => one.split('/').at(-1)), key])).toEqual([
    ['ann', undefined, '0ANN'],
    ['deploy', ['ann'], '0001'],
    ['ops', ['ann', 'deploy'], '0002'],
    ['deploy', undefined, '0009'],
    ['ann', undefined, '0ANN'],
    [iam('root'), undefined, undefined],
    ['Service:secretsmanager.amazonaws.com', undefined, undefined],
    [`Federated:${iam('saml-provider/directory')}:ann@example.com`.split('/').at(-1), undefined, undefined],
  ]);
});

it('resources are named in whole, and roles that a call passes on are rights that it took', async () => {
  const passing = await event({
    eventSource: 'lambda.amazonaws.com',
    eventName: 'CreateFunction20150331',
    requestParameters: { functionName: 'cart', role: iam('role/cart'), layers: [{ arn: 'arn:aws:lambda:eu-central-1:1:layer:x' }] },
  });
  expect(passing.resources).toEqual([
    iam('role/cart'),
    'arn:aws:lambda:eu-central-1:1:layer:x',
    `arn:aws:lambda:eu-central-1:${ACCOUNT}:function:cart`,
  ]);
  expect(passing.rights).toEqual([{ right: 'iam:PassRole', resource: iam('role/cart') }]);
  const profile = await event({
    eventSource: 'ec2.amazonaws.com',
    eventName: 'RunInstances',
    requestParameters: { iamInstanceProfile: { name: 'web' } },
  });
  expect(profile.rights).toEqual([{ right: 'iam:PassRole' }]);
  // to act as a role, or to change it, is not to pass it
  const assuming = await event({
    eventSource: 'sts.amazonaws.com',
    eventName: 'AssumeRole',
    requestParameters: { roleArn: iam('role/x') },
  });
  expect([assuming.rights, assuming.resources]).toEqual([undefined, [iam('role/x')]]);
});

it('secrets in parameters and answers are masked, and of keys the last four characters stay', async () => {
  const [told] = await events({
    ...base,
    userIdentity: { ...base.userIdentity, accessKeyId: 'AKIAQ3EGUZMNEXAMPLE7' },
    userAgent: 'deploy --password=correct-horse-battery',
    requestParameters: {
      environment: { variables: { DB_PASSWORD: 'correct-horse-battery' } },
      masterUserPassword: 'correct-horse-battery',
    },
    responseElements: { credentials: { accessKeyId: 'ASIAQ3EGUZMNEXAMPLE8', sessionToken: 'correct-horse-battery-token' }, __proto__x: 1 },
  });
  const text = JSON.stringify(told);
  expect(text).not.toContain('correct-horse');
  expect(text).not.toContain('Q3EGUZMN');
  expect(findSecretPaths(told)).toEqual([]);
  expect(told).toMatchObject({ key: 'PLE7', record: { userIdentity: { accessKeyId: '…PLE7' }, eventName: 'PutObject' } });
});

it.each<[string, object, RegExp]>([
  ['without a time', { eventTime: undefined }, /no time/],
  ['with a time that is none', { eventTime: 'yesterday' }, /no time/],
  ['of the year 1', { eventTime: '0001-01-01T00:00:00Z' }, /no time/],
  ['without a call', { eventName: '' }, /names no action/],
  ['without a service', { eventSource: undefined }, /names no service/],
])('an event %s is broken, and the others are read', async (_case, own, reason) => {
  const { items, broken } = await readAll('cloudtrail', { Records: [{ ...base, ...own }, base] });
  expect(broken.map((item) => item.reason).join()).toMatch(reason);
  expect(items.filter(({ kind }) => kind === 'event')).toHaveLength(1);
});

it('the same event is the same whether a trail wrote it, lookup-events printed it, or EventBridge sent it', async () => {
  const own = await event({});
  const [looked] = (
    await readAll('cloudtrail', { Events: [{ EventId: base.eventID, EventTime: 1793520000.5, CloudTrailEvent: JSON.stringify(base) }] })
  ).items;
  const [sent] = (await readAll('cloudtrail', `${JSON.stringify({ 'detail-type': 'AWS API Call via CloudTrail', detail: base })}\n`)).items;
  for (const item of [looked, sent])
    expect(item).toMatchObject({ kind: 'event', event: { ...own, position: expect.any(String) as string } });
});
