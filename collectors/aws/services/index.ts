import type { CallGroup } from '../lines.js';
import { EC2 } from './ec2.js';
import { EKS, ECR, ECS, EFS, LAMBDA } from './compute.js';
import { DYNAMODB, ELASTICACHE, OPENSEARCH, RDS, REDSHIFT } from './databases.js';
import { CLOUDFRONT, ELB, ELBV2 } from './edge.js';
import { IAM } from './iam.js';
import { KMS, SECRETS } from './keys.js';
import { CLOUDTRAIL, LOGS, SNS, SQS } from './messages.js';
import { S3, S3_ACCOUNT } from './s3.js';

/** All that is asked of AWS, in the order in which services are told to people. */
export const GROUPS: readonly CallGroup[] = [
  ...[S3, S3_ACCOUNT, IAM, EC2, RDS, KMS, LAMBDA],
  ...[ELBV2, ELB, CLOUDTRAIL, DYNAMODB, SQS, SNS, ECR, EKS, ECS, EFS, SECRETS, LOGS, CLOUDFRONT, OPENSEARCH, REDSHIFT, ELASTICACHE],
];
