import { AccessModel } from '../../catalog/access/model.js';
import { actionsOf } from '../../catalog/actions/actions.js';
import { evidenceOf, type Coverage, type LastAccess } from '../../catalog/entitlements/evidence.js';
import { GrantedRights } from '../../catalog/entitlements/granted.js';
import { proposalOf } from '../../catalog/entitlements/proposal.js';
import { usedRights, type UsedRight } from '../../catalog/entitlements/used.js';
import type { InventoryResource } from '../../catalog/resource.js';
import type { Provider } from '../../schema/model.js';

const NOW = new Date('2030-06-01T00:00:00Z');
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * 86_400_000);
const ACCOUNT = '111122223333';
const iam = (rest: string): string => `arn:aws:iam::${ACCOUNT}:${rest}`;

type Short = [type: string, configuration: Record<string, unknown>];
const estate = (provider: Provider, account_id: string, resources: Record<string, Short>): InventoryResource[] =>
  Object.entries(resources).map(([resource_uid, [resource_type, configuration]]) => ({
    ...{ resource_uid, resource_type, provider, account_id, resource_name: String(configuration['name'] ?? resource_uid) },
    configuration,
  }));
const aws = (resources: Record<string, Short>) => estate('aws', ACCOUNT, resources);
const used = (rights: Record<string, string[] | null>): UsedRight[] =>
  Object.entries(rights).map(([right, resources]) => ({ right, resources, used_at: daysAgo(1) }));
const policy = (...Statement: object[]): string => JSON.stringify({ Version: '2012-10-17', Statement });
const allow = (Action: string | string[], Resource: string | string[] = '*', more: object = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...more,
});

describe('which rights calls take', () => {
  const actions = actionsOf('aws');
  const rights = (service: string, action: string) => actions.rightsOf({ service, action, is_right: false });
  it.each([
    ['s3', 'ListObjects', ['s3:ListBucket']],
    ['s3', 'CopyObject', ['s3:GetObject', 's3:PutObject']],
    ['s3', 'GetBucketCors', ['s3:GetBucketCORS']],
    ['lambda', 'Invoke', ['lambda:InvokeFunction']],
    ['lambda', 'UpdateFunctionCode20150331v2', ['lambda:UpdateFunctionCode']],
    ['cloudfront', 'CreateDistribution2020_05_31', ['cloudfront:CreateDistribution']],
    ['monitoring', 'PutMetricAlarm', ['cloudwatch:PutMetricAlarm']],
    ['apigateway', 'CreateRestApi', ['apigateway:POST']],
    ['apigateway', 'GetRestApis', ['apigateway:GET']],
    ['sts', 'GetCallerIdentity', []],
    ['signin', 'ConsoleLogin', []],
    ['ec2', 'DescribeInstances', ['ec2:DescribeInstances']],
    ['bedrock', 'Converse', ['bedrock:InvokeModel']],
  ])('%s %s', (service, action, expected) => expect(rights(service, action)).toEqual(expected));

  it.each([
    ['ec2:DescribeInstances', 'management:read'],
    ['ec2:RunInstances', 'management:write'],
    ['s3:GetObject', 'data:s3'],
    ['s3:ListBucket', 'data:s3'],
    ['s3:PutBucketPolicy', 'management:write'],
    ['lambda:InvokeFunction', 'data:lambda'],
    ['kms:Decrypt', 'management:read'],
    ['iam:PassRole', 'management:write'],
    ['execute-api:Invoke', null],
    ['logs:PutLogEvents', null],
  ])('the use of %s shows in %s', (right, log) => expect(actions.logOf(right)).toBe(log));

  it('other providers tell rights in the log itself', () => {
    expect(actionsOf('gcp').rightsOf({ service: 'storage', action: 'storage.objects.get', is_right: false })).toEqual([]);
    expect(actionsOf('gcp').logOf('storage.objects.get')).toBe('data_access:storage');
    expect(actionsOf('gcp').logOf('compute.instances.delete')).toBe('activity');
    expect(actionsOf('azure').logOf('Microsoft.Compute/virtualMachines/read')).toBeNull();
    expect(actionsOf('k8s').logOf('list:core/secrets')).toBe('audit:read');
    expect(actionsOf('oci').isJudged).toBe(false);
  });

  it('of uses the latest counts, and their places are known while each of them is', () => {
    const use = (days: number, resources: string[] | null, action = 'PutObject') =>
      ({ service: 's3', action, is_right: false, used_at: daysAgo(days), resources }) as const;
    const places = (...uses: ReturnType<typeof use>[]) => usedRights(actions, uses, daysAgo(90));
    expect(places(use(3, ['arn:aws:s3:::a/x', 'arn:aws:s3:::a']), use(9, ['arn:aws:s3:::b/y'], 'UploadPart'))).toEqual([
      { right: 's3:PutObject', used_at: daysAgo(3), resources: ['arn:aws:s3:::a/*', 'arn:aws:s3:::b/*'] },
    ]);
    expect(places(use(3, ['arn:aws:s3:::a/x']), use(2, null))[0]).toMatchObject({ used_at: daysAgo(2), resources: null });
    expect(places(use(91, null))).toEqual([]);
  });
});

