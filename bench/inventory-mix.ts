import { providerOf } from '../catalog/resource-name.js';
import type { ExpandedRule } from '../catalog/types.js';
import type { ImportItem } from '../importers/types.js';
import type { AssetInput } from '../schema/observations.js';
import { written, type Configuration } from './inventory-configurations.js';
import { Random } from './random.js';

type Item = Extract<ImportItem, { kind: 'asset' | 'edge' }>;

/** Share of an inventory in thousandths, type by type: a large company's accounts in seven providers. The rest is spread over all other types. */
export const MIX: Readonly<Record<string, number>> = {
  // aws: 380
  aws_instance: 40,
  aws_ebs_volume: 30,
  aws_s3_bucket: 30,
  aws_s3_bucket_public_access_block: 10,
  aws_s3_bucket_policy: 10,
  aws_security_group: 30,
  aws_security_group_rule: 30,
  aws_iam_role: 40,
  aws_iam_policy: 20,
  aws_iam_role_policy: 20,
  aws_iam_user: 10,
  aws_db_instance: 10,
  aws_lambda_function: 20,
  aws_cloudwatch_log_group: 20,
  aws_sqs_queue: 10,
  aws_sns_topic: 10,
  aws_kms_key: 10,
  aws_subnet: 10,
  aws_lb_listener: 5,
  aws_dynamodb_table: 5,
  aws_ecr_repository: 5,
  aws_secretsmanager_secret: 5,
  // azure: 120
  azurerm_linux_virtual_machine: 20,
  azurerm_managed_disk: 20,
  azurerm_storage_account: 20,
  azurerm_network_security_group: 10,
  azurerm_network_security_rule: 20,
  azurerm_key_vault: 10,
  azurerm_mssql_database: 5,
  azurerm_linux_web_app: 10,
  azurerm_kubernetes_cluster: 5,
  // gcp: 120
  google_compute_instance: 30,
  google_compute_disk: 20,
  google_storage_bucket: 20,
  google_compute_firewall: 20,
  google_project_iam_member: 15,
  google_sql_database_instance: 5,
  google_container_cluster: 5,
  google_service_account_key: 5,
  // oci, alicloud, ibm: 50 each
  oci_core_instance: 15,
  oci_core_security_list: 10,
  oci_core_network_security_group_security_rule: 10,
  oci_objectstorage_bucket: 10,
  oci_identity_policy: 5,
  alicloud_instance: 15,
  alicloud_security_group_rule: 20,
  alicloud_oss_bucket: 10,
  alicloud_ram_policy: 5,
  ibm_is_instance: 15,
  ibm_is_security_group_rule: 20,
  ibm_is_network_acl: 5,
  ibm_cos_bucket: 10,
  // kubernetes: 150
  kubernetes_pod: 70,
  kubernetes_deployment: 30,
  kubernetes_daemonset: 5,
  kubernetes_stateful_set: 10,
  kubernetes_cron_job: 5,
  kubernetes_service: 15,
  kubernetes_network_policy: 5,
  kubernetes_role_binding: 10,
};

const LEFT_OPEN = [
  '${var.value}',
  '${local.settings.value}',
  '${aws_kms_key.main.arn}',
  '${module.network.id}',
  '${data.external.facts.value}',
];

/**
 * An inventory over the whole catalog. Configurations of the types that weigh most (policies, firewalls, workloads) are written like real
 * ones; the others are put together of the attributes that the catalog's samples for the type set, some to pass and some to fail, some
 * left out, some left open by a reference. The same seed gives the same inventory.
 */
export function* inventoryOf(rules: readonly ExpandedRule[], size: number, seed = 1): Generator<Item> {
  const random = new Random(seed);
  const samples = new Map<string, ExpandedRule[]>();
  for (const rule of rules) for (const type of rule.resource_types) samples.set(type, [...(samples.get(type) ?? []), rule]);

  const common = Object.entries(MIX).flatMap(([type, weight]) => Array.from({ length: weight }, () => type));
  const rare = [...samples.keys()].filter((type) => MIX[type] === undefined);
  for (let made = 0; made < size;) {
    const type = common[random.below(1_000)] ?? rare[random.below(rare.length)]!;
    const provider = providerOf(type)!;
    const subject = { provider, account_id: `account-${random.below(40)}`, region: `region-${random.below(12)}` };
    const companions: { type: string; config: Configuration }[] = [];
    const uid = `${type}-${made}`;
    const configuration = written(type, random) ?? composed(samples.get(type) ?? [], random, companions);
    yield asset({ ...subject, resource_uid: uid, resource_type: type }, withCommon(configuration, uid, provider, random), made);
    made += 1;
    if (!random.chance(0.2)) continue;
    for (const [i, companion] of companions.slice(0, 2).entries()) {
      const facts = { ...subject, resource_uid: `${uid}-${i}`, resource_type: companion.type };
      yield asset(facts, withCommon(companion.config, facts.resource_uid, provider, random), made);
      yield { kind: 'edge', edge: { from: facts.resource_uid, to: uid } } as Item;
      made += 1;
    }
  }
}

function asset(facts: Omit<AssetInput, 'configuration' | 'source' | 'position'>, configuration: Configuration, made: number): Item {
  const about = { resource_name: facts.resource_uid, tags: { team: 'payments', environment: 'production' } };
  const source = { format: 'terraform_plan', address: `module.app.${facts.resource_type}.main[${made}]` };
  return { kind: 'asset', asset: { ...about, ...facts, configuration, source, position: String(made) } } as unknown as Item;
}

/** What every resource has besides, whether rules look at it or not. */
function withCommon(configuration: Configuration, uid: string, provider: string, random: Random): Configuration {
  if (provider === 'k8s') return configuration;
  const id = `${uid}-${random.below(1e9).toString(36)}`;
  return {
    id,
    name: uid,
    description: 'Managed by the platform team. See the runbook before you change it.',
    [provider === 'gcp' ? 'labels' : 'tags']: { environment: 'production', team: 'payments', cost_center: 'cc-1042', owner: 'platform' },
    timeouts: null,
    ...configuration,
  };
}

/** The attributes that samples of the type's rules set, each as it passes or fails. */
function composed(rules: readonly ExpandedRule[], random: Random, companions: { type: string; config: Configuration }[]): Configuration {
  const configuration: Configuration = {};
  for (const { samples } of rules) {
    if (random.chance(0.3)) continue;
    const { $companions, ...sample } = random.chance(0.6) ? samples.pass : samples.fail;
    merge(configuration, sample);
    companions.push(...(($companions as typeof companions | undefined) ?? []));
  }
  for (const key of Object.keys(configuration)) {
    if (random.chance(0.04) && typeof configuration[key] !== 'object') configuration[key] = random.of(LEFT_OPEN);
    else if (random.chance(0.05)) configuration[key] = null;
  }
  return configuration;
}

/** Puts attributes of one configuration into another; the first blocks of lists are one block. */
function merge(into: Configuration, from: Readonly<Configuration>): void {
  for (const [key, value] of Object.entries(from)) {
    const there = into[key];
    if (isBlock(there) && isBlock(value)) merge(there, value);
    else if (Array.isArray(there) && Array.isArray(value) && isBlock(there[0]) && isBlock(value[0])) merge(there[0], value[0]);
    else into[key] = structuredClone(value);
  }
}

const isBlock = (value: unknown): value is Configuration => typeof value === 'object' && value !== null && !Array.isArray(value);
