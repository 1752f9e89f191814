import { Readable } from 'node:stream';
import { createAwsCollector } from '../../collectors/aws/collector.js';
import { commandOf } from '../../collectors/aws/command.js';
import { GROUPS } from '../../collectors/aws/services/index.js';
import type { Target } from '../../collectors/types.js';
import { systemClock } from '../../kit/base/clock.js';
import { createOutbound } from '../../kit/outbound/outbound.js';
import type { AssetInput, ImportItem } from '../../importers/types.js';
import { readAll } from '../importers/read-all.js';
import { ACCOUNT, makeEstate, makeIdentities } from '../support/aws-estate.js';
import { makeMore } from '../support/aws-estate-more.js';
import { motoServer, startMoto, type Moto } from '../support/moto.js';
import { needing } from '../support/shared.js';
import { inParts, type Told } from './aws-stubbed.js';
import { recordedOf } from './recorded.js';

const script = motoServer();
const REGIONS = ['eu-west-1', 'us-east-1'];
const SECRET = 'known to nobody else';
const target: Target = {
  ...{ provider: 'aws', account_id: ACCOUNT, regions: REGIONS, services: [] },
  connection: {
    method: 'secret',
    values: { access_key_id: 'AKIAOFTHEACCOUNT0000', secret_access_key: SECRET },
    external_id: null,
  },
};

const outbound = createOutbound(['127.0.0.1/32']);
let moto: Moto;
async function collect(more: Partial<Target> = {}) {
  const collector = createAwsCollector({ outbound, clock: systemClock, identity: null, endpoint: moto.url, pauses: [1] });
  const { told } = await recordedOf(collector, { ...target, ...more });
  return { told, ...(await inParts(Readable.from(told))) };
}

/** Calls that this version of moto does not know, or answers with what is no answer of AWS. */
const UNKNOWN_TO_MOTO = [
  'aws backup get-backup-vault-access-policy --backup-vault-name vault',
  'aws bedrock list-guardrails',
  'aws codeartifact list-domains',
  'aws codeartifact list-repositories',
  'aws codebuild get-resource-policy --resource-arn arn:aws:codebuild:{region}:123456789012:project/build',
  'aws codebuild list-source-credentials',
  'aws ec2 describe-client-vpn-endpoints',
  'aws ec2 get-image-block-public-access-state',
  'aws ec2 get-instance-metadata-defaults',
  'aws ec2 get-snapshot-block-public-access-state',
  'aws ecr describe-repository-creation-templates',
  'aws eks list-access-entries --cluster-name k',
  'aws eks list-addons --cluster-name k',
  'aws emr list-security-configurations',
  'aws fsx describe-volumes',
  'aws gamelift describe-fleet-attributes',
  'aws imagebuilder list-distribution-configurations',
  'aws imagebuilder list-infrastructure-configurations',
  'aws kafka list-clusters',
  'aws lambda list-function-url-configs --function-name pay',
  'aws lightsail get-instances',
  'aws lightsail get-relational-databases',
  'aws network-firewall list-rule-groups',
  'aws opensearchserverless list-access-policies --type data',
  'aws redshift-serverless list-namespaces',
  'aws redshift-serverless list-workgroups',
  'aws s3tables list-table-buckets',
  'aws sagemaker list-flow-definitions',
  'aws sagemaker list-workforces',
  'aws schemas list-registries',
  'aws storagegateway list-file-shares',
  'aws workspaces describe-ip-groups',
  'aws xray list-resource-policies',
];