describe('what is given', () => {
  const granted = (resources: Record<string, Short>, who: string) => {
    const { needs, ...rest } = new GrantedRights(new AccessModel(aws(resources)), 'aws').of(who);
    return { ...rest, rights: needs.reduce((sum, need) => sum + need.rights, 0), logs: [...new Set(needs.map(({ log }) => log))].sort() };
  };
  const user = (...statements: object[]): Record<string, Short> => ({
    ann: ['aws_iam_user', { name: 'ann' }],
    p: ['aws_iam_user_policy', { user: 'ann', policy: policy(...statements) }],
  });

  it('is counted right by right, whatever the patterns', () => {
    expect(granted(user(allow(['s3:GetObject', 's3:getobject', 'S3:PutObject'])), 'ann')).toMatchObject({
      rights: 2,
      logs: ['data:s3'],
      privilege: 'write',
    });
    expect(granted(user(allow('s3:*BucketPolicy'), allow('s3:GetBucketPolicy')), 'ann').rights).toBe(3);
    // a right that is no call of any interface
    expect(granted(user(allow(['iam:PassRole', 's3:GetObjectVersion'])), 'ann')).toMatchObject({
      rights: 2,
      logs: ['management:write', null],
    });
    const all = granted(user(allow('*')), 'ann');
    expect(all).toMatchObject({ admin: 'allowed', privilege: 'admin', rights: actionsOf('aws').known.length });
    expect(granted(user(allow('*'), { Effect: 'Deny', Action: 'iam:*', Resource: '*' }), 'ann').rights).toBe(
      all.rights - actionsOf('aws').known.filter((right) => right.startsWith('iam:')).length,
    );
    const but = { Effect: 'Allow', NotAction: 'iam:*', Resource: '*' };
    expect(granted(user(but), 'ann').rights).toBe(all.rights - actionsOf('aws').known.filter((right) => right.startsWith('iam:')).length);
  });

  it('ends at the boundary', () => {
    const resources = {
      ...user(allow('*')),
      ann: ['aws_iam_user', { name: 'ann', permissions_boundary: 'b' }] as Short,
      b: ['aws_iam_policy', { name: 'b', policy: policy(allow(['sqs:SendMessage', 'sqs:ReceiveMessage'])) }] as Short,
    };
    expect(granted(resources, 'ann')).toMatchObject({ rights: 2, logs: ['data:sqs'] });
  });

  it('is counted by patterns where no list of rights is kept, and each log that may show one counts', () => {
    const assets = estate('k8s', 'c1', {
      cart: ['kubernetes_service_account', { metadata: [{ name: 'cart', namespace: 'shop' }] }],
      role: [
        'kubernetes_cluster_role',
        { metadata: [{ name: 'wide' }], rule: [{ api_groups: [''], resources: ['secrets'], verbs: ['*'] }] },
      ],
      rb: [
        'kubernetes_cluster_role_binding',
        {
          metadata: [{ name: 'rb' }],
          role_ref: [{ kind: 'ClusterRole', name: 'wide' }],
          subject: [{ kind: 'ServiceAccount', name: 'cart', namespace: 'shop' }],
        },
      ],
    });
    const { needs } = new GrantedRights(new AccessModel(assets), 'k8s').of('cart');
    expect([...new Set(needs.map(({ log }) => log))]).toEqual(['audit:read', 'audit:write']);
  });
});

