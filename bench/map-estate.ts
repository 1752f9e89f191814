// An estate over three providers: accounts with networks, machines, identities, policies and stores that refer to each other as those of a customer do.
import type { SeenAsset } from '../kit/engine/ingest-input.js';
import type { Provider } from '../schema/model.js';
import { Random } from './random.js';

type Values = Record<string, unknown>;
type Add = (resource_type: string, name: string, uid: string, configuration: Values) => string;

const statement = (Action: string | string[], Resource: string | string[], more: Values = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...more,
});
const document = (...Statement: object[]): string => JSON.stringify({ Version: '2012-10-17', Statement });
const trust = (principal: Values, more: Values = {}): string =>
  document({ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: principal, ...more });

const MANAGED = [
  'ReadOnlyAccess',
  'AmazonS3ReadOnlyAccess',
  'AmazonSSMManagedInstanceCore',
  'CloudWatchAgentServerPolicy',
  'AmazonDynamoDBFullAccess',
  'SecretsManagerReadWrite',
];
const TRUSTED = ['ec2.amazonaws.com', 'lambda.amazonaws.com', 'ecs-tasks.amazonaws.com'];

/** Some 1,000 resources of one account of AWS. */
function aws(account: string, random: Random, add: Add): void {
  const region = 'eu-central-1';
  const arn = (service: string, rest: string, where = region) => `arn:aws:${service}:${where}:${account}:${rest}`;
  const key = (n: number) => arn('kms', `key/${account}-key-${n}`);
  const pick = (many: readonly string[]) => random.of(many);
  const keys = Array.from({ length: 12 }, (_, n) =>
    add('aws_kms_key', `key-${n}`, key(n), {
      id: `${account}-key-${n}`,
      arn: key(n),
      policy: document(statement('kms:*', '*', { Principal: { AWS: `arn:aws:iam::${account}:root` } })),
    }),
  );
  const buckets = Array.from({ length: 60 }, (_, n) => {
    const bucket = `${account}-data-${n}`;
    add('aws_s3_bucket', bucket, `arn:aws:s3:::${bucket}`, { id: bucket, arn: `arn:aws:s3:::${bucket}`, bucket });
    if (n % 3 === 0)
      add('aws_s3_bucket_policy', bucket, `arn:aws:s3:::${bucket}/policy`, {
        bucket,
        policy: document(statement('s3:GetObject', `arn:aws:s3:::${bucket}/*`, { Principal: { AWS: arn('iam', `role/app-${n}`, '') } })),
      });
    add('aws_s3_bucket_server_side_encryption_configuration', bucket, `arn:aws:s3:::${bucket}/encryption`, {
      bucket,
      rule: [{ apply_server_side_encryption_by_default: [{ kms_master_key_id: pick(keys), sse_algorithm: 'aws:kms' }] }],
    });
    return `arn:aws:s3:::${bucket}`;
  });
  const tables = Array.from({ length: 30 }, (_, n) =>
    add('aws_dynamodb_table', `table-${n}`, arn('dynamodb', `table/table-${n}`), {
      id: `table-${n}`,
      arn: arn('dynamodb', `table/table-${n}`),
      name: `table-${n}`,
      server_side_encryption: [{ kms_key_arn: pick(keys) }],
    }),
  );
  const secrets = Array.from({ length: 30 }, (_, n) =>
    add('aws_secretsmanager_secret', `secret-${n}`, arn('secretsmanager', `secret:secret-${n}-AbCdEf`), {
      id: arn('secretsmanager', `secret:secret-${n}-AbCdEf`),
      arn: arn('secretsmanager', `secret:secret-${n}-AbCdEf`),
      name: `secret-${n}`,
      kms_key_id: pick(keys),
    }),
  );
  const policies = Array.from({ length: 20 }, (_, n) => {
    const uid = arn('iam', `policy/own-${n}`, '');
    const [bucket, table] = [pick(buckets), pick(tables)];
    return add('aws_iam_policy', `own-${n}`, uid, {
      arn: uid,
      name: `own-${n}`,
      policy: document(statement(['s3:GetObject', 's3:PutObject'], `${bucket}/*`), statement('dynamodb:*', table)),
    });
  });
  const roles = Array.from({ length: 120 }, (_, n) => {
    const uid = arn('iam', `role/app-${n}`, '');
    add('aws_iam_role', `app-${n}`, uid, {
      ...{ arn: uid, name: `app-${n}`, id: `app-${n}` },
      assume_role_policy: n % 20 === 0 ? trust({ AWS: `arn:aws:iam::${account}:root` }) : trust({ Service: pick(TRUSTED) }),
      managed_policy_arns: [n % 40 === 0 ? 'arn:aws:iam::aws:policy/AdministratorAccess' : `arn:aws:iam::aws:policy/${pick(MANAGED)}`],
      inline_policy: [
        {
          name: 'own',
          policy: document(
            statement('secretsmanager:GetSecretValue', pick(secrets)),
            statement(['sqs:SendMessage', 'sqs:ReceiveMessage'], arn('sqs', `queue-${n % 30}`)),
          ),
        },
      ],
    });
    add('aws_iam_role_policy_attachment', `app-${n}`, `${uid}/attached`, { role: `app-${n}`, policy_arn: pick(policies) });
    add('aws_iam_instance_profile', `app-${n}`, arn('iam', `instance-profile/app-${n}`, ''), {
      arn: arn('iam', `instance-profile/app-${n}`, ''),
      name: `app-${n}`,
      role: `app-${n}`,
    });
    return uid;
  });
  for (let n = 0; n < 8; n++) {
    const uid = arn('iam', `group/group-${n}`, '');
    add('aws_iam_group', `group-${n}`, uid, { arn: uid, name: `group-${n}`, id: `group-${n}` });
    add('aws_iam_group_policy_attachment', `group-${n}`, `${uid}/attached`, {
      group: `group-${n}`,
      policy_arn: n === 0 ? 'arn:aws:iam::aws:policy/AdministratorAccess' : pick(policies),
    });
  }
  for (let n = 0; n < 40; n++) {
    const uid = arn('iam', `user/user-${n}`, '');
    add('aws_iam_user', `user-${n}`, uid, { arn: uid, name: `user-${n}`, id: `user-${n}` });
    add('aws_iam_user_group_membership', `user-${n}`, `${uid}/groups`, {
      user: `user-${n}`,
      groups: [`group-${n % 8}`, `group-${(n + 3) % 8}`],
    });
  }
  for (let n = 0; n < 30; n++)
    add('aws_sqs_queue', `queue-${n}`, arn('sqs', `queue-${n}`), {
      id: `https://sqs/${account}/queue-${n}`,
      arn: arn('sqs', `queue-${n}`),
      name: `queue-${n}`,
      kms_master_key_id: pick(keys),
    });
  for (let v = 0; v < 2; v++) awsNetwork(account, v, roles, keys, random, add);
}

