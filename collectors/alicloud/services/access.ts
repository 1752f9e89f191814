import type { Line } from '../../listing/line.js';
import { product, SIZED, type AlicloudService } from '../product.js';

const ram = product('ram', 'ram.aliyuncs.com', '2015-05-01');
const ims = product('ram', 'ims.aliyuncs.com', '2019-08-15');
const groups = product('ram', 'resourcemanager.aliyuncs.com', '2020-03-31');
const sso = product('cloudsso', 'cloudsso.{region}.aliyuncs.com', '2021-05-15');
const trails = product('actiontrail', 'actiontrail.{region}.aliyuncs.com', '2020-07-06');
const kms = product('kms', 'kms.{region}.aliyuncs.com', '2016-01-20');

const PAGES = 'MaxItems=100';
const policiesFor = (holder: 'User' | 'Role' | 'Group'): Line =>
  ram.call(`ListPoliciesFor${holder}`, `${holder}Name={${holder}Name}`, { about: `{${holder}Name}`, each: 'Policies.Policy' });

/** Identities, what they may do, keys, and the log of who did what. */
export const ACCESS: readonly AlicloudService[] = [
  {
    service: 'ram',
    where: 'account',
    lines: [
      ram.call('ListUsers', PAGES, {
        each: 'Users.User',
        then: [...ram.about('UserName', ['ListAccessKeys', 'GetLoginProfile']), policiesFor('User')],
      }),
      ram.call('ListGroups', PAGES, { each: 'Groups.Group', then: [policiesFor('Group')] }),
      ram.call('ListRoles', PAGES, {
        each: 'Roles.Role',
        then: [...ram.about('RoleName', ['GetRole']), policiesFor('Role')],
      }),
      ram.call('ListPolicies', `PolicyType=Custom&${PAGES}`, {
        each: 'Policies.Policy',
        then: [ram.call('GetPolicy', 'PolicyType=Custom&PolicyName={PolicyName}', { about: '{PolicyName}' })],
      }),
      ram.call('GetPasswordPolicy', ''),
      ram.call('GetSecurityPreference', ''),
    ],
  },
  { service: 'actiontrail', where: 'region', lines: [trails.call('DescribeTrails', 'IncludeShadowTrails=false', { each: 'TrailList' })] },
  {
    service: 'kms',
    where: 'region',
    lines: [
      kms.call('ListKeys', SIZED, {
        each: 'Keys.Key',
        then: [
          kms.call('DescribeKey', 'KeyId={KeyId}', { about: '{KeyId}' }),
          kms.call('GetKeyPolicy', 'KeyId={KeyId}&PolicyName=default', { about: '{KeyId}' }),
        ],
      }),
      kms.call('ListSecrets', SIZED, {
        each: 'SecretList.Secret',
        then: [kms.call('GetSecretPolicy', 'SecretName={SecretName}&PolicyName=default', { about: '{SecretName}' })],
      }),
      kms.call('ListNetworkRules', SIZED, { each: 'NetworkRules.NetworkRule', then: kms.about('Name', ['DescribeNetworkRule']) }),
    ],
  },
  { service: 'ims', where: 'account', lines: [ims.call('ListOIDCProviders', PAGES, { each: 'OIDCProviders.OIDCProvider' })] },
  {
    service: 'resourcemanager',
    where: 'account',
    lines: [
      // what is granted on the whole account is told by RAM
      groups.call('ListPolicyAttachments', SIZED, { each: 'PolicyAttachments.PolicyAttachment', keep: { ResourceGroupId: /^rg-/ } }),
    ],
  },
  {
    service: 'cloudsso',
    where: 'region',
    lines: [
      sso.call('ListDirectories', '', {
        each: 'Directories',
        then: [
          sso.call('ListAccessConfigurations', 'DirectoryId={DirectoryId}&MaxResults=100', {
            about: '{DirectoryId}',
            each: 'AccessConfigurations',
            then: [
              sso.call(
                'ListPermissionPoliciesInAccessConfiguration',
                'AccessConfigurationId={AccessConfigurationId}&DirectoryId={DirectoryId}',
                { about: '{AccessConfigurationId}' },
              ),
            ],
          }),
        ],
      }),
    ],
  },
];
