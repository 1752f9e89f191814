import { SHALLOW, WHOLE } from './functions/index.js';
import { FAILS, type TerraformFunction } from './functions/kinds.js';
import { Missing } from './reference.js';
import { bound, type Scope } from './scope.js';
import type { Expression } from './syntax.js';
import { fromPlain, holdsUnknown, isMap, isUnknown, MAX_ELEMENTS, MAX_TEXT, toJson, Unknown, weightOf, type Value } from './value.js';

type Call = Extract<Expression, { kind: 'call' }>;

/** Functions that put texts together: of what is not known in them, the rest is known. */
const PARTIAL = new Set(['join', 'format']);

/** Functions that decide themselves what of their arguments is looked at. */
const SPECIAL: Readonly<Record<string, (call: Call, scope: Scope) => Value>> = {
  try({ args, text }, scope) {
    for (const arg of args) {
      const value = scope.evaluate(arg, scope);
      if (value instanceof Missing) continue;
      return isUnknown(value) && args.length > 1 ? maybeNull(value, text) : value;
    }
    return Unknown.of(text);
  },
  can({ args, text }, scope) {
    const value = args[0] === undefined ? null : scope.evaluate(args[0], scope);
    return value instanceof Missing ? false : holdsUnknown(value) ? Unknown.of(text) : true;
  },
  coalesce({ args, text }, scope) {
    for (const arg of args) {
      const value = scope.evaluate(arg, scope);
      if (isUnknown(value)) return Unknown.of(text);
      if (value !== null && value !== '') return value;
    }
    return Unknown.of(text);
  },
  jsonencode: ({ args }, scope) => encoded(args, scope),
  // JSON is YAML, too
  yamlencode: ({ args }, scope) => encoded(args, scope),
  sensitive({ args }, scope) {
    scope.trace.sensitive = true;
    return args[0] === undefined ? null : scope.evaluate(args[0], scope);
  },
  nonsensitive: ({ args }, scope) => (args[0] === undefined ? null : scope.evaluate(args[0], scope)),
  file: (call, scope) => fileText(call, scope) ?? Unknown.of(call.text),
  filebase64: (call, scope) => {
    const text = fileText(call, scope);
    return text === undefined ? Unknown.of(call.text) : Buffer.from(text).toString('base64');
  },
  fileexists: (call, scope) => (fileText(call, scope) === undefined ? Unknown.of(call.text) : true),
  templatefile: templateFile,
};

/** The value of a call; of a function that nobody knows, or whose arguments are not known, nothing is. */
export function callFunction(call: Call, scope: Scope): Value {
  const special = Object.hasOwn(SPECIAL, call.name) ? SPECIAL[call.name] : undefined;
  if (special !== undefined) return special(call, scope);
  const args = argumentsOf(call, scope);
  if (args === undefined) return Unknown.of(call.text);
  const shallow = SHALLOW.get(call.name);
  if (shallow !== undefined) return args.some(isUnknown) ? Unknown.of(call.text) : called(call, shallow, args);
  const whole = WHOLE.get(call.name);
  if (whole === undefined) return Unknown.of(call.text);
  // all that they hold is looked at
  scope.module.spend(args.reduce<number>((sum, arg) => sum + weightOf(arg), 0));
  if (!args.some(holdsUnknown)) return called(call, whole, args);
  const part = PARTIAL.has(call.name) ? whole(args) : undefined;
  return typeof part === 'string' && part.length <= MAX_TEXT ? new Unknown(part) : Unknown.of(call.text);
}

/** What a function gives. Terraform refuses null wherever a function makes nothing of it; of other arguments that give nothing nobody can say more. */
function called(call: Call, by: TerraformFunction, args: readonly Value[]): Value {
  const made = by(args);
  if (made === FAILS || (made === undefined && args.includes(null))) return new Missing(`\${${call.text}}`);
  return made === undefined || isTooLong(made) ? Unknown.of(call.text) : made;
}

/** Few steps can double a text or a list again and again. */
const isTooLong = (value: Value): boolean =>
  typeof value === 'string' ? value.length > MAX_TEXT : Array.isArray(value) && value.length > MAX_ELEMENTS;

function argumentsOf({ args, spread }: Call, scope: Scope): Value[] | undefined {
  const values = args.map((arg) => scope.evaluate(arg, scope));
  if (!spread) return values;
  const last = values.pop();
  return Array.isArray(last) ? [...values, ...last] : undefined;
}

/** What is tried may not be there in the end, though nothing says so now. */
const maybeNull = (value: Unknown, text: string): Unknown => (value.text.startsWith('${var.') ? Unknown.of(text) : value);

function encoded(args: readonly Expression[], scope: Scope): Value {
  const value = args[0] === undefined ? null : scope.evaluate(args[0], scope);
  if (isUnknown(value)) return Unknown.of(`jsonencode(${value.text.replace(/^\$\{|\}$/g, '')})`);
  const text = toJson(value);
  if (text.length > MAX_TEXT) return Unknown.of('a text that is too long');
  return holdsUnknown(value) ? new Unknown(text) : text;
}

function fileText({ args }: Call, scope: Scope): string | undefined {
  const path = args[0] === undefined ? undefined : scope.evaluate(args[0], scope);
  return typeof path === 'string' ? scope.module.readText(path) : undefined;
}

function templateFile(call: Call, scope: Scope): Value {
  const path = call.args[0] === undefined ? undefined : scope.evaluate(call.args[0], scope);
  const variables = call.args[1] === undefined ? fromPlain({}) : scope.evaluate(call.args[1], scope);
  const template = typeof path === 'string' ? scope.module.readTemplate(path) : undefined;
  if (template === undefined || !isMap(variables)) return Unknown.of(call.text);
  let inside: Scope = { ...scope, frame: undefined };
  for (const [name, value] of Object.entries(variables)) inside = bound(inside, name, value);
  return scope.evaluate(template, inside);
}
