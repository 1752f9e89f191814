import type { AssetInput } from '../schema/observations.js';

type Values = Readonly<Record<string, unknown>>;

/** A Terraform plan (`terraform show -json`) that makes these resources. */
export function planOf(assets: readonly AssetInput[]): unknown {
  const resources = assets.map(({ resource_type: type, configuration: values }, i) => ({
    address: `${type}.r${i}`,
    mode: 'managed',
    type,
    name: `r${i}`,
    provider_name: 'registry.terraform.io/example/example',
    values,
  }));
  const changes = resources.map(({ values, ...resource }) => ({
    ...resource,
    change: { actions: ['create'], before: null, after: values },
  }));
  return {
    format_version: '1.2',
    terraform_version: '1.9.0',
    planned_values: { root_module: { resources } },
    resource_changes: changes,
    configuration: { root_module: { resources: [] } },
  };
}

/** Source code that makes these resources, file by file: blocks of one or more stand as blocks, all else as attributes. */
export function sourcesOf(assets: readonly AssetInput[], perFile = 20): string[] {
  const files: string[] = [];
  for (let at = 0; at < assets.length; at += perFile)
    files.push(
      assets
        .slice(at, at + perFile)
        .map(({ resource_type, configuration }, i) => `resource "${resource_type}" "r${at + i}" {\n${bodyOf(configuration, '  ')}}\n`)
        .join('\n'),
    );
  return files;
}

function bodyOf(values: Values, indent: string): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const blocks = [value].flat();
      if (!/^[a-z]\w*$/.test(name) || !blocks.every(isBlock) || blocks.length === 0)
        return `${indent}${name} = ${expressionOf(value, indent)}\n`;
      return blocks.map((block) => `${indent}${name} {\n${bodyOf(block, `${indent}  `)}${indent}}\n`).join('');
    })
    .join('');
}

const isBlock = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).every((key) => /^[a-z]\w*$/.test(key));

/** JSON is an expression of HCL, but for `${`, which stays a reference in it, too. */
const expressionOf = (value: unknown, indent: string): string => JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
