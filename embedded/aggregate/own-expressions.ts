// Expression operators whose result in mingo is not MongoDB's, or that it lacks. Each is a mingo operator: document, argument, options.
import { Decimal128, Long, ObjectId, type Document } from 'bson';
import { evalExpr } from 'mingo/core';
import * as expressions from 'mingo/operators/expression';
import { CommandError, notSupported } from '../errors.js';
import { compileRegex } from '../query/regex.js';
import { typeName } from '../query/types.js';
import { rawValueOf } from '../bson/write.js';
import { compareValues, keyOfJs } from './values.js';

type ComputeOptions = Parameters<typeof evalExpr>[2];
type Operator = (obj: unknown, expr: unknown, options: ComputeOptions) => unknown;

const valueOf = (obj: unknown, expr: unknown, options: ComputeOptions): unknown => evalExpr(obj as Document, expr as Document, options);
const missing = (value: unknown): value is null | undefined => value === null || value === undefined;

/** The arguments of an operator: an array's elements, or the one argument. */
function argumentsOf(obj: unknown, expr: unknown, options: ComputeOptions): unknown[] {
  return Array.isArray(expr) ? (valueOf(obj, expr, options) as unknown[]) : [valueOf(obj, expr, options)];
}

function comparison(test: (order: number) => boolean | number): Operator {
  return (obj, expr, options) => {
    if (!Array.isArray(expr) || expr.length !== 2) throw new CommandError(16020, 'Expression takes exactly 2 arguments');
    const [a, b] = argumentsOf(obj, expr, options);
    return test(compareValues(a, b));
  };
}

/** An operator of mingo's that answers null when its argument is null or missing. */
function nullable(name: keyof typeof expressions): Operator {
  const original = expressions[name] as unknown as Operator;
  return (obj, expr, options) => {
    const given: unknown = typeof expr === 'object' && expr !== null && 'date' in expr ? expr.date : expr;
    return argumentsOf(obj, given, options).some(missing) ? null : original(obj, expr, options);
  };
}

/** An arithmetic operator of mingo's, which knows only doubles: numbers that a double cannot hold are refused. */
function doublesOnly(name: keyof typeof expressions): Operator {
  const original = expressions[name] as unknown as Operator;
  return (obj, expr, options) => {
    if (argumentsOf(obj, expr, options).some(beyondDouble)) throw notSupported(`${name} of decimals or of integers beyond 2^53`);
    return original(obj, expr, options);
  };
}

const beyondDouble = (value: unknown): boolean =>
  value instanceof Decimal128 || Long.isLong(value) || (Array.isArray(value) && value.some(beyondDouble));

function extreme(sign: 1 | -1): Operator {
  return (obj, expr, options) => {
    const given = argumentsOf(obj, expr, options);
    const only = given.length === 1 && Array.isArray(given[0]) ? (given[0] as unknown[]) : given;
    const values = only.filter((v) => !missing(v));
    return values.length === 0 ? null : values.reduce((best, v) => (compareValues(v, best) * sign > 0 ? v : best));
  };
}

/** MongoDB changes the case of ASCII letters only; missing becomes the empty text. */
function letterCase(pattern: RegExp, change: (letter: string) => string): Operator {
  return (obj, expr, options) => {
    const [value] = argumentsOf(obj, expr, options);
    if (missing(value)) return '';
    if (typeof value !== 'string' && typeof value !== 'number') throw new CommandError(16007, "can't convert to text");
    return String(value).replace(pattern, change);
  };
}

function edge(name: string, at: (values: readonly unknown[]) => unknown): Operator {
  return (obj, expr, options) => {
    const [value] = Array.isArray(expr) && expr.length === 1 ? argumentsOf(obj, expr, options) : [valueOf(obj, expr, options)];
    if (missing(value)) return null;
    if (!Array.isArray(value)) throw new CommandError(28689, `${name}'s argument must be an array`);
    return at(value);
  };
}

const toText: Operator = (obj, expr, options) => {
  const [value] = argumentsOf(obj, expr, options);
  if (value instanceof ObjectId || value instanceof Decimal128 || Long.isLong(value)) return String(value);
  return (expressions.$toString as unknown as Operator)(obj, expr, options);
};

const toObjectId: Operator = (obj, expr, options) => {
  const [value] = argumentsOf(obj, expr, options);
  if (missing(value)) return null;
  if (value instanceof ObjectId) return value;
  if (typeof value === 'string' && ObjectId.isValid(value) && value.length === 24) return new ObjectId(value);
  throw new CommandError(241, `Failed to parse objectId '${String(value)}'`);
};

const typeOfValue: Operator = (obj, expr, options) => {
  const [value] = argumentsOf(obj, expr, options);
  return value === undefined ? 'missing' : typeName(rawValueOf(value).type);
};

