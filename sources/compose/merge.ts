import { isItem, type Item } from '../../importers/cloud/item.js';
import type { ComposeFile, ComposeFiles } from './files.js';

const MAX_EXTENDS = 20;
/** Lists of which the later one counts. */
const REPLACED = new Set(['command', 'entrypoint', 'test']);
/** What may be written as a list of `NAME=value`, too. */
const PAIRS = new Set(['environment', 'labels', 'annotations', 'sysctls', 'args']);

/** A service with what it extends, in whichever file; why it cannot be told. */
export function extended(own: Item, file: ComposeFile, files: ComposeFiles, depth = 0): Item | string {
  const from = own.extends;
  if (from === undefined) return own;
  const holder = isItem(from) && from.file !== undefined ? files.open(String(from.file), file) : file;
  if (typeof holder === 'string') return `what it extends is not looked into: ${holder}`;
  const parent = holder.services[isItem(from) ? String(from.service) : String(from)];
  if (!isItem(parent) || depth > MAX_EXTENDS) return 'what it extends is not there';
  const whole = extended(parent, holder, files, depth + 1);
  return typeof whole === 'string' ? whole : merged(whole, own);
}

/** Maps are merged, lists joined, of anything else the later one counts (Compose specification, "Merge"). */
export function merged(one: Item, other: Item): Item {
  const made: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const [before, after] = PAIRS.has(key) ? [mapOf(made[key]), mapOf(value)] : [made[key], value];
    if (isItem(before) && isItem(after)) made[key] = merged(before, after);
    else if (Array.isArray(before) && Array.isArray(after) && !REPLACED.has(key))
      made[key] = [...(before as unknown[]), ...(after as unknown[])];
    else made[key] = after;
  }
  return made;
}

/** `[A=1, B]` as a map. */
function mapOf(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return Object.fromEntries(
    value.map((entry) => {
      const [name = '', ...rest] = String(entry).split('=');
      return [name, rest.length === 0 ? null : rest.join('=')];
    }),
  );
}
