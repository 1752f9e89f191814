import { ecs, product, SIZED, type AlicloudService } from '../product.js';

const vpc = product('vpc', 'vpc.{region}.aliyuncs.com', '2016-04-28');
const slb = product('slb', 'slb.{region}.aliyuncs.com', '2014-05-15');
const alb = product('alb', 'alb.{region}.aliyuncs.com', '2020-06-16');
const ens = product('ens', 'ens.aliyuncs.com', '2017-11-10');
const ecd = product('ecd', 'ecd.{region}.aliyuncs.com', '2020-09-30');
const swas = product('swas-open', 'swas.{region}.aliyuncs.com', '2020-06-01');

/** Machines and the networks that they are in. */
export const MACHINES: readonly AlicloudService[] = [
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
      alb.call('ListRules', 'MaxResults=100', { each: 'Rules' }),
      alb.call('ListAcls', 'MaxResults=100', {
        each: 'Acls',
        then: [alb.call('ListAclEntries', 'AclId={AclId}&MaxResults=100', { about: '{AclId}' })],
      }),
    ],
  },
  {
    service: 'ens',
    where: 'account',
    lines: [
      ens.call('DescribeSecurityGroups', SIZED, {
        each: 'SecurityGroups.SecurityGroup',
        then: ens.about('SecurityGroupId', ['DescribeSecurityGroupAttribute']),
      }),
    ],
  },
  {
    service: 'ecd',
    where: 'region',
    lines: [ecd.call('DescribePolicyGroups', 'RegionId={region}&MaxResults=100', { each: 'DescribePolicyGroups' })],
  },
  {
    service: 'swas-open',
    where: 'region',
    lines: [
      swas.list('ListInstances', 'Instances', {
        then: [
          swas.call('ListFirewallRules', `InstanceId={InstanceId}&RegionId={region}&${SIZED}`, {
            about: '{InstanceId}',
            each: 'FirewallRules',
          }),
        ],
      }),
    ],
  },
];
