import type { Habit, Moment } from './ordinary-logs.js';

const account = (namespace: string, name: string) => () => `system:serviceaccount:${namespace}:${name}`;
const node = ({ random }: Moment): string => `system:node:node-${random.below(8)}`;
const person = ({ random }: Moment): string => `person-${random.below(12)}@acme.example`;
const APPS = ['shop', 'billing', 'search', 'web'];

interface Call {
  readonly who: (moment: Moment) => string;
  readonly verb: string;
  /** `group/resource/subresource`; the core group without its name. */
  readonly on: string;
  readonly namespace?: string | null;
  readonly name?: string;
  readonly request?: object;
  readonly uri?: string;
}

/** An event of the API server's audit log: https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/ */
function event({ who, verb, on, namespace, name, request, uri }: Call, moment: Moment): object {
  const parts = on.split('/');
  const grouped = parts[0]!.includes('.') || ['apps', 'batch', 'autoscaling', 'policy'].includes(parts[0]!);
  const [apiGroup, resource, subresource] = grouped ? parts : [undefined, ...parts];
  const where = namespace === null ? undefined : (namespace ?? moment.random.of(APPS));
  const isRefused = moment.random.chance(0.005);
  return {
    ...{
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: request ? 'Request' : 'Metadata',
      auditID: moment.uuid(),
      stage: 'ResponseComplete',
    },
    ...{ verb, requestURI: uri ?? `/api/v1/${resource ?? ''}`, user: { username: who(moment), groups: ['system:authenticated'] } },
    ...{ sourceIPs: ['203.0.113.10'], userAgent: 'kubectl/v1.30.0 (linux/amd64)' },
    ...(resource !== '' && {
      objectRef: {
        ...(apiGroup && { apiGroup }),
        apiVersion: 'v1',
        resource,
        ...(where && { namespace: where }),
        ...(subresource && { subresource }),
        name: name ?? moment.name('app', 30),
      },
    }),
    ...(request && { requestObject: request }),
    responseStatus: isRefused ? { code: 403, reason: 'Forbidden' } : { code: 200 },
    ...{ requestReceivedTimestamp: moment.time, stageTimestamp: moment.time },
  };
}

const habit = (weight: number, who: Call['who'], verbs: readonly string[], on: readonly string[], more: Partial<Call> = {}): Habit => [
  weight,
  (moment) => event({ who, verb: moment.random.of(verbs), on: moment.random.of(on), ...more }, moment),
];
const LOOKS = ['get', 'list', 'watch'];
const everywhere = { namespace: null, name: undefined } as const;
const image = (name: string) => ({ spec: { template: { spec: { containers: [{ name, image: `ghcr.io/acme/${name}:1.4.2` }] } } } });
const pod = { kind: 'Pod', spec: { containers: [{ name: 'job', image: 'ghcr.io/acme/job:1' }] } };

