import type { CallGroup, CallLine } from '../lines.js';

const list = (call: string, more: Partial<CallLine> = {}): CallLine => ({ call, page: 'NextToken', quiet: { MaxResults: 1000 }, ...more });

const ec2 = {
  service: 'ec2',
  command: 'ec2',
  prefix: 'ec2',
  load: () => import('@aws-sdk/client-ec2'),
  client: 'EC2Client',
} as const;

/** The regions that are enabled for an account. */
export const REGIONS: CallGroup = { ...ec2, global: true, calls: [{ call: 'DescribeRegions' }] };

/** Machines, their disks and networks. */
export const EC2: CallGroup = {
  ...ec2,
  calls: [
    list('DescribeInstances'),
    list('DescribeVolumes'),
    list('DescribeSnapshots', { input: { OwnerIds: ['self'] } }),
    list('DescribeImages', { input: { Owners: ['self'] } }),
    list('DescribeVpcs'),
    list('DescribeSubnets'),
    list('DescribeSecurityGroups'),
    list('DescribeRouteTables', { quiet: { MaxResults: 100 } }),
    list('DescribeInternetGateways'),
    list('DescribeNatGateways'),
    list('DescribeNetworkAcls'),
    list('DescribeNetworkInterfaces'),
    { call: 'DescribeAddresses' },
    list('DescribeFlowLogs'),
    list('DescribeVpcEndpoints'),
    list('DescribeVpcEndpointServiceConfigurations', {
      each: 'ServiceConfigurations',
      then: [list('DescribeVpcEndpointServicePermissions', { input: { ServiceId: '{ServiceId}' } })],
    }),
    list('DescribeVpcPeeringConnections'),
    list('DescribeTransitGateways'),
    list('DescribeClientVpnEndpoints'),
    list('DescribeManagedPrefixLists', {
      quiet: { MaxResults: 100 },
      each: 'PrefixLists',
      // the others are those of AWS
      only: { OwnerId: '{account}' },
      then: [list('GetManagedPrefixListEntries', { input: { PrefixListId: '{PrefixListId}' }, quiet: { MaxResults: 100 } })],
    }),
    {
      call: 'DescribeVpnConnections',
      // both hold the keys of tunnels
      without: ['VpnConnections.CustomerGatewayConfiguration', 'VpnConnections.Options.TunnelOptions.PreSharedKey'],
    },
    { call: 'DescribeKeyPairs' },
    list('DescribeLaunchTemplateVersions', {
      input: { Versions: ['$Default'] },
      quiet: { MaxResults: 200 },
      without: ['LaunchTemplateVersions.LaunchTemplateData.UserData'],
    }),
    { call: 'GetEbsEncryptionByDefault' },
    { call: 'GetSnapshotBlockPublicAccessState' },
    { call: 'GetImageBlockPublicAccessState' },
    { call: 'GetInstanceMetadataDefaults' },
  ],
};
