import { CODE_TYPES, TYPES_OF_GRAPH } from '../resource-name.js';
import type { ExpandedRule } from '../types.js';
import { resourceText } from './hcl-text.js';

/** What fails a rule and what passes it, as Terraform's configuration; or why there is no such pair. */
export type Change = { before: string; after: string } | { unchanged: string };

/** How the samples of rules about secrets write one out. */
const LITERAL = /"written-out-value"/g;

/** The pair of a rule's samples as source text. */
export function changeOf({ resource_types: [type = ''], expression, samples }: ExpandedRule): Change {
  if (Object.hasOwn(CODE_TYPES, type)) return { unchanged: `A ${CODE_TYPES[type]} is no resource of Terraform: its file is changed.` };
  if (TYPES_OF_GRAPH.has(type))
    return {
      unchanged: 'Terraform’s provider for Microsoft Entra has no resource for it: it is set in the portal or through Microsoft Graph.',
    };
  const before = sampleText(type, samples.fail);
  // nothing at all passes, too, but shows nobody where the secret goes
  const referred = expression.includes('is_literal(') ? before.replaceAll(LITERAL, 'random_password.this.result') : before;
  return { before, after: referred === before ? sampleText(type, samples.pass) : referred };
}

interface Companion {
  type: string;
  config: Record<string, unknown>;
}

function sampleText(type: string, { $companions = [], ...configuration }: Readonly<Record<string, unknown>>): string {
  const companions = $companions as Companion[];
  return [resourceText(type, configuration), ...companions.map((companion) => resourceText(companion.type, companion.config))].join('\n\n');
}
