import { imageReference } from '../../importers/normalize/artifact.js';
import { kindOfResource } from '../../importers/normalize/kubernetes-kinds.js';
import { declaredObject } from '../../importers/normalize/kubernetes-names.js';
import type { Observation } from '../../importers/types.js';
import { fixture } from './fixtures.js';
import { readAll } from './read-all.js';

const identity = ({ engine, rule_id, resource_uid, discriminator }: Observation): unknown[] => [
  engine,
  rule_id,
  resource_uid,
  discriminator,
];

it.each([
  ['ReplicaSet', 'cart-6cff44dc94', 'Deployment', 'cart'],
  ['ReplicaSet', 'nginx-deployment-965685897', 'Deployment', 'nginx-deployment'],
  ['ReplicaSet', 'by-hand', 'ReplicaSet', 'by-hand'],
  ['Pod', 'cart-6cff44dc94-d92km', 'Deployment', 'cart'],
  ['Pod', 'backup-28434120-x7k2p', 'CronJob', 'backup'],
  ['Job', 'backup-28434120', 'CronJob', 'backup'],
  ['Job', 'migrate', 'Job', 'migrate'],
  ['Pod', 'database-0', 'Pod', 'database-0'],
  ['StatefulSet', 'cart-6cff44dc94', 'StatefulSet', 'cart-6cff44dc94'],
])('%s %s is the %s %s that people declared', (kind, name, declaredKind, declaredName) => {
  expect(declaredObject(kind, name)).toEqual({ kind: declaredKind, name: declaredName });
});

it.each([
  [{ registry: 'index.docker.io', repository: 'library/nginx', tag: '1.25' }, 'nginx:1.25'],
  [{ registry: 'https://registry.hub.docker.com', repository: 'shop/cart', tag: '1.4' }, 'shop/cart:1.4'],
  [{ registry: 'ghcr.io', repository: 'shop/cart', tag: '1.4', digest: 'sha256:1' }, 'ghcr.io/shop/cart:1.4'],
  [{ registry: 'https://registry.example.com:5000/', repository: 'cart', digest: 'sha256:1' }, 'registry.example.com:5000/cart@sha256:1'],
  [{ repository: 'cart' }, 'cart'],
])('%j is the image %s', (parts, name) => {
  expect(imageReference(parts)).toBe(name);
});

it.each([
  ['apps/v1/deployments', 'Deployment'],
  ['networking.k8s.io/v1/ingresses', 'Ingress'],
  ['networking.k8s.io/v1/networkpolicies', 'NetworkPolicy'],
  ['rbac.authorization.k8s.io/v1/clusterrolebindings', 'ClusterRoleBinding'],
  ['v1/persistentvolumeclaims', 'PersistentVolumeClaim'],
  ['pods', 'Pod'],
  ['cluster', undefined],
  ['containers', undefined],
])('the resource %s is of the kind %s', (resource, kind) => {
  expect(kindOfResource(resource)).toBe(kind);
});

it.each([
  ['kube_bench', 'without-totals.json', '"FAIL"', '"PASS"'],
  ['docker_bench', 'report.json', '"WARN"', '"PASS"'],
  ['polaris', 'audit.json', '"Success": false', '"Success": true'],
  ['kubescape', 'cluster.json', '"failed"', '"passed"'],
  ['trivy_operator', 'compliance.json', '"success": false', '"success": true'],
  ['inspector2', 'findings.json', '"ACTIVE"', '"CLOSED"'],
])('%s: what passes in %s is the finding that failed', async (format, report, failed, passed) => {
  const text = fixture(format, report).toString('utf8');
  const before = await readAll(format, text);
  const after = await readAll(format, text.replaceAll(failed, passed));
  const closed = new Set(after.observations.filter(({ result }) => result === 'PASS').map((one) => JSON.stringify(identity(one))));
  // what a person alone can judge has no passing
  const open = before.observations.filter(({ result, severity }) => result === 'FAIL' && severity !== 'info');
  expect(open.length).toBeGreaterThan(0);
  expect(open.map((one) => JSON.stringify(identity(one))).filter((one) => !closed.has(one))).toEqual([]);
});

it('kube-bench: what failed counts more than what was not scored, and that more than what nobody tested', async () => {
  const { observations } = await readAll('kube_bench', fixture('kube_bench', 'report.json'));
  expect(observations.map(({ evidence, result, severity }) => [evidence['status'], result, severity])).toEqual([
    ['FAIL', 'FAIL', 'medium'],
    ['PASS', 'PASS', 'medium'],
    ['WARN', 'FAIL', 'low'],
    ['WARN', 'FAIL', 'info'],
  ]);
  expect(observations[0]!.controls).toEqual([{ framework: 'CIS Kubernetes Benchmark v1.24', control_id: '4.2.1' }]);
});

it('reports of one kind of the Trivy operator leave those of another open', async () => {
  const { observations } = await readAll('trivy_operator', fixture('trivy_operator', 'list.json'));
  const sources = observations.filter(({ engine }) => engine === 'container-security').map(({ rule_id, source }) => [rule_id, source]);
  expect(sources).toEqual([
    ['KSV012', 'trivy_operator'],
    ['KSV001', 'trivy_operator'],
    ['KSV041', 'trivy_operator_rbac'],
  ]);
});

it('alerts of Falco on the pods of one roll-out are one finding, with the techniques that their tags name', async () => {
  const { observations } = await readAll('falco', fixture('falco', 'alerts.jsonl').toString('utf8'));
  const [shell] = observations;
  expect(observations.map(({ rule_id }) => rule_id).filter((rule) => rule === 'Terminal shell in container')).toHaveLength(1);
  expect(shell).toMatchObject({
    resource_uid: 'cluster/shop/Deployment/cart',
    severity: 'low',
    mitre_techniques: ['T1059'],
    mitre_tactics: ['TA0002'],
    evidence: { process: 'sh', signature: 'Terminal shell in container' },
  });
});

it.each([
  ['neuvector', 'image.json', '-----BEGIN EC PRIVATE KEY'],
  ['deepfence', 'secrets.csv', '-----BEGIN'],
  ['trivy_operator', 'list.json', 'GITHUB_PAT='],
])('%s: nothing of the secret of %s is kept', async (format, report, secret) => {
  const text = fixture(format, report).toString('utf8');
  expect(text).toContain(secret);
  expect(JSON.stringify((await readAll(format, text)).items)).not.toContain(secret);
});
