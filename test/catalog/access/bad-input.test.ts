import { accessEdges } from '../../../catalog/access/edges/derive.js';
import { decide } from '../../../catalog/access/decide.js';
import { AccessModel } from '../../../catalog/access/model.js';
import type { InventoryResource } from '../../../catalog/resource.js';

const ACCOUNT = '111122223333';
const asset = (
  provider: string,
  resource_uid: string,
  resource_type: string,
  configuration: Record<string, unknown>,
): InventoryResource => ({
  ...{ resource_uid, resource_type, provider, account_id: ACCOUNT, resource_name: undefined },
  configuration: { name: resource_uid, ...configuration },
});
const aws = (uid: string, type: string, configuration: Record<string, unknown>) => asset('aws', uid, type, configuration);
const edgesOf = (assets: readonly InventoryResource[], provider = 'aws') =>
  [...accessEdges(new AccessModel(assets), provider)].flatMap(({ edges }) => edges);

const allow = (Action: unknown, Resource: unknown = '*', more: object = {}) => ({ Effect: 'Allow', Action, Resource, ...more });
const trust = (AWS: string) => ({ Statement: [{ Effect: 'Allow', Principal: { AWS }, Action: 'sts:AssumeRole' }] });
const arn = (kind: string) => `arn:aws:iam::${ACCOUNT}:${kind}`;

/** Processor milliseconds of the fastest of three runs. */
function costOf(work: () => unknown): number {
  const runs = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}
/** Ten times as much may cost sixty times as much at most: what grows with the square would cost a hundred times. */
function expectNoSquare(work: (size: number) => unknown, size: number): void {
  work(Math.ceil(size / 10));
  const few = Math.max(
    2,
    costOf(() => work(size / 10)),
  );
  expect(costOf(() => work(size)) / few).toBeLessThan(60);
}

describe('a circle', () => {
  it('of roles that trust each other, and of one that trusts itself, ends: each may be assumed', () => {
    const assume = (role: string) => ({ role, policy: { Statement: [allow('sts:AssumeRole')] } });
    const roles = ['a', 'b', 'c'].map((name, n) =>
      aws(arn(`role/${name}`), 'aws_iam_role', {
        name,
        arn: arn(`role/${name}`),
        assume_role_policy: trust(arn(`role/${['b', 'c', 'a'][n]}`)),
      }),
    );
    const own = aws(arn('role/own'), 'aws_iam_role', { name: 'own', arn: arn('role/own'), assume_role_policy: trust(arn('role/own')) });
    const policies = ['a', 'b', 'c', 'own'].map((name) => aws(`p-${name}`, 'aws_iam_role_policy', assume(name)));
    const edges = edgesOf([...roles, own, ...policies]);
    const assumed = edges.filter(({ kind }) => kind === 'may_assume').map(({ from, to }) => `${from.split('/')[1]}-${to.split('/')[1]}`);
    for (const pair of ['b-a', 'c-b', 'a-c']) expect(assumed).toContain(pair);
  });

  it('of groups ends, and a member of one has what any of them has', () => {
    const group = (n: number, member: number) => ({ object_id: `g-${n}`, members: [`g-${member}`] });
    const estate = [
      asset('azure', 'ops', 'azuread_group', { ...group(1, 2), members: ['g-2', 'u-1'] }),
      asset('azure', 'all', 'azuread_group', group(2, 3)),
      asset('azure', 'top', 'azuread_group', group(3, 1)),
      asset('azure', 'ann', 'azuread_user', { object_id: 'u-1' }),
      asset('azure', 'vault', 'azurerm_key_vault', {
        id: '/subscriptions/s-1/resourceGroups/rg/providers/Microsoft.KeyVault/vaults/vault',
      }),
      asset('azure', 'given', 'azurerm_role_assignment', {
        principal_id: 'g-3',
        scope: '/subscriptions/s-1',
        role_definition_name: 'Owner',
      }),
    ];
    const model = new AccessModel(estate);
    expect(decide(model.weigh('azure', 'ann', 'Microsoft.KeyVault/vaults/write', 'vault')).answer).toBe('allowed');
    expect(edgesOf(estate, 'azure').some(({ from }) => from === 'ann' || from === 'top')).toBe(true);
  });

  it('of folders ends, and what is bound to one of them holds in the project', () => {
    const estate = [
      asset('gcp', 'project', 'google_project', { project_id: 'shop', folder_id: '1' }),
      asset('gcp', 'one', 'google_folder', { name: 'folders/1', parent: 'folders/2' }),
      asset('gcp', 'two', 'google_folder', { name: 'folders/2', parent: 'folders/1' }),
      asset('gcp', 'ledger', 'google_storage_bucket', { project: 'shop' }),
      asset('gcp', 'bound', 'google_folder_iam_member', {
        folder: 'folders/2',
        role: 'roles/storage.objectViewer',
        member: 'user:ann@example.com',
      }),
    ];
    const { answer } = decide(new AccessModel(estate).weigh('gcp', 'user:ann@example.com', 'storage.objects.get', 'ledger'));
    expect(answer).toBe('allowed');
    edgesOf(estate, 'gcp');
  });
});

