import type { Line, Service } from '../listing/line.js';

/** Asked once of the tenancy, in each compartment at home, or in each compartment of each region. */
export type OciWhere = 'tenancy' | 'compartments' | 'everywhere';

type More = Partial<Line>;
/** Lists of one interface: some answer with the list alone (`data`), some with an object that has it (`items`). */
const api = (host: string, version: string, permission: string, each: 'data' | 'items' = 'data') => ({
  list: (path: string, more: More = {}): Line => ({
    ...{ call: callOf('list', path), permission, host, path: `/${version}/${path}?compartmentId={compartment}&limit=100`, each },
    ...more,
  }),
  /** One thing of a list, with what the list does not tell of it. */
  get: (path: string, more: More = {}): Line => ({
    ...{ call: callOf('get', path), permission, host, path: `/${version}/${path}/{id}` },
    ...more,
  }),
});
/** `list-security-lists` of `securityLists`, `get-export` of `exports`. */
function callOf(verb: 'list' | 'get', path: string): string {
  const words = path
    .replaceAll('/', '-')
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase();
  return `${verb}-${verb === 'list' ? words : words.replace(/ies$/, 'y').replace(/s$/, '')}`;
}

const IAAS = 'iaas.{region}.oraclecloud.com';
const network = api(IAAS, '20160918', 'read virtual-network-family');
const instance = api(IAAS, '20160918', 'read instance-family');
const volume = api(IAAS, '20160918', 'read volume-family');
const balancer = api(IAAS, '20170115', 'read load-balancers');
const identity = (permission: string) => api('identity.{region}.oci.oraclecloud.com', '20160918', permission);
const BUCKETS = 'objectstorage.{region}.oraclecloud.com';
const databases = (permission: string) => api('database.{region}.oraclecloud.com', '20160918', permission);
const mysql = api('mysql.{region}.ocp.oraclecloud.com', '20190415', 'read mysql-family');
const files = api('filestorage.{region}.oraclecloud.com', '20171215', 'read file-family');
const functions = api('functions.{region}.oci.oraclecloud.com', '20181201', 'read functions-family');
const clusters = api('containerengine.{region}.oraclecloud.com', '20180222', 'read cluster-family');
const gateways = api('apigateway.{region}.oci.oraclecloud.com', '20190501', 'read api-gateway-family', 'items');
const bastions = api('bastion.{region}.oci.oraclecloud.com', '20210331', 'read bastion-family');
const topics = api('notification.{region}.oci.oraclecloud.com', '20181201', 'read ons-family');
const search = api('search-indexing.{region}.oci.oraclecloud.com', '20180828', 'read opensearch-family', 'items');
const catalogs = api('datacatalog.{region}.oci.oraclecloud.com', '20190325', 'read data-catalog-family');
const flows = api('dataflow.{region}.oci.oraclecloud.com', '20200129', 'read dataflow-family', 'items');
const dataSafe = api('datasafe.{region}.oci.oraclecloud.com', '20181201', 'read data-safe-family');
const replication = api('goldengate.{region}.oci.oraclecloud.com', '20200407', 'read goldengate-family', 'items');
const analytics = api('analytics.{region}.ocp.oraclecloud.com', '20190331', 'read analytics-instances');
const integration = api('integration.{region}.ocp.oraclecloud.com', '20190131', 'read integration-instances');
const builder = api('visualbuilder.{region}.ocp.oraclecloud.com', '20210601', 'read visualbuilder-instance', 'items');
const assistants = api('digitalassistant-api.{region}.oci.oraclecloud.com', '20190506', 'read oda-instances');
const firewalls = api('waas.{region}.oraclecloud.com', '20181116', 'read waas-family');
const GUARD = 'cloudguard-cp-api.{region}.oci.oraclecloud.com';
/** What people have written into machines to start them with. */
const SCRIPTS = ['metadata.user_data', 'extendedMetadata'];
const LAUNCHED = ['instanceDetails', 'instanceDetails.options'].flatMap((path) =>
  SCRIPTS.map((script) => `${path}.launchDetails.${script}`),
);

