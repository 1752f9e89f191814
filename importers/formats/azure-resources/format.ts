import { azureAssets } from '../../cloud/azure.js';
import { readRecords } from '../../cloud/records.js';
import { readTopLevel } from '../../readers/json/top-level.js';
import type { ReportFormat } from '../../types.js';

const FORMAT = 'azure_resources';
/** The lists of the resource manager, and of the resource graph. */
const LISTS = ['value', 'data'];

/**
 * A list of resources as Azure's Resource Manager answers it, or as `az graph query` prints it. What no line of
 * `importers/cloud/tables/azure.yaml` knows is a record without an asset.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: 'Resources of Azure (Resource Manager lists, az graph query)',
  engines: ['di', 'check', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec', 'container-security'],
  detection: 'A JSON object whose `value` or `data` is a list of objects with an `id` below `/subscriptions/` or `/providers/`.',
  produce: "az graph query --graph-query 'resources' > report.json",
  detect: (head) => {
    const top = readTopLevel(head);
    return LISTS.some(
      (list) => /^\[\s*\{/.test(top.get(list) ?? '') && /"id"\s*:\s*"\/(?:subscriptions|providers)\//i.test(top.get(list)!),
    );
  },
  read: (source, options) =>
    readRecords(
      source,
      LISTS.map((list) => `${list}[*]`),
      (resource, at) => azureAssets(resource, at, FORMAT, options),
    ),
};
