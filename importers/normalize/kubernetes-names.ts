import { redactText } from '../../redaction/redact.js';
import type { ImportOptions } from '../types.js';

const CLUSTER_KINDS = new Set(
  `Namespace Node PersistentVolume StorageClass CustomResourceDefinition PriorityClass IngressClass GatewayClass RuntimeClass APIService
  ValidatingWebhookConfiguration MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding PodSecurityPolicy
  MutatingAdmissionPolicy CertificateSigningRequest VolumeAttachment CSIDriver CSINode FlowSchema PriorityLevelConfiguration ComponentStatus
  SecurityContextConstraints ConstraintTemplate NodePool VolumeSnapshotClass`.split(/\s+/),
);

/** Whether objects of a kind are in no namespace. */
export const isClusterKind = (kind: string): boolean => CLUSTER_KINDS.has(kind) || /^Cluster[A-Z]/.test(kind);

/** `kubernetes_` and the kind in snake case: `kubernetes_cluster_role_binding`, `kubernetes_csi_driver`. */
export function kubernetesType(kind: string): string {
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
