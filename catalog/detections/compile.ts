import { createHash } from 'node:crypto';
import { tacticsOfTechnique } from '../attack.js';
import type { Severity } from '../../schema/model.js';
import { parseCondition, type Condition } from './condition.js';
import { columnOf, fieldReader, textOfValue, type DetectedEvent } from './event-fields.js';
import type { CorrelationSource, DetectionSource, LogName } from './rule-file.js';
import { literalOf, valueTest, type Pattern } from './value-test.js';

/** What a detection is about, for findings. */
export interface DetectionAbout {
  /** `palisade-detection-<name>`. */
  readonly rule_id: string;
  readonly title: string;
  readonly description: string;
  readonly severity: Severity;
  readonly techniques: readonly string[];
  readonly references: readonly string[];
  readonly falsepositives: readonly string[];
  readonly response: readonly string[];
  /** How many events, or different values, within how many milliseconds make a finding; null where one event does. */
  readonly threshold: { readonly least: number; readonly within: number; readonly ofValues: boolean } | null;
  /** What events are counted by, in each account: a column of theirs. */
  readonly by: 'actor' | 'source_ip';
  /** The titles of the steps that together make a finding, the last within how many milliseconds of the first, and whether in their order; null where events are counted. */
  readonly sequence: Sequence | null;
  /** Changes with all that says which events the rule sees, and when they make a finding. */
  readonly version: string;
}

export interface Sequence {
  readonly steps: readonly string[];
  readonly within: number;
  readonly ordered: boolean;
}

/** A rule that events can be held against. */
export interface CompiledRule {
  readonly name: string;
  readonly log: LogName;
  /** The calls, in lower case, of which an event must be one; null where the rule does not say. */
  readonly actions: ReadonlySet<string> | null;
  matches(event: DetectedEvent): boolean;
}

const TECHNIQUE = /^attack\.(t\d{4}(?:\.\d{3})?)$/i;

/** @param rules by their names. @throws an Error that names what is not a technique of the table */
export function aboutOf(source: DetectionSource | CorrelationSource, rules: ReadonlyMap<string, DetectionSource>): DetectionAbout {
  const { name, title, description, level, references, falsepositives, response, tags } = source;
  const techniques = tags.flatMap((tag) => TECHNIQUE.exec(tag)?.[1]?.toUpperCase() ?? []);
  const unknown = techniques.find((technique) => tacticsOfTechnique(technique) === undefined);
  if (unknown !== undefined) throw new Error(`${unknown} is no technique of catalog/attack`);
  if (techniques.length === 0) throw new Error('the rule names no technique (a tag like attack.t1098)');
  const correlation = 'correlation' in source ? source.correlation : null;
  const threshold =
    correlation && 'condition' in correlation
      ? { least: correlation.condition.least, within: correlation.timespan, ofValues: correlation.type === 'value_count' }
      : null;
  const sequence =
    correlation && !('condition' in correlation)
      ? {
          steps: correlation.rules.map((rule) => rules.get(rule)?.title ?? rule),
          within: correlation.timespan,
          ordered: correlation.type === 'temporal_ordered',
        }
      : null;
  const by = correlation?.['group-by']?.includes('event.source_ip') ? 'source_ip' : 'actor';
  const version = versionOf(source, rules);
  return {
    ...{ rule_id: `palisade-detection-${name}`, title, description, severity: level },
    ...{ techniques, references, falsepositives, response, threshold, by, sequence, version },
  };
}

/** How values are counted: what an earlier release has kept of events is no longer compared where this changes. */
const COUNTED = 'each value of a call, as a digest';

/** What a rule sees, and for a correlation what its rules see, in short. */
function versionOf(source: DetectionSource | CorrelationSource, rules: ReadonlyMap<string, DetectionSource>): string {
  const counted = 'correlation' in source && source.correlation.type === 'value_count' ? [COUNTED] : [];
  const parts = 'correlation' in source ? [source, ...source.correlation.rules.map((name) => rules.get(name)), ...counted] : [source];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}

