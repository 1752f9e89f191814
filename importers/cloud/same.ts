import { isItem, type Item } from './item.js';

const plain = (name: string): string => name.replaceAll(/[_-]/g, '').toLowerCase();

const indexes = new WeakMap<Item, ReadonlyMap<string, unknown>>();

/** The members of an object by their names without regard to case and underscores; those of its `properties` stand beside them. */
function indexOf(item: Item): ReadonlyMap<string, unknown> {
  let index = indexes.get(item);
  if (index === undefined) {
    const made = new Map<string, unknown>();
    const { properties } = item;
    for (const source of [item, isItem(properties) ? properties : {}])
      for (const [name, value] of Object.entries(source))
        if (!made.has(plain(name)) || made.get(plain(name)) === null) made.set(plain(name), value);
    indexes.set(item, (index = made));
  }
  return index;
}

const ON = /^(?:enabled|true|on|yes|enable)$/i;
const OFF = /^(?:disabled|false|off|no|disable|securedbyperimeter)$/i;

function switchOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (isItem(value)) return switchOf(indexOf(value).get('enabled') ?? indexOf(value).get('state'));
  return typeof value !== 'string' ? undefined : ON.test(value) ? true : OFF.test(value) ? false : undefined;
}

/**
 * What an interface says of an attribute that it has under the same name, in its own spelling (`backupRetentionDays` of `backup_retention_days`). A switch
 * (`…_enabled`) may have the name of what is switched, or be told by `enable…`, or the other way round by `disable…`.
 */
export function sameAt(item: Item, name: string): unknown {
  const index = indexOf(item);
  const key = plain(name);
  const own = index.get(key);
  if ((own !== undefined && own !== null) || !/_enabled$/.test(name)) return own ?? undefined;
  const base = key.slice(0, -'enabled'.length);
  for (const said of [base, `enable${base}`, `is${base}enabled`, `${base}enable`]) {
    const value = switchOf(index.get(said));
    if (value !== undefined) return value;
  }
  for (const said of [`disable${base}`, `${base}disabled`, `is${base}disabled`]) {
    const value = switchOf(index.get(said));
    if (value !== undefined) return !value;
  }
  return undefined;
}
