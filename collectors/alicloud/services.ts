import type { Line, Service } from '../listing/line.js';

/** Asked once for the account, or in each region. */
export type AlicloudWhere = 'account' | 'region';

type More = Partial<Line>;
/** `describe-db-instances` of `DescribeDBInstances`. */
const named = (action: string): string =>
  action
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();

const SIZED = 'PageNumber=1&PageSize=50';
/** Operations of one product: `Action` and `Version` are what headers name. */
const product = (prefix: string, host: string, version: string) => {
  const call = (action: string, query: string, more: More = {}): Line => ({
    ...{ call: named(action), permission: `${prefix}:${action}`, host },
    path: `/?Action=${action}&Version=${version}${query === '' ? '' : `&${query}`}`,
    ...more,
  });
  return {
    call,
    /** A list in pages with numbers. */
    list: (action: string, each: string, more: More = {}): Line => call(action, `RegionId={region}&${SIZED}`, { each, ...more }),
  };
};

const ecs = product('ecs', 'ecs.{region}.aliyuncs.com', '2014-05-26');
const vpc = product('vpc', 'vpc.{region}.aliyuncs.com', '2016-04-28');
const rds = product('rds', 'rds.{region}.aliyuncs.com', '2014-08-15');
const redis = product('kvstore', 'r-kvstore.{region}.aliyuncs.com', '2015-01-01');
const mongo = product('dds', 'mongodb.{region}.aliyuncs.com', '2015-12-01');
const polar = product('polardb', 'polardb.{region}.aliyuncs.com', '2017-08-01');
const greenplum = product('gpdb', 'gpdb.{region}.aliyuncs.com', '2016-05-03');
const slb = product('slb', 'slb.{region}.aliyuncs.com', '2014-05-15');
const alb = product('alb', 'alb.{region}.aliyuncs.com', '2020-06-16');
const ram = product('ram', 'ram.aliyuncs.com', '2015-05-01');
const trails = product('actiontrail', 'actiontrail.{region}.aliyuncs.com', '2020-07-06');
const kms = product('kms', 'kms.{region}.aliyuncs.com', '2016-01-20');
const nas = product('nas', 'nas.{region}.aliyuncs.com', '2017-06-26');

/** Every region tells all regions. */
export const REGIONS: Line = { ...ecs.call('DescribeRegions', ''), host: 'ecs.cn-hangzhou.aliyuncs.com' };

const ofInstance = (of: typeof rds, action: string, more: More = {}): Line =>
  of.call(action, 'DBInstanceId={DBInstanceId}', { about: '{DBInstanceId}', ...more });
const ofRedis = (action: string): Line => redis.call(action, 'InstanceId={InstanceId}', { about: '{InstanceId}' });
const ofPolar = (action: string): Line => polar.call(action, 'DBClusterId={DBClusterId}', { about: '{DBClusterId}' });
const mongos = (kind: string): Line => ({
  ...mongo.call('DescribeDBInstances', `RegionId={region}&DBInstanceType=${kind}&${SIZED}`, { each: 'DBInstances.DBInstance' }),
  ...{ call: `describe-${kind}-instances` },
  then: ['DescribeSecurityIps', 'DescribeDBInstanceSSL', 'DescribeDBInstanceTDEInfo'].map((action) => ofInstance(mongo, action)),
});

const PAGES = 'MaxItems=100';
const ofUser = (action: string): Line => ram.call(action, 'UserName={UserName}', { about: '{UserName}' });
const policiesFor = (holder: 'User' | 'Role' | 'Group'): Line =>
  ram.call(`ListPoliciesFor${holder}`, `${holder}Name={${holder}Name}`, { about: `{${holder}Name}`, each: 'Policies.Policy' });

const OSS = 'oss-cn-hangzhou.aliyuncs.com';
const ofBucket = (call: string, permission: string, path: string): Line => ({
  ...{ call, permission: `oss:${permission}`, host: '{Name}.{Location}.aliyuncs.com', path: `/?${path}`, about: '{Name}' },
});

