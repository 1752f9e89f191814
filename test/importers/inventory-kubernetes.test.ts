import { format as kubernetes } from '../../importers/formats/kubernetes/format.js';
import { bufferSource } from '../../importers/readers/source.js';
import { NotOfFormat, type AssetInput, type EdgeInput, type ImportItem, type ImportOptions } from '../../importers/types.js';
import { REDACTED, findSecretPaths } from '../../redaction/secret-keys.js';
import { withinCpu } from '../support/within.js';

async function readAll(report: string, options: ImportOptions = {}): Promise<ImportItem[]> {
  const items: ImportItem[] = [];
  for await (const item of kubernetes.read(bufferSource(Buffer.from(report)), options)) items.push(item);
  return items;
}
const assetsOf = (items: ImportItem[]): AssetInput[] => items.flatMap((item) => (item.kind === 'asset' ? [item.asset] : []));
const edgesOf = (items: ImportItem[]): string[] =>
  items
    .flatMap((item) => (item.kind === 'edge' ? [item.edge] : []))
    .map(({ from, kind, to, reversed }: EdgeInput) =>
      reversed ? `${short(to)} ${kind} ${short(from)}` : `${short(from)} ${kind} ${short(to)}`,
    );
const short = (uid: string): string => uid.split('/').slice(2).join('/');
const pod = (name: string): string => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n`;

const MANIFEST = `# a comment
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---

---
apiVersion: v1
kind: Secret
metadata:
  name: db
  namespace: shop
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"data":{"password":"aHVudGVyMg=="}}'
  managedFields: [{manager: kubectl}]
data:
  tls.key: aHVudGVyMg==
  password: aHVudGVyMg==
