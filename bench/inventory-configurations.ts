import type { Random } from './random.js';

export type Configuration = Record<string, unknown>;

/** A configuration of one of the types whose resources are written here; undefined for other types. */
export function written(type: string, random: Random): Configuration | undefined {
  return WRITERS[type]?.(random);
}

const SERVICES: Readonly<Record<string, readonly string[]>> = {
  s3: ['GetObject', 'PutObject', 'ListBucket', 'DeleteObject', 'GetBucketPolicy', '*'],
  ec2: ['DescribeInstances', 'RunInstances', 'CreateTags', 'AuthorizeSecurityGroupIngress', 'Describe*'],
  iam: ['PassRole', 'GetRole', 'CreateUser', 'AttachRolePolicy', 'ListRoles', '*'],
  dynamodb: ['GetItem', 'PutItem', 'Query', 'BatchWriteItem', 'Scan'],
  logs: ['CreateLogGroup', 'CreateLogStream', 'PutLogEvents', 'DeleteLogGroup'],
  kms: ['Decrypt', 'GenerateDataKey', 'CreateGrant', 'ScheduleKeyDeletion', '*'],
  lambda: ['InvokeFunction', 'UpdateFunctionCode', 'CreateFunction', 'AddPermission'],
  sqs: ['SendMessage', 'ReceiveMessage', 'DeleteMessage'],
  secretsmanager: ['GetSecretValue', 'DescribeSecret'],
  sts: ['AssumeRole', 'GetCallerIdentity'],
};
const NAMES = Object.keys(SERVICES);

function actions(random: Random): string[] {
  if (random.chance(0.04)) return ['*'];
  const service = random.of(NAMES);
  return random.some(1, 8, () => `${service}:${random.of(SERVICES[service]!)}`);
}

const account = (random: Random): string => `1234567890${random.between(10, 49)}`;
const arn = (random: Random): string =>
  random.chance(0.2)
    ? '*'
    : random.chance(0.1)
      ? '${aws_s3_bucket.data.arn}/*'
      : `arn:aws:${random.of(NAMES)}:eu-central-1:${account(random)}:app-${random.below(500)}/*`;

function statement(random: Random, principal: boolean): Configuration {
  const denied = random.chance(0.1);
  return {
    Sid: `Statement${random.below(10_000)}`,
    Effect: denied ? 'Deny' : 'Allow',
    ...(principal ? { Principal: random.chance(0.1) ? '*' : { AWS: `arn:aws:iam::${account(random)}:root` } } : {}),
    [random.chance(0.03) ? 'NotAction' : 'Action']: actions(random),
    Resource: random.chance(0.6) ? random.some(1, 4, () => arn(random)) : arn(random),
    ...(denied || random.chance(0.2)
      ? { Condition: { Bool: { 'aws:SecureTransport': denied ? 'false' : 'true' }, StringEquals: { 'aws:PrincipalOrgID': 'o-abc123' } } }
      : {}),
  };
}

/** A policy document as text; a few are left open by a reference. */
function policy(random: Random, principal = false): string {
  if (random.chance(0.06)) return random.of(['${data.aws_iam_policy_document.main.json}', '${var.policy}']);
  return JSON.stringify({ Version: '2012-10-17', Statement: random.some(1, 7, () => statement(random, principal)) });
}

const trust = (random: Random): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: 'sts:AssumeRole',
        Principal: random.chance(0.7)
          ? { Service: random.of(['ec2.amazonaws.com', 'lambda.amazonaws.com', 'ecs-tasks.amazonaws.com']) }
          : { AWS: random.chance(0.05) ? '*' : `arn:aws:iam::${account(random)}:root` },
        ...(random.chance(0.3) ? { Condition: { StringEquals: { 'sts:ExternalId': 'partner-42' } } } : {}),
      },
    ],
  });

