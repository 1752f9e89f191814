import { manifestConfiguration } from '../../catalog/manifest.js';
import { RuleSet } from '../../catalog/evaluate.js';
import { companionTypes, Inventory } from '../../catalog/inventory.js';
import { subjectOf } from '../../catalog/subject.js';
import { expandWholeCatalog } from './whole-catalog.js';

const { rules } = expandWholeCatalog();
/** Those that ask for what Terraform has, too: the version of the API, and what goes with it, manifests alone tell. */
const kubernetesRules = rules.filter(({ provider, applies = '' }) => provider === 'k8s' && !applies.includes('r.api_version'));

describe('the attributes of a manifest', () => {
  it.each([
    ['hostPID', 'host_pid'],
    ['hostIPC', 'host_ipc'],
    ['hostNetwork', 'host_network'],
    ['runAsNonRoot', 'run_as_non_root'],
    ['readOnlyRootFilesystem', 'read_only_root_filesystem'],
    ['seLinuxOptions', 'se_linux_options'],
    ['clusterIP', 'cluster_ip'],
    ['fsGroup', 'fs_group'],
    ['automountServiceAccountToken', 'automount_service_account_token'],
  ])('%s is %s', (name, snake) => {
    expect(manifestConfiguration({ spec: { [name]: 'x' } })).toEqual({ spec: { [snake]: 'x' } });
  });

  it.each([
    ['clusterIPs', 'cluster_ips'],
    ['externalIPs', 'external_ips'],
    ['nonResourceURLs', 'non_resource_urls'],
    ['imagePullSecrets', 'image_pull_secrets'],
  ])('the list %s is %s', (name, snake) => {
    expect(manifestConfiguration({ spec: { [name]: ['x'] } })).toEqual({ spec: { [snake]: ['x'] } });
  });

  it('are blocks of a singular name where Terraform repeats them', () => {
    const spec = {
      containers: [{ name: 'a', ports: [{ containerPort: 80 }], volumeMounts: [{ mountPath: '/a' }] }],
      initContainers: [{ name: 'b', livenessProbe: { httpGet: { path: '/', httpHeaders: [{ name: 'X', value: 'y' }] } } }],
      volumes: [{ name: 'v', hostPath: { path: '/' } }],
    };
    expect(manifestConfiguration({ spec })).toEqual({
      spec: {
        container: [{ name: 'a', port: [{ container_port: 80 }], volume_mount: [{ mount_path: '/a' }] }],
        init_container: [{ name: 'b', liveness_probe: { http_get: { path: '/', http_header: [{ name: 'X', value: 'y' }] } } }],
        volume: [{ name: 'v', host_path: { path: '/' } }],
      },
    });
  });

  it('keep the plural where Terraform does: lists of words, ports of a network policy', () => {
    const policy = { kind: 'PodSecurityPolicy', spec: { volumes: ['configMap', 'hostPath'] } };
    expect(manifestConfiguration(policy)).toMatchObject({ spec: { volumes: ['configMap', 'hostPath'] } });
    const network = { spec: { ingress: [{ ports: [{ port: 22 }] }] } };
    expect(manifestConfiguration(network)).toEqual(network);
  });

  it('keep keys that people chose', () => {
    const manifest = {
      metadata: { labels: { appName: 'a' }, annotations: { 'my.io/someKey': 'b' } },
      data: { camelCase: '1' },
      spec: { selector: { appName: 'a' }, template: { spec: { nodeSelector: { diskType: 'ssd' } } } },
    };
    expect(manifestConfiguration(manifest)).toEqual({
      ...manifest,
      spec: { selector: { appName: 'a' }, template: { spec: { node_selector: { diskType: 'ssd' } } } },
    });
    expect(manifestConfiguration({ spec: { selector: { matchLabels: { appName: 'a' } } } })).toEqual({
      spec: { selector: { match_labels: { appName: 'a' } } },
    });
  });

  it("bear Terraform's names where those are others", () => {
    expect(manifestConfiguration({ kind: 'StorageClass', provisioner: 'ebs.csi.aws.com' })).toEqual({
      kind: 'StorageClass',
      storage_provisioner: 'ebs.csi.aws.com',
    });
    expect(manifestConfiguration({ kind: 'ServiceAccount', secrets: [{ name: 'a' }], imagePullSecrets: [{ name: 'b' }] })).toEqual({
      kind: 'ServiceAccount',
      secret: [{ name: 'a' }],
      image_pull_secret: [{ name: 'b' }],
    });
  });
});

