import type { CallGroup } from '../lines.js';

/** Connections are left out: who may list them may have their passwords. */
export const GLUE: CallGroup = {
  service: 'glue',
  command: 'glue',
  prefix: 'glue',
  load: () => import('@aws-sdk/client-glue'),
  client: 'GlueClient',
  calls: [
    { call: 'GetJobs', page: 'NextToken' },
    { call: 'GetCrawlers', page: 'NextToken' },
    { call: 'GetDevEndpoints', page: 'NextToken' },
    { call: 'GetSecurityConfigurations', page: 'NextToken' },
    { call: 'GetDataCatalogEncryptionSettings' },
    { call: 'GetResourcePolicy' },
  ],
};

export const EMR: CallGroup = {
  service: 'emr',
  command: 'emr',
  prefix: 'elasticmapreduce',
  load: () => import('@aws-sdk/client-emr'),
  client: 'EMRClient',
  calls: [
    {
      call: 'ListClusters',
      page: 'Marker',
      input: { ClusterStates: ['STARTING', 'BOOTSTRAPPING', 'RUNNING', 'WAITING'] },
      each: 'Clusters',
      then: [{ call: 'DescribeCluster', input: { ClusterId: '{Id}' } }],
    },
    {
      call: 'ListSecurityConfigurations',
      page: 'Marker',
      each: 'SecurityConfigurations',
      then: [{ call: 'DescribeSecurityConfiguration', input: { Name: '{Name}' } }],
    },
    { call: 'GetBlockPublicAccessConfiguration' },
  ],
};

export const DMS: CallGroup = {
  service: 'dms',
  command: 'dms',
  prefix: 'dms',
  load: () => import('@aws-sdk/client-database-migration-service'),
  client: 'DatabaseMigrationServiceClient',
  calls: [
    { call: 'DescribeEndpoints', page: 'Marker' },
    { call: 'DescribeReplicationInstances', page: 'Marker' },
  ],
};

export const KAFKA: CallGroup = {
  service: 'kafka',
  command: 'kafka',
  prefix: 'kafka',
  load: () => import('@aws-sdk/client-kafka'),
  client: 'KafkaClient',
  calls: [
    {
      call: 'ListClusters',
      page: 'NextToken',
      quiet: { MaxResults: 100 },
      each: 'ClusterInfoList',
      then: [{ call: 'GetClusterPolicy', input: { ClusterArn: '{ClusterArn}' } }],
    },
  ],
};

export const KINESIS: CallGroup = {
  service: 'kinesis',
  command: 'kinesis',
  prefix: 'kinesis',
  load: () => import('@aws-sdk/client-kinesis'),
  client: 'KinesisClient',
  calls: [
    {
      call: 'ListStreams',
      page: 'NextToken',
      quiet: { Limit: 1000 },
      each: 'StreamNames',
      as: 'StreamName',
      // one shard is as good as all: nothing is read of them
      then: [
        {
          call: 'DescribeStream',
          input: { StreamName: '{StreamName}' },
          quiet: { Limit: 1 },
          each: 'StreamDescription',
          then: [{ call: 'GetResourcePolicy', input: { ResourceARN: '{StreamARN}' } }],
        },
      ],
    },
  ],
};

export const FIREHOSE: CallGroup = {
  service: 'firehose',
  command: 'firehose',
  prefix: 'firehose',
  load: () => import('@aws-sdk/client-firehose'),
  client: 'FirehoseClient',
  calls: [
    {
      call: 'ListDeliveryStreams',
      // more than a region may have of them
      quiet: { Limit: 10_000 },
      each: 'DeliveryStreamNames',
      as: 'DeliveryStreamName',
      then: [
        {
          call: 'DescribeDeliveryStream',
          input: { DeliveryStreamName: '{DeliveryStreamName}' },
          without: [
            'DeliveryStreamDescription.Destinations.HttpEndpointDestinationDescription.RequestConfiguration',
            'DeliveryStreamDescription.Destinations.SplunkDestinationDescription.HECToken',
          ],
        },
      ],
    },
  ],
};

export const BACKUP: CallGroup = {
  service: 'backup',
  command: 'backup',
  prefix: 'backup',
  load: () => import('@aws-sdk/client-backup'),
  client: 'BackupClient',
  calls: [
    {
      call: 'ListBackupVaults',
      page: 'NextToken',
      each: 'BackupVaultList',
      then: [{ call: 'GetBackupVaultAccessPolicy', input: { BackupVaultName: '{BackupVaultName}' } }],
    },
    { call: 'ListBackupPlans', page: 'NextToken' },
  ],
};
