import { resourcesOf, thingOf } from '../../cloud/map.js';
import { assetsOf } from '../../cloud/read.js';
import { cloudTable } from '../../cloud/table.js';
import { isItem } from '../../cloud/value.js';
import { readJson } from '../../readers/json/records.js';
import { readTopLevel } from '../../readers/json/top-level.js';
import type { ImportItem, ImportOptions, ReportFormat, ReportSource } from '../../types.js';

const FORMAT = 'azure_resources';
/** The lists of the resource manager, and of the resource graph. */
const LISTS = ['value', 'data'];

/**
 * A list of resources as Azure's Resource Manager answers it, or as `az graph query` prints it. What no line of
 * `importers/cloud/tables/azure.yaml` knows is a record without an asset. One entry is in memory at a time.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: 'Resources of Azure (Resource Manager lists, az graph query)',
  engines: ['di', 'check', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec', 'container-security'],
  detection: 'A JSON object whose `value` or `data` is a list of objects with an `id` below `/subscriptions/` or `/providers/`.',
  detect: (head) => {
    const top = readTopLevel(head);
    return LISTS.some(
      (list) => /^\[\s*\{/.test(top.get(list) ?? '') && /"id"\s*:\s*"\/(?:subscriptions|providers)\//i.test(top.get(list)!),
    );
  },
  read: readResources,
};

async function* readResources(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  const cut: ImportItem[] = [];
  for await (const item of readJson(
    source,
    LISTS.map((list) => `${list}[*]`),
  )) {
    if (item.kind === 'truncated') cut.push({ kind: 'truncated', position: item.position, reason: item.reason });
    else if (item.kind === 'broken') yield { kind: 'broken', position: item.position, reason: item.reason };
    else if (item.kind === 'value') yield* itemsOf(item.value, item.position, options);
  }
  yield* cut;
}

function* itemsOf(value: unknown, position: string, options: ImportOptions): Generator<ImportItem> {
  if (!isItem(value) || typeof value['id'] !== 'string') {
    yield { kind: 'broken', position, reason: 'the resource has no id' };
    return;
  }
  yield { kind: 'record' };
  const thing = thingOf('azure', typeof value['type'] === 'string' ? value['type'] : typeOf(value['id']));
  if (thing === undefined || !isItem(value['properties'])) return;
  const account = /^\/subscriptions\/([^/]+)/i.exec(value['id'])?.[1] ?? options.account_id;
  const instances = resourcesOf(cloudTable('azure'), thing, value, { account, region: options.region }, position);
  yield* assetsOf(instances, FORMAT, { ...options, ...(account === undefined ? {} : { account_id: account }) });
}

/** The type that an identifier names: `Microsoft.Network/virtualNetworks` of `…/providers/Microsoft.Network/virtualNetworks/hub`. */
function typeOf(id: string): string {
  const [provider = '', ...steps] = (id.split(/\/providers\//i).at(-1) ?? '').split('/');
  return [provider, ...steps.filter((_, n) => n % 2 === 0)].join('/');
}
