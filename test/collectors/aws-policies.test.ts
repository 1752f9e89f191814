import { createAwsCollector } from '../../collectors/aws/collector.js';
import { systemClock } from '../../kit/base/clock.js';
import type { AssetInput } from '../../importers/types.js';
import { awsStub, json, refusal, type Reply, type StubCall } from '../support/aws-stub.js';
import { arn, BUCKET, GROUP, INSTANCE, NETWORK, OPEN, PATHS, SERVICE, SET, TARGETS } from './aws-policies-answers.js';
import { ACCOUNT, OURS, outbound, target, THEIRS } from './aws-stubbed.js';
import { readRecorded, recordedOf } from './recorded.js';

const SERVICES = [
  'sso',
  'cognito-identity',
  'transfer',
  'lightsail',
  'network-firewall',
  'workspaces',
  'sagemaker',
  'fsx',
  'aoss',
  'ssm',
].concat(['redshift-serverless', 'glacier', 's3tables', 'vpc-lattice', 'codeartifact', 'iot', 'mq', 'gamelift', 'schemas']);

function answer({ service, what, path }: StubCall): Reply {
  if (service === 'sts') return undefined;
  const named = TARGETS[what];
  if (named !== undefined) return json(named);
  const [place] = path.split('?');
  const found = PATHS.find(([pattern]) => pattern.test(decodeURIComponent(place!)));
  return found === undefined ? refusal('ResourceNotFoundException', 404) : json(found[1]);
}

describe('services by whose policies and settings others come in', () => {
  let assets: readonly AssetInput[];
  let told: string;
  let asked: readonly StubCall[];
  const of = (type: string) => assets.filter(({ resource_type }) => resource_type === type).map(({ configuration }) => configuration);

  beforeAll(async () => {
    const stub = await awsStub(ACCOUNT, [OURS, THEIRS], answer);
    try {
      const collector = createAwsCollector({ outbound, clock: systemClock, identity: OURS, endpoint: stub.url, pauses: [1] });
      const recorded = await recordedOf(collector, target({ services: SERVICES }));
      expect(recorded.missing).toEqual([]);
      told = JSON.stringify(recorded.told);
      ({ assets } = await readRecorded(recorded.told, ACCOUNT));
      asked = stub.calls;
    } finally {
      await stub.close();
    }
  });
  afterAll(() => outbound.close());

  it.each<[string, object]>([
    [
      'aws_ssoadmin_managed_policy_attachment',
      { permission_set_arn: SET, managed_policy_arn: 'arn:aws:iam::aws:policy/AdministratorAccess' },
    ],
    [
      'aws_cognito_identity_pool_roles_attachment',
      { identity_pool_id: 'eu-west-1:p', roles: { unauthenticated: 'arn:aws:iam::1:role/guest' } },
    ],
    ['aws_transfer_user', { server_id: 's-0123', user_name: 'ann', posix_profile: [{ uid: 0 }] }],
    ['aws_transfer_access', { server_id: 's-0123', external_id: 'S-1-1-12', posix_profile: [{ uid: 0 }] }],
    ['aws_lightsail_instance_public_ports', { instance_name: 'shop', port_info: [{ from_port: 22, to_port: 22, cidrs: ['0.0.0.0/0'] }] }],
    ['aws_lightsail_database', { publicly_accessible: true }],
    [
      'aws_networkfirewall_rule_group',
      { rule_group: [{ rules_source: [{ stateful_rule: [{ action: 'PASS', header: [{ source: 'ANY', destination_port: 'ANY' }] }] }] }] },
    ],
    ['aws_networkfirewall_resource_policy', { resource_arn: GROUP, policy: OPEN }],
    ['aws_workspaces_ip_group', { name: 'all', rules: [{ source: '0.0.0.0/0' }] }],
    ['aws_sagemaker_notebook_instance', { direct_internet_access: 'Enabled', root_access: 'Enabled' }],
    ['aws_sagemaker_workforce', { source_ip_config: [{ cidrs: ['0.0.0.0/0'] }] }],
    ['aws_sagemaker_flow_definition', { human_loop_config: [{ workteam_arn: expect.stringContaining('public-crowd') as string }] }],
    ['aws_fsx_openzfs_volume', { nfs_exports: [{ client_configurations: [{ clients: '*', options: ['rw'] }] }] }],
    ['aws_opensearchserverless_access_policy', { type: 'data', policy: '[{"Rules":[],"Principal":["*"]}]' }],
    ['aws_opensearchserverless_security_policy', { type: 'network', policy: '[{"Rules":[],"AllowFromPublic":true}]' }],
    ['aws_redshiftserverless_resource_policy', { resource_arn: arn('redshift-serverless', 'namespace/1'), policy: OPEN }],
    ['aws_ssm_document', { name: 'run', permissions: [{ type: 'Share', account_ids: ['all'] }] }],
    ['aws_glacier_vault', { name: 'cold', access_policy: OPEN }],
    ['aws_glacier_vault_lock', { vault_name: 'cold', policy: OPEN, complete_lock: true }],
    ['aws_s3tables_table_bucket_policy', { table_bucket_arn: BUCKET, resource_policy: OPEN }],
    ['aws_codeartifact_domain_permissions_policy', { domain: 'main', domain_owner: ACCOUNT, policy_document: OPEN }],
    ['aws_codeartifact_repository_permissions_policy', { domain: 'main', repository: 'npm', policy_document: OPEN }],
    ['aws_iot_policy', { name: 'all', policy: OPEN }],
    ['aws_iot_topic_rule', { name: 'r', enabled: true, s3: [{ bucket_name: 'b', canned_acl: 'public-read' }] }],
    ['aws_gamelift_fleet', { name: 'game', ec2_inbound_permission: [{ from_port: 22, to_port: 22, ip_range: '0.0.0.0/0' }] }],
    ['aws_schemas_registry_policy', { registry_name: 'shop', policy: OPEN }],
    ['aws_mq_broker', { broker_name: 'b', publicly_accessible: true }],
  ])('%s is told as Terraform would', (type, configuration) => expect(of(type)).toMatchObject([configuration]));

  it('tells the policies of services and of networks of services', () => {
    expect(of('aws_vpclattice_auth_policy').map(({ resource_identifier }) => resource_identifier)).toEqual([SERVICE, NETWORK]);
    expect(of('aws_vpclattice_resource_policy').map(({ resource_arn }) => resource_arn)).toEqual([SERVICE, NETWORK]);
  });

  it('takes an empty policy for none', () => expect(of('aws_ssoadmin_permission_set_inline_policy')).toEqual([]));

  it('takes a volume of a file system for none of a machine', () => expect(of('aws_ebs_volume')).toEqual([]));

  it('asks nothing of a directory of another account', () => {
    const sets = asked.filter(({ what }) => what === 'ListPermissionSets');
    expect(sets.map(({ body }) => JSON.parse(body) as object)).toEqual([{ InstanceArn: INSTANCE, MaxResults: 100 }]);
  });

  it('asks for documents of the account alone', () => {
    const [documents] = asked.filter(({ what }) => what === 'ListDocuments');
    expect(JSON.parse(documents!.body)).toMatchObject({ Filters: [{ Key: 'Owner', Values: ['Self'] }] });
  });

  it('tells no secret', () => expect(told).not.toContain('hush-hush'));
});
