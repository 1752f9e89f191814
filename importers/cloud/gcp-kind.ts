import { plainText } from '../readers/json/fields.js';
import type { ImportOptions } from '../types.js';
import { isItem, type Item } from './item.js';

/** The kind of a resource as the asset inventory names it, and its full name. */
export interface GcpKind {
  kind: string;
  name: string;
}

const SERVICES: Readonly<Record<string, string>> = { sql: 'sqladmin', deploymentmanager: 'deploymentmanager' };
const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

/** Collections that one service alone has, or that a member tells apart: what the interfaces name by `projects/…/<collection>/…` without a kind. */
const COLLECTIONS: Readonly<Record<string, readonly (readonly [kind: string, member?: string])[]>> = {
  topics: [['pubsub.googleapis.com/Topic']],
  subscriptions: [['pubsub.googleapis.com/Subscription', 'topic']],
  secrets: [['secretmanager.googleapis.com/Secret']],
  keyRings: [['cloudkms.googleapis.com/KeyRing']],
  cryptoKeys: [['cloudkms.googleapis.com/CryptoKey']],
  cryptoKeyVersions: [['cloudkms.googleapis.com/CryptoKeyVersion']],
  serviceAccounts: [['iam.googleapis.com/ServiceAccount', 'email']],
  keys: [
    ['iam.googleapis.com/ServiceAccountKey', 'keyAlgorithm'],
    ['apikeys.googleapis.com/Key', 'uid'],
  ],
  roles: [['iam.googleapis.com/Role', 'includedPermissions']],
  functions: [
    ['cloudfunctions.googleapis.com/Function', 'buildConfig'],
    ['cloudfunctions.googleapis.com/CloudFunction', 'entryPoint'],
  ],
  repositories: [['artifactregistry.googleapis.com/Repository', 'format']],
  sinks: [['logging.googleapis.com/LogSink']],
  alertPolicies: [['monitoring.googleapis.com/AlertPolicy']],
  notificationChannels: [['monitoring.googleapis.com/NotificationChannel']],
  environments: [['composer.googleapis.com/Environment', 'config']],
  services: [
    ['run.googleapis.com/Service', 'template'],
    ['metastore.googleapis.com/Service', 'hiveMetastoreConfig'],
    ['serviceusage.googleapis.com/Service', 'config'],
  ],
  jobs: [
    ['run.googleapis.com/Job', 'template'],
    ['cloudscheduler.googleapis.com/Job', 'schedule'],
  ],
  triggers: [['cloudbuild.googleapis.com/BuildTrigger', 'createTime']],
  clusters: [
    ['alloydb.googleapis.com/Cluster', 'clusterType'],
    ['redis.googleapis.com/Cluster', 'shardCount'],
    ['managedkafka.googleapis.com/Cluster', 'gcpConfig'],
  ],
  instances: [
    ['redis.googleapis.com/Instance', 'redisVersion'],
    ['memcache.googleapis.com/Instance', 'memcacheVersion'],
    ['memorystore.googleapis.com/Instance', 'shardCount'],
    ['file.googleapis.com/Instance', 'fileShares'],
    ['alloydb.googleapis.com/Instance', 'instanceType'],
    ['notebooks.googleapis.com/Instance', 'gceSetup'],
    ['notebooks.googleapis.com/Instance', 'machineType'],
    ['looker.googleapis.com/Instance', 'platformEdition'],
    ['spanner.googleapis.com/Instance', 'processingUnits'],
  ],
  databases: [
    ['firestore.googleapis.com/Database', 'locationId'],
    ['spanner.googleapis.com/Database', 'versionRetentionPeriod'],
  ],
  datasets: [['healthcare.googleapis.com/Dataset', 'timeZone']],
  endpoints: [['aiplatform.googleapis.com/Endpoint']],
  connectionProfiles: [['datastream.googleapis.com/ConnectionProfile']],
  caPools: [['privateca.googleapis.com/CaPool']],
  certificateAuthorities: [['privateca.googleapis.com/CertificateAuthority']],
  policies: [['orgpolicy.googleapis.com/Policy', 'spec']],
  workloadIdentityPools: [['iam.googleapis.com/WorkloadIdentityPool']],
  providers: [['iam.googleapis.com/WorkloadIdentityPoolProvider']],
  backups: [
    ['alloydb.googleapis.com/Backup', 'clusterName'],
    ['file.googleapis.com/Backup', 'sourceInstance'],
  ],
  snapshots: [['file.googleapis.com/Snapshot', 'filesystemUsedBytes']],
  workflows: [['workflows.googleapis.com/Workflow']],
  connectors: [['vpcaccess.googleapis.com/Connector']],
};

