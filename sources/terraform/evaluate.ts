import { callFunction } from './call.js';
import { Missing, Reference, attributeOf, stepInto } from './reference.js';
import { resolveName } from './names.js';
import { bound, frameOf, type Scope } from './scope.js';
import { elementsOf } from './sets.js';
import { ELEMENT, type Expression, type ForExpression } from './syntax.js';
import {
  isEqual,
  isUnknown,
  mapOf,
  MAX_ELEMENTS,
  MAX_TEXT,
  MAX_WEIGHT,
  setMember,
  toText,
  truthOf,
  Unknown,
  weightOf,
  type Value,
  type ValueMap,
} from './value.js';

/** The value of an expression; what cannot be known before something is made, or at all, is `Unknown`. */
export function evaluate(expression: Expression, scope: Scope): Value {
  scope.module.spend(1);
  const value = worthOf(expression, scope);
  return typeof value === 'object' && weightOf(value) > MAX_WEIGHT ? Unknown.of('a value that is too large') : value;
}

function worthOf(expression: Expression, scope: Scope): Value {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'template':
      return templateOf(expression.parts, scope);
    case 'list':
      return expression.items.slice(0, MAX_ELEMENTS).map((item) => evaluate(item, scope));
    case 'object':
      return objectOf(expression, scope);
    case 'for':
      return forOf(expression, expression.text, scope);
    case 'name': {
      const frame = frameOf(scope, expression.name);
      return frame === undefined ? Unknown.of(expression.text) : frame.value;
    }
    case 'attribute':
    case 'index':
      return traversalOf(expression, scope);
    case 'splat':
      return splatOf(expression, scope);
    case 'call':
      return callFunction(expression, scope);
    case 'unary':
      return unaryOf(expression, scope);
    case 'binary':
      return binaryOf(expression, scope);
    case 'conditional': {
      const condition = truthOf(evaluate(expression.condition, scope));
      if (condition !== undefined) return evaluate(condition ? expression.yes : expression.no, scope);
      const [yes, no] = [evaluate(expression.yes, scope), evaluate(expression.no, scope)];
      return isEqual(yes, no) === true ? yes : Unknown.of(expression.text);
    }
  }
}

/** A template of one expression is that expression's value, any other a text. */
function templateOf(parts: readonly (string | Expression)[], scope: Scope): Value {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined && typeof first !== 'string') return evaluate(first, scope);
  let text = '';
  let isWhole = true;
  for (const part of parts) {
    const value = typeof part === 'string' ? part : evaluate(part, scope);
    const written = toText(value);
    if (isUnknown(value)) isWhole = false;
    if (written === undefined) return new Missing(`\${${typeof part === 'string' ? '' : part.text}}`);
    text += written;
    if (text.length > MAX_TEXT) return Unknown.of('a text that is too long');
  }
  return isWhole ? text : new Unknown(text);
}

function objectOf({ entries, text }: Extract<Expression, { kind: 'object' }>, scope: Scope): Value {
  const made: ValueMap = {};
  for (const { key, value } of entries.slice(0, MAX_ELEMENTS)) {
    const name = toText(evaluate(key, scope));
    if (name === undefined) return Unknown.of(text);
    setMember(made, name, evaluate(value, scope));
  }
  return made;
}

function forOf(expression: ForExpression, text: string, scope: Scope): Value {
  const { keyName, valueName, key, value, grouped, condition } = expression;
  const elements = elementsOf(evaluate(expression.over, scope));
  if (elements === undefined) return Unknown.of(text);
  const made: [string, Value][] = [];
  for (const [name, item] of elements.slice(0, MAX_ELEMENTS)) {
    const named = keyName === undefined ? scope : bound(scope, keyName, name);
    const inside = bound(named, valueName, item);
    const kept = condition === undefined ? true : truthOf(evaluate(condition, inside));
    if (kept === undefined) return Unknown.of(text);
    if (!kept) continue;
    const member = key === undefined ? '' : toText(evaluate(key, inside));
    if (member === undefined) return Unknown.of(text);
    made.push([member, evaluate(value, inside)]);
  }
  if (key === undefined) return made.map(([, item]) => item);
  if (!grouped) return mapOf(made);
  const groups = new Map<string, Value[]>();
  for (const [name, item] of made) groups.set(name, [...(groups.get(name) ?? []), item]);
  return mapOf(groups);
}

function splatOf({ of, each, text }: Extract<Expression, { kind: 'splat' }>, scope: Scope): Value {
  const value = evaluate(of, scope);
  if (value === null) return [];
  if (isUnknown(value) && !(value instanceof Reference && !value.isOpen)) return Unknown.of(text);
  // of what for_each makes, Terraform refuses a splat, and older configurations of some providers have it
  const elements = Array.isArray(value) ? value : [value];
  return elements.map((item) => evaluate(each, bound(scope, ELEMENT, item)));
}

type Traversal = Extract<Expression, { kind: 'attribute' | 'index' }>;

/** `var.a.b[0]`: the names that it begins with say what it is, the rest goes into that. */
function traversalOf(expression: Traversal, scope: Scope): Value {
  const steps: Traversal[] = [];
  let root: Expression = expression;
  while (root.kind === 'attribute' || root.kind === 'index') {
    steps.unshift(root);
    root = root.of;
  }
  let value: Value;
  let rest = steps;
  if (root.kind === 'name' && frameOf(scope, root.name) === undefined) {
    const names = steps.map((step) => (step.kind === 'attribute' ? step.name : undefined));
    const found = resolveName(root.name, names, scope);
    if (found === undefined) return Unknown.of(expression.text);
    value = found.value;
    rest = steps.slice(found.steps);
  } else value = evaluate(root, scope);
  for (const step of rest) value = step.kind === 'attribute' ? attributeOf(value, step.name) : stepInto(value, evaluate(step.key, scope));
  return value;
}

function unaryOf({ operator, of, text }: Extract<Expression, { kind: 'unary' }>, scope: Scope): Value {
  const value = evaluate(of, scope);
  if (operator === '-') return typeof value === 'number' ? -value : Unknown.of(text);
  const truth = truthOf(value);
  return truth === undefined ? Unknown.of(text) : !truth;
}

const ARITHMETIC: Readonly<Record<string, (left: number, right: number) => number | boolean>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

/** A condition that is not known may also be null for who reads it: `?` in its text says so. */
const openCondition = (text: string): Unknown => Unknown.of(`${text} ? true : false`);

function binaryOf({ operator, left, right, text }: Extract<Expression, { kind: 'binary' }>, scope: Scope): Value {
  const one = evaluate(left, scope);
  const other = evaluate(right, scope);
  if (operator === '==' || operator === '!=') {
    const equal = isEqual(one, other);
    return equal === undefined ? openCondition(text) : equal === (operator === '==');
  }
  if (operator === '&&' || operator === '||') {
    const [a, b] = [truthOf(one), truthOf(other)];
    const decides = operator === '||';
    if (a === decides || b === decides) return decides;
    return a === undefined || b === undefined ? openCondition(text) : !decides;
  }
  const [a, b] = [numberOf(one), numberOf(other)];
  const made = a === undefined || b === undefined ? undefined : ARITHMETIC[operator]?.(a, b);
  return made === undefined || (typeof made === 'number' && !Number.isFinite(made)) ? Unknown.of(text) : made;
}

function numberOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : undefined;
}
