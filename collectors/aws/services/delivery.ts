import type { CallGroup } from '../lines.js';

export const CODEBUILD: CallGroup = {
  service: 'codebuild',
  command: 'codebuild',
  prefix: 'codebuild',
  load: () => import('@aws-sdk/client-codebuild'),
  client: 'CodeBuildClient',
  calls: [
    {
      call: 'ListProjects',
      page: 'nextToken',
      each: 'projects',
      as: 'project',
      then: [
        {
          call: 'BatchGetProjects',
          input: { names: ['{project}'] },
          each: 'projects',
          then: [{ call: 'GetResourcePolicy', input: { resourceArn: '{arn}' } }],
        },
      ],
    },
    { call: 'ListSourceCredentials' },
  ],
};

export const BATCH: CallGroup = {
  service: 'batch',
  command: 'batch',
  prefix: 'batch',
  load: () => import('@aws-sdk/client-batch'),
  client: 'BatchClient',
  calls: [
    { call: 'DescribeJobDefinitions', page: 'nextToken', input: { status: 'ACTIVE' } },
    { call: 'DescribeComputeEnvironments', page: 'nextToken' },
  ],
};

const restApi = { permission: 'apigateway:GET', page: 'position', quiet: { limit: 500 } } as const;
const stages = { call: 'GetStages', permission: 'apigateway:GET' } as const;

export const API_GATEWAY: CallGroup = {
  service: 'apigateway',
  command: 'apigateway',
  prefix: 'apigateway',
  load: () => import('@aws-sdk/client-api-gateway'),
  client: 'APIGatewayClient',
  calls: [
    { call: 'GetRestApis', ...restApi, each: 'items', then: [{ ...stages, input: { restApiId: '{id}' } }] },
    { call: 'GetDomainNames', ...restApi },
  ],
};

/** The second interface of the same service, under the same permission. */
export const API_GATEWAY_V2: CallGroup = {
  service: 'apigateway',
  command: 'apigatewayv2',
  prefix: 'apigateway',
  load: () => import('@aws-sdk/client-apigatewayv2'),
  client: 'ApiGatewayV2Client',
  calls: [
    {
      call: 'GetApis',
      permission: 'apigateway:GET',
      page: 'NextToken',
      each: 'Items',
      then: [
        { ...stages, page: 'NextToken', input: { ApiId: '{ApiId}' } },
        { call: 'GetRoutes', permission: 'apigateway:GET', page: 'NextToken', input: { ApiId: '{ApiId}' } },
      ],
    },
  ],
};

export const BEANSTALK: CallGroup = {
  service: 'elasticbeanstalk',
  command: 'elasticbeanstalk',
  prefix: 'elasticbeanstalk',
  load: () => import('@aws-sdk/client-elastic-beanstalk'),
  client: 'ElasticBeanstalkClient',
  calls: [{ call: 'DescribeEnvironments', page: 'NextToken', quiet: { IncludeDeleted: false } }],
};

export const AUTO_SCALING: CallGroup = {
  service: 'autoscaling',
  command: 'autoscaling',
  prefix: 'autoscaling',
  load: () => import('@aws-sdk/client-auto-scaling'),
  client: 'AutoScalingClient',
  calls: [
    { call: 'DescribeAutoScalingGroups', page: 'NextToken', quiet: { MaxRecords: 100 } },
    {
      call: 'DescribeLaunchConfigurations',
      page: 'NextToken',
      quiet: { MaxRecords: 100 },
      without: ['LaunchConfigurations.UserData'],
    },
  ],
};

export const ACM: CallGroup = {
  service: 'acm',
  command: 'acm',
  prefix: 'acm',
  load: () => import('@aws-sdk/client-acm'),
  client: 'ACMClient',
  calls: [
    {
      call: 'ListCertificates',
      page: 'NextToken',
      late: true,
      each: 'CertificateSummaryList',
      then: [{ call: 'DescribeCertificate', input: { CertificateArn: '{CertificateArn}' } }],
    },
  ],
};
