import { isAnyCidr, isPublicCidr } from '../catalog/cel/cidr.js';
import type { Subject, Surroundings } from '../catalog/cel/asset-value.js';
import { FUNCTIONS } from '../catalog/cel/environment.js';
import { openToInternet } from '../catalog/cel/firewall/reachability.js';
import { trafficRules } from '../catalog/cel/firewall/readers.js';
import type { TrafficRule } from '../catalog/cel/firewall/traffic-rule.js';
import { bindingsOf, parsed, statementsOf, type Statement } from '../catalog/cel/policy.js';
import { resolveText, type Resolved } from '../catalog/cel/reference.js';

type Plain = Readonly<Record<string, unknown>>;

/** What cannot be known: an unresolved reference, or an error. */
const OPEN = Symbol('open');

/** A list or a record that is ready to be read: nothing in it counts as absent. */
class Ready {
  constructor(readonly items: readonly unknown[]) {}
}
class Facts {
  constructor(
    readonly fields: Plain,
    readonly source?: unknown,
  ) {}
}

/** `asset` of a predicate. */
export interface Asset extends Plain {
  [ABOUT]: { subject: Subject; surroundings: Surroundings; traffic?: TrafficRule[] };
}
const ABOUT = Symbol('about');

export const assetOf = (subject: Subject, surroundings: Surroundings): Asset => ({
  type: subject.resource_type,
  name: subject.resource_name,
  provider: subject.provider,
  region: subject.region,
  account_id: subject.account_id,
  tags: subject.tags,
  [ABOUT]: { subject, surroundings },
});

const isBlock = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Ready) && !(value instanceof Facts);

const RESOLVED = new Map<string, Resolved>();
function resolved(text: string): Resolved {
  let found = RESOLVED.get(text);
  if (found === undefined) {
    if (RESOLVED.size > 1_000) RESOLVED.clear();
    RESOLVED.set(text, (found = resolveText(text)));
  }
  return found;
}

/** An attribute's value; undefined where it is absent. */
function value(raw: unknown): unknown {
  if (raw === undefined || raw === null || raw === '' || (Array.isArray(raw) && raw.length === 0)) return undefined;
  if (typeof raw !== 'string' || !raw.includes('${')) return raw;
  const found = resolved(raw);
  return found.kind !== 'value' ? OPEN : typeof found.value === 'string' ? found.value : value(found.value);
}

const blockOf = (x: unknown): unknown => (Array.isArray(x) && x.length === 1 && isBlock(x[0]) ? x[0] : x);

function get(x: unknown, key: string): unknown {
  if (x instanceof Facts) return x.fields[key] ?? OPEN;
  const block = blockOf(x);
  return isBlock(block) && Object.hasOwn(block, key) ? (value(block[key]) ?? OPEN) : OPEN;
}

function has(x: unknown, key: string): unknown {
  if (x instanceof Facts) return x.fields[key] !== undefined;
  const block = blockOf(x);
  if (!isBlock(block)) return block === OPEN ? OPEN : false;
  const raw = Object.hasOwn(block, key) ? block[key] : undefined;
  if (typeof raw === 'string' && raw.includes('${')) {
    const found = resolved(raw);
    return found.kind === 'value' ? found.value === raw || value(found.value) !== undefined : found.kind === 'set' ? true : OPEN;
  }
  return value(raw) !== undefined;
}

function elements(x: unknown): readonly unknown[] | undefined {
  if (x instanceof Ready) return x.items;
  if (Array.isArray(x)) {
    const isEasy = x.every((item) =>
      typeof item === 'object' ? item !== null && !Array.isArray(item) : item !== '' && !String(item).includes('${'),
    );
    return isEasy ? x : x.map((item) => value(item)).filter((item) => item !== undefined);
  }
  if (x instanceof Facts) return Object.keys(x.fields);
  return isBlock(x) ? Object.keys(x) : undefined;
}

function exists(range: unknown, test: (item: unknown) => unknown): unknown {
  const items = elements(range);
  if (items === undefined) return OPEN;
  let answer: unknown = false;
  for (const item of items) {
    const found = test(item);
    if (found === true) return true;
    if (found !== false) answer = OPEN;
  }
  return answer;
}

function all(range: unknown, test: (item: unknown) => unknown): unknown {
  const items = elements(range);
  if (items === undefined) return OPEN;
  let answer: unknown = true;
  for (const item of items) {
    const found = test(item);
    if (found === false) return false;
    if (found !== true) answer = OPEN;
  }
  return answer;
}

