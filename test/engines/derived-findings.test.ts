import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const DAY = 86_400_000;
const inDays = (days: number): string => new Date(Date.now() + days * DAY).toISOString();
const iam = (rest: string): string => `arn:aws:iam::111122223333:${rest}`;
const resource = (type: string, name: string, attributes: Record<string, unknown>) => ({
  ...{ mode: 'managed', type, name, provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
  instances: [{ attributes }],
});
const state = (...resources: ReturnType<typeof resource>[]) => ({
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'derived' },
  // another resource keeps the report from being empty
  resources: [resource('aws_s3_bucket', 'other', { arn: 'arn:aws:s3:::other', bucket: 'other' }), ...resources],
});
const policy = (...Statement: object[]): string => JSON.stringify({ Version: '2012-10-17', Statement });
const trusts = (Service: string): string => policy({ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service } });

const see = async (client: Client, ...resources: ReturnType<typeof resource>[]) =>
  expect(await client.import(state(...resources), {})).toMatchObject({ state: 'COMPLETED' });
const derived = async (client: Client, prefix: string): Promise<string[]> => {
  const { body } = await client.call<{ items: { rule_id: string; status: string; resource_uid: string }[] }>(
    `/api/v1/${prefix}/findings?page_size=100`,
  );
  return body.items
    .filter(({ rule_id }) => rule_id.startsWith('palisade-'))
    .map(({ rule_id, status, resource_uid }) => `${rule_id} ${resource_uid.split(/[/:]/).at(-1)} ${status}`)
    .sort();
};
const analyst = async () => (await world.tenant()).as('analyst');

const certificate = (name: string, not_after: string) =>
  resource('aws_acm_certificate', name, {
    arn: `arn:aws:acm:eu-west-1:111122223333:certificate/${name}`,
    domain_name: `${name}.example`,
    not_after,
  });

it('certificates that expire are findings until they are renewed', async () => {
  const client = await analyst();
  await see(client, certificate('old', inDays(-2)), certificate('soon', inDays(20)), certificate('new', inDays(40)));
  expect(await derived(client, 'encryption')).toEqual([
    'palisade-certificate-expired old OPEN',
    'palisade-certificate-expires-soon soon OPEN',
  ]);
  await see(client, certificate('old', inDays(300)), certificate('soon', inDays(20)), certificate('new', inDays(40)));
  expect(await derived(client, 'encryption')).toEqual([
    'palisade-certificate-expired old RESOLVED',
    'palisade-certificate-expires-soon soon OPEN',
  ]);
  await see(client, certificate('old', inDays(-1)));
  expect(await derived(client, 'encryption')).toEqual([
    'palisade-certificate-expired old OPEN',
    'palisade-certificate-expires-soon soon RESOLVED',
  ]);
});

it('databases past the end of their support are findings', async () => {
  const client = await analyst();
  const database = (engine_version: string) =>
    resource('aws_db_instance', 'd', {
      arn: 'arn:aws:rds:eu-west-1:111122223333:db:d',
      identifier: 'd',
      engine: 'postgres',
      engine_version,
    });
  await see(client, database('9.6.24'));
  expect(await derived(client, 'database-security')).toEqual(['palisade-database-end-of-life d OPEN']);
  await see(client, database('17.2'));
  expect(await derived(client, 'database-security')).toEqual(['palisade-database-end-of-life d RESOLVED']);
});

it('a public store is a finding where its data is not for everybody', async () => {
  const client = await analyst();
  const store = (name: string, classification: string) =>
    resource('aws_s3_bucket', name, {
      ...{ arn: `arn:aws:s3:::${name}`, bucket: name, acl: 'public-read' },
      tags: { 'data-classification': classification },
    });
  await see(client, store('patients', 'health'), store('website', 'public'));
  expect(await derived(client, 'data-security')).toEqual(['palisade-sensitive-store-public patients OPEN']);
});

it('a store that asks who comes is none, however open its network is', async () => {
  const client = await analyst();
  const subscription = '7b1e0c4a-2d3f-4a5b-8c6d-9e0f1a2b3c4d';
  const azure = (type: string, provider: string, name: string, attributes: object) => ({
    ...{ mode: 'managed', type, name, provider: 'provider["registry.terraform.io/hashicorp/azurerm"]' },
    instances: [
      {
        attributes: {
          ...{ name, tags: { 'data-classification': 'health' }, ...attributes },
          id: `/subscriptions/${subscription}/resourceGroups/eu/providers/${provider}/${name}`,
        },
      },
    ],
  });
  const account = 'Microsoft.Storage/storageAccounts';
  const open = { public_network_access_enabled: true };
  const run = await client.import(
    state(
      azure('azurerm_servicebus_namespace', 'Microsoft.ServiceBus/namespaces', 'orders', open),
      azure('azurerm_storage_account', account, 'patients', { ...open, allow_nested_items_to_be_public: true }),
      azure('azurerm_storage_container', `${account}/patients/blobServices/default/containers`, 'scans', { container_access_type: 'blob' }),
    ),
    { account_id: subscription },
  );
  expect(run).toMatchObject({ state: 'COMPLETED' });
  const { body } = await client.call<{ items: object[] }>('/api/v1/data-security/stores?public=true');
  expect(body.items).toMatchObject([{ kind: 'queue' }, { kind: 'object' }]);
  expect(await derived(client, 'data-security')).toEqual(['palisade-sensitive-store-public scans OPEN']);
});

it('who has every right, or comes to it in one step, is a finding', async () => {
  const client = await analyst();
  const user = (name: string, ...statements: object[]) => [
    resource('aws_iam_user', name, { arn: iam(`user/${name}`), name }),
    resource('aws_iam_user_policy', name, { id: `${name}:own`, user: name, name: 'own', policy: policy(...statements) }),
  ];
  const role = (name: string, managed: string) =>
    resource('aws_iam_role', name, {
      ...{ arn: iam(`role/${name}`), name, managed_policy_arns: [`arn:aws:iam::aws:policy/${managed}`] },
      assume_role_policy: trusts('lambda.amazonaws.com'),
    });
  await see(
    client,
    role('app', 'AdministratorAccess'),
    role('reader', 'ReadOnlyAccess'),
    ...user('ann', { Effect: 'Allow', Action: ['iam:AttachUserPolicy'], Resource: '*' }),
    ...user('bob', { Effect: 'Allow', Action: ['s3:GetObject'], Resource: '*' }),
  );
  expect(await derived(client, 'ciem')).toEqual(['palisade-machine-administrator app OPEN']);
  expect(await derived(client, 'iam-security')).toEqual(['palisade-identity-escalates-to-administrator ann OPEN']);
  const other = await analyst();
  expect(await derived(other, 'ciem')).toEqual([]);
});
