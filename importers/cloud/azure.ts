import type { ImportItem, ImportOptions } from '../types.js';
import { isItem, type Item } from './item.js';
import { resourcesOf, thingOf } from './map.js';
import { assetsOf } from './read.js';
import { cloudTable } from './table.js';

/** The assets that a resource of Azure's Resource Manager tells; none where the table does not know it. @param at where it stands in the report */
export function* azureAssets(resource: Item, at: string, format: string, options: ImportOptions): Generator<ImportItem> {
  const { id, type } = resource;
  if (typeof id !== 'string' || !/^\/(?:subscriptions|providers)\//i.test(id)) return;
  const thing = thingOf('azure', typeof type === 'string' ? type : typeOf(id), resource);
  if (thing === undefined) return;
  const account = /^\/subscriptions\/([^/]+)/i.exec(id)?.[1] ?? options.account_id;
  // a list of all resources names them and no more; the command line puts properties beside the name
  const summary = !isItem(resource['properties']) && !Object.keys(resource).some((name) => !COMMON.has(name));
  const instances = resourcesOf(cloudTable('azure'), thing, resource, { place: { account, region: options.region }, at, summary });
  yield* assetsOf(instances, format, { ...options, ...(account === undefined ? {} : { account_id: account }) });
}

/** What every resource has, whatever its kind. */
const COMMON = new Set(
  [
    'id',
    'name',
    'type',
    'location',
    'tags',
    'kind',
    'sku',
    'identity',
    'plan',
    'zones',
    'managedBy',
    'extendedLocation',
    'etag',
    'systemData',
  ].concat([
    'resourceGroup',
    'subscriptionId',
    'tenantId',
    'properties',
    'changedTime',
    'createdTime',
    'provisioningState',
    'subscriptionDisplayName',
  ]),
);

/** The type that an identifier names: `Microsoft.Network/virtualNetworks` of `…/providers/Microsoft.Network/virtualNetworks/hub`. */
function typeOf(id: string): string {
  const [provider = '', ...steps] = (id.split(/\/providers\//i).at(-1) ?? '').split('/');
  return [provider, ...steps.filter((_, n) => n % 2 === 0)].join('/');
}
