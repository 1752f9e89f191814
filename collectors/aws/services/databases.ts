import type { CallGroup, CallLine } from '../lines.js';

const list = (call: string, more: Partial<CallLine> = {}): CallLine => ({ call, page: 'Marker', quiet: { MaxRecords: 100 }, ...more });

/** Relational databases; those of DocumentDB and Neptune are answered beside them. */
export const RDS: CallGroup = {
  service: 'rds',
  command: 'rds',
  prefix: 'rds',
  load: () => import('@aws-sdk/client-rds'),
  client: 'RDSClient',
  calls: [
    list('DescribeDBInstances'),
    list('DescribeDBClusters'),
    list('DescribeDBSnapshots', {
      each: 'DBSnapshots',
      // only snapshots that were made by hand can be shared
      only: { SnapshotType: 'manual' },
      then: [{ call: 'DescribeDBSnapshotAttributes', input: { DBSnapshotIdentifier: '{DBSnapshotIdentifier}' } }],
    }),
    list('DescribeDBClusterSnapshots', {
      each: 'DBClusterSnapshots',
      only: { SnapshotType: 'manual' },
      then: [{ call: 'DescribeDBClusterSnapshotAttributes', input: { DBClusterSnapshotIdentifier: '{DBClusterSnapshotIdentifier}' } }],
    }),
    list('DescribeDBSubnetGroups'),
    list('DescribeDBProxies'),
    list('DescribeEventSubscriptions'),
    list('DescribeDBShardGroups'),
    list('DescribeGlobalClusters'),
  ],
};

const ofTable = { input: { TableName: '{TableName}' } };
const ofTableArn = { input: { ResourceArn: '{TableArn}' } };

export const DYNAMODB: CallGroup = {
  service: 'dynamodb',
  command: 'dynamodb',
  prefix: 'dynamodb',
  load: () => import('@aws-sdk/client-dynamodb'),
  client: 'DynamoDBClient',
  calls: [
    {
      call: 'ListTables',
      page: ['LastEvaluatedTableName', 'ExclusiveStartTableName'],
      each: 'TableNames',
      as: 'TableName',
      then: [
        {
          call: 'DescribeTable',
          ...ofTable,
          each: 'Table',
          then: [
            { call: 'ListTagsOfResource', page: 'NextToken', ...ofTableArn },
            { call: 'GetResourcePolicy', ...ofTableArn },
          ],
        },
        { call: 'DescribeContinuousBackups', ...ofTable },
        { call: 'DescribeTimeToLive', ...ofTable },
      ],
    },
  ],
};

export const REDSHIFT: CallGroup = {
  service: 'redshift',
  command: 'redshift',
  prefix: 'redshift',
  load: () => import('@aws-sdk/client-redshift'),
  client: 'RedshiftClient',
  calls: [
    list('DescribeClusters', {
      each: 'Clusters',
      then: [{ call: 'DescribeLoggingStatus', input: { ClusterIdentifier: '{ClusterIdentifier}' } }],
    }),
  ],
};

export const ELASTICACHE: CallGroup = {
  service: 'elasticache',
  command: 'elasticache',
  prefix: 'elasticache',
  load: () => import('@aws-sdk/client-elasticache'),
  client: 'ElastiCacheClient',
  calls: [list('DescribeCacheClusters'), list('DescribeReplicationGroups'), list('DescribeCacheSubnetGroups'), list('DescribeUsers')],
};

export const OPENSEARCH: CallGroup = {
  service: 'opensearch',
  command: 'opensearch',
  prefix: 'es',
  load: () => import('@aws-sdk/client-opensearch'),
  client: 'OpenSearchClient',
  calls: [
    {
      call: 'ListDomainNames',
      each: 'DomainNames',
      then: [{ call: 'DescribeDomain', input: { DomainName: '{DomainName}' } }],
    },
  ],
};