function fold(
  range: unknown,
  start: unknown,
  goesOn: (item: unknown, accumulated: unknown) => unknown,
  step: (item: unknown, accumulated: unknown) => unknown,
  result: (accumulated: unknown) => unknown,
): unknown {
  const items = elements(range);
  if (items === undefined || start === OPEN) return OPEN;
  let accumulated = start;
  for (const item of items) {
    const turn = goesOn(item, accumulated);
    if (turn === OPEN) return OPEN;
    if (turn !== true) break;
    accumulated = step(item, accumulated);
  }
  return result(accumulated);
}

function equalValues(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [left, right] = [elements(a), elements(b)];
  if (left === undefined || right === undefined || left.length !== right.length) return false;
  if (isBlock(a) || isBlock(b))
    return isBlock(a) && isBlock(b) && left.every((key) => equalValues(value(a[String(key)]), value(b[String(key)])));
  return left.every((item, i) => equalValues(item, right[i]));
}

const both = (a: unknown, b: unknown, of: (a: never, b: never) => unknown): unknown =>
  typeof a === typeof b && (typeof a === 'number' || typeof a === 'string') ? of(a as never, b as never) : OPEN;

/** A function that knows nothing where it is given what is not known, or throws. */
const strict =
  (of: (...args: never[]) => unknown) =>
  (...args: unknown[]): unknown => {
    if (args.includes(OPEN)) return OPEN;
    try {
      return of(...(args as never[]));
    } catch {
      return OPEN;
    }
  };

const called = (name: string) => strict(FUNCTIONS[name]!.call);
const allowsAction = called('allows_action');
const ready = (items: readonly unknown[]): Ready => new Ready(items);
const known = (items: readonly unknown[]): Ready => new Ready(items.map((item) => item ?? OPEN));

/** What one document was read as: most predicates of a type ask for it again. */
function remembered(read: (document: unknown) => unknown): (document: unknown) => unknown {
  const texts = new Map<unknown, unknown>();
  const objects = new WeakMap<object, unknown>();
  return (document) => {
    const memory = typeof document === 'object' && document !== null ? objects : texts;
    let found = memory.get(document as object);
    if (found === undefined) {
      if (texts.size >= 32) texts.clear();
      memory.set(document as object, (found = read(document)));
    }
    return found;
  };
}

const LISTS = ['actions', 'not_actions', 'resources', 'not_resources', 'principals', 'not_principals'] as const;
const statementFacts = (statement: Statement): Facts =>
  new Facts(
    {
      effect: statement.effect,
      ...Object.fromEntries(LISTS.map((key) => [key, known(statement[key])])),
      conditions: ready(statement.conditions.map((condition) => new Facts({ ...condition, values: known(condition.values) }))),
    },
    statement,
  );
const statements = remembered((document) => ready(statementsOf(document).map(statementFacts)));
const bindings = remembered((document) =>
  ready(bindingsOf(document).map(({ role, members, condition }) => new Facts({ role: role ?? OPEN, members: known(members), condition }))),
);

const about = (asset: unknown) => (asset as Asset)[ABOUT];
function traffic(asset: unknown): TrafficRule[] {
  const facts = about(asset);
  return (facts.traffic ??= trafficRules(facts.subject.resource_type, facts.subject.configuration));
}
const inDirection = (direction: TrafficRule['direction']) =>
  strict((asset: unknown) =>
    ready(
      traffic(asset)
        .filter((rule) => rule.direction === direction)
        .map(
          (rule) =>
            new Facts({
              action: rule.action,
              protocol: rule.protocol ?? OPEN,
              from: rule.from ?? OPEN,
              to: rule.to ?? OPEN,
              sources: known(rule.sources),
              description: rule.description ?? '',
              priority: rule.priority ?? 0,
            }),
        ),
    ),
  );
const typesOf = (types: string): string[] => types.split(',').map((type) => type.trim());

const PATTERNS = new Map<string, RegExp>();
function regExp(pattern: string): RegExp {
  let found = PATTERNS.get(pattern);
  if (found === undefined) {
    // RE2 sets flags inside of a pattern: (?i)
    const flags = new Set([...pattern.matchAll(/\(\?([ims]+)\)/g)].flatMap(([, letters = '']) => [...letters]));
    PATTERNS.set(pattern, (found = new RegExp(pattern.replace(/\(\?[ims]+\)/g, ''), [...flags].join(''))));
  }
  return found;
}

