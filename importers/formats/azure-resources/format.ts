import { azureAssets } from '../../cloud/azure.js';
import { isItem } from '../../cloud/item.js';
import { once } from '../../cloud/once.js';
import { firstRecord, isArrayReport, readRecords } from '../../cloud/records.js';
import { readTopLevel } from '../../readers/json/top-level.js';
import { readHead } from '../../readers/source.js';
import type { ImportItem, ImportOptions, ReportFormat, ReportSource } from '../../types.js';

const FORMAT = 'azure_resources';
/** The lists of the resource manager, and of the resource graph. */
const LISTS = ['value', 'data'];
/** What Defender for Cloud says of resources is no resource. */
const FINDING = /\/providers\/microsoft\.security\/(?:assessments|locations\/[^/]+\/alerts)\//i;
const ID = /"id"\s*:\s*"(\/(?:subscriptions|providers)\/[^"]*)"/i;

/**
 * Resources of Azure as its Resource Manager answers them, as `az graph query` prints them, or as the command line does (`az vm list`). What no line of
 * `importers/cloud/tables/azure.yaml` knows is a record without an asset.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: 'Resources of Azure (Resource Manager lists, az graph query, az … list)',
  engines: ['di', 'check', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec', 'container-security', 'ai-security'],
  inventory: true,
  detection:
    'A JSON object whose `value` or `data` is a list of objects with an `id` below `/subscriptions/` or `/providers/`, a list of such objects, or one of them with its `type`.',
  produce: "az graph query --graph-query 'resources' > report.json",
  detect: (head) => {
    const top = readTopLevel(head);
    const isResource = (id: string | undefined): boolean => id !== undefined && !FINDING.test(id);
    if (LISTS.some((list) => /^\[\s*\{/.test(top.get(list) ?? '') && isResource(ID.exec(top.get(list)!)?.[1]))) return true;
    const first = firstRecord(head);
    const [id, type] = [first.get('id') ?? '', first.get('type') ?? ''];
    return /^"\/(?:subscriptions|providers)\//i.test(id) && /^"Microsoft\.\w+\//i.test(type) && isResource(id);
  },
  read: readResources,
};

async function* readResources(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  const head = await readHead(source);
  const top = readTopLevel(head);
  const isList = LISTS.some((list) => top.get(list)?.startsWith('[') === true);
  const paths = isArrayReport(head) ? ['$[*]'] : isList ? LISTS.map((list) => `${list}[*]`) : ['$'];
  yield* once(
    // a row of a query may hold the resource in a column
    readRecords(source, paths, (row, at) => azureAssets(isItem(row['resource']) ? row['resource'] : row, at, FORMAT, options)),
  );
}
