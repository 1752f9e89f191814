import * as acm from '@aws-sdk/client-acm';
import * as apigateway from '@aws-sdk/client-api-gateway';
import * as apigatewayv2 from '@aws-sdk/client-apigatewayv2';
import * as backup from '@aws-sdk/client-backup';
import * as cloudwatch from '@aws-sdk/client-cloudwatch';
import * as codebuild from '@aws-sdk/client-codebuild';
import * as config from '@aws-sdk/client-config-service';
import * as dms from '@aws-sdk/client-database-migration-service';
import * as emr from '@aws-sdk/client-emr';
import * as events from '@aws-sdk/client-eventbridge';
import * as firehose from '@aws-sdk/client-firehose';
import * as glue from '@aws-sdk/client-glue';
import * as guardduty from '@aws-sdk/client-guardduty';
import * as kafka from '@aws-sdk/client-kafka';
import * as kinesis from '@aws-sdk/client-kinesis';
import * as s3control from '@aws-sdk/client-s3-control';
import { guardedHandler } from '../../kit/outbound/guarded-handler.js';
import { createOutbound } from '../../kit/outbound/outbound.js';
import { ACCOUNT, settings } from './aws-estate.js';

/** Streams and jobs. @param role for what needs one */
async function makeData(endpoint: string, region: string, role: string): Promise<void> {
  const of = settings(endpoint, region);
  // the client itself speaks HTTP/2 alone, which moto does not
  const outbound = createOutbound(['127.0.0.1/32']);
  const requestHandler = guardedHandler(outbound, { signal: new AbortController().signal, timeoutMs: 20_000, mostBytes: 1_000_000 });
  await new kinesis.KinesisClient({ ...of, requestHandler }).send(new kinesis.CreateStreamCommand({ StreamName: 'clicks', ShardCount: 1 }));
  await outbound.close();
  const target = { RoleARN: role, BucketARN: `arn:aws:s3:::ledger-${region}` };
  await new firehose.FirehoseClient(of).send(
    new firehose.CreateDeliveryStreamCommand({ DeliveryStreamName: 'archive', ExtendedS3DestinationConfiguration: target }),
  );
  await new glue.GlueClient(of).send(new glue.CreateJobCommand({ Name: 'nightly', Role: role, Command: { Name: 'glueetl' } }));
  await new emr.EMRClient(of).send(
    new emr.RunJobFlowCommand({
      ...{ Name: 'spark', ReleaseLabel: 'emr-6.15.0', JobFlowRole: 'r', ServiceRole: 'r' },
      Instances: { MasterInstanceType: 'm5.xlarge', InstanceCount: 1, KeepJobFlowAliveWhenNoSteps: true },
    }),
  );
  await new kafka.KafkaClient(of).send(
    new kafka.CreateClusterCommand({
      ...{ ClusterName: 'events', KafkaVersion: '3.5.1', NumberOfBrokerNodes: 2 },
      BrokerNodeGroupInfo: { InstanceType: 'kafka.m5.large', ClientSubnets: ['subnet-1', 'subnet-2'] },
    }),
  );
  await new dms.DatabaseMigrationServiceClient(of).send(
    new dms.CreateEndpointCommand({ EndpointIdentifier: 'source', EndpointType: 'source', EngineName: 'mysql', Password: 'never told' }),
  );
  await new backup.BackupClient(of).send(new backup.CreateBackupVaultCommand({ BackupVaultName: 'vault' }));
}

/** What builds, serves and watches. */
async function makeDelivery(endpoint: string, region: string, role: string): Promise<void> {
  const of = settings(endpoint, region);
  await new codebuild.CodeBuildClient(of).send(
    new codebuild.CreateProjectCommand({
      ...{ name: 'build', serviceRole: role, artifacts: { type: 'NO_ARTIFACTS' } },
      source: { type: 'S3', location: 'ledger/source' },
      environment: { type: 'LINUX_CONTAINER', image: 'standard:7.0', computeType: 'BUILD_GENERAL1_SMALL', privilegedMode: true },
    }),
  );
  await new apigateway.APIGatewayClient(of).send(new apigateway.CreateRestApiCommand({ name: 'shop' }));
  await new apigatewayv2.ApiGatewayV2Client(of).send(new apigatewayv2.CreateApiCommand({ Name: 'shop-2', ProtocolType: 'HTTP' }));
  await new acm.ACMClient(of).send(new acm.RequestCertificateCommand({ DomainName: 'shop.example.com' }));
  await new events.EventBridgeClient(of).send(new events.PutRuleCommand({ Name: 'hourly', ScheduleExpression: 'rate(1 hour)' }));
  await new cloudwatch.CloudWatchClient(of).send(
    new cloudwatch.PutMetricAlarmCommand({
      ...{ AlarmName: 'errors', MetricName: 'Errors', Namespace: 'App', Statistic: 'Sum', Period: 60 },
      ...{ EvaluationPeriods: 1, Threshold: 1, ComparisonOperator: 'GreaterThanThreshold' },
    }),
  );
  await new config.ConfigServiceClient(of).send(
    new config.PutConfigurationRecorderCommand({
      ConfigurationRecorder: { name: 'default', roleARN: role, recordingGroup: { allSupported: true, includeGlobalResourceTypes: true } },
    }),
  );
  await new guardduty.GuardDutyClient(of).send(new guardduty.CreateDetectorCommand({ Enable: true }));
  const endpointProvider = () => ({ url: new URL(endpoint) });
  await new s3control.S3ControlClient({ ...of, endpointProvider }).send(
    new s3control.CreateAccessPointCommand({ AccountId: ACCOUNT, Name: `way-${region}`, Bucket: `ledger-${region}` }),
  );
}

/** Things of the services that `makeEstate` leaves out, in one region. */
export async function makeMore(endpoint: string, region: string, role: string): Promise<void> {
  await makeData(endpoint, region, role);
  await makeDelivery(endpoint, region, role);
}