const PORTS = [22, 80, 443, 3306, 3389, 5432, 6379, 8080, 9200, 27017];
const cidr = (random: Random): string =>
  random.chance(0.15)
    ? random.of(['0.0.0.0/0', '::/0'])
    : random.chance(0.06)
      ? random.of(['${var.office_cidr}', '${aws_vpc.main.cidr_block}'])
      : `10.${random.below(255)}.${random.below(255)}.0/24`;
const protocol = (random: Random): string => random.of(['tcp', 'tcp', 'tcp', 'udp', 'icmp', '-1']);
const DESCRIPTION = 'Traffic of the application, asked for in NET-1042';

function awsTraffic(random: Random): Configuration {
  const port = random.of(PORTS);
  return {
    protocol: protocol(random),
    from_port: port,
    to_port: random.chance(0.05) ? 65_535 : port,
    cidr_blocks: random.some(1, 4, () => cidr(random)),
    ipv6_cidr_blocks: [],
    prefix_list_ids: [],
    security_groups: random.chance(0.3) ? ['sg-0a1b2c3d'] : [],
    self: false,
    description: random.chance(0.7) ? DESCRIPTION : '',
  };
}

const azureTraffic = (random: Random): Configuration => ({
  name: `rule-${random.below(100)}`,
  priority: random.between(100, 4_000),
  direction: random.chance(0.8) ? 'Inbound' : 'Outbound',
  access: random.chance(0.85) ? 'Allow' : 'Deny',
  protocol: random.of(['Tcp', 'Udp', '*']),
  source_port_range: '*',
  ...(random.chance(0.7) ? { destination_port_range: String(random.of(PORTS)) } : { destination_port_ranges: ['80', '443', '8000-8100'] }),
  source_address_prefix: random.chance(0.15) ? random.of(['*', 'Internet']) : cidr(random),
  destination_address_prefix: '*',
  description: DESCRIPTION,
});

const ociTraffic = (random: Random, direction: 'source' | 'destination'): Configuration => {
  const port = random.of(PORTS);
  return {
    protocol: random.of(['6', '17', 'all']),
    [direction]: cidr(random),
    [`${direction}_type`]: 'CIDR_BLOCK',
    stateless: random.chance(0.1),
    description: DESCRIPTION,
    tcp_options: [{ min: port, max: port }],
  };
};

const ibmTraffic = (random: Random, remote: string): Configuration => {
  const port = random.of(PORTS);
  return {
    name: `rule-${random.below(100)}`,
    action: random.chance(0.85) ? 'allow' : 'deny',
    direction: random.of(['inbound', 'inbound', 'outbound']),
    [remote]: cidr(random),
    destination: '0.0.0.0/0',
    tcp: [{ port_min: port, port_max: port }],
  };
};

function container(random: Random, i: number): Configuration {
  const hardened = random.chance(0.5);
  return {
    name: `app-${i}`,
    image: random.of(['registry.example.com/payments/api:1.42.0', 'nginx:latest', 'busybox', 'ghcr.io/acme/worker@sha256:0f1e2d3c']),
    imagePullPolicy: random.of(['Always', 'IfNotPresent']),
    ...(random.chance(0.3) ? { command: ['/bin/sh', '-c'], args: ['exec /app/server --port=8080 --log-level=info'] } : {}),
    ports: [{ containerPort: 8080, name: 'http', protocol: 'TCP', ...(random.chance(0.05) ? { hostPort: 8080 } : {}) }],
    env: random.some(2, 10, () => ({ name: `SETTING_${random.below(100)}`, value: `value-${random.below(1_000)}` })),
    resources: random.chance(0.7)
      ? { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } }
      : { requests: { cpu: '100m' } },
    ...(random.chance(0.8)
      ? {
          securityContext: {
            allowPrivilegeEscalation: !hardened,
            privileged: random.chance(0.05),
            readOnlyRootFilesystem: hardened,
            runAsNonRoot: hardened,
            runAsUser: hardened ? 10_001 : 0,
            capabilities: hardened ? { drop: ['ALL'] } : { add: [random.of(['NET_ADMIN', 'SYS_ADMIN', 'NET_BIND_SERVICE'])] },
          },
        }
      : {}),
    ...(random.chance(0.6)
      ? { livenessProbe: { httpGet: { path: '/healthz', port: 8080 } }, readinessProbe: { httpGet: { path: '/ready', port: 8080 } } }
      : {}),
    volumeMounts: [
      { name: 'tmp', mountPath: '/tmp' },
      { name: 'config', mountPath: '/etc/app', readOnly: true },
    ],
  };
}

