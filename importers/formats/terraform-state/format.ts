import { readHead } from '../../readers/source.js';
import { readTopLevel } from '../../readers/json/top-level.js';
import { isShownState } from '../../terraform/recognize.js';
import { importInstances, type InstanceItem } from '../../terraform/import.js';
import { markedPaths } from '../../terraform/marks.js';
import { readModules, type ShownResource } from '../../terraform/modules.js';
import { NotOfFormat, type ImportItem, type ImportOptions, type ReportFormat, type ReportSource } from '../../types.js';

const FORMAT = 'terraform_state';

/**
 * `terraform show -json` of a state: the managed resources of all modules, with edges of what they depend on. Data sources are records without
 * an asset. One resource is in memory at a time, beside the addresses for edges.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: 'Terraform state (terraform show -json)',
  engines: ['di', 'check', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec'],
  inventory: true,
  detection: 'A JSON object with `format_version`, `terraform_version` and `values`, and nothing of a plan.',
  produce: 'terraform show -json > state.json',
  detect: (head) => isShownState(readTopLevel(head)),
  read: readState,
};

async function* readState(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  let records = 0;
  for await (const item of importInstances({ format: FORMAT, estate: estateOf(options), read: () => readShown(source) }, options)) {
    if (item.kind !== 'estate') records++;
    yield item;
  }
  const top = records > 0 ? undefined : readTopLevel(await readHead(source));
  // The state of nothing at all has no values.
  if (top !== undefined && !isShownState(top) && !(top.has('format_version') && top.size <= 2)) {
    throw new NotOfFormat('expected a Terraform state with values.root_module, found none');
  }
}

/** A shown state does not say which one it is: the caller's artifact does. */
const estateOf = ({ account_id = '', artifact }: ImportOptions): string | undefined =>
  artifact === undefined ? undefined : `terraform:${account_id}/${artifact}`;

async function* readShown(source: ReportSource): AsyncGenerator<InstanceItem> {
  for await (const item of readModules(source, 'values.root_module')) {
    if (item.kind !== 'resource') yield item;
    else if (item.resource.mode !== 'managed') yield { kind: 'record' };
    else yield shownItem(item.resource, item.position);
  }
}

function shownItem(resource: ShownResource, position: string): InstanceItem {
  const { address, type, name, values, provider_name: provider, depends_on: dependsOn } = resource;
  const terraformProvider = typeof provider === 'string' ? provider : undefined;
  const names = Array.isArray(dependsOn) ? dependsOn.filter((name): name is string => typeof name === 'string') : [];
  const sensitive = markedPaths(resource.sensitive_values);
  return {
    kind: 'instance',
    instance: { address, type, name, values, unknown: [], sensitive, position, terraformProvider },
    references: names.map((name) => ({ name })),
  };
}
