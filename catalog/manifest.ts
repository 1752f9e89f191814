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
  http_headers: 'http_header',
};
/** Attributes that Terraform names otherwise in one kind. */
const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ServiceAccount: { secrets: 'secret', image_pull_secrets: 'image_pull_secret' },
  StorageClass: { provisioner: 'storage_provisioner' },
};
/** `ports` is a container's and a service's block `port`; a network policy keeps the plural. */
const KEEP_PLURAL_PORTS = new Set(['ingress', 'egress']);
/** Maps whose keys are names that people chose. */
const FREE_KEYS = new Set(
  `labels annotations data string_data binary_data match_labels node_selector limits requests hard default default_request max min
  max_limit_request_ratio parameters selector overhead volume_attributes options`.split(/\s+/),
);

const NAMES = new Map<string, string>();

/** `nonResourceURLs` is `non_resource_urls`. Manifests have few names, again and again. */
function snake(key: string): string {
  let name = NAMES.get(key);
  if (name === undefined) {
    name = snakeCase(key);
    if (NAMES.size < 5_000) NAMES.set(key, name);
  }
  return name;
}

const snakeCase = (key: string): string =>
  key
    .replace(/([A-Z]{2,})s$/, (_, acronym: string) => `_${acronym.toLowerCase()}s`)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();

/** Whether a resource is told as a manifest of Kubernetes, and not in the form of Terraform. */
export const isManifest = ({ provider, configuration }: { readonly provider: string; readonly configuration: Json }): boolean =>
  provider === 'k8s' && 'apiVersion' in configuration && 'kind' in configuration;

/** A Kubernetes manifest's configuration in the form of Terraform's `kubernetes_*` resources, so that one rule reads both. */
export function manifestConfiguration(manifest: Json): Record<string, unknown> {
  const renamed = RENAMED[String(manifest['kind'])] ?? {};
  return Object.fromEntries(Object.entries(block(manifest, '')).map(([name, value]) => [renamed[name] ?? name, value]));
}

function block(value: Json, parent: string): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const name = snake(key);
    const own = Array.isArray(inner) ? listName(name, inner, parent) : name;
    made[own] = FREE_KEYS.has(name) && !isSelector(name, inner) ? inner : converted(inner, name);
  }
  return made;
}

function listName(name: string, list: readonly unknown[], parent: string): string {
  if (name === 'ports') return KEEP_PLURAL_PORTS.has(parent) ? name : 'port';
  // a list of words is no list of blocks: `volumes` of a PodSecurityPolicy
  return list.some((item) => typeof item === 'object') ? (SINGULAR[name] ?? name) : name;
}

/** A `selector` is a map of labels for a service, and a block with `matchLabels` for everything else. */
const isSelector = (name: string, value: unknown): boolean =>
  name === 'selector' && typeof value === 'object' && value !== null && ('matchLabels' in value || 'matchExpressions' in value);

function converted(value: unknown, parent: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => converted(item, parent));
  return typeof value === 'object' && value !== null ? block(value as Json, parent) : value;
}
