import { createAwsCollector } from '../../collectors/aws/collector.js';
import { systemClock } from '../../kit/base/clock.js';
import type { AssetInput } from '../../importers/types.js';
import { awsStub, json, refusal, type Reply, type StubCall } from '../support/aws-stub.js';
import { ACCOUNT, OURS, outbound, target, THEIRS } from './aws-stubbed.js';
import { readRecorded, recordedOf } from './recorded.js';

/** Answers as the interfaces' models write them (`@aws-sdk/client-*`): services by whose policies and settings others come in. */
const OPEN = '{"Statement":[{"Effect":"Allow","Principal":"*","Action":"*","Resource":"*"}]}';
const INSTANCE = 'arn:aws:sso:::instance/ssoins-1';
const SET = 'arn:aws:sso:::permissionSet/ssoins-1/ps-1';
const arn = (service: string, rest: string): string => `arn:aws:${service}:eu-west-1:${ACCOUNT}:${rest}`;
const BUCKET = arn('s3tables', 'bucket/lake');
const NETWORK = arn('vpc-lattice', 'servicenetwork/sn-1');
const SERVICE = arn('vpc-lattice', 'service/svc-1');
const GROUP = arn('network-firewall', 'stateful-rulegroup/pass');
const DOMAIN = arn('codeartifact', 'domain/main');
const REPOSITORY = arn('codeartifact', 'repository/main/npm');
const policyOf = (resourceArn: string) => ({ policy: { resourceArn, revision: '1', document: OPEN } });

