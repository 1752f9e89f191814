import { findSecretPaths } from '../../redaction/secret-keys.js';
import type { EventInput } from '../../schema/observations.js';
import { fixture } from './fixtures.js';
import { readAll } from './read-all.js';

const read = async (format: string, report: string, options = {}): Promise<EventInput[]> => {
  const { items, broken } = await readAll(format, fixture(format, report), options);
  expect(broken).toEqual([]);
  return items.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
};
const told = ({ account_id, log, service, action, outcome, actor, actor_kind }: EventInput): string =>
  [account_id, log, service, action, outcome, actor_kind, actor].join(' ');
const rights = ({ rights = [] }: EventInput): string[] => rights.map(({ right, resource }) => `${right} on ${resource}`);

const WORKLOAD = 'principal://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/ci/subject/repo:acme/shop';

it('Google Cloud: who, what and by which permissions', async () => {
  const events = await read('gcp_audit', 'entries.json');
  expect(events.map(told)).toEqual([
    'acme-shop data_access:storage storage storage.objects.get success service_account app@acme-shop.iam.gserviceaccount.com',
    'acme-shop activity iam google.iam.admin.v1.CreateServiceAccountKey success user ann@example.com',
    'acme-shop activity compute v1.compute.instances.delete denied user ann@example.com',
    'acme-shop data_access:secretmanager secretmanager google.cloud.secretmanager.v1.SecretManagerService.AccessSecretVersion success service_account run@acme-shop.iam.gserviceaccount.com',
    `acme-shop data_access:storage storage storage.objects.list success federated ${WORKLOAD}`,
  ]);
  expect(events.map(rights)).toEqual([
    ['storage.objects.get on projects/_/buckets/ledger'],
    ['iam.serviceAccountKeys.create on projects/-/serviceAccounts/1'],
    // what was refused was not taken
    [],
    ['secretmanager.versions.access on projects/_/buckets/ledger'],
    ['storage.objects.list on projects/_/buckets/ledger'],
  ]);
  expect(events.map(({ chain, key, region }) => [chain, key, region])).toEqual([
    [undefined, 'cdef', 'europe-west3'],
    [undefined, undefined, 'europe-west3'],
    [undefined, undefined, 'europe-west3'],
    [['ann@example.com'], undefined, 'europe-west3'],
    [undefined, undefined, 'europe-west3'],
  ]);
  expect((await read('gcp_audit', 'lines.jsonl')).map(told)[1]).toBe(
    'acme-shop system_event compute compute.instances.migrateOnHostMaintenance success service Service:compute.googleapis.com',
  );
});

const SUBSCRIPTION = '00000000-0000-0000-0000-000000000001';
const ANN = '0a000000-0000-0000-0000-00000000000a';
const DEPLOY = '0c000000-0000-0000-0000-00000000000c';

it('Azure: the activity log names identities by their object ids, as role assignments do', async () => {
  const events = await read('azure_audit', 'activity.json');
  expect(events.map(told)).toEqual([
    `${SUBSCRIPTION} administrative Microsoft.Compute Microsoft.Compute/virtualMachines/write success user ${ANN}`,
    `${SUBSCRIPTION} administrative Microsoft.Compute Microsoft.Compute/virtualMachines/delete denied user ${ANN}`,
    `${SUBSCRIPTION} administrative Microsoft.Compute Microsoft.Compute/virtualMachines/start/action success service_account ${DEPLOY}`,
  ]);
  expect(events.map(({ session }) => session)).toEqual(['ann@example.com', 'ann@example.com', '0d000000-0000-0000-0000-00000000000d']);
  expect(rights(events[0]!)[0]).toMatch(/^Microsoft\.Compute\/virtualMachines\/write on \/subscriptions\/.*\/web$/);
});

it('Azure: exports, sign-ins and directory audits tell the same', async () => {
  const exported = await read('azure_audit', 'export.jsonl');
  expect(exported.map(told)).toEqual([
    `${SUBSCRIPTION} administrative Microsoft.Storage Microsoft.Storage/storageAccounts/listKeys/action denied service_account ${DEPLOY}`,
    `0f000000-0000-0000-0000-00000000000f sign_in:service_principal Microsoft.aadiam Sign-in activity success service_account ${DEPLOY}`,
  ]);
  const [signIn] = await read('azure_audit', 'sign-ins.json', { account_id: 'directory' });
  expect(told(signIn!)).toBe(`directory sign_in Microsoft.aadiam Sign-in activity failure user ${ANN}`);
  expect(signIn).toMatchObject({ error: '50126', source_ip: '198.51.100.7', session: 'ann@example.com' });
  const [audit] = await read('azure_audit', 'directory.json');
  expect(told(audit!)).toBe(` directory Core Directory Add member to role success user ${ANN}`);
  expect(audit!.resources).toEqual(['0b000000-0000-0000-0000-00000000000b']);
});

