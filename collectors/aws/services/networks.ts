import type { CallGroup } from '../lines.js';

const ofArn = { input: { resourceIdentifier: '{arn}' } };
const policiesOfArn = [
  { call: 'GetAuthPolicy', ...ofArn },
  { call: 'GetResourcePolicy', input: { resourceArn: '{arn}' } },
] as const;

export const VPC_LATTICE: CallGroup = {
  service: 'vpc-lattice',
  command: 'vpc-lattice',
  prefix: 'vpc-lattice',
  load: () => import('@aws-sdk/client-vpc-lattice'),
  client: 'VPCLatticeClient',
  calls: [
    { call: 'ListServices', page: 'nextToken', quiet: { maxResults: 100 }, each: 'items', then: policiesOfArn },
    { call: 'ListServiceNetworks', page: 'nextToken', quiet: { maxResults: 100 }, each: 'items', then: policiesOfArn },
  ],
};

export const NETWORK_FIREWALL: CallGroup = {
  service: 'network-firewall',
  command: 'network-firewall',
  prefix: 'network-firewall',
  load: () => import('@aws-sdk/client-network-firewall'),
  client: 'NetworkFirewallClient',
  calls: [
    {
      call: 'ListFirewalls',
      page: 'NextToken',
      quiet: { MaxResults: 100 },
      each: 'Firewalls',
      then: [{ call: 'DescribeFirewall', input: { FirewallArn: '{FirewallArn}' } }],
    },
    {
      call: 'ListRuleGroups',
      page: 'NextToken',
      quiet: { MaxResults: 100 },
      each: 'RuleGroups',
      then: [
        { call: 'DescribeRuleGroup', input: { RuleGroupArn: '{Arn}' } },
        { call: 'DescribeResourcePolicy', input: { ResourceArn: '{Arn}' } },
      ],
    },
  ],
};

/** Machines of the simple kind, with firewalls of their own. */
export const LIGHTSAIL: CallGroup = {
  service: 'lightsail',
  command: 'lightsail',
  prefix: 'lightsail',
  load: () => import('@aws-sdk/client-lightsail'),
  client: 'LightsailClient',
  calls: [
    {
      call: 'GetInstances',
      page: ['nextPageToken', 'pageToken'],
      each: 'instances',
      then: [{ call: 'GetInstancePortStates', input: { instanceName: '{name}' } }],
    },
    {
      call: 'GetRelationalDatabases',
      page: ['nextPageToken', 'pageToken'],
      without: ['relationalDatabases.pendingModifiedValues'],
    },
  ],
};

export const WORKSPACES: CallGroup = {
  service: 'workspaces',
  command: 'workspaces',
  prefix: 'workspaces',
  load: () => import('@aws-sdk/client-workspaces'),
  client: 'WorkSpacesClient',
  calls: [{ call: 'DescribeIpGroups', page: 'NextToken' }],
};

export const GAMELIFT: CallGroup = {
  service: 'gamelift',
  command: 'gamelift',
  prefix: 'gamelift',
  load: () => import('@aws-sdk/client-gamelift'),
  client: 'GameLiftClient',
  calls: [
    {
      call: 'DescribeFleetAttributes',
      page: 'NextToken',
      each: 'FleetAttributes',
      // machines of others have no ports of it
      then: [{ call: 'DescribeFleetPortSettings', input: { FleetId: '{FleetId}' }, none: ['InvalidRequestException'] }],
    },
  ],
};
