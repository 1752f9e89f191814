import { text } from '../../cel/read.js';
import type { InventoryResource } from '../../resource.js';
import type { DocumentTable } from './table.js';

/** The account of a resource: its own, or the one that its name tells. */
export const accountOf = (table: DocumentTable, asset: Pick<InventoryResource, 'resource_uid' | 'account_id' | 'configuration'>) =>
  asset.account_id ?? accountIn(table, text(asset.configuration['arn']) ?? asset.resource_uid);

/** The account that a name tells; undefined where it tells none. */
export const accountIn = (table: DocumentTable, name: string): string | undefined =>
  /^\d{6,20}$/.test(name) ? name : table.account.exec(name)?.[1];

/** The names by which policies mean a resource: its ARN as the provider tells it, or as it is built, and its uid for references. */
export function namesInPolicies(table: DocumentTable, asset: Omit<InventoryResource, 'provider'>): string[] {
  const { configuration, resource_type, resource_uid } = asset;
  const arn = text(configuration['arn']) || built(asset, table.names[resource_type]);
  return arn === undefined ? [resource_uid] : [...new Set([resource_uid, arn])];
}

function built(
  { configuration, account_id }: Pick<InventoryResource, 'configuration' | 'account_id'>,
  template: string | undefined,
): string | undefined {
  if (template === undefined) return undefined;
  let whole = true;
  const name = template.replaceAll(/\{([^}]+)\}/g, (_, said: string) => {
    if (said === 'account') {
      whole &&= account_id !== undefined;
      return account_id ?? '*';
    }
    const [attributes = '', absent] = said.split('=');
    const value =
      attributes
        .split('|')
        .map((attribute) => text(configuration[attribute]))
        .find(Boolean) ?? absent;
    if (value === undefined) whole = false;
    return value ?? '*';
  });
  return whole || account_id === undefined ? name : undefined;
}
