import type { Line, Service } from '../listing/line.js';
import { VERSION } from './regions.js';

/** Asked once for the account, or in each region. */
export type IbmWhere = 'account' | 'region';

const VPC = '{region}.iaas.cloud.ibm.com';
/** A list of the interface of virtual private clouds, with what is asked about each of its things. */
const vpc = (list: string, more: Partial<Line> = {}): Line => ({
  ...{ call: `list-${list.replaceAll(/[_/]/g, '-')}`, permission: 'Viewer', host: VPC },
  ...{ path: `/v1/${list}?${VERSION}&limit=100`, each: list.split('/').at(-1)! },
  ...more,
});
/** What a thing of such a list has below it. */
const ofEach = (list: string, inner: string, more: Partial<Line> = {}): Line => ({
  ...{ call: `list-${list}-${inner}`.replaceAll('_', '-'), permission: 'Viewer', host: VPC },
  ...{ path: `/v1/${list}/{id}/${inner}?${VERSION}&limit=100`, each: inner },
  ...more,
});

const IAM = 'iam.cloud.ibm.com';
const iam = (call: string, path: string, more: Partial<Line> = {}): Line => ({ call, permission: 'Viewer', host: IAM, path, ...more });

/** The instances of some services that the resource controller shows to who may view them. */
const instances = (names: RegExp, then: readonly Line[]): Line => ({
  ...{ call: 'list-instances', permission: 'Viewer', host: 'resource-controller.cloud.ibm.com' },
  ...{ path: '/v2/resource_instances?type=service_instance&limit=100', each: 'resources', keep: { crn: names }, then },
});

const DATABASES = 'postgresql mongodb redis elasticsearch etcd mysql enterprisedb'.split(' ').map((name) => `databases-for-${name}`);
const database = (call: string, path: string): Line => ({
  ...{ call, permission: 'Viewer', host: 'api.{region_id}.databases.cloud.ibm.com' },
  ...{ path: `/v5/ibm/deployments/{crn}${path}`, about: '{crn}' },
});

const CIS = 'api.cis.cloud.ibm.com';
const cis = (call: string, path: string, more: Partial<Line> = {}): Line => ({
  ...{ call, permission: 'Reader', host: CIS, path: `/v1/{crn}${path}`, each: 'result' },
  ...more,
});
const ofZone = (call: string, path: string, more: Partial<Line> = {}): Line => cis(call, `/zones/{id}${path}`, more);
/** Settings of a zone; each is one call. */
const SETTINGS = 'ssl always_use_https automatic_https_rewrites security_header min_tls_version tls_client_auth waf security_level ciphers';

const appId = (call: string, path: string): Line => ({
  ...{ call, permission: 'Reader', host: '{region_id}.appid.cloud.ibm.com', path: `/management/v4/{guid}/config/${path}`, about: '{guid}' },
});

const cluster = (kind: string, list: string): Line => ({
  ...{ call: `list-${kind}`, permission: 'Viewer', host: 'containers.cloud.ibm.com', path: list, each: 'data' },
});

/** The host of the classic infrastructure: it knows users alone, and no service ids. */
export const CLASSIC = 'api.softlayer.com';
const RULES = 'rules[id,direction,ethertype,protocol,portRangeMin,portRangeMax,remoteIp,remoteGroupId]';