/** By service; what `importers/cloud/tables/oci.yaml` reads. */
export const OCI_SERVICES: readonly Service<OciWhere>[] = [
  {
    service: 'identity',
    where: 'tenancy',
    lines: [
      identity('inspect users').list('users', {
        then: [{ ...identity('read users').get('users'), call: 'list-api-keys', path: '/20160918/users/{id}/apiKeys' }],
      }),
      identity('inspect groups').list('groups'),
      identity('inspect dynamic-groups').list('dynamicGroups'),
      identity('inspect network-sources').list('networkSources', { then: [identity('read network-sources').get('networkSources')] }),
      identity('read authentication-policies').get('authenticationPolicies', { path: '/20160918/authenticationPolicies/{tenancy}' }),
    ],
  },
  {
    service: 'compartments',
    where: 'compartments',
    lines: [identity('inspect compartments').list('compartments'), identity('inspect policies').list('policies')],
  },
  {
    service: 'cloud-guard',
    where: 'tenancy',
    lines: [
      {
        ...{ call: 'get-configuration', permission: 'read cloud-guard-config', host: GUARD },
        path: '/20200131/configuration?compartmentId={compartment}',
      },
    ],
  },
  {
    service: 'network',
    where: 'everywhere',
    lines: [
      ...['vcns', 'subnets', 'securityLists', 'routeTables', 'internetGateways', 'natGateways', 'crossConnects', 'crossConnectGroups'].map(
        (path) => network.list(path),
      ),
      network.list('networkSecurityGroups', {
        then: [
          {
            ...network.get('networkSecurityGroups'),
            ...{ call: 'list-security-rules', path: '/20160918/networkSecurityGroups/{id}/securityRules?limit=100', each: 'data' },
          },
        ],
      }),
      balancer.list('loadBalancers', { without: ['data.certificates'] }),
    ],
  },
  {
    service: 'compute',
    where: 'everywhere',
    lines: [
      instance.list('instances', { without: SCRIPTS.map((path) => `data.${path}`) }),
      instance.list('vnicAttachments', {
        then: [
          { ...network.get('vnics'), path: '/20160918/vnics/{vnicId}', about: '{instanceId}', only: { lifecycleState: /^ATTACHED$/ } },
        ],
      }),
      instance.list('instanceConfigurations', { then: [instance.get('instanceConfigurations', { without: LAUNCHED })] }),
      volume.list('volumes'),
      volume.list('bootVolumes'),
      instance.list('volumeAttachments', { without: ['data.chapSecret'] }),
    ],
  },
  {
    service: 'object-storage',
    where: 'everywhere',
    lines: [
      {
        ...{ call: 'list-buckets', permission: 'inspect buckets', host: BUCKETS, each: 'data' },
        path: '/n/{namespace}/b?compartmentId={compartment}&limit=100',
        then: [{ call: 'get-bucket', permission: 'read buckets', host: BUCKETS, path: '/n/{namespace}/b/{name}', about: '{name}' }],
      },
    ],
  },
  { service: 'file-storage', where: 'everywhere', lines: [files.list('exports', { then: [files.get('exports')] })] },
  {
    service: 'database',
    where: 'everywhere',
    lines: [
      databases('read autonomous-database-family').list('autonomousDatabases'),
      databases('read autonomous-database-family').list('autonomousVmClusters'),
      databases('read autonomous-database-family').list('cloudAutonomousVmClusters'),
      databases('read database-family').list('dbSystems'),
    ],
  },
  {
    service: 'mysql',
    where: 'everywhere',
    lines: [mysql.list('dbSystems'), mysql.list('channels'), mysql.list('configurations', { then: [mysql.get('configurations')] })],
  },
  {
    service: 'functions',
    where: 'everywhere',
    // what programs are given may be secret
    lines: [functions.list('applications', { then: [functions.get('applications', { without: ['config'] })] })],
  },
  { service: 'container-engine', where: 'everywhere', lines: [clusters.list('clusters'), clusters.list('nodePools')] },
  {
    service: 'artifacts',
    where: 'everywhere',
    lines: [api('artifacts.{region}.oci.oraclecloud.com', '20160918', 'inspect repos', 'items').list('container/repositories')],
  },
  {
    service: 'api-gateway',
    where: 'everywhere',
    lines: [
      gateways.list('gateways', { then: [gateways.get('gateways')] }),
      gateways.list('deployments', { then: [gateways.get('deployments')] }),
    ],
  },
  {
    service: 'bastion',
    where: 'everywhere',
    lines: [
      bastions.list('bastions', {
        then: [
          bastions.get('bastions'),
          { ...bastions.get('sessions'), call: 'list-sessions', path: '/20210331/sessions?bastionId={id}&limit=100', each: 'data' },
        ],
      }),
    ],
  },
  { service: 'notifications', where: 'everywhere', lines: [topics.list('topics'), topics.list('subscriptions')] },
  {
    service: 'events',
    where: 'everywhere',
    lines: [api('events.{region}.oci.oraclecloud.com', '20181201', 'read cloudevents-rules').list('rules')],
  },
  {
    service: 'vault',
    where: 'everywhere',
    lines: [api('kms.{region}.oraclecloud.com', '20180608', 'inspect vaults').list('vaults')],
  },
  { service: 'opensearch', where: 'everywhere', lines: [search.list('opensearchClusters', { then: [search.get('opensearchClusters')] })] },
  {
    service: 'data',
    where: 'everywhere',
    lines: [
      catalogs.list('catalogs', { then: [catalogs.get('catalogs')] }),
      flows.list('sqlEndpoints', { then: [flows.get('sqlEndpoints')] }),
      dataSafe.get('configuration', { path: '/20181201/configuration?compartmentId={compartment}', call: 'get-data-safe' }),
      replication.list('deployments', { call: 'list-replications' }),
      replication.list('connections', { then: [replication.get('connections')] }),
    ],
  },
  {
    service: 'applications',
    where: 'everywhere',
    lines: [
      analytics.list('analyticsInstances'),
      integration.list('integrationInstances', { then: [integration.get('integrationInstances')] }),
      builder.list('vbInstances', { then: [builder.get('vbInstances')] }),
      assistants.list('odaInstances'),
    ],
  },
  {
    service: 'web',
    where: 'everywhere',
    lines: [
      firewalls.list('waasPolicies', { then: [firewalls.get('waasPolicies')] }),
      firewalls.list('httpRedirects', { then: [firewalls.get('httpRedirects')] }),
      api('healthchecks.{region}.oci.oraclecloud.com', '20180501', 'read health-check-family').list('httpMonitors'),
    ],
  },
  {
    service: 'management-agent',
    where: 'everywhere',
    lines: [
      api('management-agent.{region}.oci.oraclecloud.com', '20200202', 'read management-agent-install-keys').list(
        'managementAgentInstallKeys',
        { without: ['data.key'] },
      ),
    ],
  },
];