const podSpec = (random: Random): Configuration => ({
  serviceAccountName: random.chance(0.5) ? 'payments' : 'default',
  automountServiceAccountToken: random.chance(0.5),
  hostNetwork: random.chance(0.05),
  hostPID: random.chance(0.02),
  ...(random.chance(0.6) ? { securityContext: { runAsNonRoot: true, fsGroup: 2_000, seccompProfile: { type: 'RuntimeDefault' } } } : {}),
  ...(random.chance(0.3) ? { initContainers: [container(random, 9)] } : {}),
  containers: Array.from({ length: random.between(1, 3) }, (_, i) => container(random, i)),
  volumes: [
    { name: 'tmp', emptyDir: {} },
    random.chance(0.05) ? { name: 'config', hostPath: { path: '/var/run/docker.sock' } } : { name: 'config', configMap: { name: 'app' } },
  ],
  tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'apps', effect: 'NoSchedule' }],
  nodeSelector: { pool: 'general' },
});

const LABELS = { app: 'payments', team: 'platform', 'app.kubernetes.io/managed-by': 'helm' };
const metadata = (random: Random): Configuration => ({
  name: `app-${random.below(10_000)}`,
  namespace: random.chance(0.1) ? 'default' : `team-${random.below(50)}`,
  labels: LABELS,
  annotations: { 'checksum/config': '9f86d081884c7d659a2feaa0c55ad015' },
});
const manifest =
  (kind: string, spec: (random: Random) => Configuration) =>
  (random: Random): Configuration => ({ apiVersion: 'v1', kind, metadata: metadata(random), spec: spec(random) });
const template = (random: Random): Configuration => ({ metadata: { labels: LABELS }, spec: podSpec(random) });
const workload = (random: Random): Configuration => ({
  replicas: random.between(1, 5),
  selector: { matchLabels: LABELS },
  template: template(random),
});

const ociStatement = (random: Random): string =>
  `Allow group ${random.of(['Admins', 'Developers', 'Auditors'])} to ${random.of(['manage', 'use', 'read', 'inspect'])} ${random.of([
    'all-resources',
    'instance-family',
    'object-family',
    'virtual-network-family',
    'policies',
  ])} in ${random.of(['tenancy', 'compartment apps', 'compartment network'])}`;

const awsPolicy = (random: Random): Configuration => ({ path: '/', policy: policy(random) });

