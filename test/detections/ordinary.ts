import type { EventInput } from '../../schema/observations.js';

const START = Date.parse('2030-03-04T06:00:00.000Z');
const ACCOUNT = '111122223333';
/** Calls that accounts are full of, service by service, with what they carry. */
const CALLS: readonly [weight: number, service: string, actions: readonly string[], parameters: object | null][] = [
  [30, 'ec2', ['DescribeInstances', 'DescribeVolumes', 'DescribeSecurityGroups', 'DescribeSubnets', 'DescribeTags'], null],
  [20, 's3', ['GetObject', 'PutObject', 'ListObjects', 'HeadBucket', 'GetBucketLocation'], { bucketName: 'acme-data' }],
  [15, 'sts', ['AssumeRole', 'GetCallerIdentity'], { roleArn: `arn:aws:iam::${ACCOUNT}:role/app` }],
  [8, 'kms', ['Decrypt', 'GenerateDataKey'], { keyId: 'k' }],
  [6, 'logs', ['CreateLogStream', 'DescribeLogGroups', 'PutRetentionPolicy'], { logGroupName: '/aws/lambda/app' }],
  [5, 'secretsmanager', ['GetSecretValue'], { secretId: 'app/database' }],
  [5, 'ssm', ['GetParameters', 'DescribeInstanceInformation', 'UpdateInstanceInformation'], { withDecryption: true, names: ['/app/one'] }],
  [4, 'lambda', ['GetFunction', 'ListFunctions', 'UpdateFunctionCode20150331v2'], { functionName: 'app' }],
  [3, 'iam', ['GetRole', 'ListRoles', 'GetPolicy', 'ListAttachedRolePolicies'], { roleName: 'app' }],
  [2, 'ec2', ['RunInstances', 'TerminateInstances', 'CreateTags', 'StartInstances'], { instanceType: 't3.medium' }],
  [
    2,
    'iam',
    ['CreateRole', 'AttachRolePolicy', 'PutRolePolicy', 'PassRole'],
    {
      roleName: 'app',
      policyArn: 'arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess',
      policyDocument: '{"Statement":[{"Effect":"Allow","Action":"s3:GetObject","Resource":"*"}]}',
      assumeRolePolicyDocument: '{"Statement":[{"Effect":"Allow","Principal":{"Service":"lambda.amazonaws.com"}}]}',
    },
  ],
  [
    2,
    'ec2',
    ['AuthorizeSecurityGroupIngress'],
    {
      ipPermissions: {
        items: [
          { fromPort: 443, toPort: 443, ipRanges: { items: [{ cidrIp: '0.0.0.0/0' }] } },
          { fromPort: 22, toPort: 22, ipRanges: { items: [{ cidrIp: '10.0.0.0/8' }] } },
        ],
      },
    },
  ],
  [
    2,
    's3',
    ['PutBucketPolicy', 'PutBucketLifecycleConfiguration', 'PutBucketPublicAccessBlock'],
    {
      bucketName: 'acme-data',
      bucketPolicy: { Statement: [{ Effect: 'Allow', Principal: { AWS: `arn:aws:iam::${ACCOUNT}:role/app` } }] },
      PublicAccessBlockConfiguration: { RestrictPublicBuckets: true },
    },
  ],
  [1, 'ssm', ['SendCommand'], { documentName: 'AWS-RunPatchBaseline' }],
  [1, 'rds', ['DescribeDBInstances', 'CreateDBSnapshot', 'DeleteDBSnapshot'], { dBSnapshotIdentifier: 'nightly' }],
  [1, 'cloudtrail', ['LookupEvents', 'DescribeTrails', 'GetTrailStatus'], null],
  [1, 'signin', ['ConsoleLogin'], null],
  [1, 'autoscaling', ['UpdateAutoScalingGroup', 'DescribeAutoScalingGroups'], null],
];
const LINE = CALLS.flatMap(([weight, ...call]) => Array.from({ length: weight }, () => call));
const AGENTS = [
  'aws-sdk-go/1.44',
  'Boto3/1.26 Botocore/1.29',
  'aws-cli/2.9',
  'APN/1.0 HashiCorp/1.0 Terraform/1.5',
  'autoscaling.amazonaws.com',
];

/** Ordinary events of an account over a day and more: programs that look, pipelines that deploy, people at the console. The same for the same number. */
export const ordinaryEvents = (count: number): EventInput[] => Array.from({ length: count }, (_, n) => ordinary(n));

function ordinary(n: number): EventInput {
  const [service, actions, parameters] = LINE[(n * 37) % LINE.length]!;
  const action = actions[Math.floor(n / 7) % actions.length]!;
  const isPerson = n % 40 === 0 || action === 'ConsoleLogin';
  const name = isPerson ? `person-${n % 12}` : `app-${n % 25}`;
  const isDenied = n % 83 === 0;
  // every other person comes in by the identity center
  const isUser = isPerson && n % 80 < 40;
  const role = isPerson ? 'aws-reserved/sso.amazonaws.com/AWSReservedSSO_Developer_0123456789abcdef' : name;
  const actor = isUser ? `arn:aws:iam::${ACCOUNT}:user/${name}` : `arn:aws:iam::${ACCOUNT}:role/${role}`;
  const userIdentity = isUser
    ? { type: 'IAMUser', arn: actor, userName: name, accountId: ACCOUNT }
    : {
        type: 'AssumedRole',
        arn: `arn:aws:sts::${ACCOUNT}:assumed-role/${role.split('/').at(-1)}/${isPerson ? name : `i-0abcdef123456789${n % 10}`}`,
        sessionContext: { sessionIssuer: { arn: actor } },
      };
  const userAgent = isPerson ? 'Mozilla/5.0' : AGENTS[n % AGENTS.length]!;
  const record = {
    ...{ eventSource: `${service}.amazonaws.com`, eventName: action, userIdentity, userAgent, requestParameters: parameters },
    ...(action === 'ConsoleLogin' && { additionalEventData: { MFAUsed: 'Yes' } }),
    ...(isDenied && { errorCode: 'AccessDenied' }),
  };
  return {
    ...{ event_id: `ordinary-${n}`, time: new Date(START + n * 2_500), provider: 'aws', account_id: ACCOUNT, region: 'eu-central-1' },
    ...{
      log: 'management:write',
      service,
      action,
      outcome: isDenied ? 'denied' : 'success',
      actor,
      actor_kind: isUser ? 'user' : 'role',
    },
    ...(isDenied && { error: 'AccessDenied' }),
    ...(!isUser && { session: isPerson ? name : `i-0abcdef123456789${n % 10}` }),
    ...{ source_ip: '203.0.113.10', user_agent: userAgent, record, position: `Records[${n}]` },
    ...(service === 'secretsmanager' && { resources: [`arn:aws:secretsmanager:eu-central-1:${ACCOUNT}:secret:app/${n % 3}`] }),
  };
}
