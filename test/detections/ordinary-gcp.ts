import type { Habit, Moment } from './ordinary-logs.js';

const PROJECT = 'acme-shop';
const NUMBER = '123456789012';
const robot = (name: string): string => `${name}@${PROJECT}.iam.gserviceaccount.com`;
const person = ({ random }: Moment): string => `person-${random.below(12)}@acme.example`;
const GCLOUD = 'google-cloud-sdk gcloud/480.0.0 command/gcloud';
const BROWSER = 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 Chrome/120.0,gzip(gfe)';

interface Call {
  readonly service: string;
  readonly method: string;
  readonly who: (moment: Moment) => string;
  readonly log?: 'activity' | 'data_access' | 'system_event';
  readonly agent?: string;
  /** More of `protoPayload`. */
  readonly more?: (moment: Moment) => object;
}

/** A record of Cloud Audit Logs: https://cloud.google.com/logging/docs/reference/audit/auditlog/rest/Shared.Types/AuditLog */
function entry({ service, method, who, log = 'activity', agent = 'Terraform/1.7.0', more }: Call, moment: Moment): object {
  const { n, time, random } = moment;
  const isRefused = log !== 'system_event' && random.chance(0.01);
  return {
    insertId: `ordinary-${n}`,
    logName: `projects/${PROJECT}/logs/cloudaudit.googleapis.com%2F${log}`,
    timestamp: time,
    severity: isRefused ? 'ERROR' : 'NOTICE',
    resource: { type: 'audited_resource', labels: { project_id: PROJECT, service: `${service}.googleapis.com`, location: 'europe-west1' } },
    protoPayload: {
      '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
      ...{ serviceName: `${service}.googleapis.com`, methodName: method, status: isRefused ? { code: 7, message: 'denied' } : {} },
      ...(log !== 'system_event' && { authenticationInfo: { principalEmail: who(moment) } }),
      requestMetadata: { callerIp: '203.0.113.10', callerSuppliedUserAgent: agent },
      resourceName: `projects/${PROJECT}/things/${moment.name('thing', 40)}`,
      ...more?.(moment),
    },
  };
}

const by = (name: string) => () => robot(name);
const many =
  (...methods: readonly string[]) =>
  ({ random }: Moment) =>
    random.of(methods);
const habit = (weight: number, service: string, methods: readonly string[], rest: Omit<Call, 'service' | 'method'>): Habit => [
  weight,
  (moment) => entry({ service, method: many(...methods)(moment), ...rest }, moment),
];
const READ = { log: 'data_access', agent: 'google-api-go-client/0.5' } as const;
const policyOf = (action: string, role: string, member: string) => () => ({
  serviceData: { policyDelta: { bindingDeltas: [{ action, role, member }] } },
});