/** By service; what `importers/cloud/tables/alicloud.yaml` reads. */
export const ALICLOUD_SERVICES: readonly Service<AlicloudWhere>[] = [
  {
    service: 'ecs',
    where: 'region',
    lines: [
      ecs.list('DescribeInstances', 'Instances.Instance'),
      ecs.list('DescribeDisks', 'Disks.Disk'),
      ecs.list('DescribeSecurityGroups', 'SecurityGroups.SecurityGroup', {
        then: [
          ecs.call('DescribeSecurityGroupAttribute', 'RegionId={region}&SecurityGroupId={SecurityGroupId}&Direction=all', {
            about: '{SecurityGroupId}',
          }),
        ],
      }),
      ecs.list('DescribeLaunchTemplates', 'LaunchTemplateSets.LaunchTemplateSet', {
        then: [
          ecs.call('DescribeLaunchTemplateVersions', 'RegionId={region}&LaunchTemplateId={LaunchTemplateId}&DefaultVersion=true', {
            about: '{LaunchTemplateId}',
            without: ['LaunchTemplateVersionSets.LaunchTemplateVersionSet.LaunchTemplateData.UserData'],
          }),
        ],
      }),
      ecs.list('DescribeAutoSnapshotPolicyEx', 'AutoSnapshotPolicies.AutoSnapshotPolicy'),
    ],
  },
  {
    service: 'vpc',
    where: 'region',
    lines: [
      vpc.list('DescribeVpcs', 'Vpcs.Vpc'),
      vpc.list('DescribeVSwitches', 'VSwitches.VSwitch'),
      vpc.list('DescribeEipAddresses', 'EipAddresses.EipAddress'),
      vpc.list('DescribeSslVpnServers', 'SslVpnServers.SslVpnServer'),
      vpc.list('DescribeNetworkAcls', 'NetworkAcls.NetworkAcl', {
        then: [vpc.call('DescribeNetworkAclAttributes', 'RegionId={region}&NetworkAclId={NetworkAclId}', { about: '{NetworkAclId}' })],
      }),
    ],
  },
  {
    service: 'rds',
    where: 'region',
    lines: [
      rds.list('DescribeDBInstances', 'Items.DBInstance', {
        then: ['DescribeDBInstanceIPArrayList', 'DescribeDBInstanceSSL', 'DescribeDBInstanceTDE'].map((action) => ofInstance(rds, action)),
      }),
    ],
  },
  {
    service: 'kvstore',
    where: 'region',
    lines: [
      redis.list('DescribeInstances', 'Instances.KVStoreInstance', {
        then: ['DescribeInstanceAttribute', 'DescribeSecurityIps', 'DescribeInstanceSSL', 'DescribeInstanceTDEStatus'].map(ofRedis),
      }),
    ],
  },
  { service: 'mongodb', where: 'region', lines: ['replicate', 'sharding'].map(mongos) },
  {
    service: 'polardb',
    where: 'region',
    lines: [
      polar.list('DescribeDBClusters', 'Items.DBCluster', {
        then: ['DescribeDBClusterAccessWhitelist', 'DescribeDBClusterTDE', 'DescribeDBClusterEndpoints'].map(ofPolar),
      }),
    ],
  },
  {
    service: 'gpdb',
    where: 'region',
    lines: [
      greenplum.list('DescribeDBInstances', 'Items.DBInstance', {
        then: ['DescribeDBInstanceAttribute', 'DescribeDBInstanceIPArrayList', 'DescribeDBInstanceSSL'].map((action) =>
          ofInstance(greenplum, action),
        ),
      }),
    ],
  },
  {
    service: 'slb',
    where: 'region',
    lines: [
      slb.list('DescribeLoadBalancers', 'LoadBalancers.LoadBalancer'),
      slb.call('DescribeLoadBalancerListeners', 'RegionId={region}&MaxResults=100', { each: 'Listeners' }),
      slb.list('DescribeAccessControlLists', 'Acls.Acl', {
        then: [slb.call('DescribeAccessControlListAttribute', 'RegionId={region}&AclId={AclId}', { about: '{AclId}' })],
      }),
    ],
  },
  {
    service: 'alb',
    where: 'region',
    lines: [
      alb.call('ListLoadBalancers', 'MaxResults=100', { each: 'LoadBalancers' }),
      alb.call('ListListeners', 'MaxResults=100', { each: 'Listeners' }),
      alb.call('ListAcls', 'MaxResults=100', {
        each: 'Acls',
        then: [alb.call('ListAclEntries', 'AclId={AclId}&MaxResults=100', { about: '{AclId}' })],
      }),
    ],
  },
  {
    service: 'ram',
    where: 'account',
    lines: [
      ram.call('ListUsers', PAGES, {
        each: 'Users.User',
        then: [ofUser('ListAccessKeys'), ofUser('GetLoginProfile'), policiesFor('User')],
      }),
      ram.call('ListGroups', PAGES, { each: 'Groups.Group', then: [policiesFor('Group')] }),
      ram.call('ListRoles', PAGES, {
        each: 'Roles.Role',
        then: [ram.call('GetRole', 'RoleName={RoleName}', { about: '{RoleName}' }), policiesFor('Role')],
      }),
      ram.call('ListPolicies', `PolicyType=Custom&${PAGES}`, {
        each: 'Policies.Policy',
        then: [ram.call('GetPolicy', 'PolicyType=Custom&PolicyName={PolicyName}', { about: '{PolicyName}' })],
      }),
      ram.call('GetPasswordPolicy', ''),
      ram.call('GetSecurityPreference', ''),
    ],
  },
  { service: 'actiontrail', where: 'region', lines: [trails.call('DescribeTrails', 'IncludeShadowTrails=false', { each: 'TrailList' })] },
  {
    service: 'kms',
    where: 'region',
    lines: [
      kms.call('ListKeys', SIZED, {
        each: 'Keys.Key',
        then: [
          kms.call('DescribeKey', 'KeyId={KeyId}', { about: '{KeyId}' }),
          kms.call('GetKeyPolicy', 'KeyId={KeyId}&PolicyName=default', { about: '{KeyId}' }),
        ],
      }),
    ],
  },
  {
    service: 'nas',
    where: 'region',
    lines: [
      nas.call('DescribeFileSystems', SIZED, {
        each: 'FileSystems.FileSystem',
        then: [nas.call('DescribeSmbAcl', 'FileSystemId={FileSystemId}', { about: '{FileSystemId}', only: { ProtocolType: /^SMB$/ } })],
      }),
    ],
  },
  {
    service: 'oss',
    where: 'account',
    lines: [
      {
        ...{ call: 'list-buckets', permission: 'oss:ListBuckets', host: OSS, path: '/?max-keys=100' },
        each: 'ListAllMyBucketsResult.Buckets.Bucket',
        then: [
          ofBucket('get-bucket-info', 'GetBucketInfo', 'bucketInfo'),
          ofBucket('get-bucket-policy', 'GetBucketPolicy', 'policy'),
          ofBucket('get-bucket-https-config', 'GetBucketHttpsConfig', 'httpsConfig'),
        ],
      },
    ],
  },
];