---
apiVersion: v1
kind: ConfigMap
metadata: {name: cfg, namespace: shop}
data: {MODE: fast, DB_PASSWORD: hunter2}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels: {app: web}
spec:
  template:
    metadata: {labels: {app: web, tier: front}}
    spec:
      serviceAccountName: runner
      runAsNonRoot: yes
      volumes:
        - name: v
          secret: {secretName: db, defaultMode: 0400}
      containers:
        - name: c
          image: shop/web:1
          args: ["--password=hunter2"]
          env:
            - {name: DB_PASSWORD, value: hunter2}
            - {name: OTHER, valueFrom: {secretKeyRef: {name: db, key: password}}}
          envFrom: [{configMapRef: {name: cfg}}]
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: in, namespace: shop}
spec: {rules: [{http: {paths: [{backend: {service: {name: web}}}]}}]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: all, namespace: shop}
spec: {podSelector: {matchExpressions: [{key: tier, operator: In, values: [front]}]}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: runner, namespace: shop}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: admin}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: b}
roleRef: {kind: ClusterRole, name: admin}
subjects: [{kind: ServiceAccount, name: runner, namespace: shop}]
`;

describe('a manifest', () => {
  it('gives an asset for every object, in Terraform style', async () => {
    const items = await readAll(MANIFEST, { account_id: 'prod-1' });
    expect(assetsOf(items).map(({ resource_type, resource_uid }) => `${resource_type} ${resource_uid}`)).toEqual([
      'kubernetes_namespace prod-1/-/Namespace/shop',
      'kubernetes_secret prod-1/shop/Secret/db',
      'kubernetes_config_map prod-1/shop/ConfigMap/cfg',
      'kubernetes_deployment prod-1/shop/Deployment/web',
      'kubernetes_service prod-1/shop/Service/web',
      'kubernetes_ingress prod-1/shop/Ingress/in',
      'kubernetes_network_policy prod-1/shop/NetworkPolicy/all',
      'kubernetes_service_account prod-1/shop/ServiceAccount/runner',
      'kubernetes_cluster_role prod-1/-/ClusterRole/admin',
      'kubernetes_cluster_role_binding prod-1/-/ClusterRoleBinding/b',
    ]);
    expect(items.filter(({ kind }) => kind === 'record')).toHaveLength(10);
    expect(assetsOf(items)[1]).toMatchObject({
      source: { address: 'Secret/shop/db', line: 9 },
      position: 'line 9',
      region: 'global',
      provider: 'k8s',
    });
  });

  it('redacts the values of secrets and keeps the rest', async () => {
    const items = await readAll(MANIFEST);
    const [, secret, config, deployment] = assetsOf(items);
    expect(secret?.configuration).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'db', namespace: 'shop', annotations: {} },
      data: { 'tls.key': REDACTED, password: REDACTED },
    });
    expect(secret?.sensitive_paths).toEqual(['data.tls.key', 'data.password']);
    expect(config?.configuration.data).toEqual({ MODE: 'fast', DB_PASSWORD: REDACTED });
    expect(deployment?.configuration).toMatchObject({
      spec: {
        template: {
          spec: {
            runAsNonRoot: true,
            volumes: [{ name: 'v', secret: { secretName: 'db', defaultMode: 256 } }],
            containers: [
              {
                args: [`--password=${REDACTED}`],
                env: [
                  { name: 'DB_PASSWORD', value: REDACTED },
                  { name: 'OTHER', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
                ],
              },
            ],
          },
        },
      },
    });
    expect(JSON.stringify(items)).not.toMatch(/hunter2|aHVudGVyMg/);
    expect(items.flatMap((item) => findSecretPaths(item))).toEqual([]);
  });

  it('draws what uses, selects, routes to and grants what', async () => {
    expect(edgesOf(await readAll(MANIFEST)).filter((edge) => !edge.includes('Namespace/'))).toEqual([
      'Deployment/web runs_as ServiceAccount/runner',
      'Deployment/web reads_secret Secret/db',
      'Deployment/web refers_to ConfigMap/cfg',
      'Ingress/in routes_to Service/web',
      'ClusterRoleBinding/b refers_to ClusterRole/admin',
      'ClusterRoleBinding/b refers_to ServiceAccount/runner',
      'Service/web exposes Deployment/web',
      'Deployment/web guarded_by NetworkPolicy/all',
    ]);
  });

  it('with documents that cannot be read names their lines and goes on', async () => {
    const items = await readAll(
      `${pod('a')}---\nkind: [\n---\nname: {{ .Values.name }}\nkind: x\napiVersion: v1\n---\nhello: world\n---\n${pod('b')}`,
    );
    expect(assetsOf(items).map(({ resource_name }) => resource_name)).toEqual(['a', 'b']);
    expect(items.filter(({ kind }) => kind === 'broken')).toEqual([
      {
        kind: 'broken',
        position: expect.stringMatching(/^line [67]$/) as string,
        reason: expect.stringContaining('not valid YAML') as string,
      },
      { kind: 'broken', position: 'line 8', reason: expect.stringContaining('Helm template') as string },
      { kind: 'broken', position: 'line 12', reason: 'the document has no apiVersion or kind' },
    ]);
  });

  it('takes quoted text whose lines are indented too little, as Kubernetes does', async () => {
    const items = await readAll(`${pod('a')}spec:\n    containers:\n      - args:\n          - "one \\\n      two"\n        name: x\n`);
    expect(assetsOf(items)[0]?.configuration.spec).toEqual({ containers: [{ args: ['one two'], name: 'x' }] });
  });

  it('resists alias bombs, deep nesting and many objects of one name', async () => {
    const bomb = [...'abcdefghij']
      .map(
        (key, i) =>
          `${key}: &${key} [${
            i === 0
              ? 'x'
              : Array(9)
                  .fill(`*${'abcdefghij'.charAt(i - 1)}`)
                  .join()
          }]`,
      )
      .join('\n');
    const text = `${pod('a')}${bomb}\n---\n${pod('b')}x: ${'['.repeat(20_000)}\n---\n${`${pod('c')}---\n`.repeat(3_000)}`;
    const items = await withinCpu(15_000, () => readAll(text));
    expect(items.filter(({ kind }) => kind === 'broken')).toHaveLength(2);
    expect(new Set(assetsOf(items).map(({ resource_uid }) => resource_uid)).size).toBe(3_000);
  });
});

describe('JSON and lists', () => {
  it.each([
    ['an object', JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }), 1],
    [
      'a list',
      JSON.stringify({ apiVersion: 'v1', items: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }, null, 7], kind: 'List' }),
      1,
    ],
    ['a typed list', JSON.stringify({ apiVersion: 'v1', kind: 'PodList', metadata: {}, items: [{ metadata: { name: 'a' } }] }), 1],
    ['a YAML list', `apiVersion: v1\nkind: List\nitems:\n- ${pod('a').trim().replaceAll('\n', '\n  ')}\n-\n`, 1],
    [
      'objects line by line',
      `${JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } })}\n${JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' } })}`,
      2,
    ],
    ['an array', JSON.stringify([{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }]), 1],
  ])('%s', async (_name, report, assets) => {
    expect(kubernetes.detect(report)).toBe(true);
    const found = assetsOf(await readAll(report));
    expect(found).toHaveLength(assets);
    expect(found[0]).toMatchObject({ resource_type: 'kubernetes_pod', resource_uid: 'cluster/default/Pod/a' });
  });

  it('that is cut keeps what was read', async () => {
    const list = JSON.stringify({
      apiVersion: 'v1',
      items: Array.from({ length: 5 }, (_, i) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `p${i}` } })),
      kind: 'List',
    });
    const items = await readAll(list.slice(0, list.indexOf('p3')));
    expect(assetsOf(items)).toHaveLength(3);
    expect(items.at(-1)?.kind).toBe('truncated');
  });

  it('custom resources get a type of their own, scanner reports none', async () => {
    const report = (apiVersion: string, kind: string): string => JSON.stringify({ apiVersion, kind, metadata: { name: 'a' } });
    expect(assetsOf(await readAll(report('cert-manager.io/v1', 'ClusterIssuer')))[0]).toMatchObject({
      resource_type: 'kubernetes_cluster_issuer',
      resource_uid: 'cluster/-/ClusterIssuer/a',
    });
    expect(kubernetes.detect(report('aquasecurity.github.io/v1alpha1', 'VulnerabilityReport'))).toBe(false);
    expect(await readAll(report('aquasecurity.github.io/v1alpha1', 'VulnerabilityReport'))).toEqual([{ kind: 'record' }]);
  });
});