it('Kubernetes: actions are those of roles, service accounts those of the inventory, and no Secret is read', async () => {
  const events = await read('kubernetes_audit', 'audit.jsonl', { account_id: 'shop-cluster' });
  expect(events.map(told)).toEqual([
    'shop-cluster audit:read core get:core/secrets success service_account shop-cluster/shop/ServiceAccount/cart',
    'shop-cluster audit:write core create:core/pods/exec success user ann',
    'shop-cluster audit:write apps delete:apps/deployments denied user bob',
    'shop-cluster audit:write core create:core/secrets success user ann',
    'shop-cluster audit:read core list:core/nodes success service_account shop-cluster/kube-system/ServiceAccount/ops',
    'shop-cluster audit:read nonresource get:/healthz success anonymous anonymous',
  ]);
  expect(events[4]!.chain).toEqual(['ann']);
  expect(events[0]).toMatchObject({ source_ip: '10.0.0.7', resources: ['shop-cluster/shop/Secret/db'] });
  expect(events.flatMap(rights)).toContain('get:core/secrets on ns/shop/db');
  expect(JSON.stringify(events)).not.toMatch(/open-sesame|MTIzNA/);
  expect((await read('kubernetes_audit', 'azure.json', { artifact: 'shop-cluster' })).map(told)).toEqual([told(events[0]!)]);
});

it('Oracle Cloud: a thing that is not found may be one that may not be seen', async () => {
  const events = await read('oci_audit', 'events.json');
  expect(events.map(told)).toEqual([
    'ocid1.tenancy.oc1..acme audit ComputeApi GetInstance success user ocid1.user.oc1..ann',
    'ocid1.tenancy.oc1..acme audit ComputeApi TerminateInstance denied user ocid1.user.oc1..ann',
    'ocid1.tenancy.oc1..acme audit ComputeApi LaunchInstance denied service_account ocid1.instance.oc1.eu-frankfurt-1.build',
  ]);
  expect(events.map(({ chain, region }) => [chain, region])).toEqual([
    [undefined, 'eu-frankfurt-1'],
    [undefined, 'eu-frankfurt-1'],
    [['ocid1.user.oc1..bob'], 'eu-frankfurt-1'],
  ]);
  expect((await read('oci_audit', 'cli.json')).map(told)).toEqual(events.slice(0, 2).map(told));
  expect((await read('oci_audit', 'logging.jsonl')).map(told)).toEqual([told(events[0]!)]);
});

it('Alibaba Cloud: users and roles as RAM names them', async () => {
  const events = await read('alicloud_actiontrail', 'events.json');
  expect(events.map(told)).toEqual([
    '1000000000000001 management:read ecs DescribeInstances success user acs:ram::1000000000000001:user/ann',
    '1000000000000001 management:write ecs DeleteInstance denied role acs:ram::1000000000000001:role/deploy',
    '1000000000000001 management:write ram CreateAccessKey success root acs:ram::1000000000000001:root',
  ]);
  expect(events[1]!.resources).toEqual(['acs:ecs:eu-central-1:1000000000000001:instance/i-1']);
  expect(JSON.stringify(events)).not.toMatch(/exampleSecret|LTAI5tEXAMPLE/);
  expect(findSecretPaths(events)).toEqual([]);
});

it.each([
  ['eks:node-manager', 'service'],
  ['aksService', 'service'],
  ['gke-metrics-agent', 'service'],
  ['gke-deployer@acme-shop.iam.gserviceaccount.com', 'user'],
  ['aksService2', 'user'],
])('Kubernetes: %s is a %s', async (username, kind) => {
  const [line = ''] = String(fixture('kubernetes_audit', 'audit.jsonl')).split('\n');
  const entry = JSON.parse(line) as { user: object };
  const { items } = await readAll('kubernetes_audit', Buffer.from(JSON.stringify({ ...entry, user: { ...entry.user, username } })), {
    account_id: 'shop-cluster',
  });
  expect(items.flatMap((item) => (item.kind === 'event' ? [item.event.actor_kind] : []))).toEqual([kind]);
});
