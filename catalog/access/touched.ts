import { accessTypes } from './needed.js';
import { accountOfResource, type Located } from './place.js';

/** Resources by which something changes beyond the account that they are in: organizations, and roles and assignments of providers that inherit. */
const BEYOND: Readonly<Record<string, RegExp>> = {
  aws: /^aws_organizations_/,
  azure: /^azuread_|^azurerm_(?:role_|pim_|deny_|management_group|subscription)/,
  gcp: /_iam_|^google_(?:project|folder|organization|cloud_identity_group)/,
};

const types = new Map<string, ReadonlySet<string>>();

/**
 * The accounts whose edges of access may change with a resource: none where no edge is made of it, null for all accounts of its provider.
 * What differs beyond one account is told by the types that reach beyond it.
 */
export function accountsTouchedBy(asset: Located): readonly string[] | null {
  const { provider, resource_type } = asset;
  const known = types.get(provider) ?? new Set(accessTypes(provider));
  types.set(provider, known);
  if (!known.has(resource_type)) return [];
  if (asset.account_id === undefined || BEYOND[provider]?.test(resource_type)) return null;
  return [...new Set([asset.account_id, accountOfResource(asset)])];
}
