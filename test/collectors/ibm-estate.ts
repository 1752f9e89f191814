import { ACCOUNT, type IbmAnswer } from './ibm-stand.js';
import { IBM_VPC } from './ibm-vpc.js';

const crn = (service: string, region: string, instance: string, rest = ':'): string =>
  `crn:v1:bluemix:public:${service}:${region}:a/${ACCOUNT}:${instance}:${rest}`;
const instance = (service: string, region: string, guid: string, more: object = {}) => ({
  ...{ id: crn(service, region, guid), guid, crn: crn(service, region, guid), name: `${service}-${guid}`, region_id: region },
  ...{ state: 'active', resource_group_id: 'rg', parameters: {}, ...more },
});
const policy = (id: string, subject: string, role: string, attributes: readonly object[]) => ({
  ...{ id, type: 'access', subjects: [{ attributes: [{ name: 'iam_id', value: subject }] }] },
  roles: [{ role_id: `crn:v1:bluemix:public:iam::::role:${role}`, display_name: role }],
  resources: [{ attributes: [{ name: 'accountId', value: ACCOUNT, operator: 'stringEquals' }, ...attributes] }],
});

const postgres = instance('databases-for-postgresql', 'eu-de', 'db1');
const cis = instance('internet-svcs', 'global', 'cis1');
const appId = instance('appid', 'eu-de', 'app1');
const dns = instance('dns-svcs', 'global', 'dns1');
const zone = `api.cis.cloud.ibm.com/v1/${cis.crn}/zones/z1`;
const setting = (value: unknown): IbmAnswer => ({ body: { success: true, result: { id: 'setting', value, editable: true } } });
const DATABASE = `api.eu-de.databases.cloud.ibm.com/v5/ibm/deployments/${postgres.crn}`;
const bucket = crn('cloud-object-storage', 'global', 'cos1', 'bucket:invoices');

