import { redactText } from '../../redaction/redact.js';
import type { ImportOptions } from '../types.js';

const CLUSTER_KINDS = new Set(
  `Namespace Node PersistentVolume StorageClass CustomResourceDefinition PriorityClass IngressClass GatewayClass RuntimeClass APIService
  ValidatingWebhookConfiguration MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding PodSecurityPolicy
  MutatingAdmissionPolicy CertificateSigningRequest VolumeAttachment CSIDriver CSINode FlowSchema PriorityLevelConfiguration ComponentStatus
  SecurityContextConstraints ConstraintTemplate NodePool VolumeSnapshotClass CiliumClusterwideNetworkPolicy GlobalNetworkPolicy
  FelixConfiguration`.split(/\s+/),
);

/** Whether objects of a kind are in no namespace. */
export const isClusterKind = (kind: string): boolean => CLUSTER_KINDS.has(kind) || /^Cluster[A-Z]/.test(kind);

/** Kinds whose names other groups of APIs use for something else, or that each user names, by group and kind (`*`: every kind). */
const NAMED_BY_GROUP: Readonly<Record<string, string>> = {
  'argoproj.io/Application': 'argo_application',
  'config.gatekeeper.sh/Config': 'gatekeeper_config',
  'constraints.gatekeeper.sh/*': 'gatekeeper_constraint',
  'crd.projectcalico.org/NetworkPolicy': 'calico_network_policy',
  'kyverno.io/ClusterPolicy': 'kyverno_cluster_policy',
  'kyverno.io/Policy': 'kyverno_policy',
  'networking.istio.io/Gateway': 'istio_gateway',
  'policy.linkerd.io/AuthorizationPolicy': 'linkerd_authorization_policy',
  'projectcalico.org/NetworkPolicy': 'calico_network_policy',
  'serving.knative.dev/Service': 'knative_service',
};

/**
 * `kubernetes_` and the kind in snake case: `kubernetes_cluster_role_binding`, `kubernetes_csi_driver`.
 * @param apiVersion tells apart kinds of one name, where it is known: Knative's Service is `kubernetes_knative_service`
 */
export function kubernetesType(kind: string, apiVersion = ''): string {
  const group = apiVersion.split('/', 1)[0]!;
  const named = NAMED_BY_GROUP[`${group}/${kind}`] ?? NAMED_BY_GROUP[`${group}/*`];
  if (named !== undefined) return `kubernetes_${named}`;
  const snake = kind
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .toLowerCase();
  return `kubernetes_${snake}`;
}

/** `<cluster>/<namespace>/<kind>/<name>`, `-` for no namespace. The cluster is the account, or the artifact, that the caller names. */
export function kubernetesUid(kind: string, namespace: string, name: string, options: ImportOptions): string {
  return redactText(`${options.account_id ?? options.artifact ?? 'cluster'}/${namespace || '-'}/${kind}/${name}`);
}

/** The letters and digits of which Kubernetes makes the ends of generated names. */
const GENERATED = '[bcdfghjklmnpqrstvwxz2456789]';
/** Generated kind, the form of its names, the kind that it is generated of. The minutes since 1970 end the names of a CronJob's Jobs. */
const GENERATED_KINDS: readonly (readonly [kind: string, name: RegExp, of: string])[] = [
  ['Pod', new RegExp(`^(.+)-[23]\\d{7}-${GENERATED}{5}$`), 'CronJob'],
  ['Job', /^(.+)-[23]\d{7}$/, 'CronJob'],
  ['Pod', new RegExp(`^(.+)-${GENERATED}{8,10}-${GENERATED}{5}$`), 'Deployment'],
  ['ReplicaSet', new RegExp(`^(.+)-${GENERATED}{8,10}$`), 'Deployment'],
];

/**
 * The object that people made, behind one that Kubernetes made of it and whose name changes with each roll-out or run: the Deployment of a
 * ReplicaSet, the CronJob of a Job, and either of a Pod. Other objects are what they are.
 */
export function declaredObject(kind: string, name: string): { kind: string; name: string } {
  for (const [generated, form, of] of GENERATED_KINDS) {
    const declared = generated === kind ? form.exec(name)?.[1] : undefined;
    if (declared !== undefined) return { kind: of, name: declared };
  }
  return { kind, name };
}