/** The kind of a resource as one of Google Cloud's interfaces lists it; undefined where that cannot be told. */
export function gcpKind(resource: Item, options: ImportOptions): GcpKind | undefined {
  const { kind, selfLink, name, id, link } = resource;
  const project = options.account_id ?? '_';
  if (typeof kind === 'string' && /^[a-z]+#[a-zA-Z]+$/.test(kind)) {
    const [service = '', thing = ''] = kind.split('#');
    const full = fullName(service, resource, project);
    return full === undefined ? undefined : { kind: `${SERVICES[service] ?? service}.googleapis.com/${capital(thing)}`, name: full };
  }
  if (typeof selfLink === 'string') {
    const [, host, path] = /^https:\/\/(container|sqladmin)\.googleapis\.com\/(?:sql\/)?v\w+\/(.+)$/.exec(selfLink) ?? [];
    if (host && path)
      return {
        kind: `${host}.googleapis.com/${/\/nodePools\//.test(path) ? 'NodePool' : host === 'container' ? 'Cluster' : 'Instance'}`,
        name: `//${host}.googleapis.com/${path}`,
      };
  }
  if (typeof resource['projectId'] === 'string' && (resource['lifecycleState'] !== undefined || resource['projectNumber'] !== undefined))
    return {
      kind: 'cloudresourcemanager.googleapis.com/Project',
      name: `//cloudresourcemanager.googleapis.com/projects/${resource['projectId']}`,
    };
  const path = [name, id, link]
    .map((one) => (typeof one === 'string' ? /(?:^|\/v\d\w*\/)((?:projects|organizations|folders)\/.+)$/.exec(one)?.[1] : undefined))
    .find(Boolean);
  if (path === undefined) return undefined;
  const collection = path.split('/').at(-2) ?? '';
  const found = COLLECTIONS[collection]?.find(
    ([, member]) => member === undefined || Object.keys(resource).some((key) => plain(key) === plain(member)),
  );
  return found && { kind: found[0], name: `//${found[0].split('/')[0]}/${path}` };
}

const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();

function fullName(service: string, resource: Item, project: string): string | undefined {
  const { selfLink, name, id } = resource;
  const host = `//${service === 'sql' ? 'cloudsql' : service}.googleapis.com`;
  const path = typeof selfLink === 'string' ? /\/((?:projects|organizations|folders|locations)\/.+)$/.exec(selfLink)?.[1] : undefined;
  if (path !== undefined) return `${host}/${path}`;
  if (service === 'storage' && typeof name === 'string') return `${host}/${name}`;
  if (service === 'bigquery') {
    const reference = resource['tableReference'] ?? resource['datasetReference'];
    if (isItem(reference))
      return [`${host}/projects/${plainText(reference['projectId'])}/datasets/${plainText(reference['datasetId'])}`]
        .concat(typeof reference['tableId'] === 'string' ? [reference['tableId']] : [])
        .join('/tables/');
  }
  if (service === 'sql' && typeof name === 'string')
    return `${host}/projects/${typeof resource['project'] === 'string' ? resource['project'] : project}/instances/${name}`;
  if (service === 'dns' && typeof name === 'string')
    return `${host}/projects/${project}/${plainText(resource['kind']).endsWith('managedZone') ? 'managedZones' : 'policies'}/${name}`;
  return typeof id === 'string' && id.startsWith('projects/') ? `${host}/${id}` : undefined;
}
