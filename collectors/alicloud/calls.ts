import type { ServiceCalls } from '../service-calls.js';

/** RAM actions of Alibaba Cloud. */
export const ALICLOUD_CALLS: readonly ServiceCalls[] = [
  { service: 'resource-center', permissions: ['resourcecenter:SearchResources', 'resourcecenter:GetResourceConfiguration'] },
  {
    service: 'oss',
    permissions: [
      'oss:ListBuckets',
      'oss:GetBucketInfo',
      'oss:GetBucketAcl',
      'oss:GetBucketPolicy',
      'oss:GetBucketEncryption',
      'oss:GetBucketLogging',
    ],
  },
  {
    service: 'ecs',
    permissions: ['ecs:DescribeInstances', 'ecs:DescribeDisks', 'ecs:DescribeSecurityGroups', 'ecs:DescribeSecurityGroupAttribute'],
  },
  { service: 'rds', permissions: ['rds:DescribeDBInstances', 'rds:DescribeDBInstanceAttribute', 'rds:DescribeDBInstanceIPArrayList'] },
  { service: 'ram', permissions: ['ram:ListUsers', 'ram:ListRoles', 'ram:ListPolicies', 'ram:GetPasswordPolicy', 'ram:ListAccessKeys'] },
  { service: 'kms', permissions: ['kms:ListKeys', 'kms:DescribeKey'] },
  { service: 'vpc', permissions: ['vpc:DescribeVpcs', 'vpc:DescribeVSwitches'] },
];
