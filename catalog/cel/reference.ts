import { parseHcl } from './hcl.js';

/** What a text of a configuration stands for. */
export type Resolved =
  /** A value that is written out. */
  | { kind: 'value'; value: unknown }
  /** A reference to something that exists: set, its value not known. */
  | { kind: 'set' }
  /** A reference that may be null: neither its value nor whether it is set is known. */
  | { kind: 'open' };

const SET: Resolved = { kind: 'set' };
const OPEN: Resolved = { kind: 'open' };
/** A variable may be null, and so may what a condition or a lookup gives. */
const MAY_BE_NULL = /^(?:var|local|each|count|self|path)\b|\?|\b(?:null|try|lookup|coalesce|one|nonsensitive)\b/;
const ENCODED = /^(?:jsonencode|yamlencode)\(([\s\S]*)\)$/;

/**
 * Reads a text that may hold Terraform references `${...}`.
 * @returns the text itself where it has none, the value of a literal or of `jsonencode(...)`, else how much is known of it
 */
export function resolveText(text: string): Resolved {
  if (!text.includes('${')) return { kind: 'value', value: text };
  // a document that is written out, with references inside it
  if (/^\s*[[{]/.test(text)) return { kind: 'value', value: text };
  const inner = wholeReference(text);
  if (inner === undefined) return SET;
  if (/^(?:true|false)$/i.test(inner)) return { kind: 'value', value: inner.toLowerCase() === 'true' };
  if (/^-?\d+(?:\.\d+)?$/.test(inner)) return { kind: 'value', value: Number(inner) };
  const encoded = ENCODED.exec(inner)?.[1];
  if (encoded !== undefined) {
    const value = parseHcl(encoded);
    return value === undefined ? SET : { kind: 'value', value };
  }
  return MAY_BE_NULL.test(inner) ? OPEN : SET;
}

/** The expression of a text that is one reference and nothing else. */
function wholeReference(text: string): string | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('${') || !trimmed.endsWith('}')) return undefined;
  let depth = 0;
  for (let i = 1; i < trimmed.length; i++) {
    if (trimmed[i] === '{') depth += 1;
    else if (trimmed[i] === '}' && --depth === 0) return i === trimmed.length - 1 ? trimmed.slice(2, -1).trim() : undefined;
  }
  return undefined;
}
