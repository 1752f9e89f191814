import { columnOf } from '../catalog/detections/event-fields.js';
import { parseCondition, type Condition } from '../catalog/detections/condition.js';
import type { DetectionSource, LogName } from '../catalog/detections/rule-file.js';
import type { EventInput } from '../schema/observations.js';

type Test = (event: EventInput) => boolean;
type Value = string | number | boolean | null;

/** Rules as functions of plain JavaScript, written as somebody would by hand: direct access to members, comparisons of texts, regular expressions. */
export function plainRules(sources: readonly DetectionSource[]): {
  byCall: (event: EventInput) => number;
  all: (event: EventInput) => number;
} {
  const made = sources.map((source) => ({ test: plainRule(source), calls: callsOf(source) }));
  const byCall = new Map<string, Test[]>();
  const others: Test[] = [];
  for (const { test, calls } of made)
    if (calls === null) others.push(test);
    else for (const call of calls) byCall.set(call, [...(byCall.get(call) ?? []), test]);
  const count = (tests: readonly Test[], event: EventInput): number => {
    let seen = 0;
    for (const test of tests) if (test(event)) seen += 1;
    return seen;
  };
  const everything = made.map(({ test }) => test);
  return {
    byCall: (event) => count(byCall.get(event.action.toLowerCase()) ?? [], event) + count(others, event),
    all: (event) => count(everything, event),
  };
}

/** The calls that the first selection names; null where it names none, or others do without it. */
function callsOf({ detection }: DetectionSource): string[] | null {
  const { condition, ...selections } = detection;
  const [first] = Object.values(selections);
  if (!/^selection\b(?! or)/.test(condition) || !first || Array.isArray(first)) return null;
  const named = (first['eventName'] ?? first['event.action']) as Value | Value[] | undefined;
  if (named === undefined) return null;
  const calls = [named].flat().map(String);
  return calls.some((call) => /[*?\\]/.test(call)) ? null : calls.map((call) => call.toLowerCase());
}

function plainRule({ detection, logsource }: DetectionSource): Test {
  const { condition, ...selections } = detection;
  const bodies = new Map(
    Object.entries(selections).map(([name, given]) => [
      name,
      [given]
        .flat()
        .map(
          (fields) =>
            `(${Object.entries(fields)
              .map(([key, value]) => fieldSource(key, [value].flat() as Value[], logsource))
              .join(' && ')})`,
        )
        .join(' || '),
    ]),
  );
  const source = conditionSource(parseCondition(condition, [...bodies.keys()]), bodies);
  // the rules are ours
  return new Function('any', 'text', `return (event) => ${source};`)(any, text) as Test;
}

function conditionSource(condition: Condition, bodies: ReadonlyMap<string, string>): string {
  if (condition.kind === 'selection') return `(${bodies.get(condition.name)!})`;
  if (condition.kind === 'not') return `!${conditionSource(condition.of, bodies)}`;
  return `(${condition.of.map((one) => conditionSource(one, bodies)).join(condition.kind === 'and' ? ' && ' : ' || ')})`;
}

const COLUMN: Readonly<Record<string, string>> = { resource: 'resources' };

/** A test of one field: its value, or any of a list at its end or on the way. */
function fieldSource(key: string, values: readonly Value[], log: LogName): string {
  const [field = '', ...modifiers] = key.split('|');
  const column = columnOf(field, log);
  const read =
    column === null ? `any(event.record, ${JSON.stringify(field.split('.'))}, 0, ` : `any(event.${COLUMN[column] ?? column}, [], 0, `;
  const has = (name: string) => modifiers.includes(name);
  if (has('exists')) return values[0] === true ? `${read}() => true)` : `!${read}() => true)`;
  const tests = values.map((value) =>
    value === null ? `!${read}() => true)` : `${read}(value) => ${valueSource(value, modifiers, log)})`,
  );
  return `(${tests.join(has('all') ? ' && ' : ' || ')})`;
}

function valueSource(value: Exclude<Value, null>, modifiers: readonly string[], log: LogName): string {
  const has = (name: string) => modifiers.includes(name);
  if (has('re'))
    return `new RegExp(${JSON.stringify(String(value))}, ${JSON.stringify(modifiers.filter((one) => 'ims'.includes(one)).join(''))}).test(text(value))`;
  if (has('fieldref')) {
    const column = columnOf(String(value), log);
    const other = column === null ? `event.record, ${JSON.stringify(String(value).split('.'))}` : `event.${column}, []`;
    return `any(${other}, 0, (other) => text(other).toLowerCase() === text(value).toLowerCase())`;
  }
  for (const [name, sign] of Object.entries({ lt: '<', lte: '<=', gt: '>', gte: '>=' }))
    if (has(name)) return `Number(value) ${sign} ${String(value)}`;
  const wanted = JSON.stringify(String(value).toLowerCase());
  if (/[*?]/.test(String(value))) {
    const pattern = String(value)
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    return `/^${pattern.replaceAll('/', '\\/')}$/is.test(text(value))`;
  }
  const lower = 'text(value).toLowerCase()';
  if (has('contains')) return `${lower}.includes(${wanted})`;
  if (has('startswith')) return `${lower}.startsWith(${wanted})`;
  if (has('endswith')) return `${lower}.endsWith(${wanted})`;
  return `${lower} === ${wanted}`;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function any(value: unknown, path: readonly string[], at: number, test: (value: unknown) => boolean): boolean {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value)) return value.some((one) => any(one, path, at, test));
  if (at === path.length) return test(value);
  return typeof value === 'object' && any((value as Record<string, unknown>)[path[at]!], path, at + 1, test);
}
