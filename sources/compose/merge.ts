import { isItem, type Item } from '../../importers/cloud/item.js';
import type { ComposeFile, ComposeFiles } from './files.js';

const MAX_EXTENDS = 20;
/** Lists of which the later one counts. */
const REPLACED = new Set(['command', 'entrypoint', 'test']);
/** What may be written as a list of `NAME=value`, too. */
const PAIRS = new Set(['environment', 'labels', 'annotations', 'sysctls', 'args']);

/** A service with what it extends, in whichever file; why it cannot be told. */
export function extended(name: string, file: ComposeFile, files: ComposeFiles, depth = 0): Item | string {
  const own = file.services[name];
  if (!isItem(own)) return 'it is no map';
  const from = own.extends;
  if (from === undefined) return own;
  const holder = isItem(from) && from.file !== undefined ? files.open(String(from.file), file) : file;
  if (typeof holder === 'string') return `what it extends is not looked into: ${holder}`;
  const parent = isItem(from) ? String(from.service) : String(from);
  if (!isItem(holder.services[parent]) || depth > MAX_EXTENDS) return 'what it extends is not there';
  const whole = extended(parent, holder, files, depth + 1);
  return typeof whole === 'string' ? whole : merged(whole, own, tagsOf(name, file));
}

/** The tags in a service, by the keys that lead to its members. */
type Tags = (path: readonly string[]) => string | undefined;

export const tagsOf =
  (service: string, file: ComposeFile): Tags =>
  (path) =>
    file.tagOf(['services', service, ...path]);

/** Maps are merged, lists joined, of anything else the later one counts; `!reset` takes a member away, `!override` puts its own in the place (Compose specification, "Merge"). */
export function merged(one: Item, other: Item, tagOf: Tags, at: readonly string[] = []): Item {
  const made: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const path = [...at, key];
    const tag = tagOf(path);
    if (tag === '!reset' || tag === '!override') {
      if (tag === '!reset') delete made[key];
      else made[key] = value;
      continue;
    }
    const [before, after] = PAIRS.has(key) ? [mapOf(made[key]), mapOf(value)] : [made[key], value];
    if (isItem(before) && isItem(after)) made[key] = merged(before, after, tagOf, path);
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