function awsNetwork(account: string, v: number, roles: readonly string[], keys: readonly string[], random: Random, add: Add): void {
  const id = `${account}-${v}`;
  const arn = (rest: string) => `arn:aws:ec2:eu-central-1:${account}:${rest}`;
  const pick = (many: readonly string[]) => random.of(many);
  const vpc_id = `vpc-${id}`;
  add('aws_vpc', vpc_id, arn(`vpc/${vpc_id}`), { id: vpc_id, arn: arn(`vpc/${vpc_id}`), cidr_block: `10.${v}.0.0/16` });
  add('aws_internet_gateway', id, arn(`internet-gateway/igw-${id}`), { id: `igw-${id}`, arn: arn(`internet-gateway/igw-${id}`), vpc_id });
  add('aws_route_table', id, arn(`route-table/rtb-${id}`), {
    id: `rtb-${id}`,
    arn: arn(`route-table/rtb-${id}`),
    vpc_id,
    route: [{ cidr_block: '0.0.0.0/0', gateway_id: `igw-${id}` }],
  });
  add('aws_route_table', `${id}-private`, arn(`route-table/rtb-${id}-private`), {
    id: `rtb-${id}-private`,
    arn: arn(`route-table/rtb-${id}-private`),
    vpc_id,
    route: [],
  });
  const subnets = Array.from({ length: 6 }, (_, n) => {
    const subnet = `subnet-${id}-${n}`;
    add('aws_subnet', subnet, arn(`subnet/${subnet}`), {
      id: subnet,
      arn: arn(`subnet/${subnet}`),
      vpc_id,
      cidr_block: `10.${v}.${n * 16}.0/20`,
    });
    add('aws_route_table_association', subnet, `rtbassoc-${subnet}`, {
      id: `rtbassoc-${subnet}`,
      subnet_id: subnet,
      route_table_id: n < 2 ? `rtb-${id}` : `rtb-${id}-private`,
    });
    return subnet;
  });
  const everything = [{ rule_no: 100, action: 'allow', protocol: '-1', from_port: 0, to_port: 0, cidr_block: '0.0.0.0/0' }];
  add('aws_network_acl', id, arn(`network-acl/acl-${id}`), {
    id: `acl-${id}`,
    arn: arn(`network-acl/acl-${id}`),
    vpc_id,
    subnet_ids: subnets,
    ingress: everything,
    egress: everything,
  });
  const groups = Array.from({ length: 25 }, (_, n) => `sg-${id}-${n}`);
  for (const [n, group] of groups.entries())
    add('aws_security_group', group, arn(`security-group/${group}`), {
      ...{ id: group, arn: arn(`security-group/${group}`), name: group, vpc_id },
      ingress: [
        n % 5 === 0
          ? { protocol: 'tcp', from_port: 443, to_port: 443, cidr_blocks: ['0.0.0.0/0'] }
          : { protocol: 'tcp', from_port: 5000 + n, to_port: 5000 + n, security_groups: [groups[(n + 1) % groups.length]] },
        { protocol: 'tcp', from_port: 22, to_port: 22, cidr_blocks: ['10.0.0.0/8'] },
      ],
      egress: [{ protocol: '-1', from_port: 0, to_port: 0, cidr_blocks: ['0.0.0.0/0'] }],
    });
  for (let n = 0; n < 120; n++) {
    const subnet = random.below(6);
    add('aws_instance', `web-${id}-${n}`, arn(`instance/i-${id}-${n}`), {
      ...{
        id: `i-${id}-${n}`,
        arn: arn(`instance/i-${id}-${n}`),
        subnet_id: subnets[subnet],
        vpc_security_group_ids: [pick(groups), pick(groups)],
      },
      ...{
        iam_instance_profile: `app-${random.below(roles.length)}`,
        private_ip: `10.${v}.${subnet * 16 + 1}.${n}`,
        public_ip: n % 6 === 0 ? `52.1.${v}.${n}` : '',
      },
      root_block_device: [{ kms_key_id: pick(keys), encrypted: true }],
    });
  }
  for (let n = 0; n < 20; n++)
    add('aws_lambda_function', `fn-${id}-${n}`, `arn:aws:lambda:eu-central-1:${account}:function:fn-${id}-${n}`, {
      ...{
        arn: `arn:aws:lambda:eu-central-1:${account}:function:fn-${id}-${n}`,
        id: `fn-${id}-${n}`,
        function_name: `fn-${id}-${n}`,
        role: pick(roles),
        kms_key_arn: pick(keys),
      },
      vpc_config: [{ subnet_ids: [pick(subnets), pick(subnets)], security_group_ids: [pick(groups)] }],
    });
  add('aws_db_subnet_group', id, `arn:aws:rds:eu-central-1:${account}:subgrp:db-${id}`, {
    id: `db-${id}`,
    name: `db-${id}`,
    subnet_ids: subnets.slice(2),
  });
  for (let n = 0; n < 10; n++)
    add('aws_db_instance', `db-${id}-${n}`, `arn:aws:rds:eu-central-1:${account}:db:db-${id}-${n}`, {
      ...{
        id: `db-${id}-${n}`,
        arn: `arn:aws:rds:eu-central-1:${account}:db:db-${id}-${n}`,
        identifier: `db-${id}-${n}`,
        db_subnet_group_name: `db-${id}`,
      },
      ...{ vpc_security_group_ids: [pick(groups), pick(groups)], publicly_accessible: false, kms_key_id: pick(keys) },
    });
}

