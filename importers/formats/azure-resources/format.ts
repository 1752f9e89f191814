import { azureAssets } from '../../cloud/azure.js';
import { readRecords } from '../../cloud/records.js';
import { readTopLevel } from '../../readers/json/top-level.js';
import type { ReportFormat } from '../../types.js';

const FORMAT = 'azure_resources';
/** The lists of the resource manager, and of the resource graph. */
const LISTS = ['value', 'data'];
/** What Defender for Cloud says of resources is no resource. */
const FINDING = /\/providers\/microsoft\.security\/(?:assessments|locations\/[^/]+\/alerts)\//i;

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
    return LISTS.some((list) => {
      const text = top.get(list) ?? '';
      const id = /^\[\s*\{/.test(text) ? /"id"\s*:\s*"(\/(?:subscriptions|providers)\/[^"]*)"/i.exec(text)?.[1] : undefined;
      return id !== undefined && !FINDING.test(id);
    });
  },
  read: (source, options) =>
    readRecords(
      source,
      LISTS.map((list) => `${list}[*]`),
      (resource, at) => azureAssets(resource, at, FORMAT, options),
    ),
};