/** Type -> how many there are in both regions, moto's own networks among them. */
const THERE_ARE: Readonly<Record<string, number>> = {
  ...{ aws_iam_user: 3, aws_iam_user_policy: 1, aws_iam_user_login_profile: 1, aws_iam_access_key: 1, aws_iam_group: 1 },
  ...{ aws_iam_user_group_membership: 1, aws_iam_role: 1, aws_iam_instance_profile: 1, aws_iam_account_password_policy: 1 },
  ...{ aws_cloudfront_distribution: 1, aws_s3_account_public_access_block: 1 },
  ...{ aws_s3_bucket: 4, aws_s3_bucket_policy: 2, aws_s3_bucket_versioning: 2, aws_s3_bucket_public_access_block: 2 },
  ...{ aws_s3_bucket_acl: 4, aws_s3_access_point: 2 },
  ...{ aws_instance: 4, aws_ebs_volume: 6, aws_ebs_snapshot: 2, aws_vpc: 4, aws_subnet: 13, aws_security_group: 8 },
  ...{ aws_route_table: 4, aws_main_route_table_association: 4, aws_internet_gateway: 2, aws_network_acl: 4, aws_network_interface: 4 },
  ...{ aws_eip: 2, aws_key_pair: 2, aws_launch_template: 2, aws_ebs_encryption_by_default: 2 },
  ...{
    aws_db_instance: 2,
    aws_db_snapshot: 4,
    aws_dynamodb_table: 2,
    aws_redshift_cluster: 2,
    aws_elasticache_cluster: 2,
    aws_elasticache_user: 2,
  },
  ...{ aws_opensearch_domain: 2, aws_efs_file_system: 2, aws_dms_endpoint: 2 },
  ...{ aws_kms_key: 4, aws_kms_key_policy: 4, aws_secretsmanager_secret: 2, aws_acm_certificate: 2 },
  ...{ aws_lambda_function: 2, aws_lambda_permission: 2, aws_eks_cluster: 2, aws_eks_node_group: 2, aws_ecr_repository: 2 },
  ...{ aws_ecs_cluster: 2, aws_ecs_service: 2, aws_ecs_task_definition: 2, aws_codebuild_project: 2, aws_emr_cluster: 2 },
  ...{ aws_lb: 2, aws_lb_target_group: 2, aws_lb_listener: 2, aws_lb_listener_rule: 2, aws_elb: 2 },
  ...{ aws_sqs_queue: 2, aws_sns_topic: 2, aws_sns_topic_policy: 2, aws_sns_topic_subscription: 2 },
  ...{
    aws_kinesis_stream: 2,
    aws_kinesis_resource_policy: 2,
    aws_kinesis_firehose_delivery_stream: 2,
    aws_glue_job: 2,
    aws_glue_data_catalog_encryption_settings: 2,
  },
  ...{ aws_api_gateway_rest_api: 2, aws_apigatewayv2_api: 2, aws_backup_vault: 2 },
  ...{ aws_cloudtrail: 2, aws_cloudwatch_log_group: 110, aws_cloudwatch_event_bus: 2, aws_cloudwatch_event_rule: 2 },
  ...{ aws_cloudwatch_metric_alarm: 2, aws_config_configuration_recorder: 2, aws_guardduty_detector: 2 },
};

