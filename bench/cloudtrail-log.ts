import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const ACCOUNT = '111122223333';
const REGIONS = ['eu-central-1', 'eu-west-1', 'us-east-1'];
/** Calls of an ordinary account with how often each is made, and what its parameters are. */
const CALLS: readonly (readonly [source: string, name: string, weight: number, parameters: (n: number) => object | null])[] = [
  [
    'ec2',
    'DescribeInstances',
    18,
    () => ({ maxResults: 1000, filterSet: { items: [{ name: 'tag:team', valueSet: { items: [{ value: 'shop' }] } }] } }),
  ],
  [
    'sts',
    'AssumeRole',
    14,
    (n) => ({ roleArn: `arn:aws:iam::${ACCOUNT}:role/app-${n % 60}`, roleSessionName: `session-${n % 4000}`, durationSeconds: 3600 }),
  ],
  [
    'kms',
    'Decrypt',
    12,
    (n) => ({ encryptionContext: { 'aws:s3:arn': `arn:aws:s3:::data-${n % 90}` }, encryptionAlgorithm: 'SYMMETRIC_DEFAULT' }),
  ],
  [
    's3',
    'GetBucketLocation',
    9,
    (n) => ({ bucketName: `data-${n % 90}`, Host: `data-${n % 90}.s3.eu-central-1.amazonaws.com`, location: '' }),
  ],
  ['logs', 'CreateLogStream', 9, (n) => ({ logGroupName: `/aws/lambda/fn-${n % 120}`, logStreamName: `2026/01/01/[$LATEST]${n}` })],
  ['dynamodb', 'DescribeTable', 8, (n) => ({ tableName: `table-${n % 40}` })],
  ['ssm', 'GetParameters', 7, (n) => ({ names: [`/shop/config/${n % 50}`], withDecryption: true })],
  ['secretsmanager', 'GetSecretValue', 6, (n) => ({ secretId: `arn:aws:secretsmanager:eu-central-1:${ACCOUNT}:secret:shop-${n % 30}` })],
  ['autoscaling', 'DescribeAutoScalingGroups', 5, () => null],
  [
    'elasticloadbalancing',
    'DescribeTargetHealth',
    5,
    (n) => ({ targetGroupArn: `arn:aws:elasticloadbalancing:eu-central-1:${ACCOUNT}:targetgroup/tg-${n % 20}/0123456789abcdef` }),
  ],
  ['ecr', 'BatchGetImage', 3, (n) => ({ registryId: ACCOUNT, repositoryName: `shop-${n % 15}`, imageIds: [{ imageTag: `v${n % 300}` }] })],
  [
    'lambda',
    'UpdateFunctionCode20150331v2',
    2,
    (n) => ({ functionName: `fn-${n % 120}`, s3Bucket: 'deployments', s3Key: `fn/${n}.zip`, dryRun: false, publish: true }),
  ],
  [
    'ec2',
    'CreateTags',
    1,
    (n) => ({
      resourcesSet: { items: [{ resourceId: `i-0${(n % 900).toString(16).padStart(16, '0')}` }] },
      tagSet: { items: [{ key: 'team', value: 'shop' }] },
    }),
  ],
  ['iam', 'ListAttachedRolePolicies', 1, (n) => ({ roleName: `app-${n % 200}` })],
];
const WHEEL = CALLS.flatMap((call) => Array.from({ length: call[2] }, () => call));

const hex = (n: number, salt: number): string => (Math.imul(n + salt, 2654435761) >>> 0).toString(16).padStart(8, '0');
const uuid = (n: number, salt: number): string =>
  `${hex(n, salt)}-${hex(n, salt + 7).slice(0, 4)}-4${hex(n, salt + 11).slice(0, 3)}-8${hex(n, salt + 13).slice(0, 3)}-${hex(n, salt + 17)}${hex(n, salt + 19).slice(0, 4)}`;

/** The n-th event of a log of some days, of one of `roles` roles. */
export function cloudTrailEvent(n: number, start: number, step: number, roles: number): object {
  // few roles make most of the calls, and each makes calls of a few kinds
  const role = Math.floor(roles * ((Math.imul(n, 2246822519) >>> 0) / 2 ** 32) ** 3);
  const [source, name, , parameters] = WHEEL[(role * 37 + ((Math.imul(n, 40503) >>> 7) % 4) * 11) % WHEEL.length]!;
  const arn = `arn:aws:iam::${ACCOUNT}:role/app-${role}`;
  const session = `session-${n % 4000}`;
  return {
    eventVersion: '1.09',
    userIdentity: {
      type: 'AssumedRole',
      principalId: `AROAEXAMPLE${String(role).padStart(9, '0')}:${session}`,
      arn: `arn:aws:sts::${ACCOUNT}:assumed-role/app-${role}/${session}`,
      accountId: ACCOUNT,
      accessKeyId: `ASIA${hex(n % 4000, 3).toUpperCase()}${hex(n % 4000, 5).toUpperCase()}`,
      sessionContext: {
        sessionIssuer: {
          type: 'Role',
          principalId: `AROAEXAMPLE${String(role).padStart(9, '0')}`,
          arn,
          accountId: ACCOUNT,
          userName: `app-${role}`,
        },
        attributes: { creationDate: '2026-01-01T00:00:00Z', mfaAuthenticated: 'false' },
      },
    },
    eventTime: new Date(start + n * step).toISOString().replace(/\.\d+Z/, 'Z'),
    eventSource: `${source}.amazonaws.com`,
    eventName: name,
    awsRegion: REGIONS[n % REGIONS.length],
    sourceIPAddress: `10.${n % 8}.${n % 250}.${(n >> 3) % 250}`,
    userAgent: `aws-sdk-go-v2/1.30.${n % 6} os/linux lang/go#1.22.5 md/GOOS#linux md/GOARCH#amd64 api/${source}#1.5${n % 10}.0`,
    requestParameters: parameters(n),
    responseElements: null,
    requestID: uuid(n, 1),
    eventID: uuid(n, 100_000_007),
    readOnly: /^(?:Describe|Get|List|Batch)/.test(name),
    eventType: 'AwsApiCall',
    managementEvent: true,
    recipientAccountId: ACCOUNT,
    eventCategory: 'Management',
    tlsDetails: {
      tlsVersion: 'TLSv1.3',
      cipherSuite: 'TLS_AES_128_GCM_SHA256',
      clientProvidedHostHeader: `${source}.eu-central-1.amazonaws.com`,
    },
  };
}

/** Writes a log as a trail does: `{"Records": [...]}`. */
export async function writeCloudTrail(path: string, events: number, start: number, step: number, roles: number): Promise<void> {
  function* pieces() {
    for (let n = 0; n < events; n++) yield (n === 0 ? '{"Records":[' : ',\n') + JSON.stringify(cloudTrailEvent(n, start, step, roles));
    yield ']}';
  }
  await pipeline(Readable.from(pieces()), createWriteStream(path));
}
