import { Estate } from '../../subgraphs/attack-path/estate/estate.js';
import { findPaths } from '../../kit/graph/search.js';
import { assemble } from '../../subgraphs/attack-path/estate/assemble.js';
import { DENIAL, NEEDS_ACCOUNT, partOf, pathsOf, RCE, type Sketch } from './estate.js';

const LOG4SHELL = `CVE-2021-44228 org.apache.logging.log4j:log4j-core ${RCE} 0.94 known`;

/** A web server with a role that reads a bucket of value, behind port 443. */
const WEB: Sketch = {
  assets: { web: 'aws workload aws_instance', role: 'aws identity aws_iam_role', bucket: 'aws store aws_s3_bucket' },
  edges: ['web runs_as role', 'role may_access:read bucket'],
  exposed: { web: [443] },
  holes: { web: LOG4SHELL },
  jewels: { bucket: 'high' },
};
const HIGH = 'internet -initial_access-> web -identity_of_code-> role -data_access-> bucket 0.769';

/** What is expected of an estate: all paths, the worst first. */
const ESTATES: Readonly<Record<string, readonly [Sketch, readonly string[]]>> = {
  'a hole in what listens leads through the role to the bucket': [WEB, [HIGH]],
  'without a hole what is exposed opens no path': [{ ...WEB, holes: {} }, []],
  'a hole where nobody gets to opens no path': [{ ...WEB, exposed: { web: [22] } }, []],
  'a hole that only takes the service down opens no path': [{ ...WEB, holes: { web: `CVE-2023-44487 nginx ${DENIAL} 0.9 known` } }, []],
  'a hole that takes an account opens no path': [{ ...WEB, holes: { web: `CVE-2024-0001 nginx ${NEEDS_ACCOUNT} 0.9 known` } }, []],
  'without a vector the score has to be that of who runs code': [{ ...WEB, holes: { web: 'CVE-2024-0002 nginx 8.8 0.9 known' } }, []],
  'a package that is not known to listen counts for a third': [
    { ...WEB, holes: { web: `CVE-2024-0003 libobscure ${RCE} 0.5` } },
    ['internet -initial_access-> web -identity_of_code-> role -data_access-> bucket 0.128'],
  ],
  'what CISA lists counts a half at least, and what EPSS does not know a fiftieth': [
    {
      assets: { ...WEB.assets, old: 'aws workload aws_instance' },
      edges: [...WEB.edges!, 'old runs_as role'],
      exposed: { web: [443], old: [443] },
      holes: { web: `CVE-2024-0004 nginx ${RCE}`, old: `CVE-2024-0005 nginx ${RCE} 0.1 known` },
      jewels: { bucket: 'high' },
    },
    ['internet -initial_access-> old -identity_of_code-> role -data_access-> bucket 0.427'],
  ],
  'forged requests get the role of a machine that answers plain requests, and hardly of others': [
    {
      ...WEB,
      holes: { web: `CVE-2024-0918 nginx ${RCE} 0.9` },
      signals: ['metadata_v1 on web'],
    },
    ['internet -initial_access-> web(forged_requests) -identity_of_code-> role -data_access-> bucket 0.648'],
  ],
  'with version 2 of the metadata service forged requests get hardly anything': [
    { ...WEB, holes: { web: `CVE-2024-0918 nginx ${RCE} 0.9` } },
    ['internet -initial_access-> web(forged_requests) -identity_of_code-> role -data_access-> bucket 0.041'],
  ],
  'a load balancer in front is the way in, and so is the image of the task': [
    {
      assets: {
        lb: 'aws other aws_lb',
        listener: 'aws other aws_lb_listener',
        group: 'aws other aws_lb_target_group',
        service: 'aws workload aws_ecs_service',
        task: 'aws workload aws_ecs_task_definition',
        image: 'aws other container_image',
        role: 'aws identity aws_iam_role',
        table: 'aws store aws_dynamodb_table',
      },
      edges: [
        'listener attached_to lb',
        'listener routes_to group',
        'group exposes service',
        'service built_from task',
        'task uses_image image',
        'task runs_as role',
        'role may_access:read! table',
      ],
      exposed: { lb: [443] },
      holes: { image: LOG4SHELL },
      jewels: { table: 'critical' },
    },
    ['internet -initial_access-> service -identity_of_code-> role -data_access-> table 0.256'],
  ],
  'anybody reads a public bucket, in each cloud': [
    {
      assets: { exports: 'aws store aws_s3_bucket', lake: 'gcp store google_storage_bucket', site: 'aws store aws_s3_bucket' },
      edges: ['internet may_access:read exports', 'internet may_access:read lake', 'internet may_access:read site'],
      jewels: { exports: 'critical', lake: 'high' },
    },
    ['internet -public_data-> exports 0.950', 'internet -public_data-> lake 0.950'],
  ],
  'a public container gives the storage account away that it lies in': [
    {
      assets: {
        invoices: 'azure store azurerm_storage_account',
        pdf: 'azure store azurerm_storage_container',
        other: 'azure store azurerm_storage_account',
      },
      edges: ['invoices contains pdf'],
      signals: ['public_data on pdf'],
      jewels: { invoices: 'critical', other: 'critical' },
    },
    ['internet -public_data-> invoices 0.950'],
  ],
  'a user without a second factor takes on the role of an administrator, where the path ends': [
    {
      assets: { user: 'aws identity aws_iam_user', glass: 'aws identity aws_iam_role', bucket: 'aws store aws_s3_bucket' },
      edges: ['user may_assume glass', 'glass may_access:admin aws/aws-1/administrator', 'aws/aws-1/administrator may_access:read bucket'],
      signals: ['weak_sign_in on user'],
      jewels: { bucket: 'critical' },
    },
    ['internet -weak_sign_in-> user -escalation-> glass -data_access-> aws/aws-1/administrator 0.081'],
  ],
  'a leaked key opens every right by a known way in another cloud': [
    {
      assets: { account: 'gcp identity google_service_account', key: 'gcp key google_service_account_key' },
      edges: ['key credential_for account', 'account escalates_to gcp/project/administrator gcp-deployment-manager'],
      signals: ['leaked_credential on account'],
    },
    ['internet -leaked_credential-> account -escalation-> gcp/project/administrator 0.810'],
  ],
  'a federated identity crosses from one cloud into another': [
    {
      assets: {
        api: 'azure workload azurerm_container_app',
        invoices: 'azure identity azurerm_user_assigned_identity',
        deploy: 'aws identity aws_iam_role',
        ledger: 'aws store aws_dynamodb_table',
      },
      edges: ['api runs_as invoices', 'invoices may_assume! deploy', 'deploy may_access:write ledger'],
      signals: ['public_endpoint on api'],
      holes: { api: LOG4SHELL },
      jewels: { ledger: 'critical' },
    },
    ['internet -initial_access-> api -identity_of_code-> invoices -escalation-> deploy -data_access-> ledger 0.231'],
  ],
  'a role that trusts every job of a code host, and a secret that opens a database': [
    {
      assets: {
        ci: 'aws identity aws_iam_role',
        secret: 'aws secret aws_secretsmanager_secret',
        orders: 'aws database aws_db_instance',
      },
      edges: ['ci may_access:read secret', 'secret credential_for orders'],
      signals: ['open_trust on ci'],
      jewels: { orders: 'critical' },
    },
    ['internet -open_trust-> ci -data_access-> secret -stolen_credential-> orders 0.729'],
  ],
  'what a customer key encrypts is read by who may decrypt with it': [
    {
      assets: {
        ...{ one: 'aws identity aws_iam_role', other: 'aws identity aws_iam_role' },
        ...{ bucket: 'aws store aws_s3_bucket', key: 'aws key aws_kms_key', web: 'aws workload aws_instance' },
      },
      edges: [
        ...['bucket encrypted_with key', 'web runs_as one', 'web runs_as other'],
        ...['one may_access:read bucket', 'other may_access:read bucket', 'other may_access:read key'],
      ],
      exposed: { web: [80] },
      holes: { web: LOG4SHELL },
      jewels: { bucket: 'high' },
    },
    ['internet -initial_access-> web -identity_of_code-> other -data_access-> bucket 0.769'],
  ],
  'a broad grant leads to what it is about, and not to what it leaves out': [
    {
      assets: {
        ...{ web: 'gcp workload google_cloud_run_v2_service', account: 'gcp identity google_service_account' },
        ...{ lake: 'gcp store google_storage_bucket', vault: 'gcp store google_storage_bucket', table: 'gcp store google_bigtable_table' },
      },
      edges: ['web runs_as account', 'account may_access:read gcp/scope/buckets'],
      scopes: { 'gcp/scope/buckets': { types: ['google_storage_bucket'], within: ['gcp-1'], except: ['vault'] } },
      signals: ['public_endpoint on web'],
      holes: { web: LOG4SHELL },
      jewels: { lake: 'high', vault: 'critical', table: 'critical' },
    },
    ['internet -initial_access-> web -identity_of_code-> account -data_access-> lake 0.769'],
  ],
  'a privileged pod breaks out to the node and takes its role and the pods beside it': [
    {
      assets: {
        ...{ cluster: 'aws cluster aws_eks_cluster', nodes: 'aws workload aws_eks_node_group', role: 'aws identity aws_iam_role' },
        ...{
          'cluster/shop/Deployment/web': 'k8s workload kubernetes_deployment',
          'cluster/pay/Deployment/pay': 'k8s workload kubernetes_deployment',
        },
        ...{ 'cluster/pay/ServiceAccount/pay': 'k8s identity kubernetes_service_account' },
      },
      edges: [
        ...['cluster contains nodes', 'nodes runs_as role', 'role may_access:admin aws/aws-1/administrator'],
        ...[
          'cluster/pay/Deployment/pay runs_as cluster/pay/ServiceAccount/pay',
          'cluster/pay/ServiceAccount/pay may_access:admin k8s/cluster/administrator',
        ],
      ],
      signals: ['escape on cluster/shop/Deployment/web', 'public_endpoint on cluster/shop/Deployment/web'],
      holes: { 'cluster/shop/Deployment/web': LOG4SHELL },
    },
    [
      'internet -initial_access-> cluster/shop/Deployment/web -container_escape-> nodes -identity_of_code-> role -data_access-> aws/aws-1/administrator 0.539',
      'internet -initial_access-> cluster/shop/Deployment/web -container_escape-> nodes -container_escape-> cluster/pay/Deployment/pay -identity_of_code-> cluster/pay/ServiceAccount/pay -data_access-> k8s/cluster/administrator 0.485',
    ],
  ],
  'who may write an image runs code wherever it runs': [
    {
      assets: {
        ...{ ci: 'aws identity aws_iam_user', image: 'aws store aws_ecr_repository', app: 'azure workload azurerm_container_app' },
        ...{ invoices: 'azure identity azurerm_user_assigned_identity', ledger: 'azure store azurerm_storage_account' },
      },
      edges: ['ci may_access:write image', 'app uses_image image', 'app runs_as invoices', 'invoices may_access:read ledger'],
      signals: ['leaked_credential on ci'],
      jewels: { ledger: 'high' },
    },
    [
      'internet -leaked_credential-> ci -data_access-> image(write) -supply_chain-> app -identity_of_code-> invoices -data_access-> ledger 0.554',
    ],
  ],
  'a database that asks nobody is won itself': [
    {
      assets: { cache: 'aws database aws_elasticache_cluster', closed: 'gcp database google_sql_database_instance' },
      exposed: { cache: [6379], closed: [5432] },
      signals: ['no_authentication on cache'],
      jewels: { cache: 'high', closed: 'critical' },
    },
    ['internet -initial_access-> cache 0.600'],
  ],
  'fifty alike are one path, by the likeliest': [
    {
      assets: {
        ...Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`web${n}`, 'aws workload aws_instance'])),
        ...{ role: 'aws identity aws_iam_role', bucket: 'aws store aws_s3_bucket' },
      },
      edges: [...Array.from({ length: 50 }, (_, n) => `web${n} runs_as role`), 'role may_access:read bucket'],
      exposed: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`web${n}`, [443]])),
      holes: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`web${n}`, n === 7 ? LOG4SHELL : `CVE-2024-0006 nginx ${RCE} 0.1`])),
      jewels: { bucket: 'high' },
    },
    ['internet -initial_access-> web7 -identity_of_code-> role -data_access-> bucket 0.769'],
  ],
  'identities that act as each other make no circle': [
    {
      assets: { a: 'aws identity aws_iam_role', b: 'aws identity aws_iam_role', bucket: 'aws store aws_s3_bucket' },
      edges: ['a may_assume b', 'b may_assume a', 'a may_access:read bucket'],
      signals: ['leaked_credential on a'],
      jewels: { bucket: 'medium' },
    },
    ['internet -leaked_credential-> a -data_access-> bucket 0.810'],
  ],
  'from a machine that was won one goes on to what its network lets it get to, at the ports where something weak listens': [
    {
      assets: {
        ...{ web: 'aws workload aws_instance', api: 'azure workload azurerm_linux_virtual_machine', beside: 'aws workload aws_instance' },
        ...{ role: 'azure identity azurerm_user_assigned_identity', ledger: 'azure store azurerm_storage_account' },
      },
      edges: ['api runs_as role', 'role may_access:read ledger', 'beside runs_as role'],
      exposed: { web: [443] },
      segments: { front: ['web', 'absent'], back: ['api', 'beside'] },
      // nginx listens at 443, and at 22 nothing of it
      reaches: ['front -> api: 443, 8080', 'front -> beside: 22', 'back -> web: 443'],
      holes: { web: LOG4SHELL, api: `CVE-2024-0007 nginx ${RCE} 0.5 known`, beside: `CVE-2024-0008 nginx ${RCE} 0.9 known` },
      jewels: { ledger: 'critical' },
    },
    ['internet -initial_access-> web -within_network-> front -lateral_movement-> api -identity_of_code-> role -data_access-> ledger 0.385'],
  ],
  'a cache behind the web server that asks nobody who he is is won from there, and a database of which nothing weak is known is not': [
    {
      assets: {
        ...{ web: 'gcp workload google_compute_instance', cache: 'aws database aws_elasticache_cluster' },
        ...{ orders: 'aws database aws_db_instance', lonely: 'aws workload aws_instance' },
      },
      exposed: { web: [443] },
      signals: ['no_authentication on cache'],
      segments: { front: ['web'], other: ['lonely'] },
      reaches: ['front -> cache: 6379', 'front -> orders: 5432', 'other -> cache: 6379'],
      holes: { web: LOG4SHELL, lonely: LOG4SHELL },
      jewels: { cache: 'high', orders: 'critical' },
    },
    ['internet -initial_access-> web -within_network-> front -lateral_movement-> cache 0.540'],
  ],
  'forged requests look at no network': [
    {
      assets: { web: 'aws workload aws_instance', cache: 'aws database aws_elasticache_cluster', other: 'gcp store google_storage_bucket' },
      exposed: { web: [443] },
      signals: ['no_authentication on cache'],
      segments: { front: ['web'] },
      reaches: ['front -> cache: 6379'],
      holes: { web: `CVE-2024-0918 nginx ${RCE} 0.9` },
      jewels: { cache: 'high', other: 'high' },
    },
    [],
  ],
  'three machines in a row are won one after the other': [
    {
      assets: {
        ...{ a: 'aws workload aws_instance', b: 'aws workload aws_instance', c: 'gcp workload google_compute_instance' },
        ...{ account: 'gcp identity google_service_account', lake: 'gcp store google_storage_bucket' },
      },
      edges: ['c runs_as account', 'account may_access:read lake'],
      exposed: { a: [443] },
      segments: { one: ['a'], two: ['b'] },
      reaches: ['one -> b: 443', 'two -> c: 443', 'two -> a: 443'],
      holes: { a: LOG4SHELL, b: LOG4SHELL, c: LOG4SHELL },
      jewels: { lake: 'critical' },
    },
    [
      'internet -initial_access-> a -within_network-> one -lateral_movement-> b -within_network-> two -lateral_movement-> c -identity_of_code-> account -data_access-> lake 0.623',
    ],
  ],
  'the internet alone reaches no one': [{ assets: { bucket: 'aws store aws_s3_bucket' }, jewels: { bucket: 'critical' } }, []],
};

