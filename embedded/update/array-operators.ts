import { BSON, childrenOf, type RawValue } from '../bson/raw.js';
import { keyOf } from '../bson/key.js';
import { readWholeNumber } from '../bson/number.js';
import { arrayOf, documentOf, rawDocument } from '../bson/write.js';
import { CommandError } from '../errors.js';
import { compileFilter } from '../query/match.js';
import { parseFilter } from '../query/parse.js';
import { parseSort, sortKeyOf } from '../plan/sort.js';
import { typeName } from '../query/types.js';

const encode = (v: RawValue): string => keyOf(v.type, v.buf, v.off, v.end);

/** The items of the array that an operator changes. Throws when the field is there and is no array. */
function itemsOf(current: RawValue | undefined, operator: string, path: string): RawValue[] {
  if (!current) return [];
  if (current.type !== BSON.array) {
    throw new CommandError(2, `The field '${path}' must be an array but is of type ${typeName(current.type)} (${operator})`);
  }
  return childrenOf(current).map((e) => e.value);
}

function modifiersOf(argument: RawValue): Map<string, RawValue> | undefined {
  if (argument.type !== BSON.object) return undefined;
  const elements = childrenOf(argument);
  return elements.some((e) => e.name === '$each') ? new Map(elements.map((e) => [e.name, e.value])) : undefined;
}

function eachOf(modifiers: ReadonlyMap<string, RawValue>, operator: string): RawValue[] {
  const each = modifiers.get('$each');
  if (each?.type !== BSON.array) throw new CommandError(14, `The argument to $each in ${operator} must be an array`);
  return childrenOf(each).map((e) => e.value);
}

function wholeModifier(modifiers: ReadonlyMap<string, RawValue>, name: string): number | undefined {
  const value = modifiers.get(name);
  if (!value) return undefined;
  const number = readWholeNumber(value);
  if (number === undefined) throw new CommandError(2, `The value for ${name} must be an integer value`);
  return number;
}

/** $push with $each, $position, $sort and $slice. */
export function push(current: RawValue | undefined, argument: RawValue, path: string): RawValue {
  const items = itemsOf(current, '$push', path);
  const modifiers = modifiersOf(argument);
  if (!modifiers) return arrayOf([...items, argument]);
  for (const name of modifiers.keys()) {
    if (!['$each', '$position', '$sort', '$slice'].includes(name)) throw new CommandError(2, `Unrecognized clause in $push: ${name}`);
  }
  const position = wholeModifier(modifiers, '$position');
  items.splice(position ?? items.length, 0, ...eachOf(modifiers, '$push'));
  const sort = modifiers.get('$sort');
  const sorted = sort ? sortItems(items, sort) : items;
  const slice = wholeModifier(modifiers, '$slice');
  if (slice === undefined) return arrayOf(sorted);
  return arrayOf(slice < 0 ? sorted.slice(slice) : sorted.slice(0, slice));
}

function sortItems(items: readonly RawValue[], sort: RawValue): RawValue[] {
  let keyed: { key: string; item: RawValue }[];
  let direction = 1;
  if (sort.type === BSON.object) {
    const fields = parseSort(childrenOf(sort));
    const document = (item: RawValue): Buffer => (item.type === BSON.object ? Buffer.from(item.bytes) : documentOf([]));
    keyed = items.map((item) => ({ key: sortKeyOf(document(item), 0, fields), item }));
  } else {
    direction = readWholeNumber(sort) ?? 0;
    if (direction !== 1 && direction !== -1) throw new CommandError(2, 'The $sort element value must be either 1 or -1');
    keyed = items.map((item) => ({ key: encode(item), item }));
  }
  return keyed.sort((a, b) => (a.key < b.key ? -direction : a.key > b.key ? direction : 0)).map((k) => k.item);
}

/** $addToSet with $each: values that are not there yet, compared as MongoDB compares. */
export function addToSet(current: RawValue | undefined, argument: RawValue, path: string): RawValue {
  const items = itemsOf(current, '$addToSet', path);
  const modifiers = modifiersOf(argument);
  if (modifiers && modifiers.size > 1) throw new CommandError(2, 'Found unexpected fields after $each in $addToSet');
  const added = modifiers ? eachOf(modifiers, '$addToSet') : [argument];
  const present = new Set(items.map(encode));
  for (const item of added) {
    const key = encode(item);
    if (present.has(key)) continue;
    present.add(key);
    items.push(item);
  }
  return arrayOf(items);
}

/** $pop: the last element for 1, the first for -1. */
export function pop(current: RawValue | undefined, argument: RawValue, path: string): RawValue | undefined {
  const end = readWholeNumber(argument);
  if (end !== 1 && end !== -1) throw new CommandError(9, `$pop expects 1 or -1, found: ${end}`);
  if (!current) return undefined;
  if (current.type !== BSON.array)
    throw new CommandError(14, `Path '${path}' contains an element of non-array type '${typeName(current.type)}'`);
  const items = itemsOf(current, '$pop', path);
  return arrayOf(end === 1 ? items.slice(0, -1) : items.slice(1));
}

/** $pull: takes out the elements that match a condition or equal a value. */
export function pull(current: RawValue | undefined, argument: RawValue, path: string): RawValue | undefined {
  if (!current) return undefined;
  const matches = pullCondition(argument);
  const items = itemsOf(current, '$pull', path);
  const kept = items.filter((item) => !matches(item));
  return kept.length === items.length ? undefined : arrayOf(kept);
}

function pullCondition(argument: RawValue): (item: RawValue) => boolean {
  if (argument.type !== BSON.object && argument.type !== BSON.regex) {
    const key = encode(argument);
    return (item) => encode(item) === key;
  }
  const first = argument.type === BSON.object ? childrenOf(argument)[0]?.name : '$regex';
  if (first !== undefined && first.startsWith('$') && first !== '$and' && first !== '$or' && first !== '$nor') {
    const matches = compileFilter(parseFilter(rawDocument(documentOf([{ name: 'e', value: argument }]))));
    return (item) => matches(documentOf([{ name: 'e', value: item }]), 0);
  }
  const matches = compileFilter(parseFilter(argument));
  return (item) => item.type === BSON.object && matches(item.buf, item.off);
}

/** $pullAll: takes out the elements that equal one of the values. */
export function pullAll(current: RawValue | undefined, argument: RawValue, path: string): RawValue | undefined {
  if (argument.type !== BSON.array) throw new CommandError(2, '$pullAll requires an array argument');
  if (!current) return undefined;
  const unwanted = new Set(childrenOf(argument).map((e) => encode(e.value)));
  const items = itemsOf(current, '$pullAll', path);
  const kept = items.filter((item) => !unwanted.has(encode(item)));
  return kept.length === items.length ? undefined : arrayOf(kept);
}
