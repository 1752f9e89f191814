import type { ServiceCalls } from '../service-calls.js';

/** IAM actions (AWS service authorization reference). */
export const AWS_CALLS: readonly ServiceCalls[] = [
  {
    service: 's3',
    permissions: [
      's3:ListAllMyBuckets',
      's3:GetBucketLocation',
      's3:GetBucketTagging',
      's3:GetBucketVersioning',
      's3:GetBucketLogging',
      's3:GetBucketPolicy',
      's3:GetBucketAcl',
      's3:GetBucketOwnershipControls',
      's3:GetBucketPublicAccessBlock',
      's3:GetEncryptionConfiguration',
      's3:GetLifecycleConfiguration',
    ],
  },
  {
    service: 'iam',
    permissions: [
      'iam:ListUsers',
      'iam:ListUserPolicies',
      'iam:ListAttachedUserPolicies',
      'iam:ListAccessKeys',
      'iam:ListMFADevices',
      'iam:ListRoles',
      'iam:ListAttachedRolePolicies',
      'iam:ListPolicies',
      'iam:GetPolicyVersion',
      'iam:GetAccountPasswordPolicy',
    ],
  },
  {
    service: 'ec2',
    permissions: [
      'ec2:DescribeRegions',
      'ec2:DescribeInstances',
      'ec2:DescribeVolumes',
      'ec2:DescribeVpcs',
      'ec2:DescribeSubnets',
      'ec2:DescribeSecurityGroups',
      'ec2:DescribeRouteTables',
      'ec2:DescribeInternetGateways',
      'ec2:GetEbsEncryptionByDefault',
    ],
  },
  {
    service: 'rds',
    permissions: ['rds:DescribeDBInstances', 'rds:DescribeDBClusters', 'rds:DescribeDBSnapshots', 'rds:ListTagsForResource'],
  },
  {
    service: 'kms',
    permissions: ['kms:ListKeys', 'kms:DescribeKey', 'kms:GetKeyPolicy', 'kms:GetKeyRotationStatus', 'kms:ListResourceTags'],
  },
  { service: 'lambda', permissions: ['lambda:ListFunctions', 'lambda:GetPolicy', 'lambda:ListFunctionUrlConfigs', 'lambda:ListTags'] },
];
