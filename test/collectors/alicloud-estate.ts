import { FAR, HOME, type AcsAnswer } from './alicloud-stand.js';

const at = (product: string, action: string, about?: string, region = `.${HOME}`): string =>
  [`${product}${region}.aliyuncs.com`, action, ...(about === undefined ? [] : [about])].join(' ');
const list = (path: string, things: readonly unknown[], paging: AcsAnswer['paging'] = 'number'): AcsAnswer => ({
  list: path,
  things,
  paging,
});
const body = (value: unknown): AcsAnswer => ({ body: value });
const ram = (action: string, about?: string): string => at('ram', action, about, '');
const attached = (PolicyName: string): AcsAnswer => body({ Policies: { Policy: [{ PolicyName, PolicyType: 'System' }] } });
const DOCUMENT = '{"Version":"1","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}';

/** An account as Alibaba Cloud's references show its answers: something of every list. */
export const ALICLOUD_ESTATE: Readonly<Record<string, AcsAnswer>> = {
  [at('ecs', 'DescribeInstances')]: list('Instances.Instance', [
    {
      ...{ InstanceId: 'i-web', InstanceName: 'web', ZoneId: `${HOME}-b`, ImageId: 'aliyun_3', Status: 'Running' },
      ...{ MetadataOptions: { HttpEndpoint: 'enabled', HttpTokens: 'optional' }, SecurityGroupIds: { SecurityGroupId: ['sg-open'] } },
      VpcAttributes: { VSwitchId: 'vsw-1', VpcId: 'vpc-1', PrivateIpAddress: { IpAddress: ['10.0.0.5'] } },
    },
  ]),
  [at('ecs', 'DescribeDisks')]: list('Disks.Disk', [
    { DiskId: 'd-1', DiskName: 'system', Encrypted: false, InstanceId: 'i-web', Size: 40, ZoneId: `${HOME}-b` },
    { DiskId: 'd-2', DiskName: 'data', Encrypted: true, KMSKeyId: 'key-1', Size: 100, ZoneId: `${HOME}-b` },
    { DiskId: 'd-3', DiskName: 'more', Encrypted: false, Size: 100, ZoneId: `${HOME}-b` },
  ]),
  [at('ecs', 'DescribeSecurityGroups')]: list('SecurityGroups.SecurityGroup', [
    { SecurityGroupId: 'sg-open', SecurityGroupName: 'open', VpcId: 'vpc-1' },
  ]),
  [at('ecs', 'DescribeSecurityGroupAttribute', 'sg-open')]: body({
    SecurityGroupId: 'sg-open',
    InnerAccessPolicy: 'Accept',
    Permissions: {
      Permission: [
        {
          Direction: 'ingress',
          IpProtocol: 'tcp',
          PortRange: '22/22',
          Policy: 'accept',
          SourceCidrIp: '0.0.0.0/0',
          NicType: 'intranet',
          Priority: 1,
          SecurityGroupRuleId: 'sgr-1',
        },
        {
          Direction: 'egress',
          IpProtocol: 'all',
          PortRange: '-1/-1',
          Policy: 'accept',
          DestCidrIp: '0.0.0.0/0',
          NicType: 'intranet',
          Priority: 1,
          SecurityGroupRuleId: 'sgr-2',
        },
      ],
    },
  }),
  [at('ecs', 'DescribeLaunchTemplates')]: list('LaunchTemplateSets.LaunchTemplateSet', [
    { LaunchTemplateId: 'lt-1', LaunchTemplateName: 'pool' },
  ]),
  [at('ecs', 'DescribeLaunchTemplateVersions', 'lt-1')]: body({
    LaunchTemplateVersionSets: {
      LaunchTemplateVersionSet: [
        {
          LaunchTemplateData: {
            HttpTokens: 'required',
            UserData: 'aHVudGVyMg==',
            SystemDisk: { Encrypted: 'false' },
            DataDisks: { DataDisk: [{ Encrypted: 'true' }] },
          },
        },
      ],
    },
  }),
  [at('ecs', 'DescribeAutoSnapshotPolicyEx')]: list('AutoSnapshotPolicies.AutoSnapshotPolicy', [
    {
      AutoSnapshotPolicyId: 'sp-1',
      AutoSnapshotPolicyName: 'daily',
      EnableCrossRegionCopy: true,
      CopyEncryptionConfiguration: { Encrypted: false },
    },
  ]),
  [at('vpc', 'DescribeVpcs')]: list('Vpcs.Vpc', [{ VpcId: 'vpc-1', VpcName: 'shop', CidrBlock: '10.0.0.0/8' }]),
  [at('vpc', 'DescribeVpcs', undefined, `.${FAR}`)]: list('Vpcs.Vpc', [{ VpcId: 'vpc-far', VpcName: 'far', CidrBlock: '10.0.0.0/8' }]),
  [at('vpc', 'DescribeVSwitches')]: list('VSwitches.VSwitch', [
    { VSwitchId: 'vsw-1', VpcId: 'vpc-1', ZoneId: `${HOME}-b`, CidrBlock: '10.0.0.0/24' },
  ]),
  [at('vpc', 'DescribeEipAddresses')]: list('EipAddresses.EipAddress', [
    { AllocationId: 'eip-1', IpAddress: '192.0.2.4', InstanceId: 'i-web', InstanceType: 'EcsInstance' },
  ]),
  [at('vpc', 'DescribeSslVpnServers')]: list('SslVpnServers.SslVpnServer', [
    { SslVpnServerId: 'vss-1', Name: 'office', Cipher: 'none', Proto: 'UDP' },
  ]),
  [at('vpc', 'DescribeNetworkAcls')]: list('NetworkAcls.NetworkAcl', [
    {
      NetworkAclId: 'nacl-1',
      NetworkAclName: 'acl',
      VpcId: 'vpc-1',
      Resources: { Resource: [{ ResourceId: 'vsw-1', ResourceType: 'VSwitch' }] },
    },
  ]),
  [at('vpc', 'DescribeNetworkAclAttributes', 'nacl-1')]: body({
    NetworkAclAttribute: {
      IngressAclEntries: {
        IngressAclEntry: [{ NetworkAclEntryName: 'rdp', Policy: 'accept', Port: '3389/3389', Protocol: 'tcp', SourceCidrIp: '0.0.0.0/0' }],
      },
    },
  }),
  [at('rds', 'DescribeDBInstances')]: list(
    'Items.DBInstance',
    [
      { DBInstanceId: 'rm-1', Engine: 'MySQL', EngineVersion: '8.0', VSwitchId: 'vsw-1' },
      { DBInstanceId: 'rm-2', Engine: 'PostgreSQL' },
    ],
    'record',
  ),
  [at('rds', 'DescribeDBInstanceIPArrayList', 'rm-1')]: body({
    Items: { DBInstanceIPArray: [{ SecurityIPList: '127.0.0.1' }, { SecurityIPList: '0.0.0.0/0' }] },
  }),
  [at('rds', 'DescribeDBInstanceSSL', 'rm-1')]: body({ SSLEnabled: 'No' }),
  [at('rds', 'DescribeDBInstanceTDE', 'rm-1')]: body({ TDEStatus: 'Disabled' }),
  [at('r-kvstore', 'DescribeInstances')]: list('Instances.KVStoreInstance', [
    { InstanceId: 'r-1', InstanceName: 'cache', EngineVersion: '7.0' },
  ]),
  [at('r-kvstore', 'DescribeInstanceAttribute', 'r-1')]: body({ Instances: { DBInstanceAttribute: [{ VpcAuthMode: 'Close' }] } }),
  [at('r-kvstore', 'DescribeSecurityIps', 'r-1')]: body({ SecurityIpGroups: { SecurityIpGroup: [{ SecurityIpList: '0.0.0.0/0' }] } }),
  [at('r-kvstore', 'DescribeInstanceSSL', 'r-1')]: body({ SSLEnabled: 'Disable' }),
  [at('r-kvstore', 'DescribeInstanceTDEStatus', 'r-1')]: body({ TDEStatus: 'Disabled' }),
  ...Object.fromEntries(
    ['replicate', 'sharding'].flatMap((kind) => [
      [at('mongodb', 'DescribeDBInstances', kind), list('DBInstances.DBInstance', [{ DBInstanceId: `dds-${kind}`, EngineVersion: '7.0' }])],
      [
        at('mongodb', 'DescribeSecurityIps', `dds-${kind}`),
        body({ SecurityIpGroups: { SecurityIpGroup: [{ SecurityIpList: '0.0.0.0/0' }] } }),
      ],
      [at('mongodb', 'DescribeDBInstanceSSL', `dds-${kind}`), body({ SSLStatus: 'Closed' })],
      [at('mongodb', 'DescribeDBInstanceTDEInfo', `dds-${kind}`), body({ TDEStatus: 'disabled' })],
    ]),
  ),
  [at('polardb', 'DescribeDBClusters')]: list(
    'Items.DBCluster',
    [{ DBClusterId: 'pc-1', DBClusterDescription: 'orders', DBType: 'MySQL', DBVersion: '8.0' }],
    'record',
  ),
  [at('polardb', 'DescribeDBClusterAccessWhitelist', 'pc-1')]: body({ Items: { DBClusterIPArray: [{ SecurityIps: '0.0.0.0/0' }] } }),
  [at('polardb', 'DescribeDBClusterTDE', 'pc-1')]: body({ TDEStatus: 'Disabled' }),
  [at('polardb', 'DescribeDBClusterEndpoints', 'pc-1')]: body({
    Items: [
      {
        DBEndpointId: 'pe-1',
        EndpointType: 'Cluster',
        AddressItems: [{ NetType: 'Public', ConnectionString: 'pc-1.polardb.rds.aliyuncs.com', Port: '3306' }],
      },
    ],
  }),
  [at('gpdb', 'DescribeDBInstances')]: list('Items.DBInstance', [{ DBInstanceId: 'gp-1', Engine: 'gpdb', EngineVersion: '7.0' }], 'record'),
  [at('gpdb', 'DescribeDBInstanceAttribute', 'gp-1')]: body({ Items: { DBInstanceAttribute: [{ EncryptionType: 'CloudDisk' }] } }),
  [at('gpdb', 'DescribeDBInstanceIPArrayList', 'gp-1')]: body({
    Items: { DBInstanceIPArray: [{ DBInstanceIPArrayName: 'default', SecurityIPList: '0.0.0.0/0' }] },
  }),
  [at('gpdb', 'DescribeDBInstanceSSL', 'gp-1')]: body({ SSLEnabled: false }),
  [at('slb', 'DescribeLoadBalancers')]: list('LoadBalancers.LoadBalancer', [
    { LoadBalancerId: 'lb-1', LoadBalancerName: 'edge', AddressType: 'internet' },
  ]),
  [at('slb', 'DescribeLoadBalancerListeners')]: list(
    'Listeners',
    [
      { LoadBalancerId: 'lb-1', ListenerPort: 80, ListenerProtocol: 'http', HTTPListenerConfig: { ListenerForward: 'off' } },
      { LoadBalancerId: 'lb-1', ListenerPort: 443, ListenerProtocol: 'https' },
    ],
    'token',
  ),
  [at('slb', 'DescribeAccessControlLists')]: list('Acls.Acl', [{ AclId: 'acl-1', AclName: 'all' }]),
  [at('slb', 'DescribeAccessControlListAttribute', 'acl-1')]: body({ AclEntrys: { AclEntry: [{ AclEntryIP: '0.0.0.0/0' }] } }),
  [at('alb', 'ListLoadBalancers')]: list('LoadBalancers', [{ LoadBalancerId: 'alb-1', LoadBalancerName: 'app' }], 'token'),
  [at('alb', 'ListListeners')]: list(
    'Listeners',
    [{ ListenerId: 'lsn-1', LoadBalancerId: 'alb-1', ListenerProtocol: 'HTTP', ListenerPort: 80 }],
    'token',
  ),
  [at('alb', 'ListAcls')]: list('Acls', [{ AclId: 'aacl-1', AclName: 'all' }], 'token'),
  [at('alb', 'ListAclEntries', 'aacl-1')]: body({ AclEntries: [{ Entry: '0.0.0.0/0', Status: 'Available' }] }),
  [at('alb', 'ListRules')]: list(
    'Rules',
    [
      {
        RuleId: 'rule-1',
        ListenerId: 'lsn-1',
        RuleActions: [{ Type: 'Cors', Order: 1, CorsConfig: { AllowOrigin: ['*'], AllowCredentials: 'on' } }],
      },
    ],
    'token',
  ),
  [at('ens', 'DescribeSecurityGroups', undefined, '')]: list('SecurityGroups.SecurityGroup', [{ SecurityGroupId: 'esg-1' }]),
  [at('ens', 'DescribeSecurityGroupAttribute', 'esg-1', '')]: body({
    Permissions: {
      Permission: [{ Direction: 'ingress', Policy: 'Accept', IpProtocol: 'ALL', PortRange: '-1/-1', SourceCidrIp: '0.0.0.0/0' }],
    },
  }),
  [at('ecd', 'DescribePolicyGroups')]: list(
    'DescribePolicyGroups',
    [
      { PolicyGroupId: 'system-all-enabled-policy', Name: 'everybody' },
      {
        ...{ PolicyGroupId: 'pg-1', Name: 'desks', AuthorizeAccessPolicyRules: [{ CidrIp: '0.0.0.0/0' }] },
        AuthorizeSecurityPolicyRules: [{ Type: 'inflow', Policy: 'accept', IpProtocol: 'TCP', PortRange: '22/22', CidrIp: '0.0.0.0/0' }],
      },
    ],
    'token',
  ),
  [at('swas', 'ListInstances')]: list('Instances', [{ InstanceId: 'swas-1' }]),
  [at('swas', 'ListFirewallRules', 'swas-1')]: list('FirewallRules', [{ RuleId: 'fw-1', Port: '1/65535', RuleProtocol: 'TCP' }]),
  [at('rds', 'DescribeDBInstanceNetInfo', 'rm-1')]: body({
    DBInstanceNetInfos: {
      DBInstanceNetInfo: [
        { ConnectionString: 'rm-1.mysql.rds.aliyuncs.com', IPType: 'Private', Port: '3306' },
        { ConnectionString: 'rm-1-public.mysql.rds.aliyuncs.com', IPType: 'Public', Port: '3306' },
      ],
    },
  }),
  [at('rds', 'DescribeDBInstanceNetInfo', 'rm-2')]: body({
    DBInstanceNetInfos: { DBInstanceNetInfo: [{ ConnectionString: 'rm-2.pg.rds.aliyuncs.com', IPType: 'Private', Port: '5432' }] },
  }),
  [at('rds', 'DescribePGHbaConfig', 'rm-2')]: body({
    RunningHbaItems: { HbaItem: [{ Type: 'host', Database: 'all', User: 'all', Address: '0.0.0.0/0', Method: 'trust', PriorityId: 1 }] },
  }),
  [at('rds', 'DescribeAllWhitelistTemplate')]: body({
    Data: { CurrPageNumbers: 1, TotalRecords: 1, Templates: [{ TemplateId: 7, TemplateName: 'all', Ips: '10.0.0.1,0.0.0.0/0' }] },
  }),
  [at('r-kvstore', 'DescribeDBInstanceNetInfo', 'r-1')]: body({
    NetInfoItems: {
      InstanceNetInfo: [
        { ConnectionString: 'r-1.redis.rds.aliyuncs.com', DBInstanceNetType: '2', IPType: 'Private' },
        { ConnectionString: 'r-1-public.redis.rds.aliyuncs.com', DBInstanceNetType: '0', IPType: 'Public' },
      ],
    },
  }),
  ...Object.fromEntries(
    ['r-kvstore', 'mongodb', 'polardb'].map((host) => [
      at(host, 'DescribeGlobalSecurityIPGroup'),
      body({ GlobalSecurityIPGroup: [{ GlobalSecurityGroupId: `g-${host}`, GlobalIgName: 'all', GIpList: '0.0.0.0/0' }] }),
    ]),
  ),
  [at('mongodb', 'DescribeReplicaSetRole', 'dds-replicate')]: body({
    ReplicaSets: {
      ReplicaSet: [
        { ReplicaSetRole: 'Primary', NetworkType: 'VPC', ConnectionDomain: 'dds-1.mongodb.rds.aliyuncs.com' },
        { ReplicaSetRole: 'Primary', NetworkType: 'Public', ConnectionDomain: 'dds-1-pub.mongodb.rds.aliyuncs.com' },
      ],
    },
  }),
  [at('mongodb', 'DescribeShardingNetworkAddress', 'dds-sharding')]: body({
    NetworkAddresses: { NetworkAddress: [{ NodeId: 's-1', NetworkType: 'Public', NetworkAddress: 's-1-pub.mongodb.rds.aliyuncs.com' }] },
  }),
  [at('gpdb', 'DescribeDBInstanceNetInfo', 'gp-1')]: body({
    DBInstanceNetInfos: { DBInstanceNetInfo: [{ ConnectionString: 'gp-1-pub.gpdb.rds.aliyuncs.com', IPType: 'Public' }] },
  }),
  // of both versions of the interface
  [at('adb', 'DescribeDBClusters')]: list('Items.DBCluster', [{ DBClusterId: 'am-1', DBClusterDescription: 'numbers' }]),
  [at('adb', 'DescribeDBClusterAccessWhiteList', 'am-1')]: body({ Items: { IPArray: [{ SecurityIPList: '10.0.0.1,0.0.0.0/0' }] } }),
  [at('adb', 'DescribeDBClusterNetInfo', 'am-1')]: body({
    Items: { Address: [{ NetType: 'Public', ConnectionString: 'am-1-pub.ads.aliyuncs.com' }] },
  }),
  [at('adb', 'DescribeClusterAccessWhiteList', 'am-1')]: body({
    Items: { IPArray: [{ SecurityIPList: '10.0.0.1' }, { SecurityIPList: '0.0.0.0/0' }] },
  }),
  [at('hitsdb', 'GetLindormInstanceList')]: body({ InstanceList: [{ InstanceId: 'ld-1', InstanceAlias: 'series' }], Total: 1 }),
  [at('hitsdb', 'GetInstanceIpWhiteList', 'ld-1')]: body({
    IpList: ['10.0.0.1'],
    GroupList: [{ GroupName: 'user', SecurityIpList: '10.0.0.1,0.0.0.0/0' }],
  }),
  [at('hitsdb', 'GetLindormInstanceEngineList', 'ld-1')]: body({
    EngineList: [{ EngineType: 'tsdb', NetInfoList: [{ NetType: '0', ConnectionString: 'ld-1-pub.lindorm.rds.aliyuncs.com' }] }],
  }),
  [at('clickhouse', 'DescribeDBClusters')]: list('DBClusters.DBCluster', [{ DBClusterId: 'cc-1', DBClusterDescription: 'clicks' }]),
  [at('clickhouse', 'DescribeDBClusterAccessWhiteList', 'cc-1')]: body({
    DBClusterAccessWhiteList: { IPArray: [{ DBClusterIPArrayName: 'default', SecurityIPList: '0.0.0.0/0' }] },
  }),
  [at('hbase', 'DescribeInstances')]: list('Instances.Instance', [{ InstanceId: 'hb-1', InstanceName: 'wide' }]),
  [at('hbase', 'DescribeIpWhitelist', 'hb-1')]: body({ Groups: { Group: [{ IpList: { Ip: ['10.0.0.1', '0.0.0.0/0'] } }] } }),
  ...Object.fromEntries(
    ['in', 'out'].map((direction) => [
      [at('cloudfw', 'DescribeControlPolicy', undefined, ''), direction].join(' '),
      body({
        Policys: [
          {
            AclUuid: `acl-${direction}`,
            Direction: direction,
            Source: '0.0.0.0/0',
            Destination: '0.0.0.0/0',
            Proto: 'ANY',
            AclAction: 'accept',
          },
        ],
        TotalCount: '1',
      }),
    ]),
  ),
  [at('cloudfw', 'DescribeVpcFirewallAclGroupList', undefined, '')]: body({ AclGroupList: [{ AclGroupId: 'vfw-1' }], TotalCount: 1 }),
  [at('cloudfw', 'DescribeVpcFirewallControlPolicy', 'vfw-1', '')]: body({
    Policys: [{ AclUuid: 'acl-v', Source: '10.0.0.0/8', Destination: '10.2.0.10/32', Proto: 'TCP', AclAction: 'accept' }],
    TotalCount: '1',
  }),
  [at('ga', 'ListAcls')]: list('Acls', [{ AclId: 'nacl-ga', AclName: 'all' }], 'token'),
  [at('ga', 'GetAcl', 'nacl-ga')]: body({ AclId: 'nacl-ga', AclEntries: [{ Entry: '0.0.0.0/0', EntryDescription: 'all' }] }),
  [at('apigateway', 'DescribeAccessControlLists')]: list('Acls.Acl', [{ AclId: 'acl-api', AclName: 'all' }]),
  [at('apigateway', 'DescribeAccessControlListAttribute', 'acl-api')]: body({ AclEntrys: { AclEntry: [{ AclEntryIp: '0.0.0.0/0' }] } }),
  [at('privatelink', 'ListVpcEndpointServices')]: list('Services', [{ ServiceId: 'epsrv-1' }], 'token'),
  [at('privatelink', 'ListVpcEndpointServiceUsers', 'epsrv-1')]: list('UserARNs', [{ UserARN: '*' }], 'token'),
  [at('cr', 'ListInstance')]: body({
    Instances: [{ InstanceId: 'cri-1', InstanceName: 'images' }],
    TotalCount: 1,
    PageNo: 1,
    PageSize: 30,
  }),
  [at('cr', 'ListNamespace', 'cri-1')]: body({ Namespaces: [{ NamespaceName: 'shop', DefaultRepoType: 'PUBLIC' }], TotalCount: '1' }),
  [at('cr', 'ListRepository', 'cri-1')]: body({
    Repositories: [{ RepoNamespaceName: 'shop', RepoName: 'web', RepoType: 'PUBLIC' }],
    TotalCount: '1',
  }),
  [at('cr', 'ListChartNamespace', 'cri-1')]: body({
    Namespaces: [{ NamespaceName: 'charts', DefaultRepoType: 'PUBLIC' }],
    TotalCount: '1',
  }),
  [at('cr', 'ListChartRepository', 'cri-1')]: body({
    Repositories: [{ RepoNamespaceName: 'charts', RepoName: 'web', RepoType: 'PUBLIC' }],
    TotalCount: '1',
  }),
  [at('cr', 'GetInstanceEndpoint', 'cri-1')]: body({ Enable: true, AclEnable: true, AclEntries: [{ Entry: '0.0.0.0/0', Comment: 'all' }] }),
  [at('ims', 'ListOIDCProviders', undefined, '')]: list(
    'OIDCProviders.OIDCProvider',
    [{ OIDCProviderName: 'ci', IssuerUrl: 'https://ci.example.com', Fingerprints: '902ef2de,0a1b', ClientIds: 'sts.aliyuncs.com' }],
    'marker',
  ),
  [at('resourcemanager', 'ListPolicyAttachments', undefined, '')]: list('PolicyAttachments.PolicyAttachment', [
    { PolicyName: 'AdministratorAccess', PolicyType: 'System', PrincipalName: 'ann', PrincipalType: 'IMSUser', ResourceGroupId: 'rg-1' },
    { PolicyName: 'Whole', PolicyType: 'System', PrincipalName: 'ann', PrincipalType: 'IMSUser', ResourceGroupId: '1234567890123456' },
  ]),
  [at('cloudsso', 'ListDirectories')]: body({ Directories: [{ DirectoryId: 'd-1', DirectoryName: 'all' }] }),
  [at('cloudsso', 'ListAccessConfigurations', 'd-1')]: list(
    'AccessConfigurations',
    [{ AccessConfigurationId: 'ac-1', AccessConfigurationName: 'admins', SessionDuration: 3_600 }],
    'token',
  ),
  [at('cloudsso', 'ListPermissionPoliciesInAccessConfiguration', 'ac-1')]: body({
    PermissionPolicies: [
      { PermissionPolicyType: 'System', PermissionPolicyName: 'AdministratorAccess' },
      { PermissionPolicyType: 'Inline', PermissionPolicyName: 'inline', PermissionPolicyDocument: DOCUMENT },
    ],
  }),
  [ram('ListUsers')]: list(
    'Users.User',
    [
      { UserId: '2001', UserName: 'ann' },
      { UserId: '2002', UserName: 'bob' },
    ],
    'marker',
  ),
  [ram('ListAccessKeys', 'ann')]: body({ AccessKeys: { AccessKey: [{ AccessKeyId: 'LTAIann', Status: 'Active' }] } }),
  [ram('GetLoginProfile', 'ann')]: body({ LoginProfile: { UserName: 'ann', MFABindRequired: false } }),
  [ram('ListPoliciesForUser', 'ann')]: attached('AdministratorAccess'),
  [ram('ListPoliciesForUser', 'bob')]: body({ Policies: { Policy: [] } }),
  [ram('ListGroups')]: list('Groups.Group', [{ GroupName: 'ops' }], 'marker'),
  [ram('ListPoliciesForGroup', 'ops')]: attached('AdministratorAccess'),
  [ram('ListRoles')]: list(
    'Roles.Role',
    [{ RoleName: 'deploy', Arn: 'acs:ram::1234567890123456:role/deploy', MaxSessionDuration: 3_600 }],
    'marker',
  ),
  [ram('GetRole', 'deploy')]: body({
    Role: { RoleName: 'deploy', AssumeRolePolicyDocument: '{"Statement":[{"Principal":{"RAM":["*"]}}]}' },
  }),
  [ram('ListPoliciesForRole', 'deploy')]: attached('AliyunECSFullAccess'),
  [ram('ListPolicies')]: list('Policies.Policy', [{ PolicyName: 'all', PolicyType: 'Custom' }], 'marker'),
  [ram('GetPolicy', 'all')]: body({ Policy: { PolicyName: 'all' }, DefaultPolicyVersion: { PolicyDocument: DOCUMENT } }),
  [ram('GetPasswordPolicy')]: body({ PasswordPolicy: { MinimumPasswordLength: 8, RequireNumbers: true, MaxLoginAttemps: 5 } }),
  [ram('GetSecurityPreference')]: body({
    SecurityPreference: { LoginProfilePreference: { MFAOperationForLogin: 'independent', EnforceMFAForLogin: false } },
  }),
  [at('actiontrail', 'DescribeTrails')]: body({
    TrailList: [{ Name: 'main', Status: 'Enable', OssBucketName: 'logs', TrailRegion: 'All' }],
  }),
  [at('kms', 'ListKeys')]: list('Keys.Key', [{ KeyId: 'key-1', KeyArn: `acs:kms:${HOME}:1234567890123456:key/key-1` }]),
  [at('kms', 'DescribeKey', 'key-1')]: body({ KeyMetadata: { KeyState: 'Enabled', AutomaticRotation: 'Disabled' } }),
  [at('kms', 'GetKeyPolicy', 'key-1')]: body({ Policy: DOCUMENT }),
  [at('kms', 'ListSecrets')]: list('SecretList.Secret', [{ SecretName: 'database', SecretType: 'Generic' }]),
  [at('kms', 'GetSecretPolicy', 'database')]: body({
    Policy: '{"Version":"1","Statement":[{"Effect":"Allow","Action":["kms:*"],"Principal":{"RAM":["*"]},"Resource":["*"]}]}',
  }),
  [at('kms', 'ListNetworkRules')]: list('NetworkRules.NetworkRule', [{ Name: 'private', Type: 'Private' }]),
  [at('kms', 'DescribeNetworkRule', 'private')]: body({ Type: 'Private', SourcePrivateIp: '["10.0.0.0/8","0.0.0.0/0"]' }),
  [at('nas', 'DescribeFileSystems')]: list('FileSystems.FileSystem', [
    { FileSystemId: 'nas-1', ProtocolType: 'SMB', EncryptType: 0 },
    { FileSystemId: 'nas-2', ProtocolType: 'NFS', EncryptType: 1 },
  ]),
  [at('nas', 'DescribeSmbAcl', 'nas-1')]: body({
    Acl: { Enabled: true, EnableAnonymousAccess: true, EncryptData: false, RejectUnencryptedAccess: false },
  }),
};

