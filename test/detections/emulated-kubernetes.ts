import type { Emulated } from './emulated.js';
import { kubernetes } from './records.js';

const rbac = 'rbac.authorization.k8s.io';

/** https://stratus-red-team.cloud/attack-techniques/kubernetes/ */
export const KUBERNETES: readonly Emulated[] = [
  ['dump-secrets', ['T1552.007'], kubernetes('list', { resource: 'secrets' })],
  [
    'steal-serviceaccount-token',
    ['T1609', 'T1552.007', 'T1528'],
    kubernetes('create', { resource: 'pods', subresource: 'exec', namespace: 'kube-system', name: 'p' }),
  ],
  [
    'create-admin-clusterrole',
    ['T1098.006', 'T1098.003', 'T1098'],
    kubernetes(
      'create',
      { apiGroup: rbac, resource: 'clusterroles', name: 'r' },
      { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] },
    ),
  ],
  [
    'create-client-certificate',
    ['T1098', 'T1098.001', 'T1550', 'T1078.004', 'T1649'],
    kubernetes(
      'create',
      { apiGroup: 'certificates.k8s.io', resource: 'certificatesigningrequests', name: 'c' },
      { spec: { signerName: 'kubernetes.io/kube-apiserver-client' } },
    ),
  ],
  [
    'create-token',
    ['T1528', 'T1098.001', 'T1550.001', 'T1098'],
    kubernetes('create', { resource: 'serviceaccounts', subresource: 'token', namespace: 'kube-system', name: 's' }),
  ],
  [
    'hostpath-volume',
    ['T1611'],
    kubernetes('create', { resource: 'pods', namespace: 'default', name: 'p' }, { spec: { volumes: [{ hostPath: { path: '/' } }] } }),
  ],
  ['nodes-proxy', ['T1609', 'T1611', 'T1613', 'T1078.004'], kubernetes('get', { resource: 'nodes', subresource: 'proxy', name: 'n' })],
  [
    'privileged-pod',
    ['T1611'],
    kubernetes(
      'create',
      { resource: 'pods', namespace: 'default', name: 'p' },
      { spec: { containers: [{ securityContext: { privileged: true } }] } },
    ),
  ],
  [
    'backdoor-aws-auth-configmap',
    ['T1098', 'T1098.003', 'T1078.004', 'T1098.006'],
    kubernetes('patch', { resource: 'configmaps', namespace: 'kube-system', name: 'aws-auth' }, { data: { mapUsers: '- x' } }),
  ],
];
