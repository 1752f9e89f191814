import type { CallGroup } from '../lines.js';

const ofVault = { input: { accountId: '{account}', vaultName: '{VaultName}' } };

export const GLACIER: CallGroup = {
  service: 'glacier',
  command: 'glacier',
  prefix: 'glacier',
  load: () => import('@aws-sdk/client-glacier'),
  client: 'GlacierClient',
  calls: [
    {
      call: 'ListVaults',
      input: { accountId: '{account}' },
      page: ['Marker', 'marker'],
      each: 'VaultList',
      then: [
        { call: 'GetVaultAccessPolicy', ...ofVault },
        { call: 'GetVaultLock', ...ofVault },
      ],
    },
  ],
};

export const S3_TABLES: CallGroup = {
  service: 's3tables',
  command: 's3tables',
  prefix: 's3tables',
  load: () => import('@aws-sdk/client-s3tables'),
  client: 'S3TablesClient',
  calls: [
    {
      call: 'ListTableBuckets',
      page: 'continuationToken',
      each: 'tableBuckets',
      only: { ownerAccountId: '{account}' },
      then: [{ call: 'GetTableBucketPolicy', input: { tableBucketARN: '{arn}' } }],
    },
  ],
};

export const FSX: CallGroup = {
  service: 'fsx',
  command: 'fsx',
  prefix: 'fsx',
  load: () => import('@aws-sdk/client-fsx'),
  client: 'FSxClient',
  calls: [
    { call: 'DescribeFileSystems', page: 'NextToken' },
    { call: 'DescribeVolumes', page: 'NextToken' },
  ],
};

export const STORAGE_GATEWAY: CallGroup = {
  service: 'storagegateway',
  command: 'storagegateway',
  prefix: 'storagegateway',
  load: () => import('@aws-sdk/client-storage-gateway'),
  client: 'StorageGatewayClient',
  calls: [
    {
      call: 'ListFileShares',
      page: ['NextMarker', 'Marker'],
      each: 'FileShareInfoList',
      only: { FileShareType: 'NFS' },
      then: [{ call: 'DescribeNFSFileShares', input: { FileShareARNList: ['{FileShareARN}'] } }],
    },
    {
      call: 'ListFileShares',
      page: ['NextMarker', 'Marker'],
      each: 'FileShareInfoList',
      only: { FileShareType: 'SMB' },
      then: [{ call: 'DescribeSMBFileShares', input: { FileShareARNList: ['{FileShareARN}'] } }],
    },
  ],
};

const ofNamespace = { input: { resourceArn: '{namespaceArn}' } };

export const REDSHIFT_SERVERLESS: CallGroup = {
  service: 'redshift-serverless',
  command: 'redshift-serverless',
  prefix: 'redshift-serverless',
  load: () => import('@aws-sdk/client-redshift-serverless'),
  client: 'RedshiftServerlessClient',
  calls: [
    { call: 'ListWorkgroups', page: 'nextToken' },
    { call: 'ListNamespaces', page: 'nextToken', each: 'namespaces', then: [{ call: 'GetResourcePolicy', ...ofNamespace }] },
  ],
};

const policies = (kind: string, type: string) =>
  ({
    call: `List${kind}Policies`,
    page: 'nextToken',
    input: { type },
    each: `${kind.toLowerCase()}PolicySummaries`,
    then: [{ call: `Get${kind}Policy`, input: { type, name: '{name}' } }],
  }) as const;

export const OPENSEARCH_SERVERLESS: CallGroup = {
  service: 'aoss',
  command: 'opensearchserverless',
  prefix: 'aoss',
  load: () => import('@aws-sdk/client-opensearchserverless'),
  client: 'OpenSearchServerlessClient',
  calls: [policies('Access', 'data'), policies('Security', 'network'), policies('Security', 'encryption')],
};