const bucket = (name: string, region: string): string =>
  `<Bucket><Name>${name}</Name><Location>oss-${region}</Location><Region>${region}</Region><StorageClass>Standard</StorageClass></Bucket>`;
const buckets = (inside: string, next = ''): string =>
  `<?xml version="1.0" encoding="UTF-8"?><ListAllMyBucketsResult><Buckets>${inside}</Buckets><IsTruncated>${next !== ''}</IsTruncated><NextMarker>${next}</NextMarker></ListAllMyBucketsResult>`;
const info = (name: string, grant: string, algorithm: string, blocked: boolean): string =>
  `<?xml version="1.0"?><BucketInfo><Bucket><Name>${name}</Name><Versioning>Enabled</Versioning><BlockPublicAccess>${blocked}</BlockPublicAccess><AccessControlList><Grant>${grant}</Grant></AccessControlList><ServerSideEncryptionRule><SSEAlgorithm>${algorithm}</SSEAlgorithm></ServerSideEncryptionRule></Bucket></BucketInfo>`;
const LISTED = `oss-${HOME}.aliyuncs.com`;
const hostOf = (name: string, region = HOME): string => `${name}.oss-${region}.aliyuncs.com`;

/** What the object storage has, page by page. */
export const ALICLOUD_BUCKETS: Readonly<Record<string, string>> = {
  [`${LISTED}?max-keys=100`]: buckets(bucket('invoices', HOME), 'invoices'),
  [`${LISTED}?max-keys=100&marker=invoices`]: buckets(bucket('far', FAR)),
  [`${hostOf('invoices')}?bucketInfo`]: info('invoices', 'public-read', 'None', false),
  [`${hostOf('invoices')}?policy`]: '{"Version":"1","Statement":[{"Effect":"Allow","Principal":["*"],"Action":["oss:*"]}]}',
  [`${hostOf('invoices')}?httpsConfig`]: '<HttpsConfiguration><TLS><Enable>false</Enable></TLS></HttpsConfiguration>',
  [`${hostOf('far', FAR)}?bucketInfo`]: info('far', 'private', 'AES256', true),
};
