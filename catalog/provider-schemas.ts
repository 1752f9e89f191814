import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePath } from './attribute-path.js';
import { MANIFEST_TYPES } from './manifest-types.js';
import { CODE_TYPES } from './resource-name.js';
import type { Rule } from './types.js';

/** Kinds that only manifests have, types that a provider has renamed, and source code. */
const UNLISTED = new Set([...MANIFEST_TYPES, ...Object.keys(CODE_TYPES)]);

/** The attribute paths of resource types, to hold the catalog's paths against. */
export interface ProviderSchemas {
  /** What is wrong with the path of a rule: no such type, no such attribute. */
  faults(rule: Rule): string[];
}

/**
 * Types that are in none of the large schemas, from the root of the project, with the attributes that rules may name: those of Terraform's provider for Microsoft
 * Entra (version 3 of its documentation), some of the preview provider of Google, and the settings of a directory that Microsoft Graph alone has (`of`), by the names that `importers/cloud/tables/entra.yaml`
 * gives them.
 */
export const MORE_TYPES = 'catalog/provider-types';

/** Reads `<folder>/<provider>.jsonl`, a line a type: `{type, attrs: [{p: path, t: type}]}`; a data source of the same name adds its attributes. */
export function readProviderSchemas(...folders: readonly string[]): ProviderSchemas {
  const types = new Map<string, Map<string, string>>();
  for (const folder of folders.filter((one) => existsSync(one))) {
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
      for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
        if (line === '') continue;
        const { type, attrs } = JSON.parse(line) as { type: string; attrs: { p: string; t: string }[] };
        // a data source of the same name stands beside the resource
        const paths = types.get(type) ?? new Map<string, string>();
        types.set(type, paths);
        for (const { p, t } of attrs) paths.set(p, t);
      }
    }
  }
  return {
    faults(rule) {
      return rule.resource_types.flatMap((type) => {
        if (UNLISTED.has(type)) return [];
        const paths = types.get(type);
        // a rule may also go by names that the provider has given up since, or that the schema's source spells otherwise
        if (paths === undefined && rule.resource_types.some((other) => types.has(other))) return [];
        if (paths === undefined) return [`${rule.rule_id}: there is no type ${type} in the provider's schema`];
        if (rule.path === undefined) return [];
        const steps = parsePath(rule.path);
        const path = rule.path.replace(/\[\]$/, '');
        const found = paths.get(path) ?? paths.get(rule.path);
        if (found === undefined && ![...paths.keys()].some((known) => known.startsWith(`${path}[]`) || known.startsWith(`${path}.`)))
          return [`${rule.rule_id}: ${type} has no attribute ${rule.path}`];
        const isList = found !== undefined && /^(?:string|number|boolean)\[\]$|^(?:List|Set)$/.test(found);
        if (isList && !steps.at(-1)!.list && / in \[|matches\(|is_true|is_false|number\(/.test(rule.expression))
          return [`${rule.rule_id}: ${rule.path} is a list of values (${found}): write ${rule.path}[]`];
        return [];
      });
    },
  };
}
