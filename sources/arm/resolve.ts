import { isItem, type Item } from '../../importers/cloud/item.js';
import { NoTemplate } from '../no-template.js';
import {
  fromPlain,
  holdsUnknown,
  isMap,
  isUnknown,
  MAX_TEXT,
  MAX_WEIGHT,
  setMember,
  toText,
  Unknown,
  weightOf,
  type Value,
  type ValueMap,
} from '../terraform/value.js';
import { isExpression, parseExpression, type ArmExpression } from './expression.js';
import { formatted, FUNCTIONS, joined } from './functions.js';
import { idOf } from './identifier.js';

const MAX_STEPS = 1_000_000;
const MAX_DEPTH = 200;
/** Times that a list of a property is made of. */
const MAX_COPIES = 1_000;
/** What nobody knows before it is deployed. */
const OPEN = Unknown.of('try(null)');
/** A choice, one side of which may be that there is nothing. */
const CHOICE = Unknown.of('try(null) ? true : false');
const SECURE = /^secure/i;

/** Where an expression stands: how often what is around it was made before, by the names of loops; the resource's own is `''`. */
export type Copies = Readonly<Record<string, Value>>;

/** Works out the expressions of a template. What is not known stays text with a reference in it: `${var.name}`, `${azurerm_storage_account.logs.id}`. */
export class Resolver {
  private readonly variables = new Map<string, Value | 'working'>();
  private steps = 0;

  constructor(private readonly template: Item) {}

  /** @throws NoTemplate where it has no end */
  resolve(value: unknown, copies: Copies, depth = 0): Value {
    this.steps += 1;
    if (this.steps > MAX_STEPS) throw new NoTemplate(`evaluating it takes more than ${MAX_STEPS} steps`);
    if (depth > MAX_DEPTH) return OPEN;
    const made = this.worthOf(value, copies, depth + 1);
    return weightOf(made) > MAX_WEIGHT || (typeof made === 'string' && made.length > MAX_TEXT) ? OPEN : made;
  }

