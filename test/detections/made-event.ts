import { columnOf } from '../../catalog/detections/event-fields.js';
import type { DetectionSource, LogName } from '../../catalog/detections/rule-file.js';
import { LOGS } from '../../catalog/detections/rule-file.js';
import type { EventInput } from '../../schema/observations.js';

type Fields = Readonly<Record<string, unknown>>;

/** A value that a field asks for; undefined where its pattern cannot be made into one. */
function wanted(modifiers: readonly string[], pattern: unknown): unknown {
  const values = Array.isArray(pattern) ? (pattern as unknown[]) : [pattern];
  const [first] = values;
  if (modifiers.includes('exists')) return first === true ? 'something' : null;
  if (modifiers.includes('re') || modifiers.includes('fieldref')) return undefined;
  if (modifiers.includes('lt')) return Number(first) - 1;
  if (modifiers.includes('gte') || modifiers.includes('gt')) return Number(first) + 1;
  if (modifiers.includes('all')) return values.join(' ');
  return typeof first === 'string' ? first.replaceAll('\\*', '\u0000').replaceAll('*', 'x').replaceAll('\u0000', '*') : first;
}

function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [step, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) target[step] = value;
  else {
    const inner = (typeof target[step] === 'object' && target[step] !== null ? target[step] : {}) as Record<string, unknown>;
    target[step] = inner;
    put(inner, rest, value);
  }
}

const COLUMN_OF: Readonly<Record<string, string>> = { resource: 'resources' };

/** An event that some selections of a rule ask for; null where one of their patterns cannot be made into a value. */
export function eventOf(log: LogName, selections: readonly Fields[]): EventInput | null {
  const { provider, logs } = LOGS[log];
  const record: Record<string, unknown> = {};
  const event: Record<string, unknown> = {
    ...{
      event_id: 'e',
      time: new Date('2030-01-01T10:00:00Z'),
      provider,
      region: 'global',
      log: logs ?? 'any',
      service: 'any',
      action: 'any',
    },
    ...{ outcome: 'success', actor: 'eve', actor_kind: 'user', source_ip: '198.51.100.9', position: 'x', record },
  };
  for (const fields of selections)
    for (const [key, pattern] of Object.entries(fields)) {
      const [field = '', ...modifiers] = key.split('|');
      const value = wanted(modifiers, pattern);
      if (value === undefined) return null;
      if (value === null) continue;
      const column = columnOf(field, log);
      if (column === null) put(record, field.split('.'), value);
      else event[COLUMN_OF[column] ?? column] = column === 'resource' ? [value] : value;
    }
  return event as unknown as EventInput;
}

/** Every way to choose one map of each selection that a rule does not negate. */
export function chosen({ detection }: DetectionSource): Fields[][] {
  const { condition, ...selections } = detection;
  const positive = Object.entries(selections).filter(([name]) => !new RegExp(`not (1 of )?${name}\\b`).test(condition));
  const maps = positive.map(([, value]) => (Array.isArray(value) ? value : [value]) as Fields[]);
  const together = maps.reduce<Fields[][]>((ways, some) => ways.flatMap((way) => some.map((one) => [...way, one])), [[]]);
  // where one of several does, each alone, and each beside the one that is always asked for
  const [base = []] = maps;
  const alone = maps.flatMap((some) => some.flatMap((one) => [[one], ...base.map((first) => [first, one])]));
  return [...together.slice(0, 200), ...alone];
}
