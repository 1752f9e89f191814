import { many, type Emulated } from './emulated.js';
import { trail } from './records.js';

const world = [{ fromPort: 22, toPort: 22, ipRanges: { items: [{ cidrIp: '0.0.0.0/0' }] } }];
const other = { add: { items: [{ userId: '444455556666' }] } };
const trails = (make: (n: number) => object, count: number): object => ({
  Records: many(make, count).map((one, n) => ({
    ...one,
    eventID: `e${n}`,
    eventTime: `2030-01-01T10:00:${String(n % 60).padStart(2, '0')}Z`,
  })),
});
const secretOf = (n: number) => ({ resources: [{ ARN: `arn:aws:secretsmanager:eu-central-1:111122223333:secret:${n}` }] });

const OF_INSTANCE = {
  userIdentity: {
    ...{ type: 'AssumedRole', arn: 'arn:aws:sts::111122223333:assumed-role/app/i-0abcdef1234567890', accountId: '111122223333' },
    sessionContext: { sessionIssuer: { arn: 'arn:aws:iam::111122223333:role/app' } },
  },
};
const LOOKS: readonly [service: string, call: string][] = [
  ['iam', 'ListUsers'],
  ['iam', 'ListRoles'],
  ['iam', 'GetAccountAuthorizationDetails'],
  ['ec2', 'DescribeSnapshots'],
  ['cloudtrail', 'DescribeTrails'],
  ['guardduty', 'ListDetectors'],
];

/**
 * https://stratus-red-team.cloud/attack-techniques/AWS/, but for those of which recordings are replayed beside; for the deletion of all objects of a bucket in one call,
 * which is what a clean-up looks like; and for calls that no log tells.
 */
export const AWS: readonly Emulated[] = [
  ['ec2-get-password-data', ['T1552'], trails((n) => trail('ec2', 'GetPasswordData', { instanceId: `i-${n}` }), 30)],
  [
    'cloudtrail-lifecycle-rule',
    ['T1562.008', 'T1485'],
    trail('s3', 'PutBucketLifecycle', {
      bucketName: 'cloudtrail-logs',
      LifecycleConfiguration: { Rule: { Expiration: { Days: 1 }, Status: 'Enabled' } },
    }),
  ],
  ['cloudtrail-stop', ['T1562.008'], trail('cloudtrail', 'StopLogging', { name: 't' })],
  [
    'ec2-download-user-data',
    ['T1552', 'T1580', 'T1526'],
    trails((n) => trail('ec2', 'DescribeInstanceAttribute', { instanceId: `i-${n}`, attribute: 'userData' }), 15),
  ],
  [
    'ses-enumerate',
    ['T1526', 'T1087', 'T1580'],
    trails((n) => trail('ses', ['GetAccountSendingEnabled', 'GetSendQuota', 'ListIdentities'][n]!, {}), 3),
  ],
  [
    'sagemaker-update-lifecycle-config',
    ['T1059', 'T1546', 'T1648'],
    trail('sagemaker', 'UpdateNotebookInstanceLifecycleConfig', { notebookInstanceLifecycleConfigName: 'x' }),
  ],
  ['ssm-start-session', ['T1021', 'T1651', 'T1021.007', 'T1021.004'], trails((n) => trail('ssm', 'StartSession', { target: `i-${n}` }), 3)],
  [
    'ec2-security-group-open-port-22-ingress',
    ['T1562.007', 'T1190'],
    trail('ec2', 'AuthorizeSecurityGroupIngress', { groupId: 'sg-1', ipPermissions: { items: world } }),
  ],
  [
    'ec2-share-ebs-snapshot',
    ['T1537'],
    trail('ec2', 'ModifySnapshotAttribute', { snapshotId: 's', createVolumePermission: other, attributeType: 'CREATE_VOLUME_PERMISSION' }),
  ],
  [
    's3-backdoor-bucket-policy',
    ['T1537', 'T1530', 'T1098'],
    trail('s3', 'PutBucketPolicy', {
      bucketName: 'b',
      bucketPolicy: {
        Statement: [
          { Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::444455556666:root' }, Action: ['s3:GetObject'], Resource: 'arn:aws:s3:::b/*' },
        ],
      },
    }),
  ],
  [
    's3-ransomware-individual-deletion',
    ['T1485', 'T1486'],
    trails((n) => trail('s3', 'DeleteObject', { bucketName: 'b', key: `k${n}` }), 120),
  ],
  [
    's3-ransomware-client-side-encryption',
    ['T1486'],
    trails(
      (n) => trail('s3', 'CopyObject', { bucketName: 'b', key: `k${n}`, 'x-amz-server-side-encryption-customer-algorithm': 'AES256' }),
      60,
    ),
  ],
  [
    'console-login-without-mfa',
    ['T1078.004'],
    trail(
      'signin',
      'ConsoleLogin',
      {},
      { additionalEventData: { MFAUsed: 'No' }, responseElements: { ConsoleLogin: 'Success' }, eventType: 'AwsConsoleSignIn' },
    ),
  ],
  [
    'iam-create-admin-user',
    ['T1098', 'T1098.003', 'T1136.003'],
    trail('iam', 'AttachUserPolicy', { userName: 'x', policyArn: 'arn:aws:iam::aws:policy/AdministratorAccess' }),
  ],
  [
    'lambda-layer-extension',
    ['T1546', 'T1648'],
    trail('lambda', 'UpdateFunctionConfiguration20150331v2', {
      functionName: 'f',
      layers: ['arn:aws:lambda:eu-central-1:444455556666:layer:x:1'],
    }),
  ],
  [
    'eks-create-access-entry',
    ['T1098', 'T1098.006', 'T1078.004'],
    trail('eks', 'AssociateAccessPolicy', {
      name: 'c',
      principalArn: 'arn:x',
      policyArn: 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy',
    }),
  ],
  ['ec2-enumerate-from-instance', ['T1580'], trails((n) => trail(...LOOKS[n % LOOKS.length]!, {}, OF_INSTANCE), 12)],
  [
    'secretsmanager-retrieve-secrets',
    ['T1555.006'],
    trails((n) => trail('secretsmanager', 'GetSecretValue', { secretId: `s${n}` }, secretOf(n)), 30),
  ],
];
