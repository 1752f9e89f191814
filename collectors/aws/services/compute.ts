import type { CallGroup } from '../lines.js';

const ofFunction = { input: { FunctionName: '{FunctionName}' } };
const marker = ['NextMarker', 'Marker'] as const;

export const LAMBDA: CallGroup = {
  service: 'lambda',
  command: 'lambda',
  prefix: 'lambda',
  load: () => import('@aws-sdk/client-lambda'),
  client: 'LambdaClient',
  calls: [
    {
      call: 'ListFunctions',
      page: marker,
      each: 'Functions',
      then: [
        { call: 'GetPolicy', ...ofFunction },
        { call: 'ListFunctionUrlConfigs', page: marker, ...ofFunction },
      ],
    },
  ],
};

const ofCluster = { input: { clusterName: '{clusterName}' } };
const ofPrincipal = { input: { clusterName: '{clusterName}', principalArn: '{principalArn}' } };

export const EKS: CallGroup = {
  service: 'eks',
  command: 'eks',
  prefix: 'eks',
  load: () => import('@aws-sdk/client-eks'),
  client: 'EKSClient',
  calls: [
    {
      call: 'ListClusters',
      page: 'nextToken',
      each: 'clusters',
      as: 'clusterName',
      then: [
        { call: 'DescribeCluster', input: { name: '{clusterName}' } },
        {
          call: 'ListNodegroups',
          page: 'nextToken',
          ...ofCluster,
          each: 'nodegroups',
          as: 'nodegroupName',
          then: [{ call: 'DescribeNodegroup', input: { clusterName: '{clusterName}', nodegroupName: '{nodegroupName}' } }],
        },
        {
          call: 'ListAddons',
          page: 'nextToken',
          ...ofCluster,
          each: 'addons',
          as: 'addonName',
          then: [{ call: 'DescribeAddon', input: { clusterName: '{clusterName}', addonName: '{addonName}' } }],
        },
        {
          call: 'ListAccessEntries',
          page: 'nextToken',
          ...ofCluster,
          // of clusters that keep who may in by their own map alone
          none: ['InvalidRequestException'],
          each: 'accessEntries',
          as: 'principalArn',
          then: [
            { call: 'DescribeAccessEntry', ...ofPrincipal },
            { call: 'ListAssociatedAccessPolicies', page: 'nextToken', late: true, ...ofPrincipal },
          ],
        },
      ],
    },
  ],
};

export const ECS: CallGroup = {
  service: 'ecs',
  command: 'ecs',
  prefix: 'ecs',
  load: () => import('@aws-sdk/client-ecs'),
  client: 'ECSClient',
  calls: [
    {
      call: 'ListClusters',
      page: 'nextToken',
      each: 'clusterArns',
      as: 'cluster',
      then: [
        { call: 'DescribeClusters', input: { clusters: ['{cluster}'], include: ['CONFIGURATIONS', 'SETTINGS', 'TAGS'] } },
        {
          call: 'ListServices',
          page: 'nextToken',
          input: { cluster: '{cluster}' },
          each: 'serviceArns',
          as: 'service',
          then: [
            {
              call: 'DescribeServices',
              input: { cluster: '{cluster}', services: ['{service}'], include: ['TAGS'] },
              each: 'services',
              // of the definitions, of which there is one for each time that one was changed, those that are used
              then: [{ call: 'DescribeTaskDefinition', input: { taskDefinition: '{taskDefinition}', include: ['TAGS'] } }],
            },
          ],
        },
      ],
    },
  ],
};

export const ECR: CallGroup = {
  service: 'ecr',
  command: 'ecr',
  prefix: 'ecr',
  load: () => import('@aws-sdk/client-ecr'),
  client: 'ECRClient',
  calls: [
    {
      call: 'DescribeRepositories',
      quiet: { maxResults: 1000 },
      page: 'nextToken',
      each: 'repositories',
      then: [
        { call: 'GetRepositoryPolicy', input: { repositoryName: '{repositoryName}' } },
        { call: 'GetLifecyclePolicy', input: { repositoryName: '{repositoryName}' } },
      ],
    },
    { call: 'GetRegistryPolicy' },
    { call: 'DescribeRepositoryCreationTemplates', page: 'nextToken' },
  ],
};

const ofFileSystem = { input: { FileSystemId: '{FileSystemId}' } };

export const EFS: CallGroup = {
  service: 'efs',
  command: 'efs',
  prefix: 'elasticfilesystem',
  load: () => import('@aws-sdk/client-efs'),
  client: 'EFSClient',
  calls: [
    {
      call: 'DescribeFileSystems',
      page: marker,
      each: 'FileSystems',
      then: [
        { call: 'DescribeFileSystemPolicy', ...ofFileSystem },
        { call: 'DescribeBackupPolicy', ...ofFileSystem },
        { call: 'DescribeMountTargets', page: marker, ...ofFileSystem },
      ],
    },
    { call: 'DescribeAccessPoints', page: 'NextToken' },
  ],
};
