import { BlockList, isIP } from 'node:net';
import { fieldReader, textOfValue, type DetectedEvent } from './event-fields.js';
import { encodings } from './base64.js';

/** Whether the values of a field are what a rule asks for. */
export type ValueTest = (values: readonly unknown[], event: DetectedEvent) => boolean;

/** A pattern of a rule. */
export type Pattern = string | number | boolean | null;

/** Modifiers of the subset; what else follows a field's name is refused by name. */
export const MODIFIERS = [
  ...['contains', 'startswith', 'endswith', 're', 'i', 'm', 's', 'cidr', 'all', 'exists', 'cased', 'fieldref'],
  ...['base64', 'base64offset', 'lt', 'lte', 'gt', 'gte'],
] as const;
type Modifier = (typeof MODIFIERS)[number];

const isModifier = (name: string): name is Modifier => (MODIFIERS as readonly string[]).includes(name);
/** How a field is compared: at most one of these. */
const COMPARISONS: readonly Modifier[] = ['re', 'cidr', 'exists', 'fieldref', 'lt', 'lte', 'gt', 'gte'];
const PLACES: readonly Modifier[] = ['contains', 'startswith', 'endswith'];

/** Characters of a value that regular expressions look at: policies of AWS have at most 20,480. */
const LONGEST = 32_768;

type One = (value: unknown, event: DetectedEvent) => boolean;

/**
 * The test of a field by its modifiers and patterns.
 * @param log product and service of the rule's log
 * @throws an Error that names the modifier or pattern which is outside of the subset
 */
export function valueTest(modifiers: readonly string[], patterns: readonly Pattern[], log: string): ValueTest {
  for (const name of modifiers)
    if (!isModifier(name)) throw new Error(`the modifier "${name}" is not of the subset: ${MODIFIERS.join(', ')}`);
  const has = (name: Modifier) => modifiers.includes(name);
  const comparisons = modifiers.filter((name) => (COMPARISONS as readonly string[]).includes(name));
  const places = modifiers.filter((name) => (PLACES as readonly string[]).includes(name));
  if (comparisons.length + Math.min(1, places.length) > 1 || places.length > 1)
    throw new Error(`the modifiers ${modifiers.join(', ')} do not go together`);
  if ((has('i') || has('m') || has('s')) && !has('re')) throw new Error('the modifiers i, m and s go with re alone');
  if (has('exists')) return existsTest(patterns);
  if (patterns.length === 0) throw new Error('an empty list matches nothing');
  const tests = patterns.map((pattern) => (pattern === null ? null : oneTest(pattern, modifiers, log)));
  const holds = (test: One | null, values: readonly unknown[], event: DetectedEvent): boolean =>
    test === null ? values.length === 0 : values.some((value) => test(value, event));
  return has('all')
    ? (values, event) => tests.every((test) => holds(test, values, event))
    : (values, event) => tests.some((test) => holds(test, values, event));
}

function existsTest(patterns: readonly Pattern[]): ValueTest {
  const [wanted, ...more] = patterns;
  if (typeof wanted !== 'boolean' || more.length > 0) throw new Error('exists takes true or false');
  return (values) => values.length > 0 === wanted;
}

function oneTest(pattern: Exclude<Pattern, null>, modifiers: readonly string[], log: string): One {
  const has = (name: Modifier) => modifiers.includes(name);
  const text = String(pattern);
  if (has('re')) {
    const flags = (['i', 'm', 's'] as const).filter(has).join('');
    const expression = new RegExp(text, flags);
    return (value) => expression.test(textOfValue(value).slice(0, LONGEST));
  }
  if (has('cidr')) return cidrTest(text);
  if (has('fieldref')) {
    const read = fieldReader(text, log);
    return (value, event) => read(event).some((other) => textOfValue(other).toLowerCase() === textOfValue(value).toLowerCase());
  }
  for (const name of ['lt', 'lte', 'gt', 'gte'] as const) if (has(name)) return numberTest(name, pattern);
  const base64 = has('base64') || has('base64offset');
  // what is encoded is compared letter by letter, and has no wildcards
  const texts = base64 ? encodings(text, has('base64offset')) : [text];
  const tests = texts.map((one) => textTest(one, modifiers, has('cased') || base64, base64));
  return (value) => {
    const compared = textOfValue(value);
    return tests.some((test) => test(compared));
  };
}

function cidrTest(text: string): One {
  const [network = '', prefix] = text.split('/');
  const family = isIP(network);
  if (family === 0 || prefix === undefined || !/^\d{1,3}$/.test(prefix)) throw new Error(`"${text}" is no network, like 10.0.0.0/8`);
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
  return (value) => typeof value === 'string' && isIP(value) !== 0 && list.check(value, isIP(value) === 4 ? 'ipv4' : 'ipv6');
}

function numberTest(name: 'lt' | 'lte' | 'gt' | 'gte', pattern: Exclude<Pattern, null>): One {
  if (typeof pattern !== 'number') throw new Error(`${name} compares with a number`);
  const compare = {
    lt: (value: number) => value < pattern,
    lte: (value: number) => value <= pattern,
    gt: (value: number) => value > pattern,
    gte: (value: number) => value >= pattern,
  }[name];
  return (value) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && !Number.isNaN(number) && compare(number);
  };
}

function textTest(pattern: string, modifiers: readonly string[], cased: boolean, plain: boolean): (value: string) => boolean {
  const place = modifiers.find((name) => (PLACES as readonly string[]).includes(name));
  if (plain || !/[*?\\]/.test(pattern)) {
    const wanted = cased ? pattern : pattern.toLowerCase();
    const own = cased ? (value: string) => value : (value: string) => value.toLowerCase();
    if (place === 'contains') return (value) => own(value).includes(wanted);
    if (place === 'startswith') return (value) => own(value).startsWith(wanted);
    if (place === 'endswith') return (value) => own(value).endsWith(wanted);
    return (value) => own(value) === wanted;
  }
  const inner = wildcards(pattern);
  const [before, behind] = [
    place === 'contains' || place === 'endswith' ? '' : '^',
    place === 'contains' || place === 'startswith' ? '' : '$',
  ];
  const expression = new RegExp(`${before}${inner}${behind}`, cased ? 's' : 'is');
  return (value) => expression.test(value);
}

/** Whether a pattern stands for one text, and which. */
export const literalOf = (pattern: Pattern): string | null => {
  if (pattern === null) return null;
  const text = String(pattern);
  return /[*?\\]/.test(text) ? null : text.toLowerCase();
};

/** `*` is any text, `?` any character, and a backslash before one of these, or before another, takes its meaning. */
function wildcards(pattern: string): string {
  let source = '';
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at]!;
    const next = pattern[at + 1];
    if (sign === '\\' && (next === '*' || next === '?' || next === '\\')) {
      source += `\\${next}`;
      at += 1;
    } else if (sign === '*') source += '.*';
    else if (sign === '?') source += '.';
    else source += sign.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  }
  return source;
}
