import type { ActorKind, Provider } from '../../schema/model.js';

/** What the inventory calls identities of a provider; the first where nothing else is said. */
const TYPES: Readonly<Record<Provider, Readonly<Partial<Record<ActorKind, string>>>>> = {
  aws: { user: 'aws_iam_user', role: 'aws_iam_role', root: 'aws_account', account: 'aws_account' },
  azure: { user: 'azuread_user', service_account: 'azuread_service_principal' },
  gcp: { user: 'google_user', service_account: 'google_service_account' },
  k8s: { user: 'kubernetes_user', service_account: 'kubernetes_service_account' },
  oci: { user: 'oci_identity_user' },
  alicloud: { user: 'alicloud_ram_user', role: 'alicloud_ram_role' },
  ibm: { user: 'ibm_iam_user', service_account: 'ibm_iam_service_id' },
};

/** The type of resource that an actor is. */
export const actorType = (provider: Provider, kind: ActorKind): string => TYPES[provider][kind] ?? 'cloud_identity';
