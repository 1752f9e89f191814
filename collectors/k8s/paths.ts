/** The version of each group that is asked: the one that every cluster of today has. The core group has the empty name. */
const VERSION = 'v1';

/** Where the objects of a permission, `apps/deployments`, are listed in all namespaces. */
export function pathOf(permission: string): string {
  const [group, resource] = permission.split('/') as [string, string];
  return group === '' ? `/api/${VERSION}/${resource}` : `/apis/${group}/${VERSION}/${resource}`;
}

/** How recorded answers name the call. */
export const sourceOf = (permission: string): string => `kubectl get ${permission.split('/')[1]} --all-namespaces -o json`;

/** Kinds whose name is not that of their resource with a capital letter, and without an s. */
const KINDS: Readonly<Record<string, string>> = {
  serviceaccounts: 'ServiceAccount',
  configmaps: 'ConfigMap',
  persistentvolumes: 'PersistentVolume',
  resourcequotas: 'ResourceQuota',
  limitranges: 'LimitRange',
  daemonsets: 'DaemonSet',
  statefulsets: 'StatefulSet',
  replicasets: 'ReplicaSet',
  cronjobs: 'CronJob',
  ingresses: 'Ingress',
  networkpolicies: 'NetworkPolicy',
  rolebindings: 'RoleBinding',
  clusterroles: 'ClusterRole',
  clusterrolebindings: 'ClusterRoleBinding',
  validatingwebhookconfigurations: 'ValidatingWebhookConfiguration',
  mutatingwebhookconfigurations: 'MutatingWebhookConfiguration',
  customresourcedefinitions: 'CustomResourceDefinition',
};

/** The kind of the objects of a permission: `Deployment` of `apps/deployments`. */
export function kindOf(permission: string): string {
  const resource = permission.split('/')[1]!;
  return KINDS[resource] ?? `${resource[0]!.toUpperCase()}${resource.slice(1, -1)}`;
}