/** Some 800 resources of one subscription of Azure. */
function azure(subscription: string, random: Random, add: Add): void {
  const root = `/subscriptions/${subscription}`;
  const group = (n: number) => `${root}/resourceGroups/rg-${n % 12}`;
  const under = (n: number, kind: string, name: string) => `${group(n)}/providers/${kind}/${name}`;
  const place = (n: number, id: string, name: string) => ({ id, name, resource_group_name: `rg-${n % 12}`, location: 'westeurope' });
  for (let n = 0; n < 12; n++)
    add('azurerm_resource_group', `rg-${n}`, group(n), { id: group(n), name: `rg-${n}`, location: 'westeurope' });
  const identities = Array.from({ length: 60 }, (_, n) => {
    const id = under(n, 'Microsoft.ManagedIdentity/userAssignedIdentities', `id-${n}`);
    return add('azurerm_user_assigned_identity', `id-${n}`, id, { ...place(n, id, `id-${n}`), principal_id: `${subscription}-p-${n}` });
  });
  const vaults = Array.from({ length: 20 }, (_, n) => {
    const id = under(n, 'Microsoft.KeyVault/vaults', `kv-${n}`);
    return add('azurerm_key_vault', `kv-${n}`, id, { ...place(n, id, `kv-${n}`), public_network_access_enabled: n % 4 === 0 });
  });
  const stores = Array.from({ length: 60 }, (_, n) => {
    const id = under(n, 'Microsoft.Storage/storageAccounts', `st${n}`);
    return add('azurerm_storage_account', `st${n}`, id, {
      ...place(n, id, `st${n}`),
      identity: [{ type: 'UserAssigned', identity_ids: [random.of(identities)] }],
    });
  });
  for (let n = 0; n < 120; n++) {
    const id = `${root}/providers/Microsoft.Authorization/roleAssignments/${subscription}-${n}`;
    const role_definition_name = random.of([
      'Reader',
      'Contributor',
      'Storage Blob Data Reader',
      'Storage Blob Data Contributor',
      'Key Vault Secrets User',
      'Virtual Machine Contributor',
    ]);
    const scope = n % 10 === 0 ? root : n % 3 === 0 ? group(random.below(12)) : random.of(n % 2 === 0 ? stores : vaults);
    add('azurerm_role_assignment', `${n}`, id, {
      id,
      scope,
      role_definition_name: n === 0 ? 'Owner' : role_definition_name,
      principal_id: `${subscription}-p-${random.below(60)}`,
    });
  }
  for (let v = 0; v < 2; v++) {
    const vnet = under(v, 'Microsoft.Network/virtualNetworks', `vnet-${v}`);
    add('azurerm_virtual_network', `vnet-${v}`, vnet, { ...place(v, vnet, `vnet-${v}`), address_space: [`10.${v}.0.0/16`] });
    const rules = Array.from({ length: 8 }, (_, n) => {
      const nsg = under(v, 'Microsoft.Network/networkSecurityGroups', `nsg-${v}-${n}`);
      const security_rule = [
        {
          name: 'web',
          priority: 100,
          direction: 'Inbound',
          access: 'Allow',
          protocol: 'Tcp',
          source_port_range: '*',
          destination_port_range: n % 2 === 0 ? '443' : '22',
          source_address_prefix: n % 4 === 0 ? '*' : '10.0.0.0/8',
          destination_address_prefix: '*',
        },
      ];
      return add('azurerm_network_security_group', `nsg-${v}-${n}`, nsg, { ...place(v, nsg, `nsg-${v}-${n}`), security_rule });
    });
    const subnets = Array.from({ length: 8 }, (_, n) => {
      const id = `${vnet}/subnets/sub-${n}`;
      add('azurerm_subnet', `sub-${n}`, id, {
        ...place(v, id, `sub-${n}`),
        virtual_network_name: `vnet-${v}`,
        address_prefixes: [`10.${v}.${n * 16}.0/20`],
      });
      add('azurerm_subnet_network_security_group_association', `sub-${n}`, `${id}/nsg`, {
        id: `${id}/nsg`,
        subnet_id: id,
        network_security_group_id: rules[n],
      });
      return id;
    });
    for (let n = 0; n < 90; n++) {
      const nic = under(n, 'Microsoft.Network/networkInterfaces', `nic-${v}-${n}`);
      const vm = under(n, 'Microsoft.Compute/virtualMachines', `vm-${v}-${n}`);
      const disk = under(n, 'Microsoft.Compute/disks', `disk-${v}-${n}`);
      const address = under(n, 'Microsoft.Network/publicIPAddresses', `ip-${v}-${n}`);
      if (n % 6 === 0)
        add('azurerm_public_ip', `ip-${v}-${n}`, address, {
          ...place(n, address, `ip-${v}-${n}`),
          sku: 'Standard',
          ip_address: `20.${v}.0.${n}`,
        });
      const subnet = random.of(subnets);
      add('azurerm_network_interface', `nic-${v}-${n}`, nic, {
        ...place(n, nic, `nic-${v}-${n}`),
        ip_configuration: [{ name: 'a', subnet_id: subnet, public_ip_address_id: n % 6 === 0 ? address : '' }],
      });
      add('azurerm_managed_disk', `disk-${v}-${n}`, disk, { ...place(n, disk, `disk-${v}-${n}`) });
      add('azurerm_linux_virtual_machine', `vm-${v}-${n}`, vm, {
        ...place(n, vm, `vm-${v}-${n}`),
        network_interface_ids: [nic],
        identity: [{ type: 'UserAssigned', identity_ids: [random.of(identities)] }],
      });
    }
  }
}

