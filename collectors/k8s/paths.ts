import { isObject } from '../listing/thing.js';

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
  persistentvolumeclaims: 'PersistentVolumeClaim',
  replicationcontrollers: 'ReplicationController',
  endpointslices: 'EndpointSlice',
  ingressclasses: 'IngressClass',
  horizontalpodautoscalers: 'HorizontalPodAutoscaler',
  poddisruptionbudgets: 'PodDisruptionBudget',
  priorityclasses: 'PriorityClass',
  storageclasses: 'StorageClass',
  runtimeclasses: 'RuntimeClass',
  certificatesigningrequests: 'CertificateSigningRequest',
  apiservices: 'APIService',
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

/** A list of objects of one kind. */
export interface List {
  /** As a ClusterRole names it: `apps/deployments`. */
  readonly permission: string;
  readonly path: string;
  readonly kind: string;
  readonly apiVersion: string;
  /** Whether names and labels alone are asked for. */
  readonly isBare: boolean;
}

/** Kinds whose contents are nobody's business. */
const WITHOUT_CONTENTS = new Set(['/configmaps']);

/** The list of a kind that every cluster has. */
export function listFor(permission: string): List {
  const [group] = permission.split('/') as [string];
  const apiVersion = group === '' ? VERSION : `${group}/${VERSION}`;
  return { permission, path: pathOf(permission), kind: kindOf(permission), apiVersion, isBare: WITHOUT_CONTENTS.has(permission) };
}

const NAME = /^[a-z0-9.-]{1,253}$/;

/** The list of a kind that a CustomResourceDefinition defines, in the version that is stored; undefined for one that is served in none. What such objects hold nobody knows, so that only names and labels are asked for. */
export function customList(definition: Readonly<Record<string, unknown>>): List | undefined {
  const { spec } = definition;
  const { group, names, versions } = isObject(spec) ? spec : {};
  const { plural, kind } = isObject(names) ? names : {};
  const served = (Array.isArray(versions) ? (versions as unknown[]) : []).filter(isObject).filter((one) => one['served'] === true);
  const version = (served.find((one) => one['storage'] === true) ?? served[0])?.['name'];
  const isName = (text: unknown): text is string => typeof text === 'string' && NAME.test(text);
  if (!isName(group) || !isName(plural) || !isName(version) || typeof kind !== 'string') return undefined;
  return {
    permission: `${group}/${plural}`,
    path: `/apis/${group}/${version}/${plural}`,
    kind,
    apiVersion: `${group}/${version}`,
    isBare: true,
  };
}
