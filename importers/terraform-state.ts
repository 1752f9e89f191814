import { readHead } from './source.js';
import { terraformAsset } from './terraform-asset.js';
import { TerraformEdges } from './terraform-edges.js';
import { isShownState, readTopLevel } from './terraform-head.js';
import { markedPaths } from './terraform-marks.js';
import { readModules } from './terraform-modules.js';
import { NotOfFormat, type ImportItem, type ImportOptions, type Importer, type ReportSource } from './types.js';

const FORMAT = 'terraform_state';

/**
 * `terraform show -json` of a state: the managed resources of all modules, with edges `depends_on`. Data sources are records without
 * an asset. One resource is in memory at a time, beside the addresses for edges.
 */
export const terraformState: Importer = {
  format: FORMAT,
  title: 'Terraform state (terraform show -json)',
  engines: ['di', 'check', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec'],
  detection: 'A JSON object with `format_version`, `terraform_version` and `values`, and nothing of a plan.',
  detect: (head) => isShownState(readTopLevel(head)),
  read: readState,
};

async function* readState(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  const edges = new TerraformEdges();
  const cut: ImportItem[] = [];
  let records = 0;
  for await (const item of readModules(source, 'values.root_module')) {
    if (item.kind === 'truncated') {
      cut.push(item);
      continue;
    }
    records++;
    if (item.kind === 'broken') {
      yield { kind: 'broken', position: item.position, reason: item.reason };
      continue;
    }
    yield { kind: 'record' };
    const {
      address,
      type,
      name,
      mode,
      values,
      provider_name: provider,
      sensitive_values: sensitive,
      depends_on: dependsOn,
    } = item.resource;
    if (mode !== 'managed') continue;
    const terraformProvider = typeof provider === 'string' ? provider : undefined;
    const instance = {
      address,
      type,
      name,
      values,
      unknown: [],
      sensitive: markedPaths(sensitive),
      position: item.position,
      terraformProvider,
    };
    const asset = terraformAsset(instance, FORMAT, options);
    if (asset === undefined) continue;
    yield { kind: 'asset', asset };
    const names = Array.isArray(dependsOn) ? dependsOn.filter((name): name is string => typeof name === 'string') : [];
    edges.add(address, asset.resource_uid, names, 'depends_on');
  }
  if (records === 0) {
    const top = readTopLevel(await readHead(source));
    // The state of nothing at all has no values.
    if (!isShownState(top) && !(top.has('format_version') && top.size <= 2))
      throw new NotOfFormat('expected a Terraform state with values.root_module, found none');
  }
  for (const edge of edges.edges()) yield { kind: 'edge', edge };
  yield* cut;
}