/** Programs that read and write, pipelines that deploy, groups of machines that grow and shrink, backups, and people at the console. */
export const GCP_HABITS: readonly Habit[] = [
  habit(2_000, 'storage', ['storage.objects.get', 'storage.objects.list', 'storage.objects.create'], { who: by('app'), ...READ }),
  habit(900, 'bigquery', ['jobservice.insert', 'jobservice.jobcompleted', 'google.cloud.bigquery.v2.JobService.InsertJob'], {
    ...{ who: by('reports'), ...READ },
    more: () => ({ metadata: { jobInsertion: { job: { jobConfig: { type: 'QUERY', queryConfig: { query: 'SELECT 1' } } } } } }),
  }),
  habit(300, 'bigquery', ['google.cloud.bigquery.v2.JobService.InsertJob'], {
    ...{ who: person, ...READ, agent: BROWSER },
    more: () => ({ metadata: { jobInsertion: { job: { jobConfig: { type: 'QUERY', queryConfig: { query: 'SELECT 1' } } } } } }),
  }),
  habit(600, 'secretmanager', ['google.cloud.secretmanager.v1.SecretManagerService.AccessSecretVersion'], { who: by('app'), ...READ }),
  habit(400, 'cloudkms', ['Decrypt', 'Encrypt'], { who: by('app'), ...READ }),
  habit(500, 'pubsub', ['google.pubsub.v1.Publisher.Publish', 'google.pubsub.v1.Subscriber.Pull'], { who: by('app'), ...READ }),
  habit(400, 'iamcredentials', ['GenerateAccessToken'], { who: by('gke-workload'), ...READ }),
  habit(900, 'compute', ['v1.compute.instances.list', 'v1.compute.disks.list', 'v1.compute.firewalls.list'], {
    who: person,
    ...READ,
    agent: BROWSER,
  }),
  habit(500, 'monitoring', ['google.monitoring.v3.MetricService.ListTimeSeries'], { who: by('grafana'), ...READ }),
  habit(300, 'container', ['google.container.v1.ClusterManager.GetCluster', 'google.container.v1.ClusterManager.ListClusters'], {
    ...{ who: person, ...READ, agent: `${GCLOUD}.container.clusters.get-credentials` },
  }),
  habit(200, 'logging', ['google.logging.v2.LoggingServiceV2.ListLogEntries'], { who: person, ...READ, agent: BROWSER }),
  habit(200, 'iam', ['google.iam.admin.v1.ListServiceAccounts', 'google.iam.admin.v1.GetRole'], { who: by('terraform'), ...READ }),
  habit(120, 'cloudbuild', ['google.devtools.cloudbuild.v1.CloudBuild.CreateBuild'], { who: by('pipeline') }),
  habit(120, 'run', ['google.cloud.run.v1.Services.ReplaceService', 'google.cloud.run.v2.Services.UpdateService'], { who: by('pipeline') }),
  habit(60, 'cloudfunctions', ['google.cloud.functions.v2.FunctionService.UpdateFunction'], { who: by('pipeline') }),
  habit(120, 'artifactregistry', ['Docker-PutManifest', 'Docker-StartUpload'], { who: by('pipeline'), log: 'data_access' as const }),
  habit(30, 'iam', ['google.iam.admin.v1.CreateServiceAccount', 'google.iam.admin.v1.SetIAMPolicy'], { who: by('terraform') }),
  habit(40, 'cloudresourcemanager', ['SetIamPolicy'], {
    ...{ who: by('terraform') },
    more: policyOf('ADD', 'roles/storage.objectViewer', `serviceAccount:${robot('app')}`),
  }),
  habit(10, 'cloudresourcemanager', ['SetIamPolicy'], {
    ...{ who: person, agent: BROWSER },
    more: policyOf('ADD', 'roles/viewer', 'group:developers@acme.example'),
  }),
  habit(10, 'storage', ['storage.setIamPermissions'], {
    ...{ who: by('terraform') },
    more: policyOf('ADD', 'roles/storage.objectViewer', 'group:reports@acme.example'),
  }),
  habit(20, 'storage', ['storage.buckets.create', 'storage.buckets.update'], {
    ...{ who: by('terraform') },
    more: () => ({ request: { lifecycle: { rule: [] }, iamConfiguration: { publicAccessPrevention: 'enforced' } } }),
  }),
  habit(20, 'compute', ['v1.compute.firewalls.insert', 'v1.compute.firewalls.patch'], {
    ...{ who: by('terraform') },
    more: () => ({ request: { sourceRanges: ['0.0.0.0/0'], alloweds: [{ IPProtocol: 'tcp', ports: ['443'] }] } }),
  }),
  habit(20, 'compute', ['v1.compute.firewalls.insert'], {
    ...{ who: by('terraform') },
    more: () => ({ request: { sourceRanges: ['10.0.0.0/8'], alloweds: [{ IPProtocol: 'tcp', ports: ['22'] }] } }),
  }),
  // machines come and go
  habit(300, 'compute', ['v1.compute.instances.insert', 'v1.compute.instances.delete', 'v1.compute.instanceGroupManagers.resize'], {
    ...{ who: () => `${NUMBER}@cloudservices.gserviceaccount.com`, agent: 'GCE Managed Instance Group for GKE' },
  }),
  habit(
    150,
    'compute',
    ['compute.instances.automaticRestart', 'compute.instances.migrateOnHostMaintenance', 'compute.autoscalers.resize'],
    {
      ...{ who: () => '', log: 'system_event' as const },
    },
  ),
  habit(60, 'container', ['google.container.v1.ClusterManager.SetNodePoolSize', 'google.container.v1.ClusterManager.UpdateCluster'], {
    ...{ who: by('terraform') },
    more: () => ({ request: { update: { desiredNodePoolId: 'pool-1', desiredImageType: 'COS_CONTAINERD' } } }),
  }),
  // backups
  habit(120, 'compute', ['ScheduledSnapshots', 'v1.compute.snapshots.delete'], { who: () => '', log: 'system_event' as const }),
  habit(60, 'cloudsql', ['cloudsql.backupRuns.create', 'cloudsql.backupRuns.delete', 'cloudsql.instances.update'], { who: by('backup') }),
  habit(40, 'gkebackup', ['google.cloud.gkebackup.v1.BackupForGKE.CreateBackup'], { who: by('backup') }),
  habit(40, 'cloudsql', ['cloudsql.instances.export'], { who: by('backup') }),
  // people
  habit(60, 'compute', ['v1.compute.instances.start', 'v1.compute.instances.stop', 'v1.compute.instances.reset'], {
    who: person,
    agent: BROWSER,
  }),
  habit(60, 'compute', ['v1.compute.projects.setCommonInstanceMetadata'], {
    ...{ who: person, agent: `${GCLOUD}.compute.ssh invocation-id/0a1b environment/None interactive/True` },
    more: () => ({ metadata: { projectMetadataDelta: { modifiedMetadataKeys: ['ssh-keys'] } } }),
  }),
  habit(40, 'iap', ['AuthorizeUser'], { who: person, ...READ, agent: `${GCLOUD}.compute.start-iap-tunnel` }),
  habit(60, 'login', ['google.login.LoginService.loginSuccess', 'google.login.LoginService.logout'], {
    who: person,
    log: 'data_access' as const,
  }),
  habit(60, 'dns', ['dns.changes.create'], { who: by('external-dns') }),
];