const findAll: Operator = (obj, expr, options) => {
  const { input, regex, options: flags } = valueOf(obj, expr, options) as { input: unknown; regex: unknown; options?: string };
  if (missing(input)) return [];
  if (typeof input !== 'string') throw new CommandError(51104, "$regexFindAll needs 'input' to be of type string");
  const pattern =
    regex instanceof RegExp ? compileRegex(regex.source, regex.flags.replace(/[^ims]/g, '')) : compileRegex(String(regex), flags ?? '');
  const global = new RegExp(pattern.source, `${pattern.flags}g`);
  return [...input.matchAll(global)].map((m) => ({
    match: m[0],
    idx: [...input.slice(0, m.index)].length,
    captures: m.slice(1).map((c) => c ?? null),
  }));
};

const toObject: Operator = (obj, expr, options) => {
  const evaluated = valueOf(obj, expr, options);
  const value = Array.isArray(expr) && expr.length === 1 ? (evaluated as unknown[])[0] : evaluated;
  if (missing(value)) return null;
  if (!Array.isArray(value)) throw new CommandError(40386, '$arrayToObject requires an array input');
  return Object.fromEntries(
    value.map((pair: unknown) =>
      Array.isArray(pair) ? (pair as [string, unknown]) : [(pair as Document)['k'] as string, (pair as Document)['v'] as unknown],
    ),
  );
};

const sortArray: Operator = (obj, expr, options) => {
  const { input, sortBy } = expr as { input: unknown; sortBy: unknown };
  const value = valueOf(obj, input, options);
  if (missing(value)) return null;
  if (!Array.isArray(value)) throw new CommandError(2942504, 'The input argument to $sortArray must be an array');
  if (typeof sortBy === 'number') return [...(value as unknown[])].sort((a, b) => compareValues(a, b) * sortBy);
  const fields = Object.entries(sortBy as Record<string, number>);
  const at = (item: unknown, path: string): unknown =>
    path.split('.').reduce<unknown>((v, name) => (typeof v === 'object' && v !== null ? (v as Document)[name] : undefined), item);
  return [...(value as unknown[])].sort((a, b) =>
    fields.reduce((order, [path, sign]) => order || compareValues(at(a, path) ?? null, at(b, path) ?? null) * sign, 0),
  );
};

const isIn: Operator = (obj, expr, options) => {
  const [value, list] = argumentsOf(obj, expr, options);
  if (!Array.isArray(list)) throw new CommandError(40081, '$in requires an array as a second argument');
  const key = keyOfJs(value);
  return list.some((item) => item === value || keyOfJs(item) === key);
};

const size: Operator = (obj, expr, options) => {
  const value = Array.isArray(expr) && expr.length === 1 ? argumentsOf(obj, expr, options)[0] : valueOf(obj, expr, options);
  if (!Array.isArray(value)) throw new CommandError(17124, 'The argument to $size must be an array');
  return value.length;
};

/** The operators that replace mingo's or are added to them. */
export const ownExpressions = {
  $eq: comparison((order) => order === 0),
  $ne: comparison((order) => order !== 0),
  $gt: comparison((order) => order > 0),
  $gte: comparison((order) => order >= 0),
  $lt: comparison((order) => order < 0),
  $lte: comparison((order) => order <= 0),
  $cmp: comparison((order) => Math.sign(order)),
  $min: extreme(-1),
  $max: extreme(1),
  $toLower: letterCase(/[A-Z]/g, (c) => c.toLowerCase()),
  $toUpper: letterCase(/[a-z]/g, (c) => c.toUpperCase()),
  $first: edge('$first', (values) => values[0]),
  $last: edge('$last', (values) => values[values.length - 1]),
  $toString: toText,
  $toObjectId: toObjectId,
  $type: typeOfValue,
  $regexFindAll: findAll,
  $arrayToObject: toObject,
  $sortArray: sortArray,
  $in: isIn,
  $size: size,
  ...Object.fromEntries(
    (['$add', '$subtract', '$multiply', '$divide', '$abs', '$ceil', '$floor', '$round', '$trunc', '$pow', '$sqrt'] as const).map((name) => [
      name,
      doublesOnly(name),
    ]),
  ),
  ...Object.fromEntries(
    (
      [
        '$mod',
        '$slice',
        '$setUnion',
        '$year',
        '$month',
        '$dayOfMonth',
        '$dayOfWeek',
        '$dayOfYear',
        '$hour',
        '$minute',
        '$second',
        '$millisecond',
        '$isoWeek',
        '$isoWeekYear',
        '$isoDayOfWeek',
      ] as const
    ).map((name) => [name, nullable(name)]),
  ),
} satisfies Record<string, Operator>;
