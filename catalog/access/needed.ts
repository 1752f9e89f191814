import { edgeLines } from '../edges.js';
import { facetOf } from '../facets.js';
import { gcpGrantTypes } from './bindings/gcp.js';
import { documentTable } from './documents/table.js';
import { escalations } from './escalations.js';
import { targetsOf } from './targets.js';

/** The prefix of each provider's resource types. */
const PREFIXES: Readonly<Record<string, readonly string[]>> = {
  aws: ['aws_'],
  azure: ['azurerm_', 'azuread_'],
  gcp: ['google_'],
  oci: ['oci_'],
  alicloud: ['alicloud_'],
  ibm: ['ibm_'],
  k8s: ['kubernetes_'],
};

/** What the bindings of these providers are made of beside what the facet of identities holds: what contains, and what is given on. */
const BINDINGS: Readonly<Record<string, readonly string[]>> = {
  azure: [
    'azurerm_role_assignment',
    'azurerm_role_definition',
    'azurerm_deny_assignment',
    'azurerm_management_group',
    'azurerm_management_group_subscription_association',
    'azurerm_resource_group',
    'azuread_user',
    'azuread_group',
    'azuread_group_member',
    'azuread_service_principal',
  ],
  gcp: ['google_project', 'google_folder', 'google_iam_deny_policy'],
  oci: ['oci_identity_compartment'],
  ibm: ['ibm_resource_group', 'ibm_iam_service_id'],
  k8s: [],
};

/** Views of the inventory whose resources policies are about. */
const ABOUT = ['identity', 'data_store', 'database', 'key', 'cluster', 'model'];

/** The resource types that answers about a provider's access are made of. */
export function accessTypes(provider: string): string[] {
  const prefixes = PREFIXES[provider] ?? [];
  const own = (type: string) => prefixes.some((prefix) => type.startsWith(prefix));
  const types = new Set<string>();
  for (const name of ABOUT) for (const type of facetOf(name).types) if (own(type)) types.add(type);
  for (const { kind, type } of edgeLines()) if (own(type) && kind === 'runs_as') types.add(type);
  for (const type of BINDINGS[provider] ?? []) types.add(type);
  for (const type of targetsOf(provider).keys()) types.add(type);
  for (const { wins } of escalations().get(provider) ?? []) for (const type of wins) types.add(type);
  if (provider === 'gcp') for (const type of gcpGrantTypes()) types.add(type);
  if (provider === 'aws' || provider === 'alicloud') {
    const table = documentTable(provider);
    for (const part of table.parts) for (const type of part.type) types.add(type);
    for (const type of Object.keys(table.names)) types.add(type);
  }
  return [...types].sort();
}
