import type { RawValue } from '../bson/raw.js';
import { BSON, childrenOf, elementsOf, readString, type RawElement } from '../bson/raw.js';
import { CommandError, notSupported } from '../errors.js';
import { readNearestNumber, readWholeNumber } from '../bson/number.js';
import type { CompareOperator, Filter } from './ast.js';
import { readBitMask } from './bits.js';
import { pathOf, type FieldPath } from './path.js';
import { compileRegex, regexParts } from './regex.js';
import { readTypes } from './types.js';

const COMPARE = new Set<string>(['$eq', '$gt', '$gte', '$lt', '$lte']);
const REFUSED = new Set([
  '$where',
  '$function',
  '$text',
  '$jsonSchema',
  '$geoWithin',
  '$geoIntersects',
  '$near',
  '$nearSphere',
  '$sampleRate',
]);

const bad = (message: string): CommandError => new CommandError(2, message);

/** Parses a filter document. Throws BadValue for an unknown operator and CommandNotSupported for one that the store lacks. */
export function parseFilter(filter: RawValue): Filter {
  return all(elementsOf(filter.buf, filter.off).map(parseTopLevel));
}

function all(filters: Filter[]): Filter {
  return filters.length === 1 ? filters[0]! : { kind: 'and', filters };
}

function parseTopLevel({ name, value }: RawElement): Filter {
  if (!name.startsWith('$')) return parseField(pathOf(name), value);
  switch (name) {
    case '$and':
      return { kind: 'and', filters: clauses(name, value) };
    case '$or':
      return { kind: 'or', filters: clauses(name, value) };
    case '$nor':
      return { kind: 'nor', filters: clauses(name, value) };
    case '$expr':
      return { kind: 'expression', expression: value };
    case '$comment':
      return { kind: 'constant', value: true };
    case '$alwaysTrue':
    case '$alwaysFalse':
      return { kind: 'constant', value: name === '$alwaysTrue' };
    default:
      if (REFUSED.has(name)) throw notSupported(`The query operator ${name}`);
      throw bad(
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
  }
}

function clauses(name: string, value: RawValue): Filter[] {
  if (value.type !== BSON.array) throw bad(`${name} argument must be an array`);
  const elements = childrenOf(value);
  if (elements.length === 0) throw bad('$and/$or/$nor must be a nonempty array');
  return elements.map((e) => {
    if (e.value.type !== BSON.object) throw bad('$or/$and/$nor entries need to be full objects');
    return parseFilter(e.value);
  });
}

/** Whether an object holds operators: its first name starts with a dollar sign (and is not part of a DBRef). */
function isOperators(value: RawValue): boolean {
  if (value.type !== BSON.object) return false;
  const first = childrenOf(value)[0]?.name;
  return first !== undefined && first.startsWith('$') && first !== '$ref' && first !== '$id' && first !== '$db';
}

function parseField(path: FieldPath, value: RawValue): Filter {
  if (value.type === BSON.regex) return regexFilter(path, value);
  if (!isOperators(value)) return compare(path, '$eq', value);
  return parseOperators(path, value);
}

function parseOperators(path: FieldPath, value: RawValue): Filter {
  const elements = childrenOf(value);
  const options = elements.find((e) => e.name === '$options');
  if (options && !elements.some((e) => e.name === '$regex')) throw bad('$options needs a $regex');
  return all(elements.filter((e) => e.name !== '$options').map((e) => parseOperator(path, e.name, e.value, options?.value)));
}

function compare(path: FieldPath, operator: CompareOperator, value: RawValue): Filter {
  if (value.type === BSON.undefined) throw bad('cannot compare to undefined');
  return { kind: 'compare', path, operator, value };
}

function regexFilter(path: FieldPath, value: RawValue, options?: RawValue): Filter {
  const parts = regexParts(value);
  const flags = options ? readString(options) : parts.flags;
  return { kind: 'regex', path, regex: compileRegex(parts.pattern, flags), value };
}

function inFilter(path: FieldPath, name: string, value: RawValue): Filter {
  if (value.type !== BSON.array) throw bad(`${name} needs an array`);
  const values = childrenOf(value).map((e) => e.value);
  if (values.some(isOperators)) throw bad(`cannot nest $ under ${name}`);
  const regexes = values.filter((v) => v.type === BSON.regex);
  const equal: Filter = { kind: 'in', path, values: values.filter((v) => v.type !== BSON.regex) };
  return regexes.length === 0 ? equal : { kind: 'or', filters: [equal, ...regexes.map((r) => regexFilter(path, r))] };
}

const not = (filter: Filter): Filter => ({ kind: 'not', filter });

function parseOperator(path: FieldPath, name: string, value: RawValue, options?: RawValue): Filter {
  if (COMPARE.has(name)) {
    if (value.type === BSON.regex && name !== '$eq') throw bad(`Can't have RegEx as arg to predicate over field '${path.text}'.`);
    return compare(path, name as CompareOperator, value);
  }
  switch (name) {
    case '$ne':
      if (value.type === BSON.regex) throw bad("Can't have regex as arg to $ne.");
      return not(compare(path, '$eq', value));
    case '$in':
      return inFilter(path, name, value);
    case '$nin':
      return not(inFilter(path, name, value));
    case '$exists':
      return isTruthy(value) ? { kind: 'exists', path } : not({ kind: 'exists', path });
    case '$not':
      if (value.type === BSON.regex) return not(regexFilter(path, value));
      if (!isOperators(value)) throw bad('$not needs a regex or a document');
      return not(parseOperators(path, value));
    case '$regex':
      return regexFilter(path, value, options);
    case '$type':
      return { kind: 'type', path, types: readTypes(value) };
    case '$size':
      return { kind: 'size', path, size: readSize(value) };
    case '$mod':
      return modFilter(path, value);
    case '$all':
      return allFilter(path, value);
    case '$elemMatch':
      return elemMatch(path, value);
    case '$bitsAllSet':
    case '$bitsAnySet':
    case '$bitsAllClear':
    case '$bitsAnyClear':
      return { kind: 'bits', path, mask: readBitMask(name, value), set: name.endsWith('Set'), all: name.startsWith('$bitsAll') };
    case '$comment':
      return { kind: 'constant', value: true };
    default:
      if (REFUSED.has(name)) throw notSupported(`The query operator ${name}`);
      throw bad(`unknown operator: ${name}`);
  }
}

function readSize(value: RawValue): number {
  const size = readWholeNumber(value);
  if (size === undefined) throw bad(`Failed to parse $size. Expected an integer`);
  if (size < 0) throw bad('$size may not be negative');
  return size;
}

function modFilter(path: FieldPath, value: RawValue): Filter {
  const numbers = value.type === BSON.array ? childrenOf(value).map((e) => readWholeNumber(e.value, true)) : [];
  const [divisor, remainder] = numbers;
  if (numbers.length !== 2 || divisor === undefined || remainder === undefined)
    throw bad('malformed mod, needs to be an array of two numbers');
  if (divisor === 0) throw bad('divisor cannot be 0');
  return { kind: 'mod', path, divisor, remainder };
}

function allFilter(path: FieldPath, value: RawValue): Filter {
  if (value.type !== BSON.array) throw bad('$all needs an array');
  const filters = childrenOf(value).map((e) => parseField(path, e.value));
  return filters.length === 0 ? { kind: 'constant', value: false } : all(filters);
}

const ELEMENT = pathOf('e');

function elemMatch(path: FieldPath, value: RawValue): Filter {
  if (value.type !== BSON.object) throw bad('$elemMatch needs an Object');
  const first = childrenOf(value)[0]?.name;
  const ofDocuments =
    first === undefined || !first.startsWith('$') || first === '$and' || first === '$or' || first === '$nor' || first === '$expr';
  if (ofDocuments) return { kind: 'elemMatchObject', path, filter: parseFilter(value) };
  return { kind: 'elemMatchValue', path, filter: parseOperators(ELEMENT, value) };
}

/** MongoDB's idea of true: everything but false, zero, null and undefined. */
export function isTruthy(value: RawValue): boolean {
  if (value.type === BSON.bool) return value.buf[value.off] !== 0;
  if (value.type === BSON.null || value.type === BSON.undefined) return false;
  return readNearestNumber(value) !== 0;
}
