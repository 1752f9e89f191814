import { CODE_TYPES } from '../resource-name.js';
import type { ExpandedRule } from '../types.js';
import { resourceText } from './hcl-text.js';

/** What fails a rule and what passes it, as Terraform's configuration; or why there is no such pair. */
export type Change = { before: string; after: string } | { unchanged: string };

/** The pair of a rule's samples as source text. */
export function changeOf({ resource_types: [type = ''], samples }: ExpandedRule): Change {
  if (Object.hasOwn(CODE_TYPES, type)) return { unchanged: `A ${CODE_TYPES[type]} is no resource of Terraform: its file is changed.` };
  return { before: sampleText(type, samples.fail), after: sampleText(type, samples.pass) };
}

interface Companion {
  type: string;
  config: Record<string, unknown>;
}

function sampleText(type: string, { $companions = [], ...configuration }: Readonly<Record<string, unknown>>): string {
  const companions = $companions as Companion[];
  return [resourceText(type, configuration), ...companions.map((companion) => resourceText(companion.type, companion.config))].join('\n\n');
}
