import { celEnv, celFunc, CelScalar, celError, celList, parse, plan, type CelInput, type CelResult, type CelValue } from '@bufbuild/cel';
import { redactText, redactValue } from '../../redaction/redact.js';
import { REDACTED } from '../../redaction/secret-keys.js';
import { endOfLife } from '../end-of-life.js';
import { isAnyCidr, isPublicCidr } from './cidr.js';
import { openToInternet } from './firewall/reachability.js';
import type { TrafficRule } from './firewall/traffic-rule.js';
import { bindingsOf, namesAction, parsed, statementsOf, type Binding, type Statement } from './policy.js';
import { AssetValue } from './asset-value.js';
import { measure, MEASURED, turn, TURN } from './costs.js';
import { parsedBefore } from './parsed.js';
import { compilePattern } from './pattern.js';
import { planned } from './plan.js';
import type { Shortcuts } from './quick-call.js';
import { BlockValue, ListValue, ReadyList, RecordValue, toCelValue, toPlain } from './value.js';

const { DYN, STRING, BOOL, DOUBLE, INT } = CelScalar;

/** A value that depends on a reference which is not resolved. */
class Unresolved extends Error {}

const open = (what: string): never => {
  throw new Unresolved(`unresolved reference in ${what}`);
};

function assetOf(value: unknown): AssetValue {
  if (value instanceof AssetValue) return value;
  throw new Error('the first argument must be `asset`');
}

function isBoolean(value: unknown, wanted: boolean): boolean {
  if (value === REDACTED) throw new Error('the value is redacted');
  return value === wanted || (typeof value === 'string' && value.toLowerCase() === String(wanted));
}

function numberOf(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'bigint') return Number(number);
  if (typeof number !== 'number' || Number.isNaN(number)) throw new Error('not a number');
  return number;
}

function textsOf(value: unknown): string[] {
  const plain = toPlain(value);
  return (Array.isArray(plain) ? plain : [plain]).map((item) =>
    typeof item === 'string' && item.includes('${') ? open('a list') : String(item),
  );
}

/** The numbers of a version: `1.28.3-gke.1` 1, 28, 3; `TLS1_2` 1, 2; `TLSv1.2_2021` 1, 2, 2021. */
function versionNumbers(value: unknown): number[] {
  const numbers = String(toPlain(value)).match(/\d+/g);
  if (numbers === null) throw new Error('not a version');
  return numbers.map(Number);
}

