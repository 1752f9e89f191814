import type { ImportItem, ImportOptions } from '../types.js';
import { resourcesOf, thingOf } from './map.js';
import { assetsOf } from './read.js';
import { cloudTable } from './table.js';
import type { Item } from './value.js';

/** The assets that a resource of Azure's Resource Manager tells; none where the table does not know it. @param at where it stands in the report */
export function* azureAssets(resource: Item, at: string, format: string, options: ImportOptions): Generator<ImportItem> {
  const { id, type, properties } = resource;
  if (typeof id !== 'string' || typeof properties !== 'object') return;
  const thing = thingOf('azure', typeof type === 'string' ? type : typeOf(id));
  if (thing === undefined) return;
  const account = /^\/subscriptions\/([^/]+)/i.exec(id)?.[1] ?? options.account_id;
  const instances = resourcesOf(cloudTable('azure'), thing, resource, { account, region: options.region }, at);
  yield* assetsOf(instances, format, { ...options, ...(account === undefined ? {} : { account_id: account }) });
}

/** The type that an identifier names: `Microsoft.Network/virtualNetworks` of `…/providers/Microsoft.Network/virtualNetworks/hub`. */
function typeOf(id: string): string {
  const [provider = '', ...steps] = (id.split(/\/providers\//i).at(-1) ?? '').split('/');
  return [provider, ...steps.filter((_, n) => n % 2 === 0)].join('/');
}
