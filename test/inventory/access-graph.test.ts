import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const ANN = 'arn:aws:iam::111122223333:user/ann';
const APP = 'arn:aws:iam::111122223333:role/app';
const LEDGER = 'arn:aws:s3:::ledger';

const resource = (type: string, name: string, attributes: Record<string, unknown>) => ({
  ...{ mode: 'managed', type, name, provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
  instances: [{ attributes }],
});
const allow = (Action: string | string[], Resource = '*') => ({ Effect: 'Allow', Action, Resource });
const policy = (...Statement: object[]): string => JSON.stringify({ Version: '2012-10-17', Statement });

/** A user with an inline policy, a role of functions, and a bucket. */
const state = (...statements: object[]) => ({
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'access-graph' },
  resources: [
    resource('aws_iam_user', 'ann', { arn: ANN, name: 'ann' }),
    ...(statements.length === 0
      ? []
      : [resource('aws_iam_user_policy', 'ann', { id: 'ann:own', user: 'ann', name: 'own', policy: policy(...statements) })]),
    resource('aws_iam_role', 'app', {
      ...{ arn: APP, name: 'app', managed_policy_arns: ['arn:aws:iam::aws:policy/AdministratorAccess'] },
      assume_role_policy: policy({ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } }),
    }),
    resource('aws_s3_bucket', 'ledger', { arn: LEDGER, bucket: 'ledger' }),
  ],
});

interface Edge {
  to: string;
  kind: string;
  access: { privilege: string | null; conditional: boolean; assumed: boolean; way: string | null; by: { statement: string }[] } | null;
}
const see = async (client: Client, report: object) => expect(await client.import(report)).toMatchObject({ state: 'COMPLETED' });
async function from(client: Client, uid: string): Promise<Edge[]> {
  const path = `/api/v1/inventory/asset/${encodeURIComponent(uid)}/relationships?direction=out&kind=may_access,may_assume,escalates_to`;
  return (await client.call<{ edges: Edge[] }>(path)).body.edges;
}
const said = (edges: readonly Edge[]) => edges.map(({ kind, access, to }) => [kind, access?.privilege, to].join(' ')).sort();

it('what an identity may do is among its relationships, by statement, and follows its policies', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, state({ ...allow(['s3:GetObject', 's3:PutObject'], `${LEDGER}/*`), Sid: 'Files' }));
  const edges = await from(client, ANN);
  expect(said(edges)).toEqual([`may_access read ${LEDGER}`, `may_access write ${LEDGER}`]);
  expect(edges[0]!.access).toMatchObject({ conditional: false, assumed: true, way: null, by: [{ statement: 'Files' }] });
  await see(client, state(allow('s3:GetObject', `${LEDGER}/*`)));
  expect(said(await from(client, ANN))).toEqual([`may_access read ${LEDGER}`]);
  await see(client, state());
  expect(await from(client, ANN)).toEqual([]);
  expect(await from(await (await world.tenant()).as('analyst'), ANN)).toBeUndefined();
});

it('a graph names what broad grants and ways to more rights lead to', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, state(allow('s3:GetObject'), allow('iam:AttachUserPolicy')));
  const { body } = await client.call<{ nodes: Record<string, unknown>[]; edges: Edge[] }>(
    `/api/v1/inventory/graph?resource_uid=${encodeURIComponent(ANN)}&resource_uid=${encodeURIComponent(APP)}&depth=1`,
  );
  const node = (type: string) => body.nodes.find(({ resource_type }) => resource_type === type);
  expect(node('access_scope')).toMatchObject({
    ...{ resource_name: 'read: aws_s3_bucket in 111122223333', provider: 'aws', account_id: '111122223333', region: 'global' },
    scope: { privilege: 'read', within: ['111122223333'], resource_types: ['aws_s3_bucket'], pattern: null, except: [] },
  });
  const administrator = 'aws/111122223333/administrator';
  expect(node('administrator')).toMatchObject({ resource_uid: administrator, scope: null });
  const to = body.edges.filter((edge) => edge.to === administrator);
  expect(to.map(({ kind, access }) => [kind, access!.privilege, access!.way]).sort()).toEqual([
    ['escalates_to', null, 'aws-attach-user-policy'],
    ['may_access', 'admin', null],
  ]);
});