/** Controllers and kubelets, deployments by pipelines and people, growing and shrinking, backups, monitoring, and what clouds do in clusters that they manage. */
export const KUBERNETES_HABITS: readonly Habit[] = [
  habit(1_500, account('kube-system', 'generic-garbage-collector'), LOOKS, ['pods', 'apps/replicasets', 'configmaps'], everywhere),
  habit(1_500, node, ['get', 'patch'], ['nodes/status', 'pods/status', 'nodes'], { namespace: null }),
  habit(600, node, ['get', 'list', 'watch'], ['secrets', 'configmaps']),
  habit(400, node, ['create'], ['serviceaccounts/token']),
  habit(1_000, () => 'system:kube-controller-manager', ['get', 'update'], ['coordination.k8s.io/leases'], { namespace: 'kube-system' }),
  habit(400, account('kube-system', 'replicaset-controller'), ['create', 'delete'], ['pods'], { request: pod }),
  habit(300, account('kube-system', 'job-controller'), ['create', 'delete'], ['pods'], { request: pod }),
  habit(200, account('kube-system', 'cronjob-controller'), ['create', 'delete'], ['batch/jobs'], { request: image('nightly') }),
  habit(200, account('kube-system', 'daemon-set-controller'), ['create'], ['pods'], {
    ...{ namespace: 'kube-system' },
    request: {
      kind: 'Pod',
      spec: { hostNetwork: true, hostPID: true, containers: [{ name: 'proxy', securityContext: { privileged: true } }] },
    },
  }),
  habit(200, () => 'system:kube-scheduler', ['create'], ['pods/binding']),
  // growing and shrinking
  habit(
    300,
    account('kube-system', 'horizontal-pod-autoscaler'),
    ['get', 'update'],
    ['apps/deployments/scale', 'autoscaling/horizontalpodautoscalers'],
  ),
  habit(100, account('kube-system', 'cluster-autoscaler'), ['create', 'delete', 'update'], ['pods/eviction', 'nodes'], { namespace: null }),
  habit(60, account('karpenter', 'karpenter'), ['create', 'delete', 'patch'], ['pods/eviction', 'nodes', 'karpenter.sh/nodeclaims'], {
    namespace: null,
  }),
  // deployments
  habit(300, account('argocd', 'argocd-application-controller'), [...LOOKS, 'patch'], ['apps/deployments', 'services', 'configmaps'], {
    request: image('web'),
  }),
  habit(80, account('argocd', 'argocd-application-controller'), ['list'], ['secrets'], everywhere),
  habit(100, account('jenkins', 'jenkins'), ['create', 'delete', 'get'], ['pods', 'pods/log'], { namespace: 'jenkins', request: pod }),
  habit(60, account('jenkins', 'jenkins'), ['create', 'get'], ['pods/exec'], { namespace: 'jenkins' }),
  habit(60, account('gitlab-runner', 'gitlab-runner'), ['create', 'get'], ['pods/exec', 'pods/attach', 'pods'], {
    namespace: 'gitlab-runner',
  }),
  habit(40, account('actions-runner-system', 'actions-runner-controller'), ['create', 'delete'], ['pods', 'secrets'], {
    namespace: 'actions-runner-system',
  }),
  habit(60, person, ['patch', 'update'], ['apps/deployments', 'apps/deployments/scale', 'apps/statefulsets'], { request: image('web') }),
  habit(30, person, ['create', 'update'], ['secrets'], { request: { kind: 'Secret', type: 'helm.sh/release.v1' } }),
  habit(30, person, ['create', 'patch'], ['configmaps', 'services', 'networking.k8s.io/ingresses'], {
    request: { spec: { type: 'ClusterIP' } },
  }),
  // people who look
  habit(400, person, LOOKS, ['pods', 'apps/deployments', 'services', 'events', 'nodes', 'namespaces']),
  habit(120, person, ['get'], ['pods/log']),
  habit(40, person, ['create'], ['authorization.k8s.io/selfsubjectaccessreviews'], { namespace: null }),
  // backups
  habit(120, account('velero', 'velero'), ['list', 'get'], ['secrets', 'persistentvolumes', 'pods'], everywhere),
  habit(60, account('velero', 'velero'), ['create', 'delete', 'patch'], ['velero.io/backups', 'snapshot.storage.k8s.io/volumesnapshots'], {
    namespace: 'velero',
  }),
  habit(30, account('velero', 'velero'), ['create'], ['pods/exec']),
  habit(
    40,
    account('kube-system', 'snapshot-controller'),
    ['create', 'delete', 'patch'],
    ['snapshot.storage.k8s.io/volumesnapshotcontents'],
    { namespace: null },
  ),
  // watching
  habit(300, account('monitoring', 'prometheus'), LOOKS, ['pods', 'endpoints', 'nodes', 'services'], everywhere),
  habit(200, account('monitoring', 'prometheus'), ['get'], ['nodes/proxy'], {
    namespace: null,
    uri: '/api/v1/nodes/node-1/proxy/metrics/cadvisor',
  }),
  habit(100, () => 'system:anonymous', ['get'], [''], { uri: '/readyz' }),
  habit(
    60,
    account('cert-manager', 'cert-manager'),
    ['get', 'list', 'watch', 'update'],
    ['secrets', 'cert-manager.io/certificates'],
    everywhere,
  ),
  habit(60, account('external-secrets', 'external-secrets'), ['create', 'update', 'list'], ['secrets']),
  habit(30, account('kube-system', 'certificate-controller'), ['update'], ['certificates.k8s.io/certificatesigningrequests/approval'], {
    namespace: null,
  }),
  // what clouds do in the clusters that they manage
  habit(60, () => 'eks:addon-manager', ['get', 'patch', 'create'], ['apps/daemonsets', 'apps/deployments', 'configmaps'], {
    namespace: 'kube-system',
    name: 'aws-node',
  }),
  habit(30, () => 'eks:node-manager', ['patch', 'delete'], ['nodes'], { namespace: null }),
  habit(60, () => 'aksService', ['get', 'patch', 'create'], ['apps/daemonsets', 'apps/deployments', 'nodes'], {
    namespace: 'kube-system',
    name: 'coredns',
  }),
  habit(30, () => 'gke-managed-components@acme.iam.gserviceaccount.com', ['get', 'list'], ['pods', 'nodes'], everywhere),
];