const WRITERS: Readonly<Record<string, (random: Random) => Configuration>> = {
  aws_iam_policy: awsPolicy,
  aws_iam_role_policy: awsPolicy,
  aws_iam_role: (random) => ({
    path: '/',
    max_session_duration: random.of([3_600, 43_200]),
    assume_role_policy: trust(random),
    managed_policy_arns: ['arn:aws:iam::aws:policy/ReadOnlyAccess'],
    ...(random.chance(0.2) ? { inline_policy: [{ name: 'inline', policy: policy(random) }] } : {}),
    ...(random.chance(0.3) ? { permissions_boundary: 'arn:aws:iam::123456789012:policy/boundary' } : {}),
  }),
  aws_s3_bucket_policy: (random) => ({ bucket: `bucket-${random.below(3_000)}`, policy: policy(random, true) }),
  aws_sqs_queue: (random) => ({
    kms_master_key_id: random.chance(0.5) ? 'alias/aws/sqs' : null,
    message_retention_seconds: random.of([60, 345_600, 1_209_600]),
    visibility_timeout_seconds: 30,
    policy: policy(random, true),
  }),
  aws_kms_key: (random) => ({
    enable_key_rotation: random.chance(0.6),
    deletion_window_in_days: random.of([7, 30]),
    key_usage: 'ENCRYPT_DECRYPT',
    policy: policy(random, true),
  }),
  aws_security_group: (random) => ({
    vpc_id: 'vpc-0a1b2c3d',
    ingress: random.some(1, 8, () => awsTraffic(random)),
    egress: [{ ...awsTraffic(random), protocol: '-1', from_port: 0, to_port: 0 }],
  }),
  aws_security_group_rule: (random) => ({ ...awsTraffic(random), type: random.of(['ingress', 'ingress', 'egress']) }),
  azurerm_network_security_group: (random) => ({ location: 'westeurope', security_rule: random.some(2, 12, () => azureTraffic(random)) }),
  azurerm_network_security_rule: azureTraffic,
  google_compute_firewall: (random) => ({
    network: 'projects/acme/global/networks/main',
    direction: random.of(['INGRESS', 'INGRESS', 'EGRESS']),
    priority: 1_000,
    source_ranges: random.some(1, 5, () => cidr(random)),
    target_tags: ['web'],
    allow: random.some(1, 3, () => ({ protocol: random.of(['tcp', 'udp', 'all']), ports: [String(random.of(PORTS)), '8000-8100'] })),
    log_config: random.chance(0.4) ? [{ metadata: 'INCLUDE_ALL_METADATA' }] : [],
  }),
  oci_core_security_list: (random) => ({
    compartment_id: 'ocid1.compartment.oc1..a',
    ingress_security_rules: random.some(1, 8, () => ociTraffic(random, 'source')),
    egress_security_rules: random.some(1, 2, () => ociTraffic(random, 'destination')),
  }),
  oci_core_network_security_group_security_rule: (random) => ({ ...ociTraffic(random, 'source'), direction: 'INGRESS' }),
  oci_identity_policy: (random) => ({
    compartment_id: 'ocid1.tenancy.oc1..a',
    statements: random.some(1, 8, () => ociStatement(random)),
  }),
  alicloud_security_group_rule: (random) => ({
    type: random.of(['ingress', 'ingress', 'egress']),
    ip_protocol: random.of(['tcp', 'udp', 'all']),
    policy: random.chance(0.9) ? 'accept' : 'drop',
    port_range: `${random.of(PORTS)}/${random.of(PORTS)}`,
    priority: 1,
    cidr_ip: cidr(random),
    nic_type: 'intranet',
  }),
  alicloud_ram_policy: (random) => ({
    policy_document: JSON.stringify({
      Version: '1',
      Statement: random.some(1, 5, () => ({
        Effect: 'Allow',
        Action: random.some(1, 5, () => random.of(['oss:GetObject', 'oss:*', 'ecs:Describe*', 'ram:CreateUser', 'ram:PassRole', '*'])),
        Resource: random.of(['*', 'acs:oss:*:*:bucket/*']),
      })),
    }),
  }),
  ibm_is_security_group_rule: (random) => ibmTraffic(random, 'remote'),
  ibm_is_network_acl: (random) => ({ vpc: 'r010-0a1b', rules: random.some(2, 8, () => ibmTraffic(random, 'source')) }),
  kubernetes_pod: manifest('Pod', podSpec),
  kubernetes_deployment: manifest('Deployment', workload),
  kubernetes_daemonset: manifest('DaemonSet', workload),
  kubernetes_stateful_set: manifest('StatefulSet', workload),
  kubernetes_cron_job: manifest('CronJob', (random) => ({
    schedule: '0 3 * * *',
    jobTemplate: { spec: { backoffLimit: 3, template: template(random) } },
  })),
};