/** By service, as IAM names it; what `importers/cloud/tables/ibm.yaml` reads. */
export const IBM_SERVICES: readonly Service<IbmWhere>[] = [
  {
    service: 'is',
    where: 'region',
    lines: [
      vpc('vpcs'),
      vpc('subnets'),
      vpc('security_groups'),
      vpc('network_acls'),
      vpc('instances', { without: ['instances.user_data'] }),
      vpc('instance/templates', { without: ['templates.user_data'] }),
      vpc('bare_metal_servers'),
      vpc('volumes'),
      vpc('floating_ips'),
      vpc('flow_log_collectors'),
      vpc('load_balancers', { then: [ofEach('load_balancers', 'listeners'), ofEach('load_balancers', 'pools')] }),
      vpc('shares', { then: [ofEach('shares', 'mount_targets')] }),
      vpc('vpn_servers'),
      vpc('vpn_gateways', { then: [ofEach('vpn_gateways', 'connections', { without: ['connections.psk'] })] }),
      vpc('private_path_service_gateways', { then: [ofEach('private_path_service_gateways', 'account_policies')] }),
    ],
  },
  {
    service: 'iam-identity',
    where: 'account',
    lines: [
      iam('get-account-settings', '/v1/accounts/{account}/settings/identity'),
      iam('list-profiles', '/v1/profiles?account_id={account}&pagesize=100', {
        each: 'profiles',
        then: [iam('list-profile-rules', '/v1/profiles/{id}/rules'), iam('list-profile-links', '/v1/profiles/{id}/links')],
      }),
      iam('list-settings-templates', '/v1/account_settings_templates?account_id={account}&limit=100', {
        each: 'account_settings_templates',
      }),
      iam('list-service-ids', '/v1/serviceids?account_id={account}&pagesize=100'),
      iam('list-api-keys', '/v1/apikeys?account_id={account}&scope=account&pagesize=100', { without: ['apikeys.apikey'] }),
    ],
  },
  {
    service: 'iam-groups',
    where: 'account',
    lines: [
      iam('list-groups', '/v2/groups?account_id={account}&limit=100'),
      iam('get-group-settings', '/v2/groups/settings?account_id={account}'),
    ],
  },
  {
    service: 'iam-access-management',
    where: 'account',
    lines: [
      iam('list-policies', '/v1/policies?account_id={account}&type=access'),
      iam('list-authorizations', '/v1/policies?account_id={account}&type=authorization'),
      iam('list-roles', '/v2/roles?account_id={account}', { each: 'custom_roles' }),
    ],
  },
  {
    service: 'databases',
    names: DATABASES,
    where: 'account',
    lines: [instances(/:databases-for-/, [database('get-deployment', ''), database('list-allowlist', '/allowlists/ip_addresses')])],
  },
  {
    service: 'internet-svcs',
    where: 'account',
    lines: [
      instances(/:internet-svcs:/, [
        cis('list-health-checks', '/load_balancers/monitors'),
        cis('list-zones', '/zones?page=1&per_page=50', {
          then: [
            ...SETTINGS.split(' ').map((name) => ofZone(`get-${name.replaceAll('_', '-')}`, `/settings/${name}`)),
            ofZone('get-universal-ssl', '/ssl/universal/settings'),
            ofZone('get-tls-1-3', '/settings/tls_1_3'),
            ofZone('list-page-rules', '/pagerules'),
            ofZone('list-range-apps', '/range/apps'),
          ],
        }),
      ]),
    ],
  },
  {
    service: 'cloud-object-storage',
    where: 'account',
    lines: [
      {
        ...{ call: 'list-buckets', permission: 'Viewer', host: 'api.global-search-tagging.cloud.ibm.com' },
        path: '/v3/resources/search?account_id={account}&limit=100',
        body: { query: 'service_name:cloud-object-storage AND type:bucket', fields: ['crn', 'name', 'region', 'tags'] },
        each: 'items',
        then: [
          {
            ...{ call: 'get-bucket', permission: 'Reader', host: 'config.cloud-object-storage.cloud.ibm.com', path: '/v1/b/{name}' },
            about: '{crn}',
          },
        ],
      },
    ],
  },
  {
    service: 'containers-kubernetes',
    where: 'account',
    lines: [
      {
        ...cluster('clusters', '/global/v1/clusters'),
        then: [{ ...cluster('worker-pools', '/global/v1/clusters/{id}/workerpools') }],
      },
      cluster('vpc-clusters', '/global/v2/vpc/getClusters'),
    ],
  },
  {
    service: 'appid',
    where: 'account',
    lines: [instances(/:appid:/, [appId('get-mfa', 'mfa'), appId('get-cloud-directory', 'idps/cloud_directory')])],
  },
  {
    service: 'dns-svcs',
    where: 'account',
    lines: [
      instances(/:dns-svcs:/, [
        {
          ...{ call: 'list-monitors', permission: 'Reader', host: 'api.dns-svcs.cloud.ibm.com' },
          path: '/v1/instances/{guid}/monitors?limit=200',
        },
      ]),
    ],
  },
  {
    service: 'context-based-restrictions',
    where: 'account',
    lines: [
      {
        ...{ call: 'list-zones', permission: 'Viewer', host: 'cbr.cloud.ibm.com', path: '/v1/zones?account_id={account}', each: 'zones' },
        then: [{ call: 'get-zone', permission: 'Viewer', host: 'cbr.cloud.ibm.com', path: '/v1/zones/{id}' }],
      },
    ],
  },
  {
    service: 'directlink',
    where: 'account',
    lines: [
      {
        call: 'list-gateways',
        permission: 'Viewer',
        host: 'directlink.cloud.ibm.com',
        path: '/v1/gateways?version=2025-04-22',
        each: 'gateways',
      },
    ],
  },
  {
    service: 'classic',
    // IAM grants nothing of it
    names: [],
    where: 'account',
    lines: [
      {
        ...{ call: 'list-security-groups', permission: 'Viewer', host: CLASSIC, each: 'data' },
        path: `/rest/v3.1/SoftLayer_Account/getSecurityGroups.json?objectMask=mask[id,name,description,${RULES}]&resultLimit=0,100`,
      },
    ],
  },
];
