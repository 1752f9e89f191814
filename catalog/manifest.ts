type Json = Readonly<Record<string, unknown>>;

/** Lists that Terraform writes as repeated blocks of a singular name. */
const SINGULAR: Readonly<Record<string, string>> = {
  containers: 'container',
  init_containers: 'init_container',
  ephemeral_containers: 'ephemeral_container',
  volumes: 'volume',
  volume_mounts: 'volume_mount',
  volume_devices: 'volume_device',
  rules: 'rule',
  subjects: 'subject',
  tolerations: 'toleration',
  webhooks: 'webhook',
  volume_claim_templates: 'volume_claim_template',
  topology_spread_constraints: 'topology_spread_constraint',
  readiness_gates: 'readiness_gate',
  sysctls: 'sysctl',
  paths: 'path',
  metrics: 'metric',
};
/** `ports` is a container's and a service's block `port`; a network policy keeps the plural. */
const KEEP_PLURAL_PORTS = new Set(['ingress', 'egress']);
/** Maps whose keys are names that people chose. */
const FREE_KEYS = new Set(
  `labels annotations data string_data binary_data match_labels node_selector limits requests hard default default_request max min
  max_limit_request_ratio parameters selector overhead volume_attributes options`.split(/\s+/),
);
const ACRONYMS: Readonly<Record<string, string>> = {
  host_ip_c: 'host_ipc',
  cluster_i_ps: 'cluster_ips',
  external_i_ps: 'external_ips',
  pod_i_ps: 'pod_ips',
};

function snake(key: string): string {
  const name = key
    .replace(/IPs$/, '_ips')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replace(/__+/g, '_');
  return ACRONYMS[name] ?? name;
}

/** A Kubernetes manifest's configuration in the form of Terraform's `kubernetes_*` resources, so that one rule reads both. */
export function manifestConfiguration(manifest: Json): Record<string, unknown> {
  return block(manifest, '');
}

function block(value: Json, parent: string): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const name = snake(key);
    const own =
      name === 'ports' && Array.isArray(inner) && !KEEP_PLURAL_PORTS.has(parent)
        ? 'port'
        : Array.isArray(inner)
          ? (SINGULAR[name] ?? name)
          : name;
    made[own] = FREE_KEYS.has(name) && !isSelector(name, inner) ? inner : converted(inner, name);
  }
  return made;
}

/** A `selector` is a map of labels for a service, and a block with `matchLabels` for everything else. */
const isSelector = (name: string, value: unknown): boolean =>
  name === 'selector' && typeof value === 'object' && value !== null && ('matchLabels' in value || 'matchExpressions' in value);

function converted(value: unknown, parent: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => converted(item, parent));
  return typeof value === 'object' && value !== null ? block(value as Json, parent) : value;
}
