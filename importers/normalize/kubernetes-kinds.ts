/** Kinds whose names are more than the capitalized singular of their resources, by the resource in lower case. */
const KINDS: Readonly<Record<string, string>> = Object.fromEntries(
  `ClusterRole ClusterRoleBinding ConfigMap CronJob CustomResourceDefinition DaemonSet EndpointSlice GatewayClass HorizontalPodAutoscaler
  HTTPRoute IngressClass LimitRange NetworkPolicy PersistentVolume PersistentVolumeClaim PodDisruptionBudget PodMetrics PodSecurityPolicy
  PriorityClass ReplicaSet ReplicationController ResourceQuota RoleBinding ServiceAccount StatefulSet StorageClass`
    .split(/\s+/)
    .map((kind) => [kind.toLowerCase(), kind]),
);

/** The kind of a resource as the API names it: `apps/v1/deployments` is `Deployment`; undefined for what is no resource. */
export function kindOfResource(resource: string): string | undefined {
  const plural = resource.slice(resource.lastIndexOf('/') + 1).toLowerCase();
  if (!/^[a-z]+$/.test(plural) || plural === 'cluster' || plural === 'containers') return undefined;
  const singular = plural
    .replace(/ies$/, 'y')
    .replace(/(ss|x)es$/, '$1')
    .replace(/([^s])s$/, '$1');
  return KINDS[singular] ?? KINDS[plural] ?? singular.charAt(0).toUpperCase() + singular.slice(1);
}
