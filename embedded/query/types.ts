import { BSON, childrenOf, readString, type RawValue } from '../bson/raw.js';
import { readWholeNumber } from '../bson/number.js';
import { CommandError } from '../errors.js';

const ALIASES: Readonly<Record<string, readonly number[]>> = {
  double: [BSON.double],
  string: [BSON.string],
  object: [BSON.object],
  array: [BSON.array],
  binData: [BSON.binData],
  undefined: [BSON.undefined],
  objectId: [BSON.objectId],
  bool: [BSON.bool],
  date: [BSON.date],
  null: [BSON.null],
  regex: [BSON.regex],
  dbPointer: [BSON.dbPointer],
  javascript: [BSON.code],
  symbol: [BSON.symbol],
  javascriptWithScope: [BSON.codeWithScope],
  int: [BSON.int],
  timestamp: [BSON.timestamp],
  long: [BSON.long],
  decimal: [BSON.decimal],
  minKey: [BSON.minKey],
  maxKey: [BSON.maxKey],
  number: [BSON.int, BSON.double, BSON.long, BSON.decimal],
};

function readType(value: RawValue): readonly number[] {
  if (value.type === BSON.string) {
    const types = ALIASES[readString(value)];
    if (!types) throw new CommandError(2, `Unknown type name alias: ${readString(value)}`);
    return types;
  }
  const code = readWholeNumber(value);
  if (code === undefined) throw new CommandError(14, 'type must be represented as a number or a string');
  const type = code === -1 ? BSON.minKey : code;
  if (!Object.values(ALIASES).some((types) => types.includes(type))) throw new CommandError(2, `Invalid numerical type code: ${code}`);
  return [type];
}

/** The BSON types that a $type argument names: an alias, a code, or an array of them. */
export function readTypes(value: RawValue): ReadonlySet<number> {
  if (value.type !== BSON.array) return new Set(readType(value));
  return new Set(childrenOf(value).flatMap((e) => readType(e.value)));
}

/** MongoDB's name of a BSON type, for messages. */
export function typeName(type: number): string {
  return Object.entries(ALIASES).find(([, types]) => types.length === 1 && types[0] === type)?.[0] ?? 'missing';
}