/** The verdicts of every rule of the type, by rule. */
function verdicts(resource_type: string, configuration: Record<string, unknown>): Map<string, string> {
  const subject = subjectOf({
    resource_uid: 'uid',
    resource_type,
    resource_name: 'web',
    provider: 'k8s',
    region: 'global',
    configuration,
  });
  const inventory = new Inventory(companionTypes(kubernetesRules));
  inventory.add(subject);
  const set = new RuleSet(kubernetesRules);
  return new Map(set.evaluate(subject, inventory).map(({ rule, result }) => [rule.rule_id, result]));
}

const container = {
  name: 'web',
  image: 'nginx:latest',
  securityContext: { privileged: true, capabilities: { add: ['SYS_ADMIN'] }, runAsNonRoot: false },
  env: [{ name: 'MODE', value: 'on' }],
  ports: [{ containerPort: 80, hostPort: 80 }],
};
const PAIRS: [string, Record<string, unknown>, Record<string, unknown>][] = [
  [
    'kubernetes_pod',
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', labels: { appName: 'web' } },
      spec: {
        hostPID: true,
        automountServiceAccountToken: true,
        containers: [container],
        volumes: [{ name: 'v', hostPath: { path: '/' } }],
      },
    },
    {
      metadata: [{ name: 'web', labels: { appName: 'web' } }],
      spec: [
        {
          host_pid: true,
          automount_service_account_token: true,
          container: [
            {
              name: 'web',
              image: 'nginx:latest',
              security_context: [{ privileged: true, capabilities: [{ add: ['SYS_ADMIN'] }], run_as_non_root: false }],
              env: [{ name: 'MODE', value: 'on' }],
              port: [{ container_port: 80, host_port: 80 }],
            },
          ],
          volume: [{ name: 'v', host_path: [{ path: '/' }] }],
        },
      ],
    },
  ],
  [
    'kubernetes_cluster_role',
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'web' },
      rules: [
        { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
        { nonResourceURLs: ['*'], verbs: ['get'] },
      ],
    },
    {
      metadata: [{ name: 'web' }],
      rule: [
        { api_groups: ['*'], resources: ['*'], verbs: ['*'] },
        { non_resource_urls: ['*'], verbs: ['get'] },
      ],
    },
  ],
  [
    'kubernetes_storage_class',
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'web' },
      provisioner: 'ebs.csi.aws.com',
      parameters: { encrypted: 'false' },
    },
    { metadata: [{ name: 'web' }], storage_provisioner: 'ebs.csi.aws.com', parameters: { encrypted: 'false' } },
  ],
  [
    'kubernetes_service',
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { type: 'LoadBalancer', externalIPs: ['8.8.8.8'], ports: [{ port: 80 }] },
    },
    { metadata: [{ name: 'web' }], spec: [{ type: 'LoadBalancer', external_ips: ['8.8.8.8'], port: [{ port: 80 }] }] },
  ],
];

describe.each(PAIRS)('every rule says the same of a %s', (type, manifest, terraform) => {
  it('as a manifest and in Terraform', () => {
    const ours = verdicts(type, terraform);
    expect(ours.size).toBeGreaterThan(0);
    expect([...ours.values()]).toContain('FAIL');
    expect(verdicts(type, manifest)).toEqual(ours);
  });
});
