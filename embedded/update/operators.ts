import { Timestamp } from 'bson';
import { BSON, childrenOf, readString, type RawValue } from '../bson/raw.js';
import { keyOf } from '../bson/key.js';
import { rawValueOf } from '../bson/write.js';
import { CommandError } from '../errors.js';
import { arithmetic, bitwise } from './arithmetic.js';
import { addToSet, pop, pull, pullAll, push } from './array-operators.js';

/** What becomes of a value: a new one, `unset` to remove it, or undefined to leave it as it is. */
export type Change = RawValue | 'unset' | undefined;

/** An update operator: the present value (undefined when missing) and its argument give the change. */
export type UpdateOperator = (current: RawValue | undefined, argument: RawValue, path: string) => Change;

const encode = (v: RawValue): string => keyOf(v.type, v.buf, v.off, v.end);

function currentDate(argument: RawValue, path: string): RawValue {
  const type = argument.type === BSON.object ? childrenOf(argument).find((e) => e.name === '$type')?.value : undefined;
  if (argument.type === BSON.bool) return rawValueOf(new Date());
  const name = type?.type === BSON.string ? readString(type) : undefined;
  if (name === 'date') return rawValueOf(new Date());
  if (name === 'timestamp') return rawValueOf(new Timestamp({ t: Math.floor(Date.now() / 1000), i: 1 }));
  throw new CommandError(2, `The '$currentDate' argument of ${path} must be true or { $type: 'date' | 'timestamp' }`);
}

function bit(current: RawValue | undefined, argument: RawValue): RawValue {
  if (argument.type !== BSON.object) throw new CommandError(2, 'The $bit modifier is not compatible with a non-object argument');
  const operations = childrenOf(argument);
  if (operations.length === 0) throw new CommandError(2, 'You must pass in at least one bitwise operation');
  return operations.reduce<RawValue | undefined>((value, { name, value: operand }) => bitwise(value, name, operand), current) as RawValue;
}

/** The update operators that change one path. $rename, which changes two, is apart. */
export const UPDATE_OPERATORS: ReadonlyMap<string, UpdateOperator> = new Map<string, UpdateOperator>([
  ['$set', (_current, argument) => argument],
  ['$setOnInsert', (_current, argument) => argument],
  ['$unset', (current) => (current ? 'unset' : undefined)],
  ['$inc', (current, argument, path) => arithmetic('$inc', current, argument, path)],
  ['$mul', (current, argument, path) => arithmetic('$mul', current, argument, path)],
  ['$min', (current, argument) => (!current || encode(argument) < encode(current) ? argument : undefined)],
  ['$max', (current, argument) => (!current || encode(argument) > encode(current) ? argument : undefined)],
  ['$currentDate', (_current, argument, path) => currentDate(argument, path)],
  ['$push', push],
  ['$addToSet', addToSet],
  ['$pop', pop],
  ['$pull', pull],
  ['$pullAll', pullAll],
  ['$bit', bit],
]);
