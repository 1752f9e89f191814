import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { loadCatalog } from '../../catalog/catalog.js';
import { thingsOfEntry } from '../../importers/cloud/answers.js';
import { resourcesOf } from '../../importers/cloud/map.js';
import { cloudTable } from '../../importers/cloud/table.js';
import { toldTypes } from '../../importers/cloud/told.js';
import { needing, shared } from '../support/shared.js';
import { fixture } from './fixtures.js';

const schemas = shared('data/provider-schemas');

/** Attributes that providers compute, which the schemas that we were given lack, by the last step of their path. */
const COMPUTED = new Set(
  `id arn name status type owner_id unique_id policy_id public_ip public_dns private_dns private_ip volume_size encrypted kms_key_id kms_key_arn allocation_id
  association_id accept_status key_type fingerprint address endpoint vpc_id home_region rotation_enabled platform_version cluster_security_group_id dns_name domain_name
  not_before not_after renewal_eligibility recovery_points last_used_date region url create_date expiration engine user_name enable_date public db_snapshot_arn
  db_cluster_snapshot_arn endpoint_arn replication_instance_arn repository_url registry_id primary_endpoint_address guardrail_id guardrail_arn agent_id agent_arn
  custom_model_arn provisioned_model_arn api_endpoint zone_id function_arn function_url storage_encrypted role_last_used display_name ip_address account_id
  reference state policy identifier vault_uri virtual_machine_id private_ip_address principal_id client_id tenant_id fully_qualified_domain_name default_hostname
  fqdn login_server hsm_uri primary_blob_endpoint has_immutability_policy has_legal_hold number email current_status master_version node_version primary next_rotation_time
  writer_identity valid_after valid_before https_trigger_url job_id sha256 disk_encryption_key_sha256 private_endpoint public_endpoint peering_name gke_cluster
  dag_gcs_prefix airflow_uri algorithm protection_level folder_id lifecycle_state deleted external_ipv6 public_ptr_domain_name require_ssl self_link
  management_endpoint account_ids owner policy_version connection_string`.split(/\s+/),
);

/** Types that the provider has given up since, and estates and rules still have. */
const GIVEN_UP = new Set(['azurerm_mysql_server', 'azurerm_mariadb_server', 'azurerm_mysql_firewall_rule', 'azurerm_mysql_configuration']);

/** Types that the schema which we were given names as their services are called, not as the provider does. */
const SERVICES: Readonly<Record<string, string>> = {
  alicloud_adb_db_cluster_lake_version: 'alicloud_adb_dbcluster_lake_version',
  alicloud_adb_db_cluster: 'alicloud_adb_dbcluster',
  alicloud_api_gateway_: 'alicloud_apigateway_',
  alicloud_click_house_: 'alicloud_clickhouse_',
  alicloud_cloud_firewall_control: 'alicloud_cloudfirewall_control',
  alicloud_cloud_firewall_vpc: 'alicloud_cloudfirewall_firewall_vpc',
  alicloud_cloud_sso_: 'alicloud_cloudsso_',
  alicloud_cr_ee_: 'alicloud_cs_registry_enterprise_',
  alicloud_db_connection: 'alicloud_rds_connection',
  alicloud_db_instance: 'alicloud_rds_instance',
  alicloud_ecd_: 'alicloud_eds_ecd_',
  alicloud_resource_manager_: 'alicloud_resourcemanager_',
  alicloud_simple_application_server_: 'alicloud_simpleapplicationserver_',
  alicloud_eip_a: 'alicloud_ecs_eip_a',
  alicloud_instance: 'alicloud_ecs_instance',
  alicloud_network_acl: 'alicloud_vpc_network_acl',
  alicloud_security_group: 'alicloud_ecs_security_group',
  alicloud_ssl_vpn_server: 'alicloud_vpn_ssl_vpn_server',
  alicloud_vpc: 'alicloud_vpc_network',
  alicloud_vswitch: 'alicloud_vpc_switch',
  oci_apigateway_: 'oci_api_gateway_',
  oci_containerengine_: 'oci_container_engine_',
  oci_datacatalog_: 'oci_data_catalog_',
  oci_dataflow_: 'oci_data_flow_',
  oci_objectstorage_: 'oci_object_storage_',
  oci_opensearch_opensearch_: 'oci_opensearch_',
  oci_waas_waas_: 'oci_waas_',
};
const inSchema = (type: string): string => {
  const start = Object.keys(SERVICES).find((one) => type.startsWith(one));
  return start === undefined ? type : SERVICES[start]! + type.slice(start.length);
};

/** Deeper than the schema that we were given goes. */
const DEEPER = /\.match_attributes\.(?:source|destination)(?:\.address_definition|_port\.(?:from|to)_port)$/;

/** The schema has some lists in the plural, which the provider names in the singular. */
const isKnown = (paths: ReadonlySet<string>, path: string): boolean =>
  paths.has(path) || paths.has(`${path}s`) || paths.has(path.replace('.', 's.'));