it.each(Object.entries(ESTATES))('%s', (_name, [sketch, expected]) => {
  expect(pathsOf(sketch)).toEqual(expected);
});

it('of several findings on a resource that tell the same, that of the rule that comes first is told, in whatever order they are read', () => {
  const estate = new Estate();
  const tells = (finding_id: string, rank: number) => ({
    ...{ signal: 'public_data' as const, engine: 'check', rule_id: 'rule', resource_uid: 'bucket', text: finding_id },
    ...{ finding_id, rank, isOtherwise: false },
  });
  estate.add({ signals: [tells('b', 1), tells('c', 0)] });
  estate.add({ signals: [tells('a', 1)] });
  expect(estate.signals('bucket', 'public_data').map(({ text }) => text)).toEqual(['c', 'a', 'b']);
  expect([...estate.allSignals('public_data')].map(({ text }) => text)).toEqual(['c', 'a', 'b']);
});

it.each([
  ['unknown', 1],
  ['private', 0],
] as const)('pods behind a public service whose own exposure is %s: %d path', (exposure, paths) => {
  const sketch: Sketch = {
    assets: {
      ...{ 'c/shop/Service/web': 'k8s other kubernetes_service', 'c/shop/Deployment/web': 'k8s workload kubernetes_deployment' },
      ...{ role: 'aws identity aws_iam_role', bucket: 'aws store aws_s3_bucket' },
    },
    edges: ['c/shop/Service/web exposes c/shop/Deployment/web', 'c/shop/Deployment/web runs_as role', 'role may_access:read bucket'],
    exposed: { 'c/shop/Service/web': [443] },
    holes: { 'c/shop/Deployment/web': LOG4SHELL },
    jewels: { bucket: 'high' },
  };
  const estate = new Estate();
  estate.add(partOf(sketch));
  estate.add({ exposures: [{ resource_uid: 'c/shop/Deployment/web', exposure, ports: [] }] });
  expect(findPaths(assemble(estate)).paths).toHaveLength(paths);
});
