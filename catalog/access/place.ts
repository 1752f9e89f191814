import { block, text } from '../cel/read.js';
import type { InventoryResource } from '../resource.js';
import { documentTable } from './documents/table.js';
import { accountOf, namesInPolicies } from './documents/names.js';
import { overlap } from './pattern.js';

/** What the resources of a rule are in the inventory: some that it names, or all of a part of it. */
export type Place =
  | { readonly named: readonly string[] }
  | {
      /** Accounts, resource groups, compartments, namespaces in which they lie. */
      readonly within: readonly string[];
      /** Names that they have; null for any. */
      readonly pattern: string | null;
      /** Whether it is all of an account, subscription, project, cluster or tenancy. */
      readonly whole: boolean;
    };

/** Resources that a broad grant is about, and that no edge names. */
export interface Scope {
  readonly provider: string;
  /** Accounts, resource groups, compartments, namespaces in which they lie. */
  readonly within: readonly string[];
  /** Their resource types; `*` for any. */
  readonly resource_types: readonly string[];
  /** Names that they have; null for any. */
  readonly pattern: string | null;
  /** Names and places that are left out. */
  readonly except: readonly string[];
}

/** What tells where a resource lies and how rules name it. */
export type Located = Pick<InventoryResource, 'resource_uid' | 'resource_type' | 'provider' | 'configuration' | 'account_id'>;

/** The accounts, resource groups, compartments and namespaces in which a resource lies. */
export function containersOf({ provider, account_id, configuration }: Located): string[] {
  const account = account_id ?? '';
  switch (provider) {
    case 'azure': {
      const group = text(configuration['resource_group_name']) ?? /\/resourcegroups\/([^/]+)/i.exec(text(configuration['id']) ?? '')?.[1];
      return group === undefined ? [account] : [account, `${account}/${group.toLowerCase()}`];
    }
    case 'gcp':
      return [text(configuration['project']) ?? account];
    case 'oci':
      return [account, ...(typeof configuration['compartment_id'] === 'string' ? [`${account}/${configuration['compartment_id']}`] : [])];
    case 'ibm': {
      const group = text(configuration['resource_group_id']) ?? text(configuration['resource_group']);
      return group === undefined ? [account] : [account, `${account}/${group}`];
    }
    case 'k8s':
      return [account, `${account}/${text(block(configuration['metadata'])?.['namespace']) ?? 'default'}`];
    default:
      return [account];
  }
}

/** The account that a resource is in; empty where nothing tells. */
export const accountOfResource = (asset: Located): string =>
  (namesArns(asset.provider) ? accountOf(documentTable(asset.provider), asset) : containersOf(asset)[0]) ?? '';

/** Whether policies of the provider name resources by names that hold the account. */
const namesArns = (provider: string): boolean => provider === 'aws' || provider === 'alicloud';

/** The names by which scopes mean a resource. */
export function namesInScopes(asset: Located): string[] {
  const { provider, resource_uid, configuration } = asset;
  if (namesArns(provider)) return namesInPolicies(documentTable(provider), asset);
  const id = text(configuration['id']) ?? text(configuration['crn']);
  const own = provider === 'azure' ? id?.toLowerCase() : id;
  return own === undefined || own === resource_uid ? [resource_uid] : [resource_uid, own];
}

/** Whether a resource is one of those that a scope is about. */
export const covers = (scope: Scope, asset: Located): boolean =>
  coversLocated(scope, { ...asset, containers: containersOf(asset), names: namesInScopes(asset) });

/** Whether a scope is about a resource of which is told where it lies and how scopes mean it. */
export function coversLocated(
  scope: Scope,
  { provider, resource_type, containers, names }: Pick<Located, 'provider' | 'resource_type'> & Record<'containers' | 'names', readonly string[]>,
): boolean {
  if (scope.provider !== provider) return false;
  if (!scope.resource_types.includes('*') && !scope.resource_types.includes(resource_type)) return false;
  if (!scope.within.some((one) => containers.includes(one))) return false;
  const isNamed = (pattern: string) => names.some((name) => overlap(pattern, name) || overlap(pattern, `${name}/*`));
  if (scope.pattern !== null && !isNamed(scope.pattern)) return false;
  return !scope.except.some((out) => containers.includes(out) || names.some((name) => coversAll(out, name)));
}

/** Whether a pattern that is left out holds all of a resource: it, or what lies in it. */
const coversAll = (out: string, name: string): boolean => {
  const wide = out.replace(/\/\*$/, '');
  return wide === out ? out === name || (out.includes('*') && overlap(out, name)) : overlap(wide, name);
};
