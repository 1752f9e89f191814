import { readJson } from '../../readers/json/records.js';
import { faultOfValue } from '../../readers/limits.js';
import { readHead } from '../../readers/source.js';
import { inModule, interpolatedReferences } from '../../terraform/address.js';
import { readTopLevel } from '../../readers/json/top-level.js';
import { rawStateVersion } from '../../terraform/recognize.js';
import { importInstances, type InstanceItem } from '../../terraform/import.js';
import { attributePaths } from '../../terraform/marks.js';
import { isObject } from '../../terraform/modules.js';
import { NotOfFormat, type ImportItem, type ImportOptions, type ReportFormat, type ReportSource } from '../../types.js';

const FORMAT = 'tfstate';
const VERSION = 4;
/** A resource holds all its instances, each of which is a record. */
const RESOURCE_LIMITS = { maxRecordBytes: 16 * 1024 ** 2, maxTextBytes: 16 * 1024 ** 2 };

/**
 * A raw Terraform state file, version 4 (`terraform state pull`, `terraform.tfstate`): each instance of each managed resource, with
 * edges of what it depends on. Data sources and deposed objects are records without an asset. One resource is in memory at a time, beside the
 * addresses for edges.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: 'Terraform state file (version 4)',
  engines: ['di', 'check', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec'],
  inventory: true,
  detection: 'A JSON object with a number `version` beside `serial`, `lineage`, `terraform_version`, or `resources`.',
  produce: 'terraform state pull > terraform.tfstate',
  detect: (head) => rawStateVersion(readTopLevel(head)) !== undefined,
  read: readRawState,
};

async function* readRawState(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  await assertVersion(source);
  yield* importInstances({ format: FORMAT, estate: await estateOf(source, options), read: () => readInstances(source) }, options);
}

/** A state is told from all others by its lineage, which Terraform never changes; where it has none, by the artifact that the caller names. */
async function estateOf(source: ReportSource, { account_id = '', artifact }: ImportOptions): Promise<string | undefined> {
  const lineage = /^"([^"\\]{1,200})"/.exec(readTopLevel(await readHead(source)).get('lineage') ?? '')?.[1];
  if (lineage) return `terraform:${lineage}`;
  return artifact === undefined ? undefined : `terraform:${account_id}/${artifact}`;
}

async function* readInstances(source: ReportSource): AsyncGenerator<InstanceItem> {
  for await (const item of readJson(source, ['resources[*]'], RESOURCE_LIMITS)) {
    if (item.kind === 'value') yield* resourceItems(item.value, item.position);
    else if (item.kind !== 'array') yield { kind: item.kind, position: item.position, reason: item.reason };
  }
}

async function assertVersion(source: ReportSource): Promise<void> {
  const version = rawStateVersion(readTopLevel(await readHead(source)));
  if (version === VERSION) return;
  if (version === undefined)
    throw new NotOfFormat('expected a Terraform state file: an object with version 4, serial, lineage and resources');
  throw new NotOfFormat(
    version < VERSION
      ? `the Terraform state file has version ${version}; version 4 is read: open it with Terraform 0.12 or later and save it again`
      : `the Terraform state file has version ${version}; version 4 is read: give the output of terraform show -json instead`,
  );
}

function* resourceItems(value: unknown, position: string): Generator<InstanceItem> {
  if (!isObject(value) || typeof value.type !== 'string' || typeof value.name !== 'string' || !Array.isArray(value.instances)) {
    yield { kind: 'broken', position, reason: 'the resource has no type, name or instances' };
    return;
  }
  const { type, name, mode } = value;
  const module = typeof value.module === 'string' ? value.module : '';
  const declared = inModule(module, `${mode === 'data' ? 'data.' : ''}${type}.${name}`);
  const terraformProvider = typeof value.provider === 'string' ? /\["?([^"\]]+)/.exec(value.provider)?.[1] : undefined;
  for (const [i, instance] of (value.instances as unknown[]).entries()) {
    const at = `${position}.instances[${i}]`;
    const key: unknown = isObject(instance) ? instance.index_key : undefined;
    const address = `${declared}${key === undefined || key === null ? '' : `[${JSON.stringify(key)}]`}`;
    const attributes = isObject(instance) ? (instance.attributes ?? instance.attributes_flat) : undefined;
    const fault = isObject(attributes) ? faultOfValue(instance) : 'has no attributes';
    if (!isObject(instance) || !isObject(attributes) || fault !== null) {
      yield { kind: 'broken', position: `${at} (${address.slice(0, 200)})`, reason: `the instance ${fault}` };
      continue;
    }
    if (mode === 'data' || 'deposed' in instance) {
      yield { kind: 'record' };
      continue;
    }
    const sensitive = attributePaths(instance.sensitive_attributes);
    const dependencies = Array.isArray(instance.dependencies) ? (instance.dependencies as unknown[]) : [];
    const names = dependencies.filter((name): name is string => typeof name === 'string' && !/(?:^|\.)data\./.test(name));
    yield {
      kind: 'instance',
      instance: { address, type, name, values: attributes, unknown: [], sensitive, position: at, terraformProvider },
      references: [...names.map((name) => ({ name })), ...interpolatedReferences(attributes, address)],
    };
  }
}