function schemaOf(file: string): ReadonlyMap<string, ReadonlySet<string>> {
  const known = new Map<string, Set<string>>();
  for (const line of readFileSync(join(schemas!, file), 'utf8').trim().split('\n')) {
    const { type, attrs } = JSON.parse(line) as { type: string; attrs: { p: string }[] };
    const paths = known.get(type) ?? new Set<string>();
    known.set(type, paths);
    for (const { p } of attrs) {
      const steps = p.replaceAll('[]', '').split('.');
      steps.forEach((_, n) => paths.add(steps.slice(0, n + 1).join('.')));
    }
  }
  return known;
}

/** What the table of a directory fills: no schema of its provider was given, so that others are held against it. */
const directory = new Map(toldTypes('entra').map(({ type, paths }) => [type, new Set(paths)]));

needing(schemas).it.each([
  ['aws', ['aws.jsonl']],
  ['azure', ['azurerm.jsonl']],
  ['gcp', ['google.jsonl']],
  ['alicloud', ['alicloud.jsonl']],
  ['oci', ['oci.jsonl']],
  ['ibm', ['ibm.jsonl']],
  ['scout', ['aws.jsonl', 'azurerm.jsonl', 'google.jsonl']],
  ['cloudformation', ['aws.jsonl']],
] as const)('every type and attribute of the table of %s is one of the provider', (provider, files) => {
  const known = new Map([...files.flatMap((file) => [...schemaOf(file)]), ...directory]);
  const faults = toldTypes(provider).flatMap(({ type, paths }) =>
    known.has(inSchema(type))
      ? paths
          .filter((path) => !isKnown(known.get(inSchema(type))!, path) && !COMPUTED.has(path.split('.').at(-1)!) && !DEEPER.test(path))
          .map((path) => `${type}.${path}`)
      : GIVEN_UP.has(type)
        ? []
        : [type],
  );
  expect(faults).toEqual([]);
});

const untold = load(readFileSync(join(__dirname, '../../importers/cloud/tables/untold.yaml'), 'utf8')) as Record<
  'aws' | 'azure' | 'gcp' | 'alicloud' | 'oci' | 'ibm',
  { told_as: Record<string, string>; secret: string[]; missing: string[] }
>;

it.each(['aws', 'azure', 'gcp', 'alicloud', 'oci', 'ibm'] as const)(
  'every type of a high or critical rule of %s is told, or it is said why not',
  (provider) => {
    const told = [...toldTypes(provider), ...(provider === 'azure' ? toldTypes('entra') : [])];
    const types = new Set(told.map(({ type }) => type));
    const { told_as, secret, missing } = untold[provider];
    const weighty = new Set(
      loadCatalog()
        .rules.filter((rule) => rule.provider === provider && (rule.severity === 'high' || rule.severity === 'critical'))
        .flatMap(({ resource_types }) => resource_types),
    );
    const excused = [...Object.keys(told_as), ...secret, ...missing];
    expect([...weighty].filter((type) => !types.has(type) && !excused.includes(type))).toEqual([]);
    expect(excused.filter((type) => types.has(type) || !weighty.has(type))).toEqual([]);
    expect(Object.values(told_as).filter((type) => !types.has(type))).toEqual([]);
  },
);

it('the table of AWS tells types of at least 45 services', () => {
  const services = new Set(toldTypes('aws').map(({ type }) => type.split('_')[1]));
  expect(services.size).toBeGreaterThanOrEqual(45);
});

it('the details of an account become its identities, policies and memberships', () => {
  const account = JSON.parse(fixture('aws_answers', 'account.json').toString()) as Record<string, Record<string, unknown>[]>;
  const place = { account: undefined, region: undefined };
  const instances = Object.entries(account).flatMap(([list, entries]) =>
    entries.flatMap((entry) =>
      [...thingsOfEntry('aws', list, entry, list)].flatMap(({ thing, item, at }) =>
        resourcesOf(cloudTable('aws'), thing, item, { place, at }),
      ),
    ),
  );
  const of = (type: string) => instances.filter((instance) => instance.type === type).map(({ values }) => values);
  expect(instances.map(({ type }) => type).sort()).toEqual([
    'aws_iam_group',
    'aws_iam_policy',
    'aws_iam_role',
    'aws_iam_user',
    'aws_iam_user_group_membership',
    'aws_iam_user_policy',
    'aws_iam_user_policy_attachment',
  ]);
  expect(of('aws_iam_user_group_membership')).toEqual([{ id: 'ann-groups', user: 'ann', groups: ['ops'] }]);
  expect(of('aws_iam_user_policy_attachment')).toMatchObject([{ user: 'ann', policy_arn: 'arn:aws:iam::aws:policy/ReadOnlyAccess' }]);
  expect(of('aws_iam_policy')).toMatchObject([{ policy: '{"Statement":[{"Effect":"Allow","Action":"ec2:*","Resource":"*"}]}' }]);
  expect(of('aws_iam_role')).toMatchObject([
    { managed_policy_arns: ['arn:aws:iam::111122223333:policy/limit'], role_last_used: [{ region: 'eu-west-1' }] },
  ]);
  expect(of('aws_iam_user')).toMatchObject([{ name: 'ann', tags: { team: 'payments' } }]);
});
