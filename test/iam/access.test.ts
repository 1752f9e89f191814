import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const iam = (rest: string): string => `arn:aws:iam::111122223333:${rest}`;
const ANN = iam('user/ann');
const APP = iam('role/app');

const resource = (type: string, name: string, attributes: Record<string, unknown>) => ({
  ...{ mode: 'managed', type, name, provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
  instances: [{ attributes }],
});
const policy = (...statements: object[]): string => JSON.stringify({ Version: '2012-10-17', Statement: statements });
const allow = (Action: string | string[], Resource = '*', more: object = {}) => ({ Effect: 'Allow', Action, Resource, ...more });

/** A user whose inline policy says this, a role that trusts functions, and a bucket. */
const state = (...statements: object[]) => ({
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'access' },
  resources: [
    resource('aws_iam_user', 'ann', { arn: ANN, name: 'ann' }),
    resource('aws_iam_user_policy', 'ann', { id: 'ann:own', user: 'ann', name: 'own', policy: policy(...statements) }),
    resource('aws_iam_role', 'app', {
      ...{ arn: APP, name: 'app', managed_policy_arns: ['arn:aws:iam::aws:policy/AdministratorAccess'] },
      assume_role_policy: policy({ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } }),
    }),
    resource('aws_s3_bucket', 'ledger', { arn: 'arn:aws:s3:::ledger', bucket: 'ledger' }),
  ],
});

interface Access {
  admin: string;
  grants: { privilege: string; actions: string[]; answer: string; granted_by: { statement: string }; limited_by: unknown[] }[];
  may_assume: { identity_uid: string }[];
  escalations: { id: string; identity_uids: string[] }[];
  decision: { answer: string; by: { statement: string }[] } | null;
}
const analyst = async () => (await world.tenant()).as('analyst');
const see = async (client: Client, report: object) => expect(await client.import(report, {})).toMatchObject({ state: 'COMPLETED' });
const access = (client: Client, uid: string, query: Record<string, string> = {}) =>
  client.call<Access>(`/api/v1/iam-security/identities/${encodeURIComponent(uid)}/access?${new URLSearchParams(query).toString()}`);

it('what an identity may do is told by statement, with what takes it away', async () => {
  const client = await analyst();
  const denied = { Sid: 'No', Effect: 'Deny', Action: 's3:*', Resource: 'arn:aws:s3:::ledger/secret/*' };
  await see(
    client,
    state(allow('s3:Get*', 'arn:aws:s3:::ledger/*', { Sid: 'Read' }), allow('ec2:RunInstances', '*', { Sid: 'Run' }), denied),
  );
  const { status, body } = await access(client, ANN);
  expect([status, body.admin, body.decision]).toEqual([200, 'denied', null]);
  expect(body.grants.map(({ privilege, granted_by, limited_by }) => [granted_by.statement, privilege, limited_by.length])).toEqual([
    ['Run', 'write', 0],
    ['Read', 'read', 1],
  ]);
  const ask = async (action: string, resource: string) => (await access(client, ANN, { action, resource })).body.decision;
  expect(await ask('s3:GetObject', 'arn:aws:s3:::ledger/a')).toMatchObject({ answer: 'allowed', by: [{ statement: 'Read' }] });
  expect(await ask('s3:GetObject', 'arn:aws:s3:::ledger/secret/a')).toMatchObject({ answer: 'denied', by: [{ statement: 'No' }] });
  expect(await ask('s3:PutObject', 'arn:aws:s3:::ledger')).toMatchObject({ answer: 'denied' });
});

it('an administrator is one, and is told no ways to more', async () => {
  const client = await analyst();
  await see(client, state(allow('*')));
  expect((await access(client, APP)).body).toMatchObject({ admin: 'allowed', escalations: [] });
  expect((await access(client, ANN)).body).toMatchObject({ admin: 'allowed', escalations: [] });
});

it('ways to more rights name whose they are', async () => {
  const client = await analyst();
  await see(client, state(allow(['iam:PassRole', 'lambda:CreateFunction', 'lambda:InvokeFunction'])));
  const { escalations } = (await access(client, ANN)).body;
  expect(escalations.map(({ id, identity_uids }) => [id, identity_uids])).toEqual([['aws-pass-role-lambda-invoke', [APP]]]);
  await see(client, state(allow(['lambda:CreateFunction', 'lambda:InvokeFunction'])));
  expect((await access(client, ANN)).body.escalations).toEqual([]);
});

it('a question takes both of its halves, and what is no identity is not found', async () => {
  const client = await analyst();
  await see(client, state(allow('s3:*')));
  expect((await access(client, ANN, { action: 's3:GetObject' })).status).toBe(400);
  expect((await access(client, ANN, { resource: 'ledger' })).status).toBe(400);
  expect((await access(client, 'arn:aws:s3:::ledger')).status).toBe(404);
  expect((await access(await analyst(), ANN)).status).toBe(404);
});

it("another tenant's resource is decided about as one that nobody has", async () => {
  const client = await analyst();
  await see(client, state(allow('s3:GetObject', 'arn:aws:s3:::ledger/*')));
  const other = await analyst();
  await see(other, {
    ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'theirs' },
    resources: [resource('aws_s3_bucket', 'theirs', { arn: 'arn:aws:s3:::theirs', bucket: 'theirs' })],
  });
  const ask = async (name: string) =>
    JSON.stringify((await access(client, ANN, { action: 's3:GetObject', resource: `arn:aws:s3:::${name}` })).body).replaceAll(name, '');
  expect(await ask('theirs')).toBe(await ask('absent'));
});
