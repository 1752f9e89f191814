import { distinct, isSet, setOf } from '../sets.js';
import { isEqual, isMap, isUnknown, mapOf, MAX_ELEMENTS, setMember, toText, type Value, type ValueMap } from '../value.js';
import { FAILS, type FunctionTable, type TerraformFunction } from './kinds.js';

const list = (value: Value | undefined): Value[] | undefined => (Array.isArray(value) ? value : undefined);
const map = (value: Value | undefined): ValueMap | undefined => (value !== undefined && isMap(value) ? value : undefined);
const isEmpty = (value: Value): boolean => value === null || value === '';

const sorted = (values: readonly string[]): string[] => [...values].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
const has = (values: readonly Value[], value: Value): boolean => values.some((other) => isEqual(other, value) === true);

function flatten(values: readonly Value[]): Value[] | undefined {
  const made: Value[] = [];
  for (const value of values) {
    if (isUnknown(value)) return undefined;
    const inner = Array.isArray(value) ? flatten(value) : [value];
    if (inner === undefined || made.length + inner.length > MAX_ELEMENTS) return undefined;
    made.push(...inner);
  }
  return made;
}

const merge: TerraformFunction = (args) => {
  const made: ValueMap = {};
  for (const arg of args) {
    if (arg === null) continue;
    if (!isMap(arg)) return undefined;
    for (const [key, value] of Object.entries(arg)) setMember(made, key, value);
  }
  return made;
};

const lookup: TerraformFunction = ([from, key, otherwise]) => {
  const members = map(from);
  if (members === undefined || typeof key !== 'string') return undefined;
  return Object.hasOwn(members, key) ? members[key] : (otherwise ?? (otherwise === null ? null : FAILS));
};

const product = (lists: readonly Value[][]): Value[][] | undefined => {
  if (lists.reduce((size, { length }) => size * length, 1) > MAX_ELEMENTS) return undefined;
  const made = lists.reduce<Value[][]>((before, next) => before.flatMap((some) => next.map((value) => [...some, value])), [[]]);
  return lists.every(isSet) ? (setOf(made) as Value[][]) : made;
};

const allLists = (args: readonly Value[]): Value[][] | undefined =>
  args.every((arg) => Array.isArray(arg)) ? (args as Value[][]) : undefined;

function range(args: readonly Value[]): number[] | undefined {
  if (!args.every((arg) => typeof arg === 'number')) return undefined;
  const [first = 0, second, step] = args as number[];
  const [from, to] = second === undefined ? [0, first] : [first, second];
  const by = step ?? (to < from ? -1 : 1);
  const length = by === 0 ? 0 : Math.max(0, Math.ceil((to - from) / by));
  return length > MAX_ELEMENTS ? undefined : Array.from({ length }, (_, n) => from + n * by);
}

export const collections: FunctionTable = {
  shallow: {
    length: ([value]) =>
      typeof value === 'string' ? [...value].length : (list(value)?.length ?? (map(value) && Object.keys(map(value)!).length)),
    concat: (args) => allLists(args)?.flat(),
    merge,
    lookup,
    element: ([from, at]) => {
      const values = list(from);
      if (values === undefined || typeof at !== 'number') return undefined;
      if (values.length === 0) return FAILS;
      return values[((at % values.length) + values.length) % values.length];
    },
    keys: ([from]) => map(from) && sorted(Object.keys(map(from)!)),
    values: ([from]) => map(from) && sorted(Object.keys(map(from)!)).map((key) => map(from)![key]!),
    zipmap: ([keys, values]) => {
      const [names, contents] = [list(keys), list(values)];
      if (names === undefined || contents === undefined || !names.every((name) => typeof name === 'string')) return undefined;
      return mapOf(names.map((name, n) => [name, contents[n] ?? null] as const));
    },
    flatten: ([from]) => list(from) && flatten(list(from)!),
    reverse: ([from]) => list(from)?.toReversed(),
    slice: ([from, start, end]) => (typeof start === 'number' && typeof end === 'number' ? list(from)?.slice(start, end) : undefined),
    one: ([from]) => list(from) && (list(from)!.length < 2 ? (list(from)![0] ?? null) : FAILS),
    tolist: ([from]) => (list(from) === undefined ? FAILS : [...list(from)!]),
    tomap: ([from]) => map(from) ?? FAILS,
    toset: ([from]) => (list(from) === undefined ? FAILS : setOf(list(from)!)),
    chunklist: ([from, size]) => {
      const values = list(from);
      if (values === undefined || typeof size !== 'number' || size < 1) return undefined;
      return Array.from({ length: Math.ceil(values.length / size) }, (_, n) => values.slice(n * size, (n + 1) * size));
    },
    coalescelist: (args) => (args.some(isUnknown) ? undefined : args.find((arg) => Array.isArray(arg) && arg.length > 0)),
    setproduct: (args) => allLists(args) && product(allLists(args)!),
  },
  whole: {
    contains: ([from, value]) => (list(from) === undefined || value === undefined ? undefined : has(list(from)!, value)),
    index: ([from, value]) => {
      const at = list(from)?.findIndex((other) => value !== undefined && isEqual(other, value));
      return at === undefined || at >= 0 ? at : FAILS;
    },
    compact: ([from]) => list(from)?.filter((value) => !isEmpty(value)),
    distinct: ([from]) => list(from) && distinct(list(from)!),
    sort: ([from]) => {
      const texts = list(from)?.map(toText);
      return texts?.every((text) => text !== undefined) ? sorted(texts) : undefined;
    },
    range: (args) => range(args),
    setunion: (args) => allLists(args) && setOf(allLists(args)!.flat()),
    setintersection: (args) => {
      const lists = allLists(args);
      return lists && setOf(lists.reduce((left, right) => left.filter((value) => has(right, value))));
    },
    setsubtract: ([from, without]) => {
      const [values, others] = [list(from), list(without)];
      return values && others && setOf(values.filter((value) => !has(others, value)));
    },
    matchkeys: ([values, keys, wanted]) => list(values)?.filter((_, n) => has(list(wanted) ?? [], list(keys)?.[n] ?? null)),
    transpose: ([from]) => {
      const made: Record<string, Value[]> = {};
      for (const [key, values] of Object.entries(map(from) ?? {}))
        for (const value of list(values) ?? []) if (typeof value === 'string') (made[value] ??= []).push(key);
      return map(from) && made;
    },
    alltrue: ([from]) => list(from)?.every((value) => value === true),
    anytrue: ([from]) => list(from)?.some((value) => value === true),
  },
};