describe('a policy document', () => {
  const ann = aws('ann', 'aws_iam_user', {});
  const bucket = aws('ledger', 'aws_s3_bucket', { bucket: 'ledger' });
  const own = (policy: unknown) => aws('own', 'aws_iam_user_policy', { user: 'ann', policy });
  const answerTo = (policy: unknown) =>
    decide(new AccessModel([ann, bucket, own(policy)]).weigh('aws', 'ann', 's3:GetObject', 'ledger')).answer;

  it.each([['no JSON at all {'], ['"text"'], ['[]'], [''], [42], [{ Statement: 'allow' }], [{ Statement: [7, null, 'x'] }]])(
    'that is none, %j, gives nobody anything and breaks nothing',
    (policy) => {
      expect(['denied', 'unknown']).toContain(answerTo(policy));
      expect(edgesOf([ann, bucket, own(policy)]).filter(({ to }) => to === 'ledger')).toEqual([]);
    },
  );

  it('of a megabyte is read to its end', () => {
    const far = Array.from({ length: 21_000 }, (_, n) => `arn:aws:s3:::some-bucket-of-a-long-name-${n}/*`);
    const text = JSON.stringify({ Statement: [allow('s3:GetObject', [...far, 'arn:aws:s3:::ledger/*'])] });
    expect(text.length).toBeGreaterThan(1_000_000);
    expect(answerTo(text)).toBe('allowed');
  });

  it('of 10,000 statements is read to its end, in time that grows with their number', () => {
    const statements = (count: number) => [
      ...Array.from({ length: count - 1 }, (_, n) => allow('s3:PutObject', `arn:aws:s3:::bucket-${n}/*`, { Sid: `S${n}` })),
      allow('s3:GetObject', 'arn:aws:s3:::ledger/*', { Sid: 'Last' }),
    ];
    const policies = new Map([1_000, 10_000].map((count) => [count, JSON.stringify({ Statement: statements(count) })]));
    expect(answerTo(policies.get(10_000))).toBe('allowed');
    expectNoSquare((count) => edgesOf([ann, bucket, own(policies.get(count))]), 10_000);
  });
});

it('a policy that very many hold makes their edges in time that grows with their number', () => {
  const held = (count: number) => [
    aws('read', 'aws_iam_policy', { arn: arn('policy/read'), policy: { Statement: [allow('s3:GetObject', 'arn:aws:s3:::ledger/*')] } }),
    aws('ledger', 'aws_s3_bucket', { bucket: 'ledger' }),
    ...Array.from({ length: count }, (_, n) => aws(`user-${n}`, 'aws_iam_user', {})),
    ...Array.from({ length: count }, (_, n) => aws(`at-${n}`, 'aws_iam_user_policy_attachment', { user: `user-${n}`, policy_arn: 'read' })),
  ];
  expect(edgesOf(held(2_000)).filter(({ to }) => to === 'ledger')).toHaveLength(2_000);
  expectNoSquare((count) => edgesOf(held(count)), 20_000);
});

it('what names a resource that there is not makes no edge to it', () => {
  const estate = [
    aws('ann', 'aws_iam_user', {}),
    aws('at', 'aws_iam_user_policy_attachment', { user: 'ann', policy_arn: arn('policy/absent') }),
    aws('own', 'aws_iam_user_policy', { user: 'nobody', policy: { Statement: [allow('*')] } }),
    aws('named', 'aws_iam_user_policy', { user: 'ann', policy: { Statement: [allow('s3:GetObject', 'arn:aws:s3:::absent/*')] } }),
  ];
  const uids = new Set(estate.map(({ resource_uid }) => resource_uid));
  const ends = edgesOf(estate).flatMap(({ from, to }) => [from, to]);
  expect(ends.filter((uid) => /nobody|absent/.test(uid) && !uids.has(uid))).toEqual([]);
});