  private worthOf(value: unknown, copies: Copies, depth: number): Value {
    if (typeof value === 'string') {
      if (!isExpression(value)) return value.startsWith('[[') ? value.slice(1) : value;
      const expression = parseExpression(value);
      return expression === undefined ? OPEN : this.evaluate(expression, copies, depth);
    }
    if (Array.isArray(value)) return (value as unknown[]).map((inner) => this.resolve(inner, copies, depth));
    if (!isItem(value)) return fromPlain(value);
    const made: ValueMap = {};
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'copy' && Array.isArray(inner)) for (const loop of inner as unknown[]) this.repeat(made, loop, copies, depth);
      else setMember(made, name, this.resolve(inner, copies, depth));
    }
    return made;
  }

  /** A property that a loop makes. */
  private repeat(made: ValueMap, loop: unknown, copies: Copies, depth: number): void {
    if (!isItem(loop) || typeof loop.name !== 'string') return;
    const { name, input } = loop;
    const count = this.resolve(loop.count, copies, depth);
    const isKnown = typeof count === 'number' && count >= 0 && count <= MAX_COPIES;
    const items = isKnown
      ? Array.from({ length: count }, (_, n) => this.resolve(input, { ...copies, [name.toLowerCase()]: n }, depth))
      : // how many there are is open, and so is whether there are any
        [CHOICE];
    setMember(made, name, items);
  }

  private evaluate(expression: ArmExpression, copies: Copies, depth: number): Value {
    this.steps += 1;
    if (depth > MAX_DEPTH) return OPEN;
    const inner = (one: ArmExpression): Value => this.evaluate(one, copies, depth + 1);
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'member':
        return memberOf(inner(expression.of), expression.name);
      case 'index':
        return memberOf(inner(expression.of), inner(expression.key));
      case 'call':
        return this.call(expression.name, expression.args, inner, copies, depth);
    }
  }

  private call(name: string, args: readonly ArmExpression[], inner: (one: ArmExpression) => Value, copies: Copies, depth: number): Value {
    if (name === 'if') {
      const holds = args[0] === undefined ? undefined : inner(args[0]);
      const chosen = holds === true ? args[1] : holds === false ? args[2] : undefined;
      return chosen === undefined ? CHOICE : inner(chosen);
    }
    if (name === 'and' || name === 'or') {
      const answers = args.map(inner);
      const decides = name === 'or';
      return answers.includes(decides) ? decides : answers.every((answer) => answer === !decides) ? !decides : OPEN;
    }
    const values = args.map(inner);
    const [first] = values;
    if (name === 'parameters') return this.parameter(first, depth);
    if (name === 'variables') return this.variable(first, depth);
    if (name === 'copyindex') return copyIndex(values, copies);
    if (name === 'resourceid') return resourceId(values);
    if (name === 'concat' || name === 'format') {
      const made = name === 'concat' ? joined(values) : formatted(values);
      if (made === undefined) return OPEN;
      return typeof made === 'string' && values.some(holdsUnknown) ? new Unknown(made) : made;
    }
    if (name === 'coalesce') return values.find((value) => value !== null) ?? null;
    const known = FUNCTIONS.get(name);
    // lists and objects are put together whatever they hold
    if (known === undefined || values.some(name.startsWith('create') || name === 'union' ? isUnknown : holdsUnknown)) return OPEN;
    return known(values) ?? (name === 'null' || name === 'first' || name === 'last' ? null : OPEN);
  }

  private parameter(name: Value | undefined, depth: number): Value {
    const found = memberByName(this.template.parameters, name);
    if (found === undefined || !isItem(found.value)) return OPEN;
    const { defaultValue, type } = found.value;
    return defaultValue === undefined || SECURE.test(String(type))
      ? Unknown.of(`var.${found.name}`)
      : this.resolve(defaultValue, {}, depth);
  }

  private variable(name: Value | undefined, depth: number): Value {
    const found = memberByName(this.template.variables, name) ?? this.copied(name);
    if (found === undefined) return OPEN;
    const known = this.variables.get(found.name);
    // one that asks for itself is not known
    if (known === 'working') return OPEN;
    if (known !== undefined) return known;
    this.variables.set(found.name, 'working');
    const made = this.resolve(found.value, {}, depth);
    this.variables.set(found.name, made);
    return made;
  }

  /** A variable that a loop makes. */
  private copied(name: Value | undefined): { name: string; value: unknown } | undefined {
    const { variables } = this.template;
    const loops: unknown = isItem(variables) ? variables.copy : undefined;
    if (!Array.isArray(loops)) return undefined;
    const made: ValueMap = {};
    for (const loop of loops as unknown[]) if (isItem(loop) && loop.name === name) this.repeat(made, loop, {}, 0);
    return typeof name === 'string' && Object.hasOwn(made, name) ? { name, value: made[name] } : undefined;
  }
}

/** A subscription and a resource group may stand before the type: what they hold is none of the template. */
function resourceId(values: readonly Value[]): Value {
  const at = values.findIndex((value) => typeof value === 'string' && /^\w+\.[\w.]+\//.test(value));
  const type = values[at];
  const names = values.slice(at + 1).map(toText);
  if (typeof type !== 'string' || at > 0 || !names.every((name) => name !== undefined)) return OPEN;
  return new Unknown(idOf(type, names));
}

function memberByName(from: unknown, name: Value | undefined): { name: string; value: unknown } | undefined {
  if (!isItem(from) || typeof name !== 'string') return undefined;
  const found = Object.keys(from).find((key) => key.toLowerCase() === name.toLowerCase() && key !== 'copy');
  return found === undefined ? undefined : { name: found, value: from[found] };
}

function memberOf(value: Value, key: Value): Value {
  if (Array.isArray(value)) return typeof key === 'number' ? (value[key] ?? OPEN) : OPEN;
  if (!isMap(value) || typeof key !== 'string') return OPEN;
  const name = Object.keys(value).find((one) => one.toLowerCase() === key.toLowerCase());
  return name === undefined ? OPEN : value[name]!;
}

/** `copyIndex()`, `copyIndex('loop', 1)`. */
function copyIndex(values: readonly Value[], copies: Copies): Value {
  const [first] = values;
  const loop = typeof first === 'string' ? first.toLowerCase() : '';
  const offset = typeof first === 'string' ? (values[1] ?? 0) : (first ?? 0);
  const index = Object.hasOwn(copies, loop) ? copies[loop] : undefined;
  return typeof index === 'number' && typeof offset === 'number' ? index + offset : OPEN;
}
