import { isItem, type Item } from '../../importers/cloud/item.js';

/** Lists of which the later one counts. */
const REPLACED = new Set(['command', 'entrypoint', 'test']);
/** What may be written as a list of `NAME=value`, too. */
const PAIRS = new Set(['environment', 'labels', 'annotations', 'sysctls', 'args']);

const RESET = '!reset';
const OVERRIDE = '!override';
/** The tags by which a file says how its values are laid over those of another (Compose specification, "Merge"). */
export const TAGS: readonly string[] = [RESET, OVERRIDE];

/** Whether a file takes away what another says. */
export const isReset = (value: unknown): boolean => isItem(value) && Object.hasOwn(value, RESET);

/** Maps are merged, lists joined, of anything else the later one counts, and so it does where a tag says so. No tag is left of the later one. */
export function merged(one: Item, other: Item): Item {
  const made: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    if (isReset(value)) {
      delete made[key];
      continue;
    }
    if (isItem(value) && Object.hasOwn(value, OVERRIDE)) {
      made[key] = withoutTags(value[OVERRIDE]);
      continue;
    }
    const [before, after] = PAIRS.has(key) ? [mapOf(made[key]), mapOf(value)] : [made[key], value];
    if (isItem(before) && isItem(after)) made[key] = merged(before, after);
    else if (Array.isArray(before) && Array.isArray(after) && !REPLACED.has(key))
      made[key] = [...(before as unknown[]), ...(after as unknown[])];
    else made[key] = withoutTags(after);
  }
  return made;
}

const withoutTags = (value: unknown): unknown => (isItem(value) ? merged({}, value) : value);

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
