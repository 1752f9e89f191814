import type { Habit, Moment } from './ordinary-logs.js';

const ACCOUNT = '1000000000000001';
const person = ({ random }: Moment) => ({ type: 'ram-user', accountId: ACCOUNT, principalId: '2', userName: `person-${random.below(12)}` });
const role =
  (name: string) =>
  ({ random }: Moment) => ({ type: 'assumed-role', accountId: ACCOUNT, principalId: '3', userName: `${name}:session-${random.below(9)}` });
const service = () => ({ type: 'system', accountId: ACCOUNT, principalId: '4' });
const CONSOLE = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0';
const TERRAFORM = 'AlibabaCloud (Linux) Terraform/1.5 Provider/1.212';

interface Call {
  readonly who: (moment: Moment) => object;
  readonly on: string;
  readonly names: readonly string[];
  readonly agent?: string;
  readonly asked?: object;
}

/** An event of ActionTrail: https://www.alibabacloud.com/help/en/actiontrail/user-guide/structure-of-an-actiontrail-log */
function event({ who, on, names, agent = 'AlibabaCloud SDK', asked = {} }: Call, moment: Moment): object {
  const eventName = moment.random.of(names);
  const isRefused = moment.random.chance(0.005);
  return {
    ...{ eventId: moment.uuid(), eventVersion: '1', eventTime: moment.time, eventName, serviceName: on, acsRegion: 'eu-central-1' },
    ...{
      eventSource: `${on.toLowerCase()}.aliyuncs.com`,
      eventType: on === 'AasSub' ? 'ConsoleSignin' : 'ApiCall',
      recipientAccountId: ACCOUNT,
    },
    ...{ eventRW: /^(?:Describe|List|Get)/.test(eventName) ? 'Read' : 'Write', userIdentity: who(moment) },
    ...{ sourceIpAddress: '203.0.113.10', userAgent: agent, requestParameters: { RequestId: moment.uuid(), ...asked } },
    ...(on === 'AasSub' && { additionalEventData: { isMFAChecked: 'true' } }),
    ...(isRefused && { errorCode: 'Forbidden.RAM', errorMessage: 'not authorized' }),
  };
}

const habit = (weight: number, call: Call): Habit => [weight, (moment) => event(call, moment)];
const inside = { SourceCidrIp: '10.0.0.0/8', PortRange: '22/22', IpProtocol: 'tcp' };
const web = { SourceCidrIp: '0.0.0.0/0', PortRange: '443/443', IpProtocol: 'tcp' };

/** What an account is full of: people at the console, pipelines, clusters, scaling and backups. */
export const ALICLOUD_HABITS: readonly Habit[] = [
  habit(30, {
    who: person,
    on: 'Ecs',
    agent: CONSOLE,
    names: ['DescribeInstances', 'DescribeDisks', 'DescribeRegions', 'DescribeSecurityGroups'],
  }),
  habit(10, { who: person, on: 'Ram', agent: CONSOLE, names: ['ListUsers', 'GetUser', 'ListPolicies', 'ListRoles'] }),
  habit(15, { who: role('app'), on: 'Kms', names: ['GetSecretValue', 'Decrypt', 'GenerateDataKey'], asked: { SecretName: 'database' } }),
  habit(15, {
    who: role('app'),
    on: 'Oss',
    names: ['GetObject', 'PutObject', 'GetBucketInfo', 'DeleteObject'],
    asked: { bucketName: 'acme-data' },
  }),
  habit(12, {
    who: role('deploy'),
    on: 'Ecs',
    agent: TERRAFORM,
    names: ['RunInstances', 'DeleteInstance', 'ModifyInstanceSpec', 'DescribeImages'],
    asked: { InstanceType: 'ecs.c7.large' },
  }),
  habit(4, { who: role('deploy'), on: 'Ecs', agent: TERRAFORM, names: ['AuthorizeSecurityGroup', 'RevokeSecurityGroup'], asked: inside }),
  habit(2, { who: role('deploy'), on: 'Ecs', agent: TERRAFORM, names: ['AuthorizeSecurityGroup'], asked: web }),
  habit(3, {
    who: role('deploy'),
    on: 'Ram',
    agent: TERRAFORM,
    names: ['AttachPolicyToRole', 'GetRole', 'CreateRole'],
    asked: {
      PolicyName: 'AliyunOSSReadOnlyAccess',
      AssumeRolePolicyDocument: '{"Statement":[{"Principal":{"Service":["ecs.aliyuncs.com"]}}]}',
    },
  }),
  habit(4, { who: role('deploy'), on: 'FC', names: ['UpdateFunction', 'CreateFunction', 'GetFunction'], asked: { functionName: 'shop' } }),
  habit(4, {
    who: role('AliyunCSManagedKubernetesRole'),
    on: 'Slb',
    names: ['SetBackendServers', 'DescribeLoadBalancerAttribute', 'AddBackendServers'],
  }),
  habit(8, { who: service, on: 'Ess', names: ['ExecuteScalingRule', 'DescribeScalingGroups'] }),
  habit(8, { who: service, on: 'Ecs', names: ['RunInstances', 'DeleteInstance', 'CreateSnapshot', 'DeleteSnapshot'] }),
  habit(4, { who: service, on: 'Rds', names: ['CreateBackup', 'DescribeBackups'] }),
  habit(20, { who: role('app'), on: 'Sts', names: ['AssumeRole', 'GetCallerIdentity'] }),
  habit(5, { who: person, on: 'AasSub', agent: CONSOLE, names: ['ConsoleSignin'] }),
  habit(3, { who: person, on: 'Cms', agent: CONSOLE, names: ['DescribeMetricList', 'PutResourceMetricRule', 'DescribeAlertLogList'] }),
  habit(3, { who: person, on: 'Sls', agent: CONSOLE, names: ['GetLogs', 'ListLogStores', 'UpdateIndex'] }),
  habit(2, {
    who: person,
    on: 'Ecs',
    agent: CONSOLE,
    names: ['RebootInstance', 'StartInstance', 'StopInstance', 'AddTags'],
    asked: { InstanceId: 'i-1' },
  }),
  habit(2, {
    who: person,
    on: 'Rds',
    agent: CONSOLE,
    names: ['ModifySecurityIps', 'DescribeDBInstanceAttribute'],
    asked: { SecurityIps: '10.0.0.0/8' },
  }),
];