const TARGETS: Readonly<Record<string, object>> = {
  ListInstances: {
    Instances: [
      { InstanceArn: INSTANCE, OwnerAccountId: ACCOUNT },
      { InstanceArn: 'arn:aws:sso:::instance/ssoins-2', OwnerAccountId: '999988887777' },
    ],
  },
  ListPermissionSets: { PermissionSets: [SET] },
  DescribePermissionSet: { PermissionSet: { PermissionSetArn: SET, Name: 'admins', SessionDuration: 'PT8H' } },
  GetInlinePolicyForPermissionSet: { InlinePolicy: '' },
  ListManagedPoliciesInPermissionSet: {
    AttachedManagedPolicies: [{ Name: 'AdministratorAccess', Arn: 'arn:aws:iam::aws:policy/AdministratorAccess' }],
  },
  ListIdentityPools: { IdentityPools: [{ IdentityPoolId: 'eu-west-1:p', IdentityPoolName: 'app' }] },
  DescribeIdentityPool: { IdentityPoolId: 'eu-west-1:p', IdentityPoolName: 'app', AllowUnauthenticatedIdentities: true },
  GetIdentityPoolRoles: { IdentityPoolId: 'eu-west-1:p', Roles: { unauthenticated: 'arn:aws:iam::1:role/guest' } },
  ListServers: { Servers: [{ ServerId: 's-0123', Arn: arn('transfer', 'server/s-0123') }] },
  DescribeServer: { Server: { ServerId: 's-0123', Arn: arn('transfer', 'server/s-0123') } },
  ListUsers: { ServerId: 's-0123', Users: [{ UserName: 'ann', Arn: arn('transfer', 'user/s-0123/ann') }] },
  DescribeUser: {
    ServerId: 's-0123',
    User: { Arn: arn('transfer', 'user/s-0123/ann'), UserName: 'ann', PosixProfile: { Uid: 0, Gid: 0 } },
  },
  ListAccesses: { ServerId: 's-0123', Accesses: [{ ExternalId: 'S-1-1-12' }] },
  DescribeAccess: {
    ServerId: 's-0123',
    Access: { ExternalId: 'S-1-1-12', Role: 'arn:aws:iam::1:role/t', PosixProfile: { Uid: 0, Gid: 0 } },
  },
  GetInstances: { instances: [{ name: 'shop', arn: arn('lightsail', 'Instance/1'), blueprintId: 'ubuntu' }] },
  GetInstancePortStates: {
    portStates: [
      { fromPort: 22, toPort: 22, protocol: 'tcp', state: 'open', cidrs: ['0.0.0.0/0'], ipv6Cidrs: [], cidrListAliases: [] },
      { fromPort: 3389, toPort: 3389, protocol: 'tcp', state: 'closed', cidrs: ['0.0.0.0/0'] },
    ],
  },
  GetRelationalDatabases: {
    relationalDatabases: [
      {
        ...{ name: 'db', arn: arn('lightsail', 'RelationalDatabase/1'), relationalDatabaseBlueprintId: 'mysql', publiclyAccessible: true },
        pendingModifiedValues: { masterUserPassword: 'hush-hush' },
      },
    ],
  },
  DescribeFleetAttributes: { FleetAttributes: [{ FleetId: 'fleet-1', FleetArn: arn('gamelift', 'fleet/fleet-1'), Name: 'game' }] },
  DescribeFleetPortSettings: {
    FleetId: 'fleet-1',
    InboundPermissions: [{ FromPort: 22, ToPort: 22, IpRange: '0.0.0.0/0', Protocol: 'TCP' }],
  },
  ListFirewalls: { Firewalls: [] },
  ListRuleGroups: { RuleGroups: [{ Name: 'pass', Arn: GROUP }] },
  DescribeRuleGroup: {
    UpdateToken: 't',
    RuleGroup: {
      RulesSource: {
        StatefulRules: [
          {
            Action: 'PASS',
            Header: { Protocol: 'IP', Source: 'ANY', SourcePort: 'ANY', Direction: 'FORWARD', Destination: 'ANY', DestinationPort: 'ANY' },
            RuleOptions: [],
          },
        ],
      },
    },
    RuleGroupResponse: { RuleGroupArn: GROUP, RuleGroupName: 'pass', RuleGroupId: '1', Type: 'STATEFUL' },
  },
  DescribeResourcePolicy: { Policy: OPEN },
  DescribeIpGroups: { Result: [{ groupId: 'wsipg-1', groupName: 'all', userRules: [{ ipRule: '0.0.0.0/0' }] }] },
  ListNotebookInstances: {
    NotebookInstances: [{ NotebookInstanceName: 'n', NotebookInstanceArn: arn('sagemaker', 'notebook-instance/n') }],
  },
  DescribeNotebookInstance: {
    NotebookInstanceName: 'n',
    NotebookInstanceArn: arn('sagemaker', 'notebook-instance/n'),
    DirectInternetAccess: 'Enabled',
    RootAccess: 'Enabled',
  },
  ListWorkforces: {
    Workforces: [{ WorkforceName: 'w', WorkforceArn: arn('sagemaker', 'workforce/w'), SourceIpConfig: { Cidrs: ['0.0.0.0/0'] } }],
  },
  ListFlowDefinitions: {
    FlowDefinitionSummaries: [{ FlowDefinitionName: 'f', FlowDefinitionArn: arn('sagemaker', 'flow-definition/f') }],
  },
  DescribeFlowDefinition: {
    FlowDefinitionName: 'f',
    FlowDefinitionArn: arn('sagemaker', 'flow-definition/f'),
    HumanLoopConfig: { WorkteamArn: 'arn:aws:sagemaker:eu-west-1:394669845002:workteam/public-crowd/default', TaskCount: 1 },
    OutputConfig: { S3OutputPath: 's3://x' },
  },
  DescribeFileSystems: { FileSystems: [] },
  DescribeVolumes: {
    Volumes: [
      {
        ...{ VolumeId: 'fsvol-1', ResourceARN: arn('fsx', 'volume/fs-1/fsvol-1'), VolumeType: 'OPENZFS', Name: 'v' },
        OpenZFSConfiguration: { NfsExports: [{ ClientConfigurations: [{ Clients: '*', Options: ['rw'] }] }] },
      },
    ],
  },
  ListAccessPolicies: { accessPolicySummaries: [{ type: 'data', name: 'all' }] },
  GetAccessPolicy: { accessPolicyDetail: { type: 'data', name: 'all', policy: [{ Rules: [], Principal: ['*'] }] } },
  ListSecurityPolicies: { securityPolicySummaries: [{ type: 'network', name: 'net' }] },
  GetSecurityPolicy: { securityPolicyDetail: { type: 'network', name: 'net', policy: [{ Rules: [], AllowFromPublic: true }] } },
  ListWorkgroups: { workgroups: [] },
  ListNamespaces: { namespaces: [{ namespaceArn: arn('redshift-serverless', 'namespace/1'), namespaceName: 'n', namespaceId: '1' }] },
  GetResourcePolicy: { resourcePolicy: { resourceArn: arn('redshift-serverless', 'namespace/1'), policy: OPEN } },
  ListDocuments: { DocumentIdentifiers: [{ Name: 'run', Owner: ACCOUNT, DocumentType: 'Command' }] },
  DescribeDocumentPermission: { AccountIds: ['all'] },
};