describe('detection', () => {
  it.each([
    ['CloudFormation', 'AWSTemplateFormatVersion: "2010-09-09"\nResources:\n  B:\n    Type: AWS::S3::Bucket\n'],
    ['a compose file', 'version: "3"\nservices:\n  web:\n    image: x\n'],
    ['OpenAPI', 'openapi: 3.0.0\ninfo: {title: x}\npaths: {}\n'],
    ['a Sigma rule', 'title: x\nlogsource: {product: aws}\ndetection: {}\n'],
    ['a chart', 'apiVersion: v2\nname: x\nversion: 1.0.0\n'],
    ['a kubeconfig', 'apiVersion: v1\nkind: Config\nclusters: []\n'],
    ['an object inside another', 'spec:\n  apiVersion: v1\n  kind: Pod\n  metadata: {}\n'],
    ['JSON of a scanner', '{"kind": "Pod", "results": []}'],
    ['nothing', ''],
  ])('does not claim %s', async (_name, text) => {
    expect(kubernetes.detect(text)).toBe(false);
    await expect(readAll(text)).rejects.toThrow(NotOfFormat);
  });

  it('finds a manifest behind documents of another kind, with CRLF and comments', () => {
    expect(
      kubernetes.detect(
        `# generated\r\n---\r\nname: x\r\n---\r\napiVersion: apps/v1 # stable\r\nkind: "Deployment"\r\nmetadata:\r\n  name: x\r\n`,
      ),
    ).toBe(true);
  });
});

it('a cluster that the caller names by its identifier holds the namespaces; another name of it is no resource', async () => {
  const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n';
  const edges = async (artifact: string) =>
    (await readAll(namespace, { artifact })).flatMap((item) => (item.kind === 'edge' ? [item.edge] : []));
  const cluster = 'arn:aws:eks:eu-central-1:111122223333:cluster/main';
  expect(await edges(cluster)).toEqual([{ from: cluster, to: `${cluster}/-/Namespace/shop`, kind: 'contains' }]);
  expect(await edges('infra/k8s')).toEqual([]);
});
