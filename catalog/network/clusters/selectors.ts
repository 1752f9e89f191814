import { block, blocks, items, text, type Plain } from '../../cel/read.js';
import type { Maybe } from '../types.js';

/** Labels of what is selected; null where the inventory does not show them all. */
export interface Labels {
  readonly known: Plain;
  readonly isWhole: boolean;
}

type Ask = (labels: Labels) => Maybe;

/** Asks a selector (`match_labels`, `match_expressions`; Kubernetes, "Labels and Selectors") of labels. An empty one selects all. */
export function readSelector(selector: Plain): Ask {
  const wanted = Object.entries(block(selector['match_labels']) ?? {}).map(([key, value]) => asking(key, 'In', [text(value)]));
  const expressions = blocks(selector['match_expressions']).map(({ key, operator, values }) =>
    asking(text(key) ?? '', text(operator) ?? '', items(values)),
  );
  const asks = [...wanted, ...expressions];
  return (labels) => {
    let answer: Maybe = true;
    for (const ask of asks) {
      const one = ask(labels);
      if (one === false) return false;
      if (one === undefined) answer = undefined;
    }
    return answer;
  };
}

function asking(key: string, operator: string, values: readonly (string | undefined)[]): Ask {
  return ({ known, isWhole }) => {
    const held = Object.hasOwn(known, key);
    if (!held && !isWhole) return undefined;
    const listed = held && values.includes(text(known[key]));
    if (operator === 'In') return listed;
    if (operator === 'NotIn') return !listed;
    if (operator === 'Exists') return held;
    return operator === 'DoesNotExist' ? !held : undefined;
  };
}

/** A selector in a line, for people; the same for the same. */
export function selectorText(selector: Plain): string {
  const labels = Object.entries(block(selector['match_labels']) ?? {}).map(([key, value]) => `${key}=${String(value)}`);
  const expressions = blocks(selector['match_expressions']).map(({ key, operator, values }) =>
    `${String(key)} ${String(operator)} ${items(values).join(' ')}`.trim(),
  );
  const all = [...labels, ...expressions].sort();
  return all.length === 0 ? 'all' : all.join(', ');
}
