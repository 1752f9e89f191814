import type { CallGroup } from '../lines.js';

export const CODEARTIFACT: CallGroup = {
  service: 'codeartifact',
  command: 'codeartifact',
  prefix: 'codeartifact',
  load: () => import('@aws-sdk/client-codeartifact'),
  client: 'CodeartifactClient',
  calls: [
    {
      call: 'ListDomains',
      page: 'nextToken',
      each: 'domains',
      then: [{ call: 'GetDomainPermissionsPolicy', input: { domain: '{name}', domainOwner: '{owner}' } }],
    },
    {
      call: 'ListRepositories',
      page: 'nextToken',
      each: 'repositories',
      then: [
        {
          call: 'GetRepositoryPermissionsPolicy',
          input: { domain: '{domainName}', domainOwner: '{domainOwner}', repository: '{name}' },
        },
      ],
    },
  ],
};

export const IMAGE_BUILDER: CallGroup = {
  service: 'imagebuilder',
  command: 'imagebuilder',
  prefix: 'imagebuilder',
  load: () => import('@aws-sdk/client-imagebuilder'),
  client: 'ImagebuilderClient',
  calls: [
    {
      call: 'ListInfrastructureConfigurations',
      page: 'nextToken',
      each: 'infrastructureConfigurationSummaryList',
      then: [{ call: 'GetInfrastructureConfiguration', input: { infrastructureConfigurationArn: '{arn}' } }],
    },
    {
      call: 'ListDistributionConfigurations',
      page: 'nextToken',
      each: 'distributionConfigurationSummaryList',
      then: [{ call: 'GetDistributionConfiguration', input: { distributionConfigurationArn: '{arn}' } }],
    },
  ],
};

/** Documents of the account's own; what they do may hold secrets and is not asked for. */
export const SSM: CallGroup = {
  service: 'ssm',
  command: 'ssm',
  prefix: 'ssm',
  load: () => import('@aws-sdk/client-ssm'),
  client: 'SSMClient',
  calls: [
    {
      call: 'ListDocuments',
      page: 'NextToken',
      quiet: { MaxResults: 50, Filters: [{ Key: 'Owner', Values: ['Self'] }] },
      each: 'DocumentIdentifiers',
      then: [{ call: 'DescribeDocumentPermission', input: { Name: '{Name}' }, quiet: { PermissionType: 'Share' } }],
    },
  ],
};

export const MQ: CallGroup = {
  service: 'mq',
  command: 'mq',
  prefix: 'mq',
  load: () => import('@aws-sdk/client-mq'),
  client: 'MqClient',
  calls: [
    {
      call: 'ListBrokers',
      page: 'NextToken',
      quiet: { MaxResults: 100 },
      each: 'BrokerSummaries',
      then: [{ call: 'DescribeBroker', input: { BrokerId: '{BrokerId}' } }],
    },
  ],
};

const secretsOf = (action: string): string[] => [`${action}.http.headers`, `${action}.salesforce`];

export const IOT: CallGroup = {
  service: 'iot',
  command: 'iot',
  prefix: 'iot',
  load: () => import('@aws-sdk/client-iot'),
  client: 'IoTClient',
  calls: [
    {
      call: 'ListPolicies',
      page: ['nextMarker', 'marker'],
      each: 'policies',
      then: [{ call: 'GetPolicy', input: { policyName: '{policyName}' } }],
    },
    {
      call: 'ListTopicRules',
      page: 'nextToken',
      each: 'rules',
      then: [
        {
          call: 'GetTopicRule',
          input: { ruleName: '{ruleName}' },
          without: [...secretsOf('rule.actions'), ...secretsOf('rule.errorAction')],
        },
      ],
    },
  ],
};

export const XRAY: CallGroup = {
  service: 'xray',
  command: 'xray',
  prefix: 'xray',
  load: () => import('@aws-sdk/client-xray'),
  client: 'XRayClient',
  calls: [{ call: 'ListResourcePolicies', page: 'NextToken' }],
};

/** Registries of the account's own; the others are those of AWS. */
export const SCHEMAS: CallGroup = {
  service: 'schemas',
  command: 'schemas',
  prefix: 'schemas',
  load: () => import('@aws-sdk/client-schemas'),
  client: 'SchemasClient',
  calls: [
    {
      call: 'ListRegistries',
      page: 'NextToken',
      quiet: { Scope: 'LOCAL' },
      each: 'Registries',
      then: [{ call: 'GetResourcePolicy', input: { RegistryName: '{RegistryName}' } }],
    },
  ],
};
