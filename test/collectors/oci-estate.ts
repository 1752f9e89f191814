import { FAR, HOME, SHOP, TENANCY, type OciAnswer } from './oci-stand.js';

type Thing = Readonly<Record<string, unknown>>;
const id = (kind: string, name: string, region = HOME): string => `ocid1.${kind}.oc1.${region}.${name}`;
const thing = (kind: string, name: string, more: Thing = {}): Thing => ({
  ...{ id: id(kind, name), compartmentId: SHOP, displayName: name, lifecycleState: 'ACTIVE', freeformTags: { team: 'shop' } },
  ...more,
});
const CORE = `iaas.${HOME}.oraclecloud.com/20160918`;
const IDENTITY = `identity.${HOME}.oci.oraclecloud.com/20160918`;
const inTenancy = (kind: string, name: string, more: Thing = {}): Thing => ({
  ...{ id: `ocid1.${kind}.oc1..${name}`, compartmentId: TENANCY, name, description: name, lifecycleState: 'ACTIVE', ...more },
});
const list = (...things: Thing[]): OciAnswer => ({ things });
const items = (...things: Thing[]): OciAnswer => ({ things, items: true });

/** A list whose entries are told wholly by a call about each. */
function detailed(base: string, path: string, kind: string, name: string, detail: Thing, isItems = false): Record<string, OciAnswer> {
  const entry = thing(kind, name);
  return {
    [`${base}/${path}`]: isItems ? items(entry) : list(entry),
    [`${base}/${path}/${String(entry['id'])}`]: { body: { ...entry, ...detail } },
  };
}

const SSH = { min: 22, max: 22 };
const hostOf = (host: string, version: string, domain = 'oci.oraclecloud.com') => `${host}.${HOME}.${domain}/${version}`;
const BUCKETS = `objectstorage.${HOME}.oraclecloud.com/n/shopspace/b`;