/** What predicates are written with: CEL's operators, and the catalog's functions over plain values. */
export const runtime = {
  OPEN,
  get,
  has,
  exists,
  all,
  fold,
  listOf: (items: unknown[]) => (items.includes(OPEN) ? OPEN : ready(items)),
  mapOf: (entries: [string, unknown][]) => new Facts(Object.fromEntries(entries)),
  equal: strict(equalValues),
  unequal: strict((a, b) => !equalValues(a, b)),
  not: (a: unknown) => (typeof a === 'boolean' ? !a : OPEN),
  less: (a: unknown, b: unknown) => both(a, b, (x, y) => x < y),
  atMost: (a: unknown, b: unknown) => both(a, b, (x, y) => x <= y),
  more: (a: unknown, b: unknown) => both(a, b, (x, y) => x > y),
  atLeast: (a: unknown, b: unknown) => both(a, b, (x, y) => x >= y),
  plus: (a: unknown, b: unknown) =>
    typeof a === 'object' && typeof b === 'object' ? ready([...elements(a)!, ...elements(b)!]) : both(a, b, (x, y) => x + y),
  minus: (a: unknown, b: unknown) => both(a, b, (x, y) => x - y),
  negative: (a: unknown) => (typeof a === 'number' ? -a : OPEN),
  within: strict((item: unknown, list: unknown) =>
    isBlock(list) ? has(list, item as string) : elements(list)!.some((x) => equalValues(x, item)),
  ),
  at: strict((x: unknown, key: string | number) => (typeof key === 'string' ? get(x, key) : (elements(x)![key] ?? OPEN))),
  size: strict((x: string | object) => (typeof x === 'string' ? [...x].length : elements(x)!.length)),
  string: strict((x: unknown) => (typeof x === 'object' ? OPEN : String(x))),
  type: strict((x: unknown) =>
    typeof x === 'string'
      ? 'string'
      : typeof x === 'boolean'
        ? 'bool'
        : typeof x === 'number'
          ? 'double'
          : isBlock(x) || x instanceof Facts
            ? 'map'
            : 'list',
  ),
  matches: (x: unknown, pattern: string) => (typeof x === 'string' ? regExp(pattern).test(x) : OPEN),
  startsWith: (x: unknown, y: unknown) => (typeof x === 'string' && typeof y === 'string' ? x.startsWith(y) : OPEN),
  endsWith: (x: unknown, y: unknown) => (typeof x === 'string' && typeof y === 'string' ? x.endsWith(y) : OPEN),
  contains: (x: unknown, y: unknown) => (typeof x === 'string' && typeof y === 'string' ? x.includes(y) : OPEN),
  is_true: called('is_true'),
  is_false: called('is_false'),
  number: called('number'),
  lower: called('lower'),
  strings: strict((x: unknown) => {
    const list = Array.isArray(x) ? x : x instanceof Ready ? x.items : [x];
    return list.some((item) => typeof item === 'string' && item.includes('${')) ? OPEN : ready(list.map(String));
  }),
  json: strict((x: unknown) => value(parsed(x)) ?? new Facts({})),
  is_literal: strict(() => true),
  version_at_least: called('version_at_least'),
  end_of_life: called('end_of_life'),
  is_any_cidr: strict((x: unknown) => isAnyCidr(String(x))),
  is_public_cidr: strict((x: unknown) => isPublicCidr(String(x))),
  holds_credential: called('holds_credential'),
  open_to_internet: strict((asset: unknown, protocol: string, port: number) => openToInternet(traffic(asset), protocol, port) ?? OPEN),
  ingress: inDirection('ingress'),
  egress: inDirection('egress'),
  statements: strict(statements),
  bindings: strict(bindings),
  allows_action: (statement: unknown, action: unknown) => allowsAction(statement instanceof Facts ? statement.source : statement, action),
  companions: strict((asset: unknown, types: string, attribute: string) => {
    const { surroundings, subject } = about(asset);
    return ready(surroundings.companions(subject, typesOf(types), attribute) ?? []);
  }),
  resources: strict((asset: unknown, types: string) => {
    const { surroundings, subject } = about(asset);
    return ready(surroundings.resources(subject, typesOf(types)) ?? []);
  }),
};