needing(script).describe('an account (needs moto of PyPI, skipped where it cannot be had)', () => {
  let records: Told[];
  let items: ImportItem[];
  const assets = (type: string): AssetInput[] =>
    items.flatMap((item) => (item.kind === 'asset' && item.asset.resource_type === type ? [item.asset] : []));
  const asset = (type: string, part: string): AssetInput => {
    const found = assets(type).filter(({ resource_uid }) => resource_uid.includes(part));
    expect(found).toHaveLength(1);
    return found[0]!;
  };

  beforeAll(async () => {
    moto = await startMoto(script!);
    const role = await makeIdentities(moto.url);
    for (const region of REGIONS) {
      await makeEstate(moto.url, region, role);
      await makeMore(moto.url, region, role);
    }
    const collected = await collect();
    ({ records } = collected);
    const lines = collected.told.map((record) => JSON.stringify(record)).join('\n');
    ({ items } = await readAll('cloud_api_responses', lines, { account_id: ACCOUNT }));
  });
  afterAll(async () => {
    await moto?.stop();
    await outbound.close();
  });

  it('is told as what there is in its regions, in the names of Terraform', () => {
    const count: Record<string, number> = {};
    for (const item of items) if (item.kind === 'asset') count[item.asset.resource_type] = (count[item.asset.resource_type] ?? 0) + 1;
    expect(count).toEqual(THERE_ARE);
    // what were named by the place of its answer would be another thing in each run
    expect(
      items.flatMap((item) => (item.kind === 'asset' && item.asset.resource_uid.startsWith('terraform:') ? [item.asset] : [])),
    ).toEqual([]);
    // what tells no part would stay for ever in an account of which some part is refused
    const partless = items.flatMap((item) => (item.kind === 'asset' && item.asset.part === undefined ? [item.asset.resource_uid] : []));
    expect(partless).toEqual([]);
  });

  it('answers every call but those that are named here', () => {
    const open = records
      .filter((record) => 'not_answered' in record)
      .map(({ source, region }) => source.replace(`:${region}:`, ':{region}:'));
    expect([...new Set(open)].sort()).toEqual(UNKNOWN_TO_MOTO);
  });

  it.each(GROUPS.map((group) => [group.command, group.calls[0]!.call, group] as const))(
    'is asked %s %s, in each region where there are regions',
    (_command, _call, group) => {
      const places = group.global ? [undefined] : REGIONS;
      for (const { call } of group.calls) {
        const asked = records.filter(({ source }) => `${source} `.startsWith(`${commandOf(group.command, call)} `));
        expect([call, [...new Set(asked.map(({ region }) => region))].sort()]).toEqual([call, places]);
      }
    },
  );

  it('is told page by page', () => {
    const pages = records.filter(({ source, region }) => source === 'aws logs describe-log-groups' && region === 'us-east-1');
    expect(pages.map((page) => 'response' in page && (page.response as { logGroups: unknown[] }).logGroups.length)).toEqual([50, 5]);
  });

  it('tells what a bucket has not as the error that says so, and what it has', () => {
    expect(records).toContainEqual({
      ...{ source: 'aws s3api get-bucket-policy --bucket plain-eu-west-1', region: 'eu-west-1' },
      error: 'NoSuchBucketPolicy',
    });
    const ledger = asset('aws_s3_bucket', 'ledger-eu-west-1').configuration;
    expect(ledger).toMatchObject({
      tags: { team: 'money' },
      versioning: [{ enabled: true }],
      policy: expect.stringContaining('s3:GetObject') as string,
    });
    expect(asset('aws_s3_bucket', 'plain-eu-west-1').configuration).toMatchObject({ policy: null });
  });

  it('tells what the catalog judges: an open port, rotation, a public function, documents of policies', () => {
    const open = assets('aws_security_group').find(({ configuration }) => configuration?.['name'] === 'open')!;
    expect(open.configuration).toMatchObject({ ingress: [{ from_port: 22, cidr_blocks: ['0.0.0.0/0'] }] });
    const ours = assets('aws_kms_key').filter(({ configuration }) => configuration?.['description'] === 'ours');
    expect(ours.map(({ configuration }) => configuration?.['enable_key_rotation'])).toEqual([true, true]);
    expect(asset('aws_lambda_permission', 'us-east-1').configuration).toMatchObject({ principal: '*' });
    const [inline] = assets('aws_iam_user_policy');
    expect(JSON.parse(String(inline!.configuration?.['policy']))).toMatchObject({ Statement: [{ Action: '*' }] });
    expect(assets('aws_ecs_task_definition')[0]!.configuration).toHaveProperty('container_definitions');
  });

  it('keeps its secrets: of the key, of passwords, and of what starts its machines', () => {
    const told = JSON.stringify(records);
    for (const secret of [SECRET, 'never to be read', 'never told', 'a long password', 'c2VjcmV0']) expect(told).not.toContain(secret);
  });

  it('is asked in the regions and about the services that it is narrowed to', async () => {
    const { records: narrowed } = await collect({ regions: ['us-east-1'], services: ['kms', 'iam'] });
    expect(new Set(narrowed.map(({ source }) => source.split(' ')[1]))).toEqual(new Set(['kms', 'iam']));
    expect(new Set(narrowed.map(({ region }) => region))).toEqual(new Set([undefined, 'us-east-1']));
  });
});
