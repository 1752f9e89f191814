import type { CallGroup } from '../lines.js';
import { EC2 } from './ec2.js';
import { EKS, ECR, ECS, EFS, LAMBDA } from './compute.js';
import { BACKUP, DMS, EMR, FIREHOSE, GLUE, KAFKA, KINESIS } from './data.js';
import { DYNAMODB, ELASTICACHE, OPENSEARCH, RDS, REDSHIFT } from './databases.js';
import { ACM, API_GATEWAY, API_GATEWAY_V2, AUTO_SCALING, BATCH, BEANSTALK, CODEBUILD } from './delivery.js';
import { CLOUDFRONT, ELB, ELBV2 } from './edge.js';
import { IAM } from './iam.js';
import { COGNITO_IDENTITY, SSO_ADMIN, TRANSFER } from './identities.js';
import { KMS, SECRETS } from './keys.js';
import { BEDROCK, SAGEMAKER } from './learning.js';
import { CLOUDTRAIL, LOGS, SNS, SQS } from './messages.js';
import { GAMELIFT, LIGHTSAIL, NETWORK_FIREWALL, VPC_LATTICE, WORKSPACES } from './networks.js';
import { S3, S3_ACCOUNT, S3_POINTS } from './s3.js';
import { CODEARTIFACT, IMAGE_BUILDER, IOT, MQ, SCHEMAS, SSM, XRAY } from './software.js';
import { FSX, GLACIER, OPENSEARCH_SERVERLESS, REDSHIFT_SERVERLESS, S3_TABLES, STORAGE_GATEWAY } from './stores.js';
import { CLOUDWATCH, CONFIG, EVENTS, GUARDDUTY } from './watch.js';

/** All that is asked of AWS, in the order in which services are told to people. */
export const GROUPS: readonly CallGroup[] = [
  ...[S3, S3_POINTS, S3_ACCOUNT, IAM, EC2, RDS, KMS, LAMBDA],
  ...[ELBV2, ELB, CLOUDTRAIL, DYNAMODB, SQS, SNS, ECR, EKS, ECS, EFS, SECRETS, LOGS, CLOUDFRONT, OPENSEARCH, REDSHIFT, ELASTICACHE],
  ...[CODEBUILD, DMS, FIREHOSE, KINESIS, BATCH, EMR, KAFKA, API_GATEWAY, API_GATEWAY_V2, GLUE, BACKUP, BEANSTALK, AUTO_SCALING, ACM],
  ...[EVENTS, CLOUDWATCH, CONFIG, GUARDDUTY],
  ...[SSO_ADMIN, COGNITO_IDENTITY, TRANSFER, LIGHTSAIL, VPC_LATTICE, NETWORK_FIREWALL, WORKSPACES, GAMELIFT, SAGEMAKER, BEDROCK],
  ...[GLACIER, S3_TABLES, FSX, STORAGE_GATEWAY, REDSHIFT_SERVERLESS, OPENSEARCH_SERVERLESS],
  ...[CODEARTIFACT, IMAGE_BUILDER, SSM, MQ, IOT, XRAY, SCHEMAS],
];
