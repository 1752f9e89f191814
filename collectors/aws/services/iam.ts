import type { CallGroup, CallLine } from '../lines.js';

const list = (call: string, more: Partial<CallLine> = {}): CallLine => ({ call, page: 'Marker', ...more });
const ofUser = { input: { UserName: '{UserName}' } };

/** Who may do what, and with which credentials. */
export const IAM: CallGroup = {
  service: 'iam',
  command: 'iam',
  prefix: 'iam',
  global: true,
  load: () => import('@aws-sdk/client-iam'),
  client: 'IAMClient',
  calls: [
    list('GetAccountAuthorizationDetails', {
      quiet: { MaxItems: 200 },
      each: 'UserDetailList',
      then: [list('ListAccessKeys', ofUser), list('ListMFADevices', ofUser), { call: 'GetLoginProfile', ...ofUser }],
    }),
    // what the policies are called that nothing is attached to, and what the attached ones of AWS say, are in the details above
    list('ListInstanceProfiles'),
    list('ListVirtualMFADevices'),
    list('ListServerCertificates'),
    {
      call: 'ListOpenIDConnectProviders',
      each: 'OpenIDConnectProviderList',
      then: [{ call: 'GetOpenIDConnectProvider', input: { OpenIDConnectProviderArn: '{Arn}' } }],
    },
    { call: 'GetAccountPasswordPolicy' },
    { call: 'GetAccountSummary' },
  ],
};
