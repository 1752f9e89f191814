import { ACCOUNT } from './aws-stubbed.js';

// Answers as the interfaces' models write them (`@aws-sdk/client-*`), of services by whose policies and settings others come in.

/** A policy that lets in everybody. */
export const OPEN = '{"Statement":[{"Effect":"Allow","Principal":"*","Action":"*","Resource":"*"}]}';
export const INSTANCE = 'arn:aws:sso:::instance/ssoins-1';
export const SET = 'arn:aws:sso:::permissionSet/ssoins-1/ps-1';
export const arn = (service: string, rest: string): string => `arn:aws:${service}:eu-west-1:${ACCOUNT}:${rest}`;
export const BUCKET = arn('s3tables', 'bucket/lake');
export const NETWORK = arn('vpc-lattice', 'servicenetwork/sn-1');
export const SERVICE = arn('vpc-lattice', 'service/svc-1');
export const GROUP = arn('network-firewall', 'stateful-rulegroup/pass');
const DOMAIN = arn('codeartifact', 'domain/main');
const REPOSITORY = arn('codeartifact', 'repository/main/npm');
const policyOf = (resourceArn: string) => ({ policy: { resourceArn, revision: '1', document: OPEN } });

export const TARGETS: Readonly<Record<string, object>> = {
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
export const PATHS: readonly (readonly [RegExp, object])[] = [
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
