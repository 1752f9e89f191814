import { readJson } from './json-records.js';
import { readHead } from './source.js';
import { declaredAddress, interpolatedReferences } from './terraform-address.js';
import { terraformAsset } from './terraform-asset.js';
import type { TerraformInstance } from './terraform-asset.js';
import { TerraformConfiguration } from './terraform-configuration.js';
import { TerraformEdges } from './terraform-edges.js';
import { isPlan, readTopLevel } from './terraform-head.js';
import { markedPaths } from './terraform-marks.js';
import { isObject, positionOf, readModules, resourceFault } from './terraform-modules.js';
import type { ShownResource } from './terraform-modules.js';
import { NotOfFormat, type ImportItem, type ImportOptions, type Importer, type ReportSource } from './types.js';

const FORMAT = 'terraform_plan';
/** The configuration is as large as the source code, not as the inventory. */
const MAX_CONFIGURATION_BYTES = 128 * 1024 ** 2;

interface Context {
  configuration: TerraformConfiguration;
  edges: TerraformEdges;
  options: ImportOptions;
}

/**
 * `terraform show -json` of a plan. Assets are the resources as they will be: those of `resource_changes` that are not deleted, or of
 * `planned_values` where a plan has no changes. Data sources are records without an asset. Edges `references` come from the
 * configuration and from `${...}` left in values. The report is read up to three times, one resource in memory at a time, beside its
 * configuration and the addresses for edges.
 */
export const terraformPlan: Importer = {
  format: FORMAT,
  title: 'Terraform plan (terraform show -json)',
  engines: ['di', 'check', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec'],
  detection: 'A JSON object with `planned_values` or `resource_changes` beside `format_version`, `terraform_version` or `configuration`.',
  detect: (head) => isPlan(readTopLevel(head)),
  read: readPlan,
};

async function* readPlan(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  const context: Context = { configuration: await readConfiguration(source), edges: new TerraformEdges(), options };
  let records = 0;
  const cut: ImportItem[] = [];
  for await (const item of readChanges(source, context)) {
    if (item.kind === 'truncated') cut.push(item);
    else yield item;
    if (item.kind === 'record' || item.kind === 'broken') records++;
  }
  if (records === 0) {
    cut.length = 0;
    for await (const item of readPlanned(source, context)) {
      yield item;
      if (item.kind !== 'asset') records++;
    }
  }
  if (records === 0 && !isPlan(readTopLevel(await readHead(source)))) {
    throw new NotOfFormat('expected a Terraform plan with resource_changes or planned_values, found neither');
  }
  for (const edge of context.edges.edges()) yield { kind: 'edge', edge };
  yield* cut;
}

async function readConfiguration(source: ReportSource): Promise<TerraformConfiguration> {
  for await (const item of readJson(source, ['configuration'], { maxRecordBytes: MAX_CONFIGURATION_BYTES })) {
    if (item.kind === 'value') return new TerraformConfiguration(item.value);
  }
  return new TerraformConfiguration(undefined);
}

async function* readChanges(source: ReportSource, context: Context): AsyncGenerator<ImportItem> {
  for await (const item of readJson(source, ['resource_changes[*]'])) {
    if (item.kind === 'array') continue;
    if (item.kind === 'value') yield* changeItems(item.value, item.position, context);
    else yield { kind: item.kind, position: item.position, reason: item.reason };
  }
}

function* changeItems(value: unknown, position: string, context: Context): Generator<ImportItem> {
  const change = isObject(value) ? value.change : undefined;
  const fault = resourceFault(value) ?? (isObject(change) && Array.isArray(change.actions) ? undefined : 'the resource has no change');
  if (fault !== undefined || !isObject(change)) {
    yield { kind: 'broken', position: positionOf(position, value), reason: fault ?? '' };
    return;
  }
  yield { kind: 'record' };
  const resource = value as unknown as ShownResource;
  // What is deleted or forgotten has no state after the plan; a deposed object is on its way out.
  if (resource.mode !== 'managed' || !isObject(change.after) || 'deposed' in resource) return;
  const actions = change.actions as unknown[];
  const before = isObject(change.before) && !actions.includes('delete') ? change.before : {};
  const { id = before.id, arn = before.arn, ...after } = change.after;
  yield* assetItems(
    {
      ...instanceOf(resource, position, context),
      values: { ...after, ...(id === undefined ? {} : { id }), ...(arn === undefined ? {} : { arn }) },
      unknown: markedPaths(change.after_unknown),
      sensitive: markedPaths(change.after_sensitive),
    },
    context,
  );
}

async function* readPlanned(source: ReportSource, context: Context): AsyncGenerator<ImportItem> {
  for await (const item of readModules(source, 'planned_values.root_module')) {
    if (item.kind !== 'resource') {
      yield item;
      continue;
    }
    yield { kind: 'record' };
    if (item.resource.mode === 'managed') {
      yield* assetItems(
        { ...instanceOf(item.resource, item.position, context), sensitive: markedPaths(item.resource.sensitive_values) },
        context,
      );
    }
  }
}

function instanceOf(resource: ShownResource, position: string, { configuration }: Context): TerraformInstance {
  const { address, type, name, values, provider_name: provider } = resource;
  const providerRegion = configuration.regionOf(declaredAddress(address));
  return {
    address,
    type,
    name,
    values,
    unknown: [],
    sensitive: [],
    position,
    providerRegion,
    ...(typeof provider === 'string' ? { terraformProvider: provider } : {}),
  };
}

function* assetItems(instance: TerraformInstance, { configuration, edges, options }: Context): Generator<ImportItem> {
  const asset = terraformAsset(instance, FORMAT, options);
  if (asset === undefined) return;
  yield { kind: 'asset', asset };
  const names = [...configuration.targetsOf(declaredAddress(instance.address)), ...interpolatedReferences(instance.values)];
  edges.add(instance.address, asset.resource_uid, names, 'references');
}
