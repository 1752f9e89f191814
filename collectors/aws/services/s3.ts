import type { CallGroup, CallLine } from '../lines.js';

const about = (call: string, permission = `s3:${call}`): CallLine => ({ call, permission, input: { Bucket: '{Name}' } });

/** Buckets, each asked about in its own region. */
export const S3: CallGroup = {
  service: 's3',
  command: 's3api',
  prefix: 's3',
  load: () => import('@aws-sdk/client-s3'),
  client: 'S3Client',
  calls: [
    {
      call: 'ListBuckets',
      permission: 's3:ListAllMyBuckets',
      input: { BucketRegion: '{region}' },
      quiet: { MaxBuckets: 1000 },
      page: 'ContinuationToken',
      each: 'Buckets',
      then: [
        about('GetBucketPolicy'),
        about('GetBucketEncryption', 's3:GetEncryptionConfiguration'),
        about('GetBucketVersioning'),
        about('GetPublicAccessBlock', 's3:GetBucketPublicAccessBlock'),
        about('GetBucketLogging'),
        about('GetBucketAcl'),
        about('GetBucketOwnershipControls'),
        about('GetBucketLifecycleConfiguration', 's3:GetLifecycleConfiguration'),
        about('GetBucketReplication', 's3:GetReplicationConfiguration'),
        about('GetObjectLockConfiguration', 's3:GetBucketObjectLockConfiguration'),
        about('GetBucketWebsite'),
        about('GetBucketCors', 's3:GetBucketCORS'),
        about('GetBucketTagging'),
        about('GetBucketNotificationConfiguration', 's3:GetBucketNotification'),
      ],
    },
  ],
};

const control = {
  service: 's3',
  command: 's3control',
  prefix: 's3',
  load: () => import('@aws-sdk/client-s3-control'),
  client: 'S3ControlClient',
} as const;

const ofPoint = { input: { AccountId: '{account}', Name: '{Name}' } };

/** Ways into buckets. */
export const S3_POINTS: CallGroup = {
  ...control,
  calls: [
    {
      call: 'ListAccessPoints',
      input: { AccountId: '{account}' },
      page: 'NextToken',
      each: 'AccessPointList',
      then: [
        { call: 'GetAccessPoint', ...ofPoint },
        { call: 'GetAccessPointPolicy', ...ofPoint },
      ],
    },
  ],
};

/** What holds for all buckets of an account. */
export const S3_ACCOUNT: CallGroup = {
  ...control,
  global: true,
  calls: [{ call: 'GetPublicAccessBlock', permission: 's3:GetAccountPublicAccessBlock', input: { AccountId: '{account}' } }],
};
