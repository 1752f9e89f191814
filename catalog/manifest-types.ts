import type { Target } from './types.js';

/** Kinds of objects of a cluster that Terraform has no resource of: manifests tell them. */
const KINDS = `app_project argo_application authorization_policy calico_network_policy certificate cilium_clusterwide_network_policy
  cilium_network_policy clone_set cluster_issuer cluster_secret_store custom_resource_definition daemon_set deployment_config
  destination_rule endpoint_slice external_secret felix_configuration flow_schema gatekeeper_config gatekeeper_constraint gateway
  git_repository global_network_policy helm_release helm_repository issuer istio_gateway knative_service kustomization
  kyverno_cluster_policy kyverno_policy oci_repository peer_authentication policy_exception priority_level_configuration reference_grant
  replica_set request_authentication rollout secret_store security_context_constraints validating_admission_policy
  validating_admission_policy_binding virtual_service`;

export const MANIFEST_TYPES: ReadonlySet<string> = new Set(KINDS.split(/\s+/).map((kind) => `kubernetes_${kind}`));

/** Kinds whose pod template stands where that of a Deployment does: Argo Rollouts, OpenKruise, OpenShift, Knative. */
const LIKE_DEPLOYMENTS = ['rollout', 'clone_set', 'deployment_config', 'knative_service'].map((kind) => `kubernetes_${kind}`);
/** What families ask of containers wherever they run; probes are left out, which Knative sets by itself. */
const OF_CONTAINERS = /^container_(?!probe$)/;

/** The types of a target with those of operators that hold a pod template at the same place. */
export const withOperators = (family: string, types: Target['type']): Target['type'] =>
  OF_CONTAINERS.test(family) && types.includes('kubernetes_deployment') ? [...types, ...LIKE_DEPLOYMENTS] : types;
