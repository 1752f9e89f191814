import type { CallGroup } from '../lines.js';

const ofKey = { input: { KeyId: '{KeyId}' }, none: ['UnsupportedOperationException', 'KMSInvalidStateException'] };

/** Keys. Those that AWS manages have nothing that their account could set. */
export const KMS: CallGroup = {
  service: 'kms',
  command: 'kms',
  prefix: 'kms',
  load: () => import('@aws-sdk/client-kms'),
  client: 'KMSClient',
  calls: [
    {
      call: 'ListKeys',
      quiet: { Limit: 1000 },
      page: ['NextMarker', 'Marker'],
      late: true,
      each: 'Keys',
      then: [
        {
          call: 'DescribeKey',
          ...ofKey,
          each: 'KeyMetadata',
          only: { KeyManager: 'CUSTOMER' },
          then: [
            { call: 'GetKeyPolicy', ...ofKey, quiet: { PolicyName: 'default' } },
            { call: 'GetKeyRotationStatus', ...ofKey },
            { call: 'ListResourceTags', page: ['NextMarker', 'Marker'], ...ofKey },
          ],
        },
      ],
    },
  ],
};

const ofSecret = { input: { SecretId: '{ARN}' } };

/** Which secrets there are, and who may read them; never what they are. */
export const SECRETS: CallGroup = {
  service: 'secretsmanager',
  command: 'secretsmanager',
  prefix: 'secretsmanager',
  load: () => import('@aws-sdk/client-secrets-manager'),
  client: 'SecretsManagerClient',
  calls: [
    {
      call: 'ListSecrets',
      quiet: { MaxResults: 100 },
      page: 'NextToken',
      late: true,
      each: 'SecretList',
      then: [
        { call: 'DescribeSecret', ...ofSecret },
        { call: 'GetResourcePolicy', ...ofSecret },
      ],
    },
  ],
};