describe('what is known to be unused', () => {
  const need = (log: string | null, service: string, rights = 1) => ({ log, service, rights });
  const held = (log: string, from: number, to: number): Coverage => ({ log, spans: [{ from: daysAgo(from), to: daysAgo(to) }] });
  const report = (days: number, services: Record<string, number | null>): LastAccess => ({
    reported_at: daysAgo(days),
    services: new Map(Object.entries(services).map(([service, used]) => [service, used === null ? null : daysAgo(used)])),
  });
  const needs = [need('management:read', 'ec2', 5), need('data:s3', 's3', 3), need(null, 'ec2messages', 2)];

  it.each<[string, Coverage[], LastAccess | null, number, string[]]>([
    ['nothing without a log', [], null, 0, ['management:read', 'data:s3', 'no log shows']],
    ['what a log of 90 days would show', [held('management:read', 120, 0)], null, 5, ['data:s3', 'no log shows']],
    ['not what a log of 60 days would show', [held('management:read', 60, 0)], null, 0, ['is held from', 'data:s3', 'no log shows']],
    [
      'not what a log that ended three weeks ago would show',
      [held('management:read', 150, 21)],
      null,
      0,
      ['is held from', 'data:s3', 'no log shows'],
    ],
    ['a log that was brought some days ago', [held('management:read', 95, 4)], null, 5, ['data:s3', 'no log shows']],
    ['services that a report calls unused', [held('management:read', 95, 0)], report(1, { s3: null, ec2messages: 200 }), 10, []],
    ['not services that a report calls used', [held('management:read', 95, 0)], report(1, { s3: 5, ec2messages: null }), 7, ['data:s3']],
    [
      'not what an old report says',
      [held('management:read', 95, 0)],
      report(30, { s3: null, ec2messages: null }),
      5,
      ['data:s3', 'no log shows'],
    ],
    ['a service that the report does not name', [held('data:s3', 95, 0)], report(1, { s3: null }), 3, ['management:read', 'no log shows']],
  ])('%s', (_case, coverage, lastAccess, judged, missing) => {
    const evidence = evidenceOf(needs, coverage, lastAccess, NOW);
    expect(evidence.judged).toBe(judged);
    expect(evidence.isSufficient).toBe(missing.length === 0);
    expect(evidence.missing).toHaveLength(missing.length);
    missing.forEach((part) => expect(evidence.missing.join('\n')).toContain(part));
  });

  it('two spans with a gap are no log of 90 days', () => {
    const coverage = [
      {
        log: 'management:read',
        spans: [
          { from: daysAgo(120), to: daysAgo(50) },
          { from: daysAgo(45), to: NOW },
        ],
      },
    ];
    expect(evidenceOf([need('management:read', 'ec2')], coverage, null, NOW).isSufficient).toBe(false);
  });
});

