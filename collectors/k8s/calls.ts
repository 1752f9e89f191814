import type { ServiceCalls } from '../service-calls.js';

/** What defines custom kinds. */
export const CUSTOM = 'apiextensions.k8s.io/customresourcedefinitions';

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
      '/persistentvolumeclaims',
      '/replicationcontrollers',
      '/resourcequotas',
      '/limitranges',
    ],
  },
  { service: 'apps', permissions: ['apps/deployments', 'apps/daemonsets', 'apps/statefulsets', 'apps/replicasets'] },
  { service: 'batch', permissions: ['batch/jobs', 'batch/cronjobs'] },
  {
    service: 'networking.k8s.io',
    permissions: ['networking.k8s.io/ingresses', 'networking.k8s.io/ingressclasses', 'networking.k8s.io/networkpolicies'],
  },
  { service: 'discovery.k8s.io', permissions: ['discovery.k8s.io/endpointslices'] },
  { service: 'autoscaling', permissions: ['autoscaling/horizontalpodautoscalers'] },
  { service: 'policy', permissions: ['policy/poddisruptionbudgets'] },
  { service: 'scheduling.k8s.io', permissions: ['scheduling.k8s.io/priorityclasses'] },
  { service: 'storage.k8s.io', permissions: ['storage.k8s.io/storageclasses'] },
  { service: 'node.k8s.io', permissions: ['node.k8s.io/runtimeclasses'] },
  { service: 'certificates.k8s.io', permissions: ['certificates.k8s.io/certificatesigningrequests'] },
  { service: 'apiregistration.k8s.io', permissions: ['apiregistration.k8s.io/apiservices'] },
  {
    service: 'rbac.authorization.k8s.io',
    permissions: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map((name) => `rbac.authorization.k8s.io/${name}`),
  },
  {
    service: 'admissionregistration.k8s.io',
    permissions: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'].map((name) => `admissionregistration.k8s.io/${name}`),
  },
  // of what these define, the objects are listed, too
  { service: 'apiextensions.k8s.io', permissions: [CUSTOM] },
];