/** An account as IBM Cloud's references show their answers: something of every list. */
export const IBM_ESTATE: Readonly<Record<string, IbmAnswer>> = {
  ...IBM_VPC,
  // one more than a page has
  'api.softlayer.com/rest/v3.1/SoftLayer_Account/getSecurityGroups.json': {
    ...{ list: 'data', paging: 'offset' },
    things: Array.from({ length: 101 }, (_, n) => ({
      ...{ id: n + 1, name: `group-${n + 1}` },
      rules: [
        {
          id: 1_000 + n,
          direction: 'ingress',
          ethertype: 'IPv4',
          protocol: 'tcp',
          portRangeMin: 22,
          portRangeMax: 22,
          remoteIp: '0.0.0.0/0',
        },
      ],
    })),
  },
  'iam.cloud.ibm.com/v1/account_settings_templates': {
    ...{ list: 'account_settings_templates', paging: 'next' },
    things: [
      {
        ...{ id: 'AccountSettingsTemplate-1', version: 2, account_id: ACCOUNT, name: 'all', committed: true },
        account_settings: { mfa: 'NONE', user_mfa: [{ iam_id: 'IBMid-1', mfa: 'NONE' }] },
      },
    ],
  },
  [`iam.cloud.ibm.com/v1/accounts/${ACCOUNT}/settings/identity`]: {
    body: {
      account_id: ACCOUNT,
      mfa: 'NONE',
      allowed_ip_addresses: '',
      session_expiration_in_seconds: '86400',
      user_mfa: [{ iam_id: 'IBMid-1', mfa: 'NONE' }],
    },
  },
  'iam.cloud.ibm.com/v1/profiles': {
    ...{ list: 'profiles', paging: 'next' },
    things: ['a', 'b'].map((id) => ({ id: `Profile-${id}`, crn: crn('iam-identity', '', '', `profile:Profile-${id}`), name: id })),
  },
  ...Object.fromEntries(
    ['a', 'b'].flatMap((id) => [
      [
        `iam.cloud.ibm.com/v1/profiles/Profile-${id}/rules`,
        {
          body: {
            rules: [
              {
                id: `rule-${id}`,
                name: 'all',
                type: 'Profile-SAML',
                realm_name: 'idp',
                conditions: [{ claim: 'groups', operator: 'EQUALS', value: '"*"' }],
              },
            ],
          },
        },
      ],
      [
        `iam.cloud.ibm.com/v1/profiles/Profile-${id}/links`,
        { body: { links: [{ id: `link-${id}`, cr_type: 'IKS_SA', link: { crn: 'crn:v1:x' } }] } },
      ],
    ]),
  ),
  'iam.cloud.ibm.com/v1/serviceids': {
    list: 'serviceids',
    paging: 'next',
    things: [{ id: 'ServiceId-1', crn: crn('iam-identity', '', '', 'serviceid:ServiceId-1'), name: 's' }],
  },
  'iam.cloud.ibm.com/v1/apikeys': {
    ...{ list: 'apikeys', paging: 'next' },
    things: [
      { id: 'ApiKey-1', iam_id: 'iam-ServiceId-1', name: 'k1', locked: false, apikey: 'hunter2' },
      { id: 'ApiKey-2', iam_id: 'IBMid-1', name: 'k2', locked: true },
    ],
  },
  'iam.cloud.ibm.com/v2/groups': { list: 'groups', paging: 'href', things: [{ id: 'AccessGroupId-1', name: 'admins' }] },
  'iam.cloud.ibm.com/v2/groups/settings': { body: { account_id: ACCOUNT, public_access_enabled: true } },
  'iam.cloud.ibm.com/v1/policies': {
    list: 'policies',
    things: [
      policy('user', 'IBMid-1', 'Viewer', [{ name: 'serviceName', value: 'kms', operator: 'stringEquals' }]),
      policy('service', 'iam-ServiceId-1', 'Administrator', []),
      policy('profile', 'iam-Profile-a', 'Administrator', [{ name: 'serviceType', value: 'platform_service', operator: 'stringEquals' }]),
      { ...policy('trust', '', 'Reader', []), type: 'authorization' },
      policy('group', 'AccessGroupId-1', 'Editor', [{ name: 'resourceGroupId', value: 'rg', operator: 'stringEquals' }]),
    ],
  },
  'iam.cloud.ibm.com/v2/roles': {
    body: {
      custom_roles: [
        { id: 'role1', name: 'Maker', display_name: 'Maker', service_name: 'iam-access-management', actions: ['iam.policy.create'] },
      ],
      service_roles: [],
      system_roles: [],
    },
  },
  'resource-controller.cloud.ibm.com/v2/resource_instances': {
    ...{ list: 'resources', paging: 'next_url' },
    things: [postgres, instance('databases-for-redis', 'us-south', 'db2'), cis, appId, dns, instance('kms', 'eu-de', 'kms1')],
  },
  [DATABASE]: { body: { deployment: { id: postgres.crn, type: 'postgresql', version: '15', enable_public_endpoints: true } } },
  [`${DATABASE}/allowlists/ip_addresses`]: { body: { ip_addresses: [{ address: '0.0.0.0/0', description: 'all' }] } },
  [`api.cis.cloud.ibm.com/v1/${cis.crn}/load_balancers/monitors`]: {
    body: { success: true, result: [{ id: 'hc', type: 'https', allow_insecure: true }] },
  },
  [`api.cis.cloud.ibm.com/v1/${cis.crn}/zones`]: {
    list: 'result',
    paging: 'numbered',
    things: [{ id: 'z1', name: 'shop.example', status: 'active' }],
  },
  [`${zone}/settings/ssl`]: setting('flexible'),
  [`${zone}/settings/always_use_https`]: setting('off'),
  [`${zone}/settings/automatic_https_rewrites`]: setting('on'),
  [`${zone}/settings/security_header`]: setting({ strict_transport_security: { enabled: true, max_age: 60, include_subdomains: false } }),
  [`${zone}/settings/min_tls_version`]: setting('1.0'),
  [`${zone}/settings/tls_client_auth`]: setting('off'),
  [`${zone}/settings/waf`]: setting('on'),
  [`${zone}/settings/security_level`]: setting('medium'),
  [`${zone}/settings/ciphers`]: setting([]),
  [`${zone}/settings/tls_1_3`]: setting('off'),
  [`${zone}/ssl/universal/settings`]: { body: { success: true, result: { enabled: false } } },
  [`${zone}/pagerules`]: { body: { success: true, result: [{ id: 'pr', actions: [{ id: 'ssl', value: 'off' }], status: 'active' }] } },
  [`${zone}/range/apps`]: {
    body: { success: true, result: [{ id: 'ra', protocol: 'tcp/22', tls: 'off', dns: { name: 'ssh', type: 'CNAME' } }] },
  },
  'api.global-search-tagging.cloud.ibm.com/v3/resources/search': {
    ...{ list: 'items', paging: 'cursor' },
    things: [
      { crn: bucket, name: 'invoices', region: 'eu-de' },
      { crn: `${bucket}-2`, name: 'invoices-2', region: 'eu-de' },
    ],
  },
  'config.cloud-object-storage.cloud.ibm.com/v1/b/invoices': {
    body: { name: 'invoices', crn: bucket, firewall: { allowed_ip: ['0.0.0.0/0'] }, activity_tracking: { read_data_events: true } },
  },
  'config.cloud-object-storage.cloud.ibm.com/v1/b/invoices-2': { body: { name: 'invoices-2', crn: `${bucket}-2` } },
  'containers.cloud.ibm.com/global/v1/clusters': {
    list: 'data',
    things: [{ id: 'cl1', name: 'classic', masterKubeVersion: '1.31.5_1550', publicServiceEndpointEnabled: true }],
  },
  'containers.cloud.ibm.com/global/v1/clusters/cl1/workerpools': {
    list: 'data',
    things: [{ id: 'wp1', name: 'default', diskEncryption: false }],
  },
  'containers.cloud.ibm.com/global/v2/vpc/getClusters': {
    ...{
      list: 'data',
      things: [{ id: 'cl2', name: 'vpc', vpcs: ['r010-shop'], serviceEndpoints: { publicServiceEndpointEnabled: true } }],
    },
  },
  'eu-de.appid.cloud.ibm.com/management/v4/app1/config/mfa': { body: { isActive: false } },
  'eu-de.appid.cloud.ibm.com/management/v4/app1/config/idps/cloud_directory': {
    body: { isActive: true, config: { signupEnabled: true, interactions: { identityConfirmation: { accessMode: 'OFF' } } } },
  },
  'api.dns-svcs.cloud.ibm.com/v1/instances/dns1/monitors': {
    list: 'monitors',
    paging: 'whole',
    things: [{ id: 'mon', type: 'HTTPS', allow_insecure: true }],
  },
  'cbr.cloud.ibm.com/v1/zones': {
    list: 'zones',
    things: [{ id: 'cz', crn: crn('context-based-restrictions', 'global', '', 'zone:cz'), name: 'all', account_id: ACCOUNT }],
  },
  'cbr.cloud.ibm.com/v1/zones/cz': { body: { id: 'cz', name: 'all', addresses: [{ type: 'subnet', value: '0.0.0.0/0' }] } },
  'directlink.cloud.ibm.com/v1/gateways': {
    list: 'gateways',
    things: [
      { id: 'gw', crn: crn('directlink', 'fra', '', 'dedicated:gw'), name: 'link', type: 'dedicated', macsec_config: { active: false } },
    ],
  },
};