describe('the least that allows what was used', () => {
  const of = (provider: Provider, assets: InventoryResource[], who: string, rights: Record<string, string[] | null>) =>
    proposalOf(provider, assets, new AccessModel(assets), who, used(rights));
  const role = (statements: object[], more: Record<string, Short> = {}, own: object = {}) =>
    aws({
      app: ['aws_iam_role', { name: 'app', arn: iam('role/app'), ...own }],
      p: ['aws_iam_role_policy', { role: 'app', name: 'p', policy: policy(...statements) }],
      ...more,
    });

  it('AWS: the used actions alone, on the resources on which they were used', () => {
    const proposal = of('aws', role([allow('s3:*'), allow('ec2:*')]), 'app', {
      's3:GetObject': ['arn:aws:s3:::ledger/*'],
      's3:ListBucket': ['arn:aws:s3:::ledger'],
      'ec2:DescribeInstances': null,
    });
    expect(proposal).toMatchObject({
      form: 'aws_policy',
      documents: [
        {
          Version: '2012-10-17',
          Statement: [
            { Effect: 'Allow', Action: ['s3:GetObject'], Resource: ['arn:aws:s3:::ledger/*'] },
            { Effect: 'Allow', Action: ['s3:ListBucket'], Resource: ['arn:aws:s3:::ledger'] },
            { Effect: 'Allow', Action: ['ec2:DescribeInstances'], Resource: ['*'] },
          ],
        },
      ],
      replaces: [
        { resource_uid: 'p', statement: 'policy[0]' },
        { resource_uid: 'p', statement: 'policy[1]' },
      ],
      left_out: [],
      proof: { holds: true, calls: 3, lost: [], beyond: [] },
    });
  });

  it('AWS: conditions and denials stay', () => {
    const condition = { IpAddress: { 'aws:SourceIp': '198.51.100.0/24' } };
    const deny = { Effect: 'Deny', Action: 's3:DeleteObject', Resource: 'arn:aws:s3:::ledger/kept/*' };
    const proposal = of('aws', role([allow('s3:*', '*', { Sid: 'office', Condition: condition }), deny]), 'app', {
      's3:DeleteObject': ['arn:aws:s3:::ledger/*'],
    });
    expect(proposal!.documents[0]!['Statement']).toEqual([
      {
        Effect: 'Allow',
        Action: ['s3:DeleteObject'],
        Resource: ['arn:aws:s3:::ledger/*'],
        Condition: { IpAddress: { 'aws:sourceip': ['198.51.100.0/24'] } },
      },
      { Effect: 'Deny', Action: ['s3:DeleteObject'], Resource: ['arn:aws:s3:::ledger/kept/*'] },
    ]);
    expect(proposal!.proof).toMatchObject({ holds: true });
  });

  it('AWS: what comes by groups, managed policies and NotAction is written out; what a boundary ends is not given back', () => {
    const assets = aws({
      ann: ['aws_iam_user', { name: 'ann', arn: iam('user/ann'), permissions_boundary: 'b' }],
      devs: ['aws_iam_group', { name: 'devs' }],
      m: ['aws_iam_user_group_membership', { user: 'ann', groups: ['devs'] }],
      gp: [
        'aws_iam_group_policy',
        { group: 'devs', policy: policy({ Effect: 'Allow', NotAction: 'iam:*', NotResource: 'arn:aws:s3:::secret/*' }) },
      ],
      at: ['aws_iam_user_policy_attachment', { user: 'ann', policy_arn: 'arn:aws:iam::aws:policy/AmazonEC2ReadOnlyAccess' }],
      b: ['aws_iam_policy', { name: 'b', policy: policy(allow(['sqs:*', 'ec2:*'])) }],
    });
    const proposal = of('aws', assets, 'ann', { 'sqs:SendMessage': null, 'ec2:DescribeInstances': null });
    expect(proposal!.documents[0]!['Statement']).toContainEqual({
      Effect: 'Allow',
      Action: ['ec2:DescribeInstances', 'sqs:SendMessage'],
      NotResource: ['arn:aws:s3:::secret/*'],
    });
    expect(proposal!.proof).toMatchObject({ holds: true, lost: [], beyond: [] });
  });

  it('AWS: what a resource gives, or nobody gives any more, is left out and named', () => {
    const assets = role([allow('sqs:SendMessage')], {
      'arn:aws:s3:::ledger': ['aws_s3_bucket', { bucket: 'ledger', arn: 'arn:aws:s3:::ledger' }],
      bp: [
        'aws_s3_bucket_policy',
        { bucket: 'ledger', policy: policy({ ...allow('s3:GetObject', 'arn:aws:s3:::ledger/*'), Principal: { AWS: iam('role/app') } }) },
      ],
    });
    const proposal = of('aws', assets, 'app', {
      's3:GetObject': ['arn:aws:s3:::ledger/*'],
      'ec2:RunInstances': null,
      'sqs:SendMessage': null,
    });
    expect(proposal).toMatchObject({ left_out: ['s3:GetObject', 'ec2:RunInstances'], proof: { holds: true } });
  });

  it('nothing is proposed for who used nothing of what it is given', () => {
    expect(of('aws', role([allow('s3:*')]), 'app', {})).toBeNull();
    expect(of('aws', role([allow('s3:*')]), 'app', { 'ec2:RunInstances': null })).toBeNull();
    expect(of('aws', role([allow('s3:*')]), 'nobody', { 's3:GetObject': null })).toBeNull();
    expect(of('oci', [], 'x', {})).toBeNull();
  });

  it('Alibaba Cloud: a RAM policy', () => {
    const assets = estate('alicloud', '1234567890123456', {
      ann: ['alicloud_ram_user', { name: 'ann' }],
      read: [
        'alicloud_ram_policy',
        { policy_name: 'read', policy_document: JSON.stringify({ Version: '1', Statement: [allow(['oss:*', 'ecs:*'])] }) },
      ],
      at: ['alicloud_ram_user_policy_attachment', { user_name: 'ann', policy_name: 'read', policy_type: 'Custom' }],
    });
    expect(of('alicloud', assets, 'ann', { 'ecs:DescribeInstances': null })).toMatchObject({
      form: 'alicloud_policy',
      documents: [{ Version: '1', Statement: [{ Effect: 'Allow', Action: ['ecs:DescribeInstances'], Resource: ['*'] }] }],
      proof: { holds: true },
    });
  });

  it('Google Cloud: a custom role for each place', () => {
    const app = 'app@shop.iam.gserviceaccount.com';
    const assets = estate('gcp', 'shop', {
      project: ['google_project', { project_id: 'shop' }],
      app: ['google_service_account', { account_id: 'app', email: app, project: 'shop' }],
      ledger: ['google_storage_bucket', { name: 'ledger', project: 'shop' }],
      editor: ['google_project_iam_member', { project: 'shop', role: 'roles/editor', member: `serviceAccount:${app}` }],
      bucket: [
        'google_storage_bucket_iam_binding',
        { bucket: 'ledger', role: 'roles/storage.admin', members: [`serviceAccount:${app}`, 'user:ann@example.com'] },
      ],
    });
    const proposal = of('gcp', assets, 'app', { 'compute.instances.list': ['projects/shop'], 'storage.buckets.update': null });
    expect(proposal).toMatchObject({ form: 'gcp_custom_roles', left_out: [], proof: { holds: true, lost: [], beyond: [] } });
    expect(proposal!.documents).toContainEqual(
      expect.objectContaining({
        parent: 'projects/shop',
        role: expect.objectContaining({ includedPermissions: ['compute.instances.list', 'storage.buckets.update'], stage: 'GA' }) as object,
        binding: { resource: 'projects/shop', members: [`serviceAccount:${app}`] },
      }),
    );
  });

  it('Azure: a role definition for each scope', () => {
    const SUB = '/subscriptions/0000aaaa-0000-0000-0000-000000000001';
    const assets = estate('azure', '0000aaaa-0000-0000-0000-000000000001', {
      app: ['azurerm_user_assigned_identity', { name: 'app', principal_id: '11111111-0000-0000-0000-000000000001' }],
      ra: [
        'azurerm_role_assignment',
        { scope: SUB, role_definition_name: 'Contributor', principal_id: '11111111-0000-0000-0000-000000000001' },
      ],
    });
    expect(of('azure', assets, 'app', { 'Microsoft.Compute/virtualMachines/write': [`${SUB}/resourceGroups/rg`] })).toMatchObject({
      form: 'azure_role_definitions',
      documents: [{ IsCustom: true, Actions: ['Microsoft.Compute/virtualMachines/write'], DataActions: [], AssignableScopes: [SUB] }],
      proof: { holds: true },
    });
  });

  it('Kubernetes: a Role for each namespace, and a ClusterRole for the rest', () => {
    const assets = estate('k8s', 'c1', {
      cart: ['kubernetes_service_account', { metadata: [{ name: 'cart', namespace: 'shop' }] }],
      wide: ['kubernetes_cluster_role', { metadata: [{ name: 'wide' }], rule: [{ api_groups: ['*'], resources: ['*'], verbs: ['*'] }] }],
      rb: [
        'kubernetes_cluster_role_binding',
        {
          metadata: [{ name: 'rb' }],
          role_ref: [{ kind: 'ClusterRole', name: 'wide' }],
          subject: [{ kind: 'ServiceAccount', name: 'cart', namespace: 'shop' }],
        },
      ],
    });
    const proposal = of('k8s', assets, 'cart', {
      'get:core/secrets': ['ns/shop/db', 'ns/shop/cache'],
      'list:apps/deployments': ['ns/shop/*'],
      'list:core/nodes': ['cluster/*'],
    });
    expect(proposal).toMatchObject({ form: 'kubernetes_roles', left_out: [], proof: { holds: true, lost: [], beyond: [] } });
    expect(proposal!.documents.map(({ kind, metadata, rules }) => [kind, (metadata as { namespace?: string }).namespace, rules])).toEqual([
      ['ClusterRole', undefined, [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }]],
      ['ClusterRoleBinding', undefined, undefined],
      [
        'Role',
        'shop',
        [
          { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
          { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list'] },
        ],
      ],
      ['RoleBinding', 'shop', undefined],
    ]);
  });
});
