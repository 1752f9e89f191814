import type { ServiceCalls } from '../service-calls.js';

/** Resources by API group, as a ClusterRole names them (`group/resource`; the core group is empty). Secrets are named by nobody: their contents cannot be left out. */
export const K8S_CALLS: readonly ServiceCalls[] = [
  {
    service: 'core',
    permissions: [
      '/namespaces',
      '/nodes',
      '/pods',
      '/services',
      '/serviceaccounts',
      '/configmaps',
      '/persistentvolumes',
      '/resourcequotas',
      '/limitranges',
    ],
  },
  { service: 'apps', permissions: ['apps/deployments', 'apps/daemonsets', 'apps/statefulsets', 'apps/replicasets'] },
  { service: 'batch', permissions: ['batch/jobs', 'batch/cronjobs'] },
  { service: 'networking.k8s.io', permissions: ['networking.k8s.io/ingresses', 'networking.k8s.io/networkpolicies'] },
  {
    service: 'rbac.authorization.k8s.io',
    permissions: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map((name) => `rbac.authorization.k8s.io/${name}`),
  },
  {
    service: 'admissionregistration.k8s.io',
    permissions: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'].map((name) => `admissionregistration.k8s.io/${name}`),
  },
  { service: 'apiextensions.k8s.io', permissions: ['apiextensions.k8s.io/customresourcedefinitions'] },
];
