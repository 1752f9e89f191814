import type { Line } from '../../listing/line.js';
import { product, SIZED, type AlicloudService } from '../product.js';

const rds = product('rds', 'rds.{region}.aliyuncs.com', '2014-08-15');
const redis = product('kvstore', 'r-kvstore.{region}.aliyuncs.com', '2015-01-01');
const mongo = product('dds', 'mongodb.{region}.aliyuncs.com', '2015-12-01');
const polar = product('polardb', 'polardb.{region}.aliyuncs.com', '2017-08-01');
const greenplum = product('gpdb', 'gpdb.{region}.aliyuncs.com', '2016-05-03');
const warehouse = product('adb', 'adb.{region}.aliyuncs.com', '2019-03-15');
const lake = product('adb', 'adb.{region}.aliyuncs.com', '2021-12-01');
const lindorm = product('lindorm', 'hitsdb.{region}.aliyuncs.com', '2020-06-15');
const clickhouse = product('clickhouse', 'clickhouse.{region}.aliyuncs.com', '2019-11-11');
const hbase = product('hbase', 'hbase.{region}.aliyuncs.com', '2019-01-01');
const nas = product('nas', 'nas.{region}.aliyuncs.com', '2017-06-26');

/** Addresses that several instances let in: a template that they share. */
const shared = (of: typeof mongo): Line => of.call('DescribeGlobalSecurityIPGroup', 'RegionId={region}', { each: 'GlobalSecurityIPGroup' });
const mongos = (kind: string, addresses: string): Line => ({
  ...mongo.call('DescribeDBInstances', `RegionId={region}&DBInstanceType=${kind}&${SIZED}`, { each: 'DBInstances.DBInstance' }),
  ...{ call: `describe-${kind}-instances` },
  then: mongo.about('DBInstanceId', ['DescribeSecurityIps', 'DescribeDBInstanceSSL', 'DescribeDBInstanceTDEInfo', addresses]),
});

const OSS = 'oss-cn-hangzhou.aliyuncs.com';
const ofBucket = (call: string, permission: string, path: string): Line => ({
  ...{ call, permission: `oss:${permission}`, host: '{Name}.{Location}.aliyuncs.com', path: `/?${path}`, about: '{Name}' },
});

/** Databases and what else keeps data. */
export const DATA: readonly AlicloudService[] = [
  {
    service: 'rds',
    where: 'region',
    lines: [
      rds.list('DescribeDBInstances', 'Items.DBInstance', {
        then: [
          ...rds.about('DBInstanceId', ['DescribeDBInstanceIPArrayList', 'DescribeDBInstanceSSL', 'DescribeDBInstanceTDE']),
          ...rds.about('DBInstanceId', ['DescribeDBInstanceNetInfo']),
          ...rds.about('DBInstanceId', ['DescribePGHbaConfig']).map((line) => ({ ...line, only: { Engine: /^PostgreSQL$/ } })),
        ],
      }),
      rds.call('DescribeAllWhitelistTemplate', 'RegionId={region}&PageNumbers=1&MaxRecordsPerPage=50', { each: 'Data.Templates' }),
    ],
  },
  {
    service: 'kvstore',
    where: 'region',
    lines: [
      redis.list('DescribeInstances', 'Instances.KVStoreInstance', {
        then: [
          ...redis.about('InstanceId', ['DescribeInstanceAttribute', 'DescribeSecurityIps', 'DescribeInstanceSSL']),
          ...redis.about('InstanceId', ['DescribeInstanceTDEStatus', 'DescribeDBInstanceNetInfo']),
        ],
      }),
      shared(redis),
    ],
  },
  {
    service: 'mongodb',
    where: 'region',
    lines: [mongos('replicate', 'DescribeReplicaSetRole'), mongos('sharding', 'DescribeShardingNetworkAddress'), shared(mongo)],
  },
  {
    service: 'polardb',
    where: 'region',
    lines: [
      polar.list('DescribeDBClusters', 'Items.DBCluster', {
        then: polar.about('DBClusterId', ['DescribeDBClusterAccessWhitelist', 'DescribeDBClusterTDE', 'DescribeDBClusterEndpoints']),
      }),
      shared(polar),
    ],
  },
  {
    service: 'gpdb',
    where: 'region',
    lines: [
      greenplum.list('DescribeDBInstances', 'Items.DBInstance', {
        then: [
          ...greenplum.about('DBInstanceId', ['DescribeDBInstanceAttribute', 'DescribeDBInstanceIPArrayList']),
          ...greenplum.about('DBInstanceId', ['DescribeDBInstanceSSL', 'DescribeDBInstanceNetInfo']),
        ],
      }),
    ],
  },
  {
    service: 'adb',
    where: 'region',
    lines: [
      warehouse.list('DescribeDBClusters', 'Items.DBCluster', {
        then: warehouse.about('DBClusterId', ['DescribeDBClusterAccessWhiteList', 'DescribeDBClusterNetInfo']),
      }),
      {
        ...lake.list('DescribeDBClusters', 'Items.DBCluster', { then: lake.about('DBClusterId', ['DescribeClusterAccessWhiteList']) }),
        call: 'describe-lake-clusters',
      },
    ],
  },
  {
    service: 'lindorm',
    where: 'region',
    lines: [
      lindorm.list('GetLindormInstanceList', 'InstanceList', {
        then: lindorm.about('InstanceId', ['GetInstanceIpWhiteList', 'GetLindormInstanceEngineList']),
      }),
    ],
  },
  {
    service: 'clickhouse',
    where: 'region',
    lines: [
      clickhouse.list('DescribeDBClusters', 'DBClusters.DBCluster', {
        then: clickhouse.about('DBClusterId', ['DescribeDBClusterAccessWhiteList']),
      }),
    ],
  },
  {
    service: 'hbase',
    where: 'region',
    lines: [
      hbase.list('DescribeInstances', 'Instances.Instance', { then: hbase.about('InstanceId', ['DescribeIpWhitelist'], 'ClusterId') }),
    ],
  },
  {
    service: 'nas',
    where: 'region',
    lines: [
      nas.call('DescribeFileSystems', SIZED, {
        each: 'FileSystems.FileSystem',
        then: [nas.call('DescribeSmbAcl', 'FileSystemId={FileSystemId}', { about: '{FileSystemId}', only: { ProtocolType: /^SMB$/ } })],
      }),
    ],
  },
  {
    service: 'oss',
    where: 'account',
    lines: [
      {
        ...{ call: 'list-buckets', permission: 'oss:ListBuckets', host: OSS, path: '/?max-keys=100' },
        each: 'ListAllMyBucketsResult.Buckets.Bucket',
        then: [
          ofBucket('get-bucket-info', 'GetBucketInfo', 'bucketInfo'),
          ofBucket('get-bucket-policy', 'GetBucketPolicy', 'policy'),
          ofBucket('get-bucket-https-config', 'GetBucketHttpsConfig', 'httpsConfig'),
        ],
      },
    ],
  },
];