/** A tenancy as Oracle's references show its answers: something of every list. */
export const OCI_ESTATE: Readonly<Record<string, OciAnswer>> = {
  [`${IDENTITY}/users`]: list(inTenancy('user', 'admin', { email: 'a@shop.example' }), inTenancy('user', 'bob')),
  [`${IDENTITY}/users/ocid1.user.oc1..admin/apiKeys`]: list({ keyId: 'k', fingerprint: 'aa:bb', keyValue: 'public', compartmentId: null! }),
  [`${IDENTITY}/users/ocid1.user.oc1..bob/apiKeys`]: list(),
  [`${IDENTITY}/groups`]: list(inTenancy('group', 'admins')),
  [`${IDENTITY}/dynamicGroups`]: list(inTenancy('dynamicgroup', 'machines', { matchingRule: 'ANY {}' })),
  [`${IDENTITY}/networkSources`]: list(inTenancy('networksource', 'all')),
  [`${IDENTITY}/networkSources/ocid1.networksource.oc1..all`]: {
    body: inTenancy('networksource', 'all', { publicSourceList: ['0.0.0.0/0'] }),
  },
  [`${IDENTITY}/authenticationPolicies/${TENANCY}`]: { body: { compartmentId: TENANCY, passwordPolicy: { minimumPasswordLength: 8 } } },
  [`${IDENTITY}/compartments`]: list(inTenancy('compartment', 'shop', { id: SHOP })),
  [`${IDENTITY}/policies`]: list(inTenancy('policy', 'all', { statements: ['Allow group admins to manage all-resources in tenancy'] })),
  [`cloudguard-cp-api.${HOME}.oci.oraclecloud.com/20200131/configuration`]: { body: { status: 'DISABLED', reportingRegion: HOME } },
  [`${CORE}/vcns`]: list(thing('vcn', 'hub', { cidrBlocks: ['10.0.0.0/16'] }), thing('vcn', 'lab', { compartmentId: TENANCY })),
  [`iaas.${FAR}.oraclecloud.com/20160918/vcns`]: list(thing('vcn', 'far', { id: id('vcn', 'far', FAR) })),
  [`${CORE}/subnets`]: list(
    thing('subnet', 'front', { vcnId: id('vcn', 'hub'), cidrBlock: '10.0.0.0/24', securityListIds: [id('securitylist', 'open')] }),
  ),
  [`${CORE}/securityLists`]: list(
    thing('securitylist', 'open', {
      vcnId: id('vcn', 'hub'),
      ingressSecurityRules: [{ protocol: '6', source: '0.0.0.0/0', isStateless: false, tcpOptions: { destinationPortRange: SSH } }],
      egressSecurityRules: [{ protocol: 'all', destination: '0.0.0.0/0' }],
    }),
  ),
  [`${CORE}/networkSecurityGroups`]: list(thing('networksecuritygroup', 'web', { vcnId: id('vcn', 'hub') })),
  [`${CORE}/networkSecurityGroups/${id('networksecuritygroup', 'web')}/securityRules`]: list({
    ...{ id: '8C4A2B', direction: 'INGRESS', protocol: '6', source: '0.0.0.0/0', sourceType: 'CIDR_BLOCK' },
    tcpOptions: { destinationPortRange: SSH },
  }),
  [`${CORE}/routeTables`]: list(
    thing('routetable', 'rt', { routeRules: [{ destination: '0.0.0.0/0', networkEntityId: id('internetgateway', 'ig') }] }),
  ),
  [`${CORE}/internetGateways`]: list(thing('internetgateway', 'ig', { isEnabled: true, vcnId: id('vcn', 'hub') })),
  [`${CORE}/natGateways`]: list(thing('natgateway', 'nat', { vcnId: id('vcn', 'hub') })),
  [`${CORE}/crossConnects`]: list(thing('crossconnect', 'cc', { macsecProperties: { state: 'DISABLED' } })),
  [`${CORE}/crossConnectGroups`]: list(thing('crossconnectgroup', 'ccg', { macsecProperties: { state: 'ENABLED' } })),
  [`iaas.${HOME}.oraclecloud.com/20170115/loadBalancers`]: list(
    thing('loadbalancer', 'edge', {
      subnetIds: [id('subnet', 'front')],
      listeners: { plain: { name: 'plain', protocol: 'HTTP', port: 80, defaultBackendSetName: 'web' } },
      backendSets: { web: { name: 'web', policy: 'ROUND_ROBIN', sslConfiguration: { verifyPeerCertificate: false } } },
      ruleSets: { redirect: { name: 'redirect', items: [{ action: 'REDIRECT', redirectUri: { protocol: 'HTTPS' } }] } },
      certificates: { own: { privateKey: 'hunter2' } },
    }),
  ),
  [`${CORE}/instances`]: list(
    thing('instance', 'web', {
      ...{ shape: 'VM.Standard', sourceDetails: { sourceType: 'image', imageId: id('image', 'linux') } },
      ...{ instanceOptions: { areLegacyImdsEndpointsDisabled: false }, launchOptions: { isPvEncryptionInTransitEnabled: false } },
      ...{ metadata: { user_data: 'aHVudGVyMg==', ssh_authorized_keys: 'ssh-ed25519 A' }, extendedMetadata: { key: 'hunter2' } },
    }),
  ),
  [`${CORE}/vnicAttachments`]: list(
    thing('vnicattachment', 'va', { instanceId: id('instance', 'web'), vnicId: id('vnic', 'first'), lifecycleState: 'ATTACHED' }),
    thing('vnicattachment', 'vb', { instanceId: id('instance', 'web'), vnicId: id('vnic', 'second'), lifecycleState: 'ATTACHED' }),
    thing('vnicattachment', 'vc', { instanceId: id('instance', 'web'), vnicId: id('vnic', 'gone'), lifecycleState: 'DETACHED' }),
  ),
  [`${CORE}/vnics/${id('vnic', 'first')}`]: {
    body: { isPrimary: true, subnetId: id('subnet', 'front'), nsgIds: ['nsg'], publicIp: '192.0.2.9', privateIp: '10.0.0.9' },
  },
  [`${CORE}/vnics/${id('vnic', 'second')}`]: { body: { isPrimary: false, subnetId: 'elsewhere' } },
  ...detailed(CORE, 'instanceConfigurations', 'instanceconfiguration', 'pool', {
    instanceDetails: {
      ...{ instanceType: 'compute' },
      launchDetails: {
        metadata: { user_data: 'aHVudGVyMg==' },
        instanceOptions: { areLegacyImdsEndpointsDisabled: true },
        isPvEncryptionInTransitEnabled: true,
      },
    },
  }),
  [`${CORE}/volumes`]: list(thing('volume', 'data', { sizeInGBs: 50 })),
  [`${CORE}/bootVolumes`]: list(thing('bootvolume', 'boot', { sizeInGBs: 47 })),
  [`${CORE}/volumeAttachments`]: list(
    thing('volumeattachment', 'at', { isPvEncryptionInTransitEnabled: false, attachmentType: 'iscsi', chapSecret: 'hunter2' }),
  ),
  [BUCKETS]: list(
    { namespace: 'shopspace', name: 'invoices', compartmentId: SHOP },
    { namespace: 'shopspace', name: 'logs', compartmentId: SHOP },
  ),
  [`${BUCKETS}/invoices`]: { body: { namespace: 'shopspace', name: 'invoices', publicAccessType: 'ObjectRead', versioning: 'Disabled' } },
  [`${BUCKETS}/logs`]: { body: { namespace: 'shopspace', name: 'logs', publicAccessType: 'NoPublicAccess', kmsKeyId: id('key', 'k') } },
  ...detailed(`filestorage.${HOME}.oraclecloud.com/20171215`, 'exports', 'export', 'files', {
    exportOptions: [{ source: '0.0.0.0/0', isAnonymousAccessAllowed: true, allowedAuth: ['SYS'] }],
  }),
  [`database.${HOME}.oraclecloud.com/20160918/autonomousDatabases`]: list(
    thing('autonomousdatabase', 'orders', { isMtlsConnectionRequired: false, whitelistedIps: ['0.0.0.0/0'] }),
  ),
  [`database.${HOME}.oraclecloud.com/20160918/autonomousVmClusters`]: list(thing('autonomousvmcluster', 'vm', { isMtlsEnabled: false })),
  [`database.${HOME}.oraclecloud.com/20160918/cloudAutonomousVmClusters`]: list(
    thing('cloudautonomousvmcluster', 'cvm', { isMtlsEnabledVmCluster: true }),
  ),
  [`database.${HOME}.oraclecloud.com/20160918/dbSystems`]: list(thing('dbsystem', 'db')),
  [`${hostOf('mysql', '20190415', 'ocp.oraclecloud.com')}/dbSystems`]: list(thing('mysqldbsystem', 'shop')),
  [`${hostOf('mysql', '20190415', 'ocp.oraclecloud.com')}/channels`]: list(
    thing('mysqlchannel', 'in', { source: { sourceType: 'MYSQL', sslMode: 'DISABLED' } }),
  ),
  ...detailed(hostOf('mysql', '20190415', 'ocp.oraclecloud.com'), 'configurations', 'mysqlconfiguration', 'conf', {
    variables: { requireSecureTransport: false },
  }),
  ...detailed(hostOf('functions', '20181201'), 'applications', 'fnapp', 'app', { config: { KEY: 'hunter2' }, syslogUrl: 'tcp://log:514' }),
  [`containerengine.${HOME}.oraclecloud.com/20180222/clusters`]: list(
    thing('cluster', 'k', { endpointConfig: { isPublicIpEnabled: true } }),
  ),
  [`containerengine.${HOME}.oraclecloud.com/20180222/nodePools`]: list(
    thing('nodepool', 'np', { nodeConfigDetails: { isPvEncryptionInTransitEnabled: false } }),
  ),
  [`${hostOf('artifacts', '20160918')}/container/repositories`]: items(thing('containerrepo', 'images', { isPublic: true })),
  ...detailed(
    hostOf('apigateway', '20190501'),
    'gateways',
    'apigateway',
    'gw',
    { responseCacheDetails: { type: 'EXTERNAL_RESP_CACHE', isSslEnabled: false } },
    true,
  ),
  ...detailed(
    hostOf('apigateway', '20190501'),
    ...(['deployments', 'apideployment', 'api'] as const),
    { specification: { requestPolicies: { authentication: { type: 'JWT_AUTHENTICATION', isAnonymousAccessAllowed: true } }, routes: [] } },
    true,
  ),
  ...detailed(hostOf('bastion', '20210331'), 'bastions', 'bastion', 'jump', { clientCidrBlockAllowList: ['0.0.0.0/0'] }),
  [`${hostOf('bastion', '20210331')}/sessions`]: list(
    thing('bastionsession', 's', { targetResourceDetails: { targetResourceOperatingSystemUserName: 'root' } }),
  ),
  [`${hostOf('notification', '20181201')}/topics`]: list(thing('onstopic', 't', { topicId: id('onstopic', 't'), id: undefined })),
  [`${hostOf('notification', '20181201')}/subscriptions`]: list(
    thing('onssubscription', 'sub', { endpoint: 'http://hook.example', protocol: 'CUSTOM_HTTPS' }),
  ),
  [`${hostOf('events', '20181201')}/rules`]: list(
    thing('eventrule', 'r', { condition: '{"eventType":["com.oraclecloud.identity"]}', isEnabled: true }),
  ),
  [`kms.${HOME}.oraclecloud.com/20180608/vaults`]: list(thing('vault', 'v', { vaultType: 'DEFAULT' })),
  ...detailed(hostOf('search-indexing', '20180828'), 'opensearchClusters', 'opensearchcluster', 'find', { securityMode: 'DISABLED' }, true),
  ...detailed(hostOf('datacatalog', '20190325'), 'catalogs', 'datacatalog', 'cat', { attachedCatalogPrivateEndpoints: [] }),
  ...detailed(
    hostOf('dataflow', '20200129'),
    ...(['sqlEndpoints', 'sqlendpoint', 'sql'] as const),
    { networkConfiguration: { networkType: 'SECURE_ACCESS', accessControlRules: [{ ipNotation: 'CIDR', value: '0.0.0.0/0' }] } },
    true,
  ),
  [`${hostOf('datasafe', '20181201')}/configuration`]: { body: { isEnabled: false, compartmentId: SHOP } },
  [`${hostOf('goldengate', '20200407')}/deployments`]: items(thing('goldengatedeployment', 'gg', { isPublic: true })),
  ...detailed(
    hostOf('goldengate', '20200407'),
    'connections',
    'goldengateconnection',
    'con',
    { connectionType: 'MYSQL', securityProtocol: 'PLAIN' },
    true,
  ),
  [`${hostOf('analytics', '20190331', 'ocp.oraclecloud.com')}/analyticsInstances`]: list(
    thing('analyticsinstance', 'bi', { networkEndpointDetails: { networkEndpointType: 'PUBLIC', whitelistedIps: ['0.0.0.0/0'] } }),
  ),
  ...detailed(hostOf('integration', '20190131', 'ocp.oraclecloud.com'), 'integrationInstances', 'integrationinstance', 'int', {
    networkEndpointDetails: { networkEndpointType: 'PUBLIC', allowlistedHttpIps: ['0.0.0.0/0'] },
  }),
  ...detailed(
    hostOf('visualbuilder', '20210601', 'ocp.oraclecloud.com'),
    ...(['vbInstances', 'vbinstance', 'vb'] as const),
    { networkEndpointDetails: { networkEndpointType: 'PUBLIC', allowlistedHttpIps: ['0.0.0.0/0'] } },
    true,
  ),
  [`${hostOf('digitalassistant-api', '20190506')}/odaInstances`]: list(thing('odainstance', 'oda', { isRoleBasedAccess: false })),
  ...detailed(`waas.${HOME}.oraclecloud.com/20181116`, 'waasPolicies', 'waaspolicy', 'waf', {
    policyConfig: { isHttpsEnabled: true, isHttpsForced: false },
  }),
  ...detailed(`waas.${HOME}.oraclecloud.com/20181116`, 'httpRedirects', 'httpredirect', 'go', {
    target: { protocol: 'HTTP', host: 'shop.example' },
  }),
  [`${hostOf('healthchecks', '20180501')}/httpMonitors`]: list(thing('httpmonitor', 'm', { protocol: 'HTTP' })),
  [`${hostOf('management-agent', '20200202')}/managementAgentInstallKeys`]: list(
    thing('managementagentinstallkey', 'key', { isUnlimited: true, key: 'hunter2' }),
  ),
};
