import { readJson } from '../../readers/json/records.js';
import { timeAt } from '../../normalize/report-time.js';
import { readHead } from '../../readers/source.js';
import { declaredAddress, interpolatedReferences } from '../../terraform/address.js';
import type { TerraformInstance } from '../../terraform/asset.js';
import { TerraformConfiguration } from './configuration.js';
import { readTopLevel } from '../../readers/json/top-level.js';
import { isPlan } from '../../terraform/recognize.js';
import { importInstances, type InstanceItem } from '../../terraform/import.js';
import { markedPaths, resolveUnknown } from '../../terraform/marks.js';
import { isObject, positionOf, readModules, resourceFault } from '../../terraform/modules.js';
import type { ShownResource } from '../../terraform/modules.js';
import { NotOfFormat, type ImportItem, type ImportOptions, type ReportFormat, type ReportSource } from '../../types.js';

const FORMAT = 'terraform_plan';
/** The configuration is no record: it is as large as the source code. */
const CONFIGURATION_LIMITS = { maxRecordBytes: 128 * 1024 ** 2, maxTextBytes: 128 * 1024 ** 2 };

/**
 * `terraform show -json` of a plan. Assets are the resources as they will be: those of `resource_changes` that are not deleted, or of
 * `planned_values` where a plan has no changes. Data sources are records without an asset. Edges come from the
 * configuration and from `${...}` left in values. The report is read four times, one resource in memory at a time, beside its
 * configuration and the addresses for edges.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: 'Terraform plan (terraform show -json)',
  engines: ['di', 'check', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec'],
  inventory: true,
  detection: 'A JSON object with `planned_values` or `resource_changes` beside `format_version`, `terraform_version` or `configuration`.',
  produce: 'terraform plan -out plan.bin && terraform show -json plan.bin > plan.json',
  detect: (head) => isPlan(readTopLevel(head)),
  observedAt: timeAt('timestamp'),
  read: readPlan,
};

async function* readPlan(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  const configuration = await readConfiguration(source);
  const changes = (): AsyncIterable<InstanceItem> => readChanges(source, configuration);
  const planned = (): AsyncIterable<InstanceItem> => readPlanned(source, configuration);
  const read = (await holdsRecords(changes())) ? changes : planned;
  if (read === planned && !isPlan(readTopLevel(await readHead(source))) && !(await holdsRecords(planned()))) {
    throw new NotOfFormat('expected a Terraform plan with resource_changes or planned_values, found neither');
  }
  yield* importInstances({ format: FORMAT, read }, options);
}

async function holdsRecords(items: AsyncIterable<InstanceItem>): Promise<boolean> {
  for await (const item of items) if (item.kind !== 'truncated') return true;
  return false;
}

async function readConfiguration(source: ReportSource): Promise<TerraformConfiguration> {
  for await (const item of readJson(source, ['configuration'], CONFIGURATION_LIMITS)) {
    if (item.kind === 'value') return new TerraformConfiguration(item.value);
  }
  return new TerraformConfiguration(undefined);
}

async function* readChanges(source: ReportSource, configuration: TerraformConfiguration): AsyncGenerator<InstanceItem> {
  for await (const item of readJson(source, ['resource_changes[*]'])) {
    if (item.kind === 'value') yield changeItem(item.value, item.position, configuration);
    else if (item.kind !== 'array') yield { kind: item.kind, position: item.position, reason: item.reason };
  }
}

function changeItem(value: unknown, position: string, configuration: TerraformConfiguration): InstanceItem {
  const change = isObject(value) && isObject(value.change) ? value.change : undefined;
  const fault = resourceFault(value) ?? (Array.isArray(change?.actions) ? undefined : 'the resource has no change');
  if (fault !== undefined || change === undefined) return { kind: 'broken', position: positionOf(position, value), reason: fault ?? '' };
  const resource = value as unknown as ShownResource;
  // What is deleted or forgotten has no state after the plan; a deposed object is on its way out.
  if (resource.mode !== 'managed' || !isObject(change.after) || 'deposed' in resource) return { kind: 'record' };
  // A resource that is not replaced keeps its id, also where the provider does not say so yet.
  const kept = isObject(change.before) && !(change.actions as unknown[]).includes('delete') ? change.before : {};
  const ids = ['id', 'arn'].filter((key) => typeof kept[key] === 'string').map((key) => [key, kept[key]]);
  return planItem({ ...resource, values: { ...Object.fromEntries(ids), ...change.after } }, position, configuration, {
    unknown: markedPaths(change.after_unknown),
    sensitive: markedPaths(change.after_sensitive),
  });
}

async function* readPlanned(source: ReportSource, configuration: TerraformConfiguration): AsyncGenerator<InstanceItem> {
  for await (const item of readModules(source, 'planned_values.root_module')) {
    if (item.kind !== 'resource') yield item;
    else if (item.resource.mode !== 'managed') yield { kind: 'record' };
    else
      yield planItem(item.resource, item.position, configuration, { unknown: [], sensitive: markedPaths(item.resource.sensitive_values) });
  }
}

function planItem(
  resource: ShownResource,
  position: string,
  configuration: TerraformConfiguration,
  marks: Pick<TerraformInstance, 'unknown' | 'sensitive'>,
): InstanceItem {
  const { address, type, name, values, provider_name: provider } = resource;
  const declared = declaredAddress(address);
  const terraformProvider = typeof provider === 'string' ? provider : undefined;
  const { values: known, unknown } = resolveUnknown(values, marks.unknown, (path) => configuration.attributeOf(declared, path));
  const instance = {
    address,
    type,
    name,
    values: known,
    unknown,
    sensitive: marks.sensitive,
    position,
    terraformProvider,
    providerRegion: configuration.regionOf(declared),
  };
  return { kind: 'instance', instance, references: [...configuration.referencesOf(declared), ...interpolatedReferences(values, address)] };
}
