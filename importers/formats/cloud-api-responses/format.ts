import { awsAssets } from '../../cloud/aws.js';
import { azureAssets } from '../../cloud/azure.js';
import { answerLists } from '../../cloud/map.js';
import { readRecords } from '../../cloud/records.js';
import { isItem, type Item } from '../../cloud/value.js';
import { readTopLevel } from '../../readers/json/top-level.js';
import type { ImportItem, ImportOptions, ReportFormat } from '../../types.js';

const FORMAT = 'cloud_api_responses';

/**
 * Recorded answers of cloud interfaces, a line each (`{"source": "…", "response": {…}}`): the lists of AWS and of Azure's Resource Manager
 * that `importers/cloud/tables/` knows. Answers of other interfaces are records without an asset.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: 'Recorded answers of cloud interfaces (JSON lines)',
  engines: ['di', 'check', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec', 'container-security'],
  detection: 'JSON lines, each an object with a text `source` and an object `response`.',
  produce: `jq -c '{source: "ec2.json", response: .}' ec2.json > answers.jsonl`,
  detect: (head) => {
    const top = readTopLevel(head);
    return top.get('source')?.startsWith('"') === true && top.get('response')?.startsWith('{') === true;
  },
  read: (source, options) => {
    // several answers tell the same thing
    const told = new Set<string>();
    return readRecords(source, ['$'], function* (record, at) {
      for (const item of answerOf(record['response'], `${at}.response`, options)) {
        if (item.kind !== 'asset' || !told.has(item.asset.resource_uid)) yield item;
        if (item.kind === 'asset') told.add(item.asset.resource_uid);
      }
    });
  },
};

function* answerOf(answer: unknown, at: string, options: ImportOptions): Generator<ImportItem> {
  if (!isItem(answer)) return;
  for (const [n, resource] of entries(answer['value'])) yield* azureAssets(resource, `${at}.value[${n}]`, FORMAT, options);
  for (const list of answerLists())
    for (const [n, entry] of entries(answer[list])) yield* awsAssets(list, entry, `${at}.${list}[${n}]`, FORMAT, options);
}

function* entries(list: unknown): Generator<[number, Item]> {
  if (Array.isArray(list)) for (const [n, entry] of (list as unknown[]).entries()) if (isItem(entry)) yield [n, entry];
}