interface Selection {
  matches(event: DetectedEvent): boolean;
  readonly actions: ReadonlySet<string> | null;
}

/** @throws an Error that says what is outside of the subset */
export function compileRule({ name, logsource: log, detection }: DetectionSource): CompiledRule {
  const { condition, ...given } = detection;
  if ('timeframe' in given) throw new Error('timeframe is not of the subset; write a correlation');
  const selections = new Map(
    Object.entries(given).map(([key, value]) => [key, Array.isArray(value) ? anySelection(value, log) : fieldSelection(value, log)]),
  );
  const { matches, actions } = compileCondition(parseCondition(condition, [...selections.keys()]), selections);
  return { name, log, actions, matches };
}

type Fields = Readonly<Record<string, Pattern | readonly Pattern[]>>;

/** All fields of a map must hold. */
function fieldSelection(fields: Fields, log: LogName): Selection {
  const tests = Object.entries(fields).map(([key, given]) => {
    const [field = '', ...modifiers] = key.split('|');
    if (field === '') throw new Error('keywords without a field are not of the subset');
    const patterns = Array.isArray(given) ? (given as readonly Pattern[]) : [given as Pattern];
    const read = fieldReader(field, log);
    const test = valueTest(modifiers, patterns, log);
    const literals = modifiers.length === 0 && columnOf(field, log) === 'action' ? patterns.map(literalOf) : [null];
    const actions = literals.every((one) => one !== null) ? new Set(literals) : null;
    return { actions, matches: (event: DetectedEvent) => test(read(event), event) };
  });
  return all(tests);
}

const anySelection = (maps: readonly Fields[], log: LogName): Selection => any(maps.map((fields) => fieldSelection(fields, log)));

function all(of: readonly Selection[]): Selection {
  const [first = null, ...more] = of.flatMap(({ actions }) => actions ?? []);
  const actions = more.reduce<ReadonlySet<string> | null>((left, right) => new Set([...left!].filter((one) => right.has(one))), first);
  return { actions, matches: (event) => of.every((one) => one.matches(event)) };
}

function any(of: readonly Selection[]): Selection {
  const sets = of.map(({ actions }) => actions);
  const actions = sets.every((one) => one !== null) ? new Set(sets.flatMap((one) => [...one])) : null;
  return { actions, matches: (event) => of.some((one) => one.matches(event)) };
}

function compileCondition(condition: Condition, selections: ReadonlyMap<string, Selection>): Selection {
  switch (condition.kind) {
    case 'selection':
      return selections.get(condition.name)!;
    case 'not': {
      const inner = compileCondition(condition.of, selections);
      return { actions: null, matches: (event) => !inner.matches(event) };
    }
    case 'and':
      return all(condition.of.map((one) => compileCondition(one, selections)));
    case 'or':
      return any(condition.of.map((one) => compileCondition(one, selections)));
  }
}

/** A value that is counted, in twelve characters, so that what is kept of a call stays small however much it names. */
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12);

/**
 * What a correlation keeps of an event of one of its rules: digests of the different values that it counts, with a space between them, or which step it is; undefined
 * where it counts events. Of a call that names many things each is a value.
 * @throws for a field that is wanted and not named
 */
export function correlatedValue(
  { correlation }: CorrelationSource,
  { name, logsource: log }: Pick<DetectionSource, 'name' | 'logsource'>,
): (event: DetectedEvent) => string | undefined {
  if (!('condition' in correlation)) {
    const step = String(correlation.rules.indexOf(name));
    return () => step;
  }
  const { type, condition } = correlation;
  if (type === 'event_count') {
    if (condition.field !== undefined) throw new Error('event_count takes no field');
    return () => undefined;
  }
  if (condition.field === undefined) throw new Error('value_count needs the field whose values it counts');
  const readers = condition.field.map((field) => fieldReader(field, log));
  return (event) => {
    const values = new Set(readers.flatMap((read) => read(event)).map(textOfValue));
    // as many as are asked for are enough, however many the call names
    return values.size === 0 ? undefined : [...values].slice(0, condition.least).map(digestOf).join(' ');
  };
}