function versionAtLeast(value: unknown, wanted: string): boolean {
  const [have, need] = [versionNumbers(value), versionNumbers(wanted)];
  for (let i = 0; i < need.length; i++) {
    const difference = (have[i] ?? 0) - need[i]!;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function momentOf(value: unknown): number {
  const moment = Date.parse(String(toPlain(value)));
  if (Number.isNaN(moment)) throw new Error('not a date');
  return moment;
}

function endOfLifeOf(product: unknown, version: unknown): string {
  const day = endOfLife(String(toPlain(product)), String(toPlain(version)));
  if (day === undefined) throw new Error('the end of life is not known');
  return day;
}

/** Scripts are small; what is larger is looked at from its beginning. */
const MAX_SCRIPT = 200_000;

function holdsCredential(value: unknown): boolean {
  const plain = toPlain(value);
  if (typeof plain === 'string') {
    const text = plain.slice(0, MAX_SCRIPT);
    return text.includes(REDACTED) || redactText(text) !== text;
  }
  const text = JSON.stringify(plain) ?? '';
  return text.includes(REDACTED) || JSON.stringify(redactValue(plain)) !== text;
}

/** A text, or the error of a reference that is not resolved. */
const known = (value: string | number | undefined): CelValue => value ?? (celError('unresolved reference') as unknown as CelValue);
const list = (values: readonly (string | undefined)[]): CelValue => new ReadyList(values.map(known)) as unknown as CelValue;
const record = (fields: Readonly<Record<string, CelValue>>, source: unknown): CelValue =>
  new RecordValue(fields, source) as unknown as CelValue;

const statementValue = (statement: Statement): CelValue => {
  const { effect, actions, not_actions, resources, not_resources, principals, not_principals, conditions } = statement;
  return record(
    {
      effect,
      actions: list(actions),
      not_actions: list(not_actions),
      resources: list(resources),
      not_resources: list(not_resources),
      principals: list(principals),
      not_principals: list(not_principals),
      conditions: ready(conditions.map((condition) => record({ ...condition, values: list(condition.values) }, condition))),
    },
    statement,
  );
};

const bindingValue = (binding: Binding): CelValue =>
  record({ role: known(binding.role), members: list(binding.members), condition: binding.condition }, binding);

const trafficValue = (rule: TrafficRule): CelValue =>
  record(
    {
      action: rule.action,
      protocol: known(rule.protocol),
      from: known(rule.from),
      to: known(rule.to),
      sources: list(rule.sources),
      description: rule.description ?? '',
      priority: rule.priority ?? 0,
    },
    rule,
  );

const ready = (values: CelValue[]): CelValue => new ReadyList(values) as unknown as CelValue;

/** What one text was read as: most rules of a type ask for the same document again. */
function remembered<T>(read: (value: unknown) => T): (value: unknown) => T {
  const texts = new Map<string, T>();
  const objects = new WeakMap<object, T>();
  return (value) => {
    const plain = toPlain(value);
    if (typeof plain === 'object' && plain !== null) {
      let found = objects.get(plain);
      if (found === undefined) objects.set(plain, (found = read(plain)));
      return found;
    }
    const key = String(plain);
    let found = texts.get(key);
    if (found === undefined) {
      if (texts.size >= 32) texts.clear();
      texts.set(key, (found = read(plain)));
    }
    return found;
  };
}

const statements = remembered((document) => ready(statementsOf(document).map(statementValue)));
const bindings = remembered((document) => ready(bindingsOf(document).map(bindingValue)));

const traffic = (asset: unknown, wanted: TrafficRule['direction']): CelValue =>
  ready(
    assetOf(asset)
      .traffic()
      .filter(({ direction }) => direction === wanted)
      .map(trafficValue),
  );

/** Signature of a function of the catalog's expressions, for the type check of tenants' rules. */
export interface FunctionSignature {
  arguments: readonly ('dyn' | 'string' | 'int')[];
  result: 'bool' | 'string' | 'number' | 'dyn' | 'list';
}

/** The functions beside CEL's own, described in docs/catalog.md. */
export const FUNCTIONS: Readonly<Record<string, FunctionSignature & { call: (...args: never[]) => unknown }>> = {
  is_true: { arguments: ['dyn'], result: 'bool', call: (value: unknown) => isBoolean(value, true) },
  is_false: { arguments: ['dyn'], result: 'bool', call: (value: unknown) => isBoolean(value, false) },
  number: { arguments: ['dyn'], result: 'number', call: numberOf },
  lower: { arguments: ['dyn'], result: 'string', call: (value: unknown) => String(toPlain(value)).toLowerCase() },
  strings: { arguments: ['dyn'], result: 'list', call: textsOf },
  json: { arguments: ['dyn'], result: 'dyn', call: (value: unknown) => toCelValue(parsed(toPlain(value))) ?? new Map() },
  is_literal: { arguments: ['dyn'], result: 'bool', call: () => true },
  version_at_least: { arguments: ['dyn', 'string'], result: 'bool', call: versionAtLeast },
  end_of_life: { arguments: ['dyn', 'dyn'], result: 'string', call: endOfLifeOf },
  days_between: {
    arguments: ['dyn', 'dyn'],
    result: 'number',
    call: (from: unknown, to: unknown) => (momentOf(to) - momentOf(from)) / 86_400_000,
  },
  is_any_cidr: { arguments: ['dyn'], result: 'bool', call: (value: unknown) => isAnyCidr(String(value)) },
  is_public_cidr: { arguments: ['dyn'], result: 'bool', call: (value: unknown) => isPublicCidr(String(value)) },
  open_to_internet: {
    arguments: ['dyn', 'string', 'int'],
    result: 'bool',
    call: (asset: unknown, protocol: string, port: bigint | number) =>
      openToInternet(assetOf(asset).traffic(), protocol, Number(port)) ?? open('a rule of the firewall'),
  },
  ingress: {
    arguments: ['dyn'],
    result: 'list',
    call: (asset: unknown) => traffic(asset, 'ingress'),
  },
  egress: {
    arguments: ['dyn'],
    result: 'list',
    call: (asset: unknown) => traffic(asset, 'egress'),
  },
  statements: { arguments: ['dyn'], result: 'list', call: statements },
  bindings: { arguments: ['dyn'], result: 'list', call: bindings },
  companions: {
    arguments: ['dyn', 'string', 'string'],
    result: 'list',
    call: (asset: unknown, types: string, attribute: string) =>
      assetOf(asset).companions(
        types.split(',').map((type) => type.trim()),
        attribute,
      ),
  },
  resources: {
    arguments: ['dyn', 'string'],
    result: 'list',
    call: (asset: unknown, types: string) => assetOf(asset).resources(types.split(',').map((type) => type.trim())),
  },
  holds_credential: { arguments: ['dyn'], result: 'bool', call: holdsCredential },
  allows_action: {
    arguments: ['dyn', 'string'],
    result: 'bool',
    call: (statement: unknown, action: string) => namesAction(toPlain(statement) as Statement, action),
  },
};

export const FUNCTION_SIGNATURES: Readonly<Record<string, FunctionSignature>> = FUNCTIONS;

const TYPES = { dyn: DYN, string: STRING, int: DYN, bool: BOOL, number: DOUBLE, list: DYN } as const;

const environment = celEnv({
  re2: { compile: compilePattern },
  funcs: [
    ...Object.entries(FUNCTIONS).map(([name, { arguments: types, result, call }]) =>
      celFunc(
        name,
        types.map((type) => TYPES[type]),
        TYPES[result] as typeof DYN,
        call as (...args: unknown[]) => CelInput,
      ),
    ),
    // count the steps of a tenant's expression (costs.ts)
    celFunc(TURN, [INT], BOOL, turn),
    celFunc(MEASURED, [DYN, INT, INT], DYN, (value, perKib, shallow) => measure(value, Number(perKib), Number(shallow) === 1)),
  ],
});

/** An expression ready to be asked about a configuration. */
export type Program = (bindings: { r: CelInput; asset: CelInput }) => CelResult;

/** Compiles an expression. @throws an Error with the position when it does not parse */
export function compile(expression: string): Program {
  const tree = parsedBefore(expression);
  return (tree && planned(environment, tree, SHORTCUTS, compilePattern)) ?? compileTree(parse(expression));
}

/** Compiles what `parse` gave, changed or not. */
export const compileTree = (tree: ReturnType<typeof parse>): Program =>
  (tree.expr && planned(environment, tree.expr, SHORTCUTS, compilePattern)) ?? (plan(environment, tree) as Program);

/** Whether an expression is planned by our own planner, not by that of the library, which takes its time. */
export const isPlanned = ({ expr }: ReturnType<typeof parse>): boolean =>
  expr !== undefined && planned(environment, expr, SHORTCUTS, compilePattern) !== undefined;

/** The catalog's functions called at once, where the arguments are of the types that they take. */
const SHORTCUTS: Shortcuts = Object.fromEntries(
  Object.entries(FUNCTIONS).map(([name, { arguments: types, call }]) => [
    name,
    (...values: CelValue[]) => {
      if (values.length !== types.length || types.some((type, i) => type === 'string' && typeof values[i] !== 'string')) return undefined;
      try {
        return asValue((call as (...args: CelValue[]) => unknown)(...values));
      } catch (error) {
        return celError(error);
      }
    },
  ]),
);

/** What a function gave, as CEL reads it; undefined where the environment must say. */
function asValue(result: unknown): CelValue | undefined {
  if (typeof result === 'boolean' || typeof result === 'string' || typeof result === 'number') return result;
  if (Array.isArray(result)) return celList(result as CelInput[]) as CelValue;
  const isOwn = result instanceof ListValue || result instanceof BlockValue || result instanceof RecordValue;
  return isOwn ? (result as unknown as CelValue) : undefined;
}
