/** The cheapest call of a service: what it asks, and the permission that this takes. */
export interface Trial {
  readonly service: string;
  readonly permission: string;
  /** Whether it is in the commercial regions alone. */
  readonly commercial?: true;
  /** What its address begins with, where that is not its name. */
  readonly host?: string;
  /** What its signatures name it, where that is not its name. */
  readonly signedAs?: string;
  /** Whether the service has one place for all regions. */
  readonly global?: true;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
const JSON_BODY = { 'content-type': 'application/json' };
/** A call of an interface that takes forms. */
export const action = (name: string, version: string, rest = ''): Pick<Trial, 'method' | 'path' | 'headers' | 'body'> => ({
  method: 'POST',
  path: '/',
  headers: FORM,
  body: `Action=${name}&Version=${version}${rest}`,
});
const json = (target: string, version: '1.0' | '1.1', body = '{}'): Pick<Trial, 'method' | 'path' | 'headers' | 'body'> => ({
  method: 'POST',
  path: '/',
  headers: { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': target },
  body,
});

/** One for each service of the table of calls. */
export const TRIALS: readonly Trial[] = [
  { service: 's3', permission: 's3:ListAllMyBuckets', method: 'GET', path: '/' },
  {
    service: 'iam',
    permission: 'iam:GetAccountAuthorizationDetails',
    global: true,
    ...action('GetAccountAuthorizationDetails', '2010-05-08', '&MaxItems=1'),
  },
  { service: 'ec2', permission: 'ec2:DescribeRegions', ...action('DescribeRegions', '2016-11-15') },
  { service: 'rds', permission: 'rds:DescribeDBInstances', ...action('DescribeDBInstances', '2014-10-31', '&MaxRecords=20') },
  { service: 'kms', permission: 'kms:ListKeys', ...json('TrentService.ListKeys', '1.1', '{"Limit":1}') },
  { service: 'lambda', permission: 'lambda:ListFunctions', method: 'GET', path: '/2015-03-31/functions/?MaxItems=1' },
  {
    service: 'elasticloadbalancing',
    permission: 'elasticloadbalancing:DescribeLoadBalancers',
    ...action('DescribeLoadBalancers', '2015-12-01', '&PageSize=1'),
  },
  {
    service: 'cloudtrail',
    permission: 'cloudtrail:DescribeTrails',
    ...json('com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101.DescribeTrails', '1.1', '{"includeShadowTrails":false}'),
  },
  { service: 'dynamodb', permission: 'dynamodb:ListTables', ...json('DynamoDB_20120810.ListTables', '1.0', '{"Limit":1}') },
  { service: 'sqs', permission: 'sqs:ListQueues', ...json('AmazonSQS.ListQueues', '1.0', '{"MaxResults":1}') },
  { service: 'sns', permission: 'sns:ListTopics', ...action('ListTopics', '2010-03-31') },
  {
    service: 'ecr',
    permission: 'ecr:DescribeRepositories',
    host: 'api.ecr',
    ...json('AmazonEC2ContainerRegistry_V20150921.DescribeRepositories', '1.1', '{"maxResults":1}'),
  },
  { service: 'eks', permission: 'eks:ListClusters', method: 'GET', path: '/clusters?maxResults=1' },
  {
    service: 'ecs',
    permission: 'ecs:ListClusters',
    ...json('AmazonEC2ContainerServiceV20141113.ListClusters', '1.1', '{"maxResults":1}'),
  },
  {
    service: 'efs',
    permission: 'elasticfilesystem:DescribeFileSystems',
    host: 'elasticfilesystem',
    signedAs: 'elasticfilesystem',
    method: 'GET',
    path: '/2015-02-01/file-systems?MaxItems=1',
  },
  { service: 'secretsmanager', permission: 'secretsmanager:ListSecrets', ...json('secretsmanager.ListSecrets', '1.1', '{"MaxResults":1}') },
  { service: 'logs', permission: 'logs:DescribeLogGroups', ...json('Logs_20140328.DescribeLogGroups', '1.1', '{"limit":1}') },
  {
    service: 'cloudfront',
    permission: 'cloudfront:ListDistributions',
    global: true,
    commercial: true,
    method: 'GET',
    path: '/2020-05-31/distribution?MaxItems=1',
  },
  { service: 'opensearch', permission: 'es:ListDomainNames', host: 'es', signedAs: 'es', method: 'GET', path: '/2021-01-01/domain' },
  { service: 'redshift', permission: 'redshift:DescribeClusters', ...action('DescribeClusters', '2012-12-01', '&MaxRecords=20') },
  {
    service: 'elasticache',
    permission: 'elasticache:DescribeCacheClusters',
    ...action('DescribeCacheClusters', '2015-02-02', '&MaxRecords=20'),
  },
  { service: 'codebuild', permission: 'codebuild:ListProjects', ...json('CodeBuild_20161006.ListProjects', '1.1') },
  { service: 'dms', permission: 'dms:DescribeEndpoints', ...json('AmazonDMSv20160101.DescribeEndpoints', '1.1', '{"MaxRecords":20}') },
  {
    service: 'firehose',
    permission: 'firehose:ListDeliveryStreams',
    ...json('Firehose_20150804.ListDeliveryStreams', '1.1', '{"Limit":1}'),
  },
  { service: 'kinesis', permission: 'kinesis:ListStreams', ...json('Kinesis_20131202.ListStreams', '1.1', '{"Limit":1}') },
  {
    service: 'batch',
    permission: 'batch:DescribeJobDefinitions',
    headers: JSON_BODY,
    method: 'POST',
    path: '/v1/describejobdefinitions',
    body: '{"maxResults":1}',
  },
  {
    service: 'emr',
    permission: 'elasticmapreduce:ListClusters',
    host: 'elasticmapreduce',
    signedAs: 'elasticmapreduce',
    ...json('ElasticMapReduce.ListClusters', '1.1', '{"ClusterStates":["RUNNING"]}'),
  },
  { service: 'kafka', permission: 'kafka:ListClusters', method: 'GET', path: '/v1/clusters?maxResults=1' },
  { service: 'apigateway', permission: 'apigateway:GET', method: 'GET', path: '/restapis?limit=1' },
  { service: 'glue', permission: 'glue:GetJobs', ...json('AWSGlue.GetJobs', '1.1', '{"MaxResults":1}') },
  { service: 'backup', permission: 'backup:ListBackupVaults', method: 'GET', path: '/backup-vaults/?maxResults=1' },
  {
    service: 'elasticbeanstalk',
    permission: 'elasticbeanstalk:DescribeEnvironments',
    ...action('DescribeEnvironments', '2010-12-01', '&MaxRecords=1'),
  },
  {
    service: 'autoscaling',
    permission: 'autoscaling:DescribeAutoScalingGroups',
    ...action('DescribeAutoScalingGroups', '2011-01-01', '&MaxRecords=1'),
  },
  { service: 'acm', permission: 'acm:ListCertificates', ...json('CertificateManager.ListCertificates', '1.1', '{"MaxItems":1}') },
  { service: 'events', permission: 'events:ListEventBuses', ...json('AWSEvents.ListEventBuses', '1.1', '{"Limit":1}') },
  {
    service: 'cloudwatch',
    permission: 'cloudwatch:DescribeAlarms',
    host: 'monitoring',
    signedAs: 'monitoring',
    ...action('DescribeAlarms', '2010-08-01', '&MaxRecords=1'),
  },
  {
    service: 'config',
    permission: 'config:DescribeConfigurationRecorders',
    ...json('StarlingDoveService.DescribeConfigurationRecorders', '1.1'),
  },
  { service: 'guardduty', permission: 'guardduty:ListDetectors', method: 'GET', path: '/detector?maxResults=1' },
  { service: 'sso', permission: 'sso:ListInstances', ...json('SWBExternalService.ListInstances', '1.1', '{"MaxResults":1}') },
  {
    service: 'cognito-identity',
    permission: 'cognito-identity:ListIdentityPools',
    ...json('AWSCognitoIdentityService.ListIdentityPools', '1.1', '{"MaxResults":1}'),
  },
  { service: 'transfer', permission: 'transfer:ListServers', ...json('TransferService.ListServers', '1.1', '{"MaxResults":1}') },
  { service: 'lightsail', permission: 'lightsail:GetInstances', ...json('Lightsail_20161128.GetInstances', '1.1') },
  { service: 'vpc-lattice', permission: 'vpc-lattice:ListServices', method: 'GET', path: '/services?maxResults=1' },
  {
    service: 'network-firewall',
    permission: 'network-firewall:ListFirewalls',
    ...json('NetworkFirewall_20201112.ListFirewalls', '1.0', '{"MaxResults":1}'),
  },
  {
    service: 'workspaces',
    permission: 'workspaces:DescribeIpGroups',
    ...json('WorkspacesService.DescribeIpGroups', '1.1', '{"MaxResults":1}'),
  },
  {
    service: 'gamelift',
    permission: 'gamelift:DescribeFleetAttributes',
    ...json('GameLift.DescribeFleetAttributes', '1.1', '{"Limit":1}'),
  },
  {
    service: 'sagemaker',
    permission: 'sagemaker:ListNotebookInstances',
    host: 'api.sagemaker',
    ...json('SageMaker.ListNotebookInstances', '1.1', '{"MaxResults":1}'),
  },
  { service: 'bedrock', permission: 'bedrock:ListGuardrails', method: 'GET', path: '/guardrails?maxResults=1' },
  {
    service: 'glacier',
    permission: 'glacier:ListVaults',
    headers: { 'x-amz-glacier-version': '2012-06-01' },
    method: 'GET',
    path: '/-/vaults?limit=1',
  },
  { service: 's3tables', permission: 's3tables:ListTableBuckets', method: 'GET', path: '/buckets?maxBuckets=1' },
  {
    service: 'fsx',
    permission: 'fsx:DescribeFileSystems',
    ...json('AWSSimbaAPIService_v20180301.DescribeFileSystems', '1.1', '{"MaxResults":1}'),
  },
  {
    service: 'storagegateway',
    permission: 'storagegateway:ListFileShares',
    ...json('StorageGateway_20130630.ListFileShares', '1.1', '{"Limit":1}'),
  },
  {
    service: 'redshift-serverless',
    permission: 'redshift-serverless:ListWorkgroups',
    ...json('RedshiftServerless.ListWorkgroups', '1.1', '{"maxResults":1}'),
  },
  {
    service: 'aoss',
    permission: 'aoss:ListAccessPolicies',
    ...json('OpenSearchServerless.ListAccessPolicies', '1.0', '{"type":"data","maxResults":1}'),
  },
  {
    service: 'codeartifact',
    permission: 'codeartifact:ListDomains',
    headers: JSON_BODY,
    method: 'POST',
    path: '/v1/domains',
    body: '{"maxResults":1}',
  },
  {
    service: 'imagebuilder',
    permission: 'imagebuilder:ListInfrastructureConfigurations',
    headers: JSON_BODY,
    method: 'POST',
    path: '/ListInfrastructureConfigurations',
    body: '{"maxResults":1}',
  },
  { service: 'ssm', permission: 'ssm:ListDocuments', ...json('AmazonSSM.ListDocuments', '1.1', '{"MaxResults":1}') },
  { service: 'mq', permission: 'mq:ListBrokers', method: 'GET', path: '/v1/brokers?maxResults=5' },
  { service: 'iot', permission: 'iot:ListPolicies', method: 'GET', path: '/policies?pageSize=1' },
  {
    service: 'xray',
    permission: 'xray:ListResourcePolicies',
    headers: JSON_BODY,
    method: 'POST',
    path: '/ListResourcePolicies',
    body: '{}',
  },
  { service: 'schemas', permission: 'schemas:ListRegistries', method: 'GET', path: '/v1/registries?limit=1&scope=LOCAL' },
];