/** Some 500 resources of one project of Google Cloud. */
function gcp(project: string, random: Random, add: Add): void {
  const place = (name: string, id: string) => ({ name, id, project });
  const accounts = Array.from({ length: 50 }, (_, n) => {
    const email = `app-${n}@${project}.iam.gserviceaccount.com`;
    add('google_service_account', `app-${n}`, `projects/${project}/serviceAccounts/${email}`, {
      ...place(`projects/${project}/serviceAccounts/${email}`, `projects/${project}/serviceAccounts/${email}`),
      account_id: `app-${n}`,
      email,
    });
    return email;
  });
  const keys = Array.from({ length: 10 }, (_, n) => {
    const id = `projects/${project}/locations/europe/keyRings/r/cryptoKeys/k-${n}`;
    return add('google_kms_crypto_key', `k-${n}`, id, {
      ...place(`k-${n}`, id),
      key_ring: `projects/${project}/locations/europe/keyRings/r`,
    });
  });
  const buckets = Array.from({ length: 60 }, (_, n) => {
    const name = `${project}-data-${n}`;
    add('google_storage_bucket', name, `projects/${project}/buckets/${name}`, {
      ...place(name, name),
      encryption: [{ default_kms_key_name: random.of(keys) }],
    });
    return name;
  });
  for (let n = 0; n < 80; n++) {
    const member = `serviceAccount:${random.of(accounts)}`;
    if (n % 2 === 0)
      add('google_project_iam_member', `${n}`, `projects/${project}/iam/${n}`, {
        project,
        role:
          n === 0
            ? 'roles/owner'
            : random.of(['roles/viewer', 'roles/storage.objectViewer', 'roles/compute.admin', 'roles/iam.serviceAccountUser']),
        member,
      });
    else
      add('google_storage_bucket_iam_member', `${n}`, `projects/${project}/bucket-iam/${n}`, {
        bucket: random.of(buckets),
        role: 'roles/storage.objectAdmin',
        member,
      });
  }
  for (let v = 0; v < 2; v++) {
    const network = `projects/${project}/global/networks/net-${v}`;
    add('google_compute_network', `net-${v}`, network, {
      ...place(`net-${v}`, network),
      self_link: `https://www.googleapis.com/compute/v1/${network}`,
    });
    const subnets = Array.from({ length: 4 }, (_, n) => {
      const id = `projects/${project}/regions/europe-west1/subnetworks/sub-${v}-${n}`;
      return add('google_compute_subnetwork', `sub-${v}-${n}`, id, {
        ...place(`sub-${v}-${n}`, id),
        network,
        ip_cidr_range: `10.${v}.${n * 16}.0/20`,
      });
    });
    for (let n = 0; n < 20; n++) {
      const id = `projects/${project}/global/firewalls/fw-${v}-${n}`;
      add('google_compute_firewall', `fw-${v}-${n}`, id, {
        ...{ ...place(`fw-${v}-${n}`, id), network, direction: 'INGRESS', priority: 1000, target_tags: [`tag-${n}`] },
        ...(n % 5 === 0 ? { source_ranges: ['0.0.0.0/0'] } : { source_tags: [`tag-${(n + 1) % 20}`] }),
        allow: [{ protocol: 'tcp', ports: [String(8000 + n)] }],
      });
    }
    for (let n = 0; n < 90; n++) {
      const id = `projects/${project}/zones/europe-west1-b/instances/vm-${v}-${n}`;
      const subnet = random.below(4);
      add('google_compute_instance', `vm-${v}-${n}`, id, {
        ...{
          ...place(`vm-${v}-${n}`, id),
          tags: [`tag-${random.below(20)}`, `tag-${random.below(20)}`],
          service_account: [{ email: random.of(accounts) }],
        },
        network_interface: [
          {
            network,
            subnetwork: subnets[subnet],
            network_ip: `10.${v}.${subnet * 16 + 1}.${n}`,
            access_config: n % 6 === 0 ? [{ nat_ip: `34.1.${v}.${n}` }] : [],
          },
        ],
      });
    }
  }
}

const MAKERS = [
  ['aws', aws, (n: number) => String(100_000_000_000 + n)],
  ['azure', azure, (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`],
  ['gcp', gcp, (n: number) => `project-${n}`],
] as const satisfies readonly (readonly [Provider, unknown, unknown])[];

/** At least so many assets of accounts of three providers, the same ones every time. */
export function mapEstate(assets: number): SeenAsset[] {
  const made: SeenAsset[] = [];
  const random = new Random(11);
  for (let n = 0; made.length < assets; n++) {
    const [provider, make, named] = MAKERS[n % MAKERS.length]!;
    const account_id = named(n);
    make(account_id, random, (resource_type, resource_name, resource_uid, configuration) => {
      const region = provider === 'aws' ? 'eu-central-1' : 'global';
      made.push({ provider, account_id, region, resource_type, resource_name, resource_uid, configuration });
      return resource_uid;
    });
  }
  return made;
}
