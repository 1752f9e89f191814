import type { Repetition, Scope } from './scope.js';
import type { Block } from './syntax.js';
import { isMap, isUnknown, toText, truthOf, Unknown, type Value } from './value.js';

/** What one block makes at most; more of the same says nothing new. */
const MAX_INSTANCES = 1_000;

const ONCE: Repetition = { instances: [{ index: '' }], isOpen: false, by: 'none' };

/** How often a block with `count` or `for_each` is made. */
export function repetitionOf({ attributes }: Pick<Block, 'attributes'>, scope: Scope): Repetition {
  const count = attributes.get('count');
  const forEach = attributes.get('for_each');
  if (count !== undefined) return counted(scope.evaluate(count, scope));
  return forEach === undefined ? ONCE : keyed(scope.evaluate(forEach, scope));
}

function counted(value: Value): Repetition {
  const truth = truthOf(value);
  const times = truth === undefined ? Number(isUnknown(value) || value === null ? Number.NaN : toText(value)) : Number(truth);
  if (!Number.isInteger(times) || times < 0)
    return { instances: [{ index: '', count: Unknown.of('count.index') }], isOpen: true, by: 'number' };
  const instances = Array.from({ length: Math.min(times, MAX_INSTANCES) }, (_, n) => ({ index: `[${n}]`, count: n }));
  return { instances, isOpen: false, by: 'number' };
}

function keyed(value: Value): Repetition {
  const entries: [Value, Value][] | undefined = Array.isArray(value)
    ? value.map((item) => [item, item])
    : isMap(value)
      ? Object.entries(value)
      : undefined;
  if (entries === undefined || entries.some(([key]) => typeof key !== 'string')) {
    const each = { key: Unknown.of('each.key'), value: Unknown.of('each.value') };
    return { instances: [{ index: '', each }], isOpen: true, by: 'key' };
  }
  const instances = entries
    .slice(0, MAX_INSTANCES)
    .map(([key, item]) => ({ index: `[${JSON.stringify(key)}]`, each: { key, value: item } }));
  return { instances, isOpen: false, by: 'key' };
}
