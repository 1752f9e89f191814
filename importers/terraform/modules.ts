import { readJson } from '../readers/json/records.js';
import type { ReportSource } from '../types.js';

type Json = Record<string, unknown>;
export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Modules nested deeper than this are not read; Terraform users stay in single figures. */
const MAX_MODULE_DEPTH = 24;

/** A resource of a state representation (Terraform docs, "JSON Output Format"): it has an address and values. */
export interface ShownResource {
  address: string;
  mode: string;
  type: string;
  name: string;
  provider_name?: unknown;
  values: Json;
  sensitive_values?: unknown;
  depends_on?: unknown;
}

export type ModuleItem =
  { kind: 'resource'; resource: ShownResource; position: string } | { kind: 'broken' | 'truncated'; position: string; reason: string };

/** What a broken resource lacks; undefined for a whole one. */
export function resourceFault(value: unknown): string | undefined {
  if (!isObject(value)) return 'the resource is not an object';
  const missing = ['address', 'mode', 'type', 'name'].find((key) => typeof value[key] !== 'string' || value[key] === '');
  return missing === undefined ? undefined : `the resource has no ${missing}`;
}

/** Text for people: which resource a broken record is about, where it says so. */
export function positionOf(position: string, value: unknown): string {
  const address = isObject(value) && typeof value.address === 'string' ? value.address.slice(0, 200) : '';
  return address === '' ? position : `${position} (${address})`;
}

/** The resources of a module and all its child modules, one at a time; `root` is the path of the root module. */
export async function* readModules(source: ReportSource, root: string): AsyncGenerator<ModuleItem> {
  const paths = Array.from({ length: MAX_MODULE_DEPTH }, (_, depth) => `${root}${'.child_modules[*]'.repeat(depth)}.resources[*]`);
  for await (const item of readJson(source, paths)) {
    if (item.kind === 'array') continue;
    if (item.kind !== 'value') yield { kind: item.kind, position: item.position, reason: item.reason };
    else {
      const { value } = item;
      const fault = resourceFault(value) ?? (isObject(value) && !isObject(value.values) ? 'the resource has no values' : undefined);
      if (fault === undefined) yield { kind: 'resource', resource: value as unknown as ShownResource, position: item.position };
      else yield { kind: 'broken', position: positionOf(item.position, value), reason: fault };
    }
  }
}
