import { isEqual, isMap, isUnknown, mapOf, toJson, toText, fromPlain, type Value } from '../terraform/value.js';

/** A function of ARM templates. It is asked where all of its arguments are known, and gives undefined where it cannot say. */
type ArmFunction = (args: readonly Value[]) => Value | undefined;

const text = (value: Value | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
const onText =
  (change: (value: string) => Value): ArmFunction =>
  ([value]) =>
    typeof value === 'string' ? change(value) : undefined;
const lists = (args: readonly Value[]): Value[][] | undefined =>
  args.every((arg) => Array.isArray(arg)) ? (args as Value[][]) : undefined;
const ends =
  (at: 0 | -1): ArmFunction =>
  ([value]) =>
    typeof value === 'string' || Array.isArray(value) ? (value.at(at) ?? null) : undefined;

function union(args: readonly Value[]): Value | undefined {
  const all = lists(args);
  if (all !== undefined) return all.flat().filter((value, n, from) => from.findIndex((other) => isEqual(other, value) === true) === n);
  return args.every(isMap) ? mapOf(args.flatMap((arg) => Object.entries(arg))) : undefined;
}

function contains([from, what]: readonly Value[]): Value | undefined {
  if (from === undefined || what === undefined) return undefined;
  if (Array.isArray(from)) return from.some((value) => isEqual(value, what) === true);
  const name = toText(what);
  if (name === undefined) return undefined;
  if (typeof from === 'string') return from.includes(name);
  return isMap(from) ? Object.keys(from).some((key) => key.toLowerCase() === name.toLowerCase()) : undefined;
}

function join([values, between]: readonly Value[]): Value | undefined {
  const texts = Array.isArray(values) ? values.map(toText) : undefined;
  return texts?.every((one) => one !== undefined) && typeof between === 'string' ? texts.join(between) : undefined;
}

function plain(value: string): Value | undefined {
  try {
    return fromPlain(JSON.parse(value));
  } catch {
    return undefined;
  }
}

/** Functions by their names in lower case: ARM takes any case. */
export const FUNCTIONS: ReadonlyMap<string, ArmFunction> = new Map<string, ArmFunction>([
  ['true', () => true],
  ['false', () => false],
  ['null', () => null],
  ['array', ([value]) => (value === undefined ? undefined : Array.isArray(value) ? value : [value])],
  ['createarray', (args) => [...args]],
  [
    'createobject',
    (args) => {
      const names = args.filter((_, n) => n % 2 === 0).map(toText);
      return names.every((name) => name !== undefined)
        ? mapOf(names.map((name, n) => [name, args[n * 2 + 1] ?? null] as const))
        : undefined;
    },
  ],
  ['not', ([value]) => (typeof value === 'boolean' ? !value : undefined)],
  ['equals', ([one, other]) => (one === undefined || other === undefined ? undefined : isEqual(one, other))],
  ['less', ([one, other]) => (typeof one === 'number' && typeof other === 'number' ? one < other : undefined)],
  ['greater', ([one, other]) => (typeof one === 'number' && typeof other === 'number' ? one > other : undefined)],
  ['add', ([one, other]) => (typeof one === 'number' && typeof other === 'number' ? one + other : undefined)],
  ['sub', ([one, other]) => (typeof one === 'number' && typeof other === 'number' ? one - other : undefined)],
  ['empty', ([value]) => (value === null || value === '' ? true : value === undefined ? undefined : lengthOf(value) === 0)],
  ['length', ([value]) => (value === undefined ? undefined : lengthOf(value))],
  ['contains', contains],
  ['union', union],
  ['join', join],
  ['split', ([value, by]) => (typeof value === 'string' && typeof by === 'string' ? value.split(by) : undefined)],
  [
    'replace',
    ([value, from, to]) =>
      text(from) && typeof value === 'string' && typeof to === 'string' ? value.replaceAll(text(from)!, () => to) : undefined,
  ],
  ['tolower', onText((value) => value.toLowerCase())],
  ['toupper', onText((value) => value.toUpperCase())],
  ['trim', onText((value) => value.trim())],
  [
    'startswith',
    ([value, what]) =>
      typeof value === 'string' && typeof what === 'string' ? value.toLowerCase().startsWith(what.toLowerCase()) : undefined,
  ],
  [
    'endswith',
    ([value, what]) =>
      typeof value === 'string' && typeof what === 'string' ? value.toLowerCase().endsWith(what.toLowerCase()) : undefined,
  ],
  [
    'substring',
    ([value, from, length]) =>
      typeof value === 'string' && typeof from === 'number' && typeof length === 'number'
        ? value.substring(from, from + length)
        : undefined,
  ],
  ['first', ends(0)],
  ['last', ends(-1)],
  [
    'string',
    ([value]) =>
      value === undefined ? undefined : typeof value === 'boolean' ? (value ? 'True' : 'False') : (toText(value) ?? toJson(value)),
  ],
  ['int', ([value]) => (/^-?\d+$/.test(String(value)) ? Number(value) : undefined)],
  [
    'bool',
    ([value]) =>
      typeof value === 'boolean' ? value : /^true$/i.test(String(value)) ? true : /^false$/i.test(String(value)) ? false : undefined,
  ],
  ['json', ([value]) => (typeof value === 'string' ? plain(value) : undefined)],
  ['base64', onText((value) => Buffer.from(value).toString('base64'))],
]);

function lengthOf(value: Value): number | undefined {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return isMap(value) ? Object.keys(value).length : undefined;
}

/** What `concat` and `format` make of parts some of which are open: a text, or a list, in which those stand. */
export function joined(parts: readonly Value[]): Value | string | undefined {
  const all = lists(parts);
  if (all !== undefined) return all.flat();
  const texts = parts.map(toText);
  return texts.every((part) => part !== undefined) ? texts.join('') : undefined;
}

/** `format('{0}-{1}', a, b)`. */
export function formatted([pattern, ...args]: readonly Value[]): string | undefined {
  if (typeof pattern !== 'string' || /\{\d+[:,]/.test(pattern)) return undefined;
  const texts = args.map((arg) => (typeof arg === 'boolean' ? undefined : isUnknown(arg) ? arg.text : toText(arg)));
  let isWhole = true;
  const made = pattern.replaceAll(/\{\{|\}\}|\{(\d+)\}/g, (all, at?: string) => {
    if (at === undefined) return all[0]!;
    const part = texts[Number(at)];
    if (part === undefined) isWhole = false;
    return part ?? '';
  });
  return isWhole ? made : undefined;
}
