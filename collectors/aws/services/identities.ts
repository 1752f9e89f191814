import type { CallGroup } from '../lines.js';

const ofSet = { input: { InstanceArn: '{InstanceArn}', PermissionSetArn: '{PermissionSetArn}' } };

/** Permission sets of the directory that the account owns; members of an organization see it and may not ask it. */
export const SSO_ADMIN: CallGroup = {
  service: 'sso',
  command: 'sso-admin',
  prefix: 'sso',
  load: () => import('@aws-sdk/client-sso-admin'),
  client: 'SSOAdminClient',
  calls: [
    {
      call: 'ListInstances',
      page: 'NextToken',
      each: 'Instances',
      only: { OwnerAccountId: '{account}' },
      then: [
        {
          call: 'ListPermissionSets',
          page: 'NextToken',
          quiet: { MaxResults: 100 },
          input: { InstanceArn: '{InstanceArn}' },
          // an instance of an account alone has none
          none: ['ValidationException'],
          each: 'PermissionSets',
          as: 'PermissionSetArn',
          then: [
            { call: 'DescribePermissionSet', ...ofSet },
            { call: 'GetInlinePolicyForPermissionSet', ...ofSet },
            { call: 'ListManagedPoliciesInPermissionSet', page: 'NextToken', ...ofSet },
          ],
        },
      ],
    },
  ],
};

const ofPool = { input: { IdentityPoolId: '{IdentityPoolId}' } };

export const COGNITO_IDENTITY: CallGroup = {
  service: 'cognito-identity',
  command: 'cognito-identity',
  prefix: 'cognito-identity',
  load: () => import('@aws-sdk/client-cognito-identity'),
  client: 'CognitoIdentityClient',
  calls: [
    {
      call: 'ListIdentityPools',
      page: 'NextToken',
      quiet: { MaxResults: 60 },
      each: 'IdentityPools',
      then: [
        { call: 'DescribeIdentityPool', ...ofPool },
        { call: 'GetIdentityPoolRoles', ...ofPool },
      ],
    },
  ],
};

const ofServer = { input: { ServerId: '{ServerId}' } };

/** Who takes files in and out, and as whom. */
export const TRANSFER: CallGroup = {
  service: 'transfer',
  command: 'transfer',
  prefix: 'transfer',
  load: () => import('@aws-sdk/client-transfer'),
  client: 'TransferClient',
  calls: [
    {
      call: 'ListServers',
      page: 'NextToken',
      each: 'Servers',
      then: [
        { call: 'DescribeServer', ...ofServer },
        {
          call: 'ListUsers',
          page: 'NextToken',
          ...ofServer,
          each: 'Users',
          then: [{ call: 'DescribeUser', input: { ServerId: '{ServerId}', UserName: '{UserName}' } }],
        },
        {
          call: 'ListAccesses',
          page: 'NextToken',
          ...ofServer,
          each: 'Accesses',
          then: [{ call: 'DescribeAccess', input: { ServerId: '{ServerId}', ExternalId: '{ExternalId}' } }],
        },
      ],
    },
  ],
};
