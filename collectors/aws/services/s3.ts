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

/** What holds for all buckets of an account. */
export const S3_ACCOUNT: CallGroup = {
  service: 's3',
  command: 's3control',
  prefix: 's3',
  global: true,
  load: () => import('@aws-sdk/client-s3-control'),
  client: 'S3ControlClient',
  calls: [{ call: 'GetPublicAccessBlock', permission: 's3:GetAccountPublicAccessBlock', input: { AccountId: '{account}' } }],
};
