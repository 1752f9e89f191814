import { plainText } from '../../readers/json/fields.js';
import { resourcesOf, thingOf } from '../../cloud/map.js';
import { assetsOf } from '../../cloud/read.js';
import { cloudTable } from '../../cloud/table.js';
import { once } from '../../cloud/once.js';
import { isItem } from '../../cloud/item.js';
import { readJson } from '../../readers/json/records.js';
import { readTopLevel } from '../../readers/json/top-level.js';
import type { ImportItem, ImportOptions, ReportFormat, ReportSource } from '../../types.js';

const FORMAT = 'aws_config';

/**
 * A snapshot or history of AWS Config: configuration items, each the description of a resource by its service. Items of deleted resources, and of
 * types that no line of `importers/cloud/tables/aws.yaml` knows, are records without an asset. One item is in memory at a time.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: 'AWS Config snapshot or history',
  engines: ['di', 'check', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec', 'container-security', 'ai-security'],
  inventory: true,
  detection: 'A JSON object with `configurationItems` and `fileVersion`.',
  produce: 'aws configservice deliver-config-snapshot --delivery-channel-name default',
  detect: (head) => {
    const top = readTopLevel(head);
    return top.has('configurationItems') && (top.has('fileVersion') || top.has('configSnapshotId'));
  },
  read: (source, options) => once(readConfig(source, options)),
};

async function* readConfig(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  const cut: ImportItem[] = [];
  for await (const item of readJson(source, ['configurationItems[*]'])) {
    if (item.kind === 'truncated') cut.push({ kind: 'truncated', position: item.position, reason: item.reason });
    else if (item.kind === 'broken') yield { kind: 'broken', position: item.position, reason: item.reason };
    else if (item.kind === 'value') yield* itemsOf(item.value, item.position, options);
  }
  yield* cut;
}

function* itemsOf(value: unknown, position: string, options: ImportOptions): Generator<ImportItem> {
  if (!isItem(value) || typeof value['resourceType'] !== 'string') {
    yield { kind: 'broken', position, reason: 'the configuration item has no resourceType' };
    return;
  }
  yield { kind: 'record' };
  const { resourceType, configuration, configurationItemStatus, awsAccountId, awsRegion, ARN, tags } = value;
  const described = typeof configuration === 'string' ? parsed(configuration) : configuration;
  const thing = isItem(described) ? thingOf('aws', resourceType, described) : undefined;
  if (thing === undefined || !isItem(described) || /^ResourceDeleted/.test(plainText(configurationItemStatus))) return;
  const account = typeof awsAccountId === 'string' ? awsAccountId : options.account_id;
  const region = typeof awsRegion === 'string' && awsRegion !== 'global' ? awsRegion : options.region;
  const [own, ...more] = resourcesOf(cloudTable('aws'), thing, described, { place: { account, region }, at: position });
  // the item says of every resource what its service may not
  if (own !== undefined) {
    if (typeof ARN === 'string') own.values['arn'] ??= ARN;
    if (isItem(tags) && Object.keys(tags).length > 0) own.values['tags'] ??= tags;
    if (region !== undefined) own.values['region'] ??= region;
  }
  yield* assetsOf(own === undefined ? [] : [own, ...more], FORMAT, {
    ...options,
    ...(account === undefined ? {} : { account_id: account }),
  });
}

/** Some services' descriptions are JSON in a text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