/** Interfaces that go by addresses. */
const PATHS: readonly (readonly [RegExp, object])[] = [
  [/\/vaults\/cold\/access-policy$/, { Policy: OPEN }],
  [/\/vaults\/cold\/lock-policy$/, { Policy: OPEN, State: 'Locked' }],
  [/\/vaults\b/, { VaultList: [{ VaultName: 'cold', VaultARN: arn('glacier', 'vaults/cold') }] }],
  [/^\/buckets\/.+\/policy$/, { resourcePolicy: OPEN }],
  [/^\/buckets\b/, { tableBuckets: [{ arn: BUCKET, name: 'lake', ownerAccountId: ACCOUNT }] }],
  [/^\/authpolicy\//, { policy: OPEN, state: 'Active' }],
  [/^\/resourcepolicy\//, { policy: OPEN }],
  [/^\/services\b/, { items: [{ id: 'svc-1', arn: SERVICE, name: 'pay', dnsEntry: { domainName: 'd' } }] }],
  [/^\/servicenetworks\b/, { items: [{ id: 'sn-1', arn: NETWORK, name: 'net', numberOfAssociatedVPCs: 1 }] }],
  [/^\/v1\/domain\/permissions\/policy/, policyOf(DOMAIN)],
  [/^\/v1\/repository\/permissions\/policy/, policyOf(REPOSITORY)],
  [/^\/v1\/domains/, { domains: [{ name: 'main', owner: ACCOUNT, arn: DOMAIN, encryptionKey: 'k' }] }],
  [/^\/v1\/repositories/, { repositories: [{ name: 'npm', domainName: 'main', domainOwner: ACCOUNT, arn: REPOSITORY }] }],
  [/^\/v1\/registries\b/, { Registries: [{ RegistryName: 'shop', RegistryArn: arn('schemas', 'registry/shop') }] }],
  [/^\/v1\/policy\b/, { Policy: OPEN, RevisionId: '1' }],
  [/^\/policies\/all$/, { policyName: 'all', policyArn: arn('iot', 'policy/all'), policyDocument: OPEN }],
  [/^\/policies\b/, { policies: [{ policyName: 'all', policyArn: arn('iot', 'policy/all') }] }],
  [
    /^\/rules\/r$/,
    {
      ruleArn: arn('iot', 'rule/r'),
      rule: {
        ...{ ruleName: 'r', sql: 'SELECT * FROM "t"', ruleDisabled: false },
        actions: [
          { s3: { roleArn: 'a', bucketName: 'b', key: 'k', cannedAcl: 'public-read' } },
          { salesforce: { token: 'hush-hush', url: 'https://x' } },
        ],
      },
    },
  ],
  [/^\/rules\b/, { rules: [{ ruleName: 'r', ruleArn: arn('iot', 'rule/r') }] }],
  [/^\/v1\/brokers\/b-1$/, { brokerId: 'b-1', brokerArn: arn('mq', 'broker:b:b-1'), brokerName: 'b', publiclyAccessible: true }],
  [/^\/v1\/brokers\b/, { brokerSummaries: [{ brokerId: 'b-1', brokerArn: arn('mq', 'broker:b:b-1'), brokerName: 'b' }] }],
];

const SERVICES = [
  'sso',
  'cognito-identity',
  'transfer',
  'lightsail',
  'network-firewall',
  'workspaces',
  'sagemaker',
  'fsx',
  'aoss',
  'ssm',
].concat(['redshift-serverless', 'glacier', 's3tables', 'vpc-lattice', 'codeartifact', 'iot', 'mq', 'gamelift', 'schemas']);

function answer({ service, what, path }: StubCall): Reply {
  if (service === 'sts') return undefined;
  const named = TARGETS[what];
  if (named !== undefined) return json(named);
  const [place] = path.split('?');
  const found = PATHS.find(([pattern]) => pattern.test(decodeURIComponent(place!)));
  return found === undefined ? refusal('ResourceNotFoundException', 404) : json(found[1]);
}

describe('services by whose policies and settings others come in', () => {
  let assets: readonly AssetInput[];
  let told: string;
  let asked: readonly StubCall[];
  const of = (type: string) => assets.filter(({ resource_type }) => resource_type === type).map(({ configuration }) => configuration);

  beforeAll(async () => {
    const stub = await awsStub(ACCOUNT, [OURS, THEIRS], answer);
    try {
      const collector = createAwsCollector({ outbound, clock: systemClock, identity: OURS, endpoint: stub.url, pauses: [1] });
      const recorded = await recordedOf(collector, target({ services: SERVICES }));
      expect(recorded.missing).toEqual([]);
      told = JSON.stringify(recorded.told);
      ({ assets } = await readRecorded(recorded.told, ACCOUNT));
      asked = stub.calls;
    } finally {
      await stub.close();
    }
  });
  afterAll(() => outbound.close());

  it.each<[string, object]>([
    [
      'aws_ssoadmin_managed_policy_attachment',
      { permission_set_arn: SET, managed_policy_arn: 'arn:aws:iam::aws:policy/AdministratorAccess' },
    ],
    [
      'aws_cognito_identity_pool_roles_attachment',
      { identity_pool_id: 'eu-west-1:p', roles: { unauthenticated: 'arn:aws:iam::1:role/guest' } },
    ],
    ['aws_transfer_user', { server_id: 's-0123', user_name: 'ann', posix_profile: [{ uid: 0 }] }],
    ['aws_transfer_access', { server_id: 's-0123', external_id: 'S-1-1-12', posix_profile: [{ uid: 0 }] }],
    ['aws_lightsail_instance_public_ports', { instance_name: 'shop', port_info: [{ from_port: 22, to_port: 22, cidrs: ['0.0.0.0/0'] }] }],
    ['aws_lightsail_database', { publicly_accessible: true }],
    [
      'aws_networkfirewall_rule_group',
      { rule_group: [{ rules_source: [{ stateful_rule: [{ action: 'PASS', header: [{ source: 'ANY', destination_port: 'ANY' }] }] }] }] },
    ],
    ['aws_networkfirewall_resource_policy', { resource_arn: GROUP, policy: OPEN }],
    ['aws_workspaces_ip_group', { name: 'all', rules: [{ source: '0.0.0.0/0' }] }],
    ['aws_sagemaker_notebook_instance', { direct_internet_access: 'Enabled', root_access: 'Enabled' }],
    ['aws_sagemaker_workforce', { source_ip_config: [{ cidrs: ['0.0.0.0/0'] }] }],
    ['aws_sagemaker_flow_definition', { human_loop_config: [{ workteam_arn: expect.stringContaining('public-crowd') as string }] }],
    ['aws_fsx_openzfs_volume', { nfs_exports: [{ client_configurations: [{ clients: '*', options: ['rw'] }] }] }],
    ['aws_opensearchserverless_access_policy', { type: 'data', policy: '[{"Rules":[],"Principal":["*"]}]' }],
    ['aws_opensearchserverless_security_policy', { type: 'network', policy: '[{"Rules":[],"AllowFromPublic":true}]' }],
    ['aws_redshiftserverless_resource_policy', { resource_arn: arn('redshift-serverless', 'namespace/1'), policy: OPEN }],
    ['aws_ssm_document', { name: 'run', permissions: [{ type: 'Share', account_ids: ['all'] }] }],
    ['aws_glacier_vault', { name: 'cold', access_policy: OPEN }],
    ['aws_glacier_vault_lock', { vault_name: 'cold', policy: OPEN, complete_lock: true }],
    ['aws_s3tables_table_bucket_policy', { table_bucket_arn: BUCKET, resource_policy: OPEN }],
    ['aws_codeartifact_domain_permissions_policy', { domain: 'main', domain_owner: ACCOUNT, policy_document: OPEN }],
    ['aws_codeartifact_repository_permissions_policy', { domain: 'main', repository: 'npm', policy_document: OPEN }],
    ['aws_iot_policy', { name: 'all', policy: OPEN }],
    ['aws_iot_topic_rule', { name: 'r', enabled: true, s3: [{ bucket_name: 'b', canned_acl: 'public-read' }] }],
    ['aws_gamelift_fleet', { name: 'game', ec2_inbound_permission: [{ from_port: 22, to_port: 22, ip_range: '0.0.0.0/0' }] }],
    ['aws_schemas_registry_policy', { registry_name: 'shop', policy: OPEN }],
    ['aws_mq_broker', { broker_name: 'b', publicly_accessible: true }],
  ])('%s is told as Terraform would', (type, configuration) => expect(of(type)).toMatchObject([configuration]));

  it('tells the policies of services and of networks of services', () => {
    expect(of('aws_vpclattice_auth_policy').map(({ resource_identifier }) => resource_identifier)).toEqual([SERVICE, NETWORK]);
    expect(of('aws_vpclattice_resource_policy').map(({ resource_arn }) => resource_arn)).toEqual([SERVICE, NETWORK]);
  });

  it('takes an empty policy for none', () => expect(of('aws_ssoadmin_permission_set_inline_policy')).toEqual([]));

  it('takes a volume of a file system for none of a machine', () => expect(of('aws_ebs_volume')).toEqual([]));

  it('asks nothing of a directory of another account', () => {
    const sets = asked.filter(({ what }) => what === 'ListPermissionSets');
    expect(sets.map(({ body }) => JSON.parse(body) as object)).toEqual([{ InstanceArn: INSTANCE, MaxResults: 100 }]);
  });

  it('asks for documents of the account alone', () => {
    const [documents] = asked.filter(({ what }) => what === 'ListDocuments');
    expect(JSON.parse(documents!.body)).toMatchObject({ Filters: [{ Key: 'Owner', Values: ['Self'] }] });
  });

  it('tells no secret', () => expect(told).not.toContain('hush-hush'));
});
