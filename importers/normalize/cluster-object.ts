import { parseCloudName } from './cloud.js';
import { declaredObject, isClusterKind, kubernetesType, kubernetesUid } from './kubernetes-names.js';
import type { PlaceDraft } from './observation.js';
import type { ImportOptions } from '../types.js';

/** An object of a cluster as a scanner names it. */
export interface ClusterObject {
  kind: string;
  namespace?: string | undefined;
  name: string;
}

/** The name of the cluster: what the caller calls it, else what the report does. An ARN says where it runs. */
/** A cluster, and where it runs: one that is named by an ARN says so. */
export function clusterFields(named: string | undefined, options: ImportOptions) {
  const known = parseCloudName(named ?? options.artifact ?? '');
  return {
    cluster: options.artifact ?? named ?? 'cluster',
    account_id: options.account_id ?? known?.account_id,
    region: options.region ?? known?.region,
  };
}

/**
 * The resource of findings in an object of a cluster, by the uid that an import of its manifest gives it. What Kubernetes makes of a
 * Deployment is the Deployment, so that findings outlive a roll-out.
 * @param named what the report calls the cluster
 */
export function clusterObjectPlace(object: ClusterObject, named: string | undefined, options: ImportOptions): PlaceDraft {
  const { cluster, account_id, region } = clusterFields(named, options);
  const { kind, name } = declaredObject(object.kind, object.name);
  const namespace = isClusterKind(kind) ? '' : (object.namespace ?? 'default');
  return {
    resource_uid: kubernetesUid(kind, namespace, name, { account_id: options.account_id, artifact: cluster }),
    resource_type: kubernetesType(kind),
    resource_name: name,
    provider: 'k8s',
    account_id,
    region,
    artifact: cluster,
    provider_metadata: { cluster: named, namespace: namespace || undefined },
  };
}

/** The resource of findings in a cluster as a whole. */
export function clusterPlace(named: string | undefined, options: ImportOptions): PlaceDraft {
  const { cluster, account_id, region } = clusterFields(named, options);
  return {
    resource_uid: kubernetesUid('Cluster', '', cluster, { account_id: options.account_id, artifact: cluster }),
    resource_type: 'kubernetes_cluster',
    resource_name: cluster,
    provider: 'k8s',
    account_id,
    region,
    artifact: cluster,
  };
}
