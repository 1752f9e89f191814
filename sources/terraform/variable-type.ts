import { setOf } from './sets.js';
import type { Expression } from './syntax.js';
import { isMap, isUnknown, setMember, toText, type Value, type ValueMap } from './value.js';

type Evaluate = (expression: Expression) => Value;

/** A value as a variable's type has it: numbers of texts, and what an object's optional members are where they are left out. */
export function convert(value: Value, type: Expression | undefined, evaluate: Evaluate): Value {
  if (type === undefined || value === null || isUnknown(value)) return value;
  if (type.kind === 'name') return primitive(value, type.name);
  if (type.kind !== 'call') return value;
  const [inner] = type.args;
  if (type.name === 'object' && inner?.kind === 'object' && isMap(value)) return objectOf(value, inner, evaluate);
  if (type.name === 'list' && Array.isArray(value)) return value.map((item) => convert(item, inner, evaluate));
  if (type.name === 'set' && Array.isArray(value)) return setOf(value.map((item) => convert(item, inner, evaluate)));
  if (type.name === 'tuple' && Array.isArray(value) && inner?.kind === 'list')
    return value.map((item, n) => convert(item, inner.items[n], evaluate));
  if (type.name !== 'map' || !isMap(value)) return value;
  const made: ValueMap = {};
  for (const [key, item] of Object.entries(value)) setMember(made, key, convert(item, inner, evaluate));
  return made;
}

function primitive(value: Value, type: string): Value {
  if (type === 'string') return toText(value) ?? value;
  if (type === 'number' && typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  return type === 'bool' && (value === 'true' || value === 'false') ? value === 'true' : value;
}

function objectOf(value: ValueMap, { entries }: Extract<Expression, { kind: 'object' }>, evaluate: Evaluate): ValueMap {
  const made: ValueMap = {};
  for (const { key, value: type } of entries) {
    const name = key.kind === 'literal' ? String(key.value) : '';
    const isOptional = type.kind === 'call' && type.name === 'optional';
    const inner = isOptional ? type.args[0] : type;
    const given = Object.hasOwn(value, name) ? value[name]! : null;
    const otherwise = isOptional ? type.args[1] : undefined;
    setMember(made, name, convert(given === null && otherwise !== undefined ? evaluate(otherwise) : given, inner, evaluate));
  }
  return made;
}
