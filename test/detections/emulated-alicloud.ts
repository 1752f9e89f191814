import { many, type Emulated } from './emulated.js';
import { actionTrail } from './records.js';

const administrator = { PolicyName: 'AdministratorAccess', PolicyType: 'System' };
const LISTS: readonly [service: string, call: string][] = [
  ...([
    ['Ram', 'ListUsers'],
    ['Ram', 'ListGroups'],
    ['Ram', 'ListRoles'],
    ['Ram', 'ListPolicies'],
    ['Sts', 'GetCallerIdentity'],
    ['Ecs', 'DescribeVpcs'],
  ] as [string, string][]),
  ...([
    ['Ecs', 'DescribeSnapshots'],
    ['Ecs', 'DescribeSecurityGroups'],
    ['Rds', 'DescribeDBInstances'],
    ['Oss', 'ListBuckets'],
    ['Kms', 'ListKeys'],
    ['Kms', 'ListSecrets'],
  ] as [string, string][]),
];

/** What an attacker does in an account, by what ActionTrail tells of it: https://www.alibabacloud.com/help/en/actiontrail/ */
export const ALICLOUD: readonly Emulated[] = [
  ['key for another user', ['T1098.001'], actionTrail('Ram', 'CreateAccessKey', { UserName: 'other' })],
  ['user', ['T1136.003'], actionTrail('Ram', 'CreateUser', { UserName: 'other' })],
  ['password for another user', ['T1098'], actionTrail('Ram', 'CreateLoginProfile', { UserName: 'other' })],
  ['administrator', ['T1098.003'], actionTrail('Ram', 'AttachPolicyToUser', { ...administrator, UserName: 'other' })],
  [
    'policy over everything',
    ['T1098.003'],
    actionTrail('Ram', 'CreatePolicyVersion', { PolicyDocument: '{"Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}' }),
  ],
  [
    'role for another account',
    ['T1098.003', 'T1199'],
    actionTrail('Ram', 'UpdateRole', {
      NewAssumeRolePolicyDocument: '{"Statement":[{"Principal":{"RAM":["acs:ram::2000000000000002:root"]}}]}',
    }),
  ],
  ['identity provider', ['T1484.002'], actionTrail('Ims', 'CreateSAMLProvider', { SAMLProviderName: 'x' })],
  ['second factor removed', ['T1556.006'], actionTrail('Ims', 'UnbindMFADevice', { UserName: 'other' })],
  [
    'passwords tried',
    ['T1110.001'],
    many((n) => actionTrail('AasSub', 'ConsoleSignin', {}, { errorCode: 'PasswordFailed', eventType: 'ConsoleSignin' }, n), 12),
  ],
  [
    'sign-in without a second factor',
    ['T1078.004'],
    actionTrail('AasSub', 'ConsoleSignin', {}, { additionalEventData: { isMFAChecked: 'false' } }),
  ],
  ['trail stopped', ['T1562.008'], actionTrail('Actiontrail', 'StopLogging', { Name: 'trail' })],
  ['trail changed', ['T1562.008'], actionTrail('Actiontrail', 'UpdateTrail', { Name: 'trail', EventRW: 'Read' })],
  ['logs deleted', ['T1562.008', 'T1070'], actionTrail('Sls', 'DeleteLogStore', { logstore: 'x' })],
  ['agent of Security Center removed', ['T1562.001'], actionTrail('Sas', 'AddUninstallClientsByUuids', { Uuids: 'x' })],
  ['alarms deleted', ['T1562.001'], actionTrail('Cms', 'DeleteMetricRules', { Id: ['x'] })],
  ['firewall off', ['T1562.007'], actionTrail('Cloudfw', 'PutDisableFwSwitch', { IpaddrList: ['203.0.113.1'] })],
  [
    'port opened',
    ['T1562.007'],
    actionTrail('Ecs', 'AuthorizeSecurityGroup', { SourceCidrIp: '0.0.0.0/0', PortRange: '22/22', IpProtocol: 'tcp' }),
  ],
  ['traffic mirrored', ['T1040'], actionTrail('Vpc', 'CreateTrafficMirrorSession', {})],
  [
    'policy over accounts removed',
    ['T1562.001', 'T1666'],
    actionTrail('ResourceDirectoryMaster', 'DetachControlPolicy', { PolicyId: 'x' }),
  ],
  ['machines with accelerators', ['T1496.001'], actionTrail('Ecs', 'RunInstances', { InstanceType: 'ecs.gn7i-c8g1.2xlarge', Amount: 4 })],
  ['many machines', ['T1496.001'], actionTrail('Ecs', 'RunInstances', { InstanceType: 'ecs.c7.large', Amount: 50 })],
  ['command on machines', ['T1651'], actionTrail('Ecs', 'RunCommand', { Type: 'RunShellScript', InstanceId: ['i-1'] })],
  ['console of a machine', ['T1021.008'], actionTrail('Ecs', 'DescribeInstanceVncUrl', { InstanceId: 'i-1' })],
  ['key for a machine', ['T1098.004'], actionTrail('Ecs', 'AttachKeyPair', { KeyPairName: 'x', InstanceIds: '["i-1"]' })],
  ['start scripts read', ['T1552'], many((n) => actionTrail('Ecs', 'DescribeUserData', { InstanceId: `i-${n}` }, {}, n), 6)],
  ['image shared', ['T1537'], actionTrail('Ecs', 'ModifyImageSharePermission', { ImageId: 'm-1', AddAccount: ['2000000000000002'] })],
  ['image exported', ['T1537'], actionTrail('Ecs', 'ExportImage', { ImageId: 'm-1', OSSBucket: 'x' })],
  ['machines deleted in one call', ['T1485'], actionTrail('Ecs', 'DeleteInstances', { InstanceId: ['i-1', 'i-2', 'i-3', 'i-4', 'i-5'] })],
  ['machines deleted', ['T1485'], many((n) => actionTrail('Ecs', 'DeleteInstance', { InstanceId: `i-${n}` }, {}, n), 6)],
  [
    'machines stopped in one call',
    ['T1489'],
    actionTrail('Ecs', 'StopInstances', { InstanceId: Array.from({ length: 12 }, (_, n) => `i-${n}`) }),
  ],
  ['disk put back', ['T1578.004'], actionTrail('Ecs', 'ResetDisk', { DiskId: 'd-1', SnapshotId: 's-1' })],
  ['snapshots deleted', ['T1490'], actionTrail('Ecs', 'DeleteSnapshot', { SnapshotId: 's-1' })],
  ['bucket opened', ['T1530'], actionTrail('Oss', 'PutBucketAcl', { bucketName: 'b', acl: 'public-read' })],
  [
    'versions off',
    ['T1490'],
    actionTrail('Oss', 'PutBucketVersioning', { bucketName: 'b', VersioningConfiguration: { Status: 'Suspended' } }),
  ],
  ['bucket replicated', ['T1537'], actionTrail('Oss', 'PutBucketReplication', { bucketName: 'b' })],
  [
    'objects deleted in one call',
    ['T1485'],
    actionTrail('Oss', 'DeleteMultipleObjects', { bucketName: 'b', Objects: Array.from({ length: 60 }, (_, n) => ({ Key: `k-${n}` })) }),
  ],
  ['objects deleted', ['T1485'], many((n) => actionTrail('Oss', 'DeleteObject', { bucketName: 'b', Key: `k-${n}` }, {}, n), 55)],
  ['key deleted', ['T1485', 'T1486'], actionTrail('Kms', 'ScheduleKeyDeletion', { KeyId: 'k', PendingWindowInDays: 7 })],
  ['secrets read', ['T1555.006'], many((n) => actionTrail('Kms', 'GetSecretValue', { SecretName: `s-${n}` }, {}, n), 12)],
  ['database opened', ['T1190'], actionTrail('Rds', 'ModifySecurityIps', { DBInstanceId: 'rm-1', SecurityIps: '0.0.0.0/0' })],
  ['repository opened', ['T1525'], actionTrail('Cr', 'UpdateRepository', { RepoType: 'PUBLIC' })],
  ['function changed', ['T1648'], actionTrail('FC', 'UpdateFunction', { functionName: 'f' })],
  ['looked around', ['T1087.004', 'T1580'], many((n) => actionTrail(...LISTS[n]!, {}, { eventRW: 'Read' }, n), 12)],
  ['rights tried out', ['T1526'], many((n) => actionTrail('Ecs', `Call${n}`, {}, { errorCode: 'Forbidden.RAM' }, n), 16)],
];
