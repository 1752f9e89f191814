import { configurationWith, merged, parsePath, pathExpression, presenceExpression } from './attribute-path.js';
import type { Check, Outcome, Parameters, SamplePair, Target } from './types.js';

/** What a check makes of a target: an expression, its words, and configurations that pass and fail. */
export interface Checked {
  expression: string;
  applies?: string;
  expected: string;
  template?: string;
  parameters?: Parameters;
  samples: SamplePair;
}

interface Kind {
  absent: Outcome;
  /** The condition on a value; undefined when its presence is asked. */
  condition: ((value: string) => string) | undefined;
  expected: string;
  good: unknown;
  bad: unknown;
  parameters?: Parameters;
}

const quote = (value: string | number | boolean): string => JSON.stringify(value);
const KINDS = ['is', 'one_of', 'none_of', 'min', 'max', 'matches', 'not_matches', 'set', 'literal', 'cel'] as const;

/** The check that a target states, else its family's. */
export function checkOf(target: Target, family: Check & { absent?: Outcome }): Check & { absent?: Outcome } {
  const stated = KINDS.some((kind) => target[kind] !== undefined);
  const { absent } = target;
  if (!stated) return { ...family, ...(absent === undefined ? {} : { absent }) };
  const own = Object.fromEntries(
    [...KINDS, 'ignore_case' as const].filter((kind) => target[kind] !== undefined).map((kind) => [kind, target[kind]]),
  );
  return { ...own, ...(absent === undefined ? {} : { absent }) };
}

/** Values of an expression: a number, or a truth, counts as text, too. */
const list = (values: readonly unknown[]): string => {
  const written = values.flatMap((value) => (typeof value === 'string' ? [quote(value)] : [quote(value as number), quote(String(value))]));
  return `[${[...new Set(written)].join(', ')}]`;
};
/** Values as people read them: a number and its text are one. */
const quoted = (values: readonly unknown[]): string => [...new Set(values.map((value) => `\`${String(value)}\``))].join(', ');
const anyOf = (values: readonly unknown[]): string => (values.length === 1 ? `\`${String(values[0])}\`` : `one of ${quoted(values)}`);

function oneOf(values: (string | number | boolean)[], ignoreCase: boolean, wanted: boolean): Kind {
  const listed = ignoreCase ? values.map((value) => (typeof value === 'string' ? value.toLowerCase() : value)) : values;
  const among = (value: string): string => `${ignoreCase ? `lower(${value})` : value} in {{accepted}}`;
  const outside =
    typeof values[0] === 'number' ? Math.max(...values.map(Number)) + 1 : typeof values[0] === 'boolean' ? !values[0] : 'something-else';
  return {
    absent: wanted ? 'fail' : 'pass',
    condition: (value) => (wanted ? among(value) : `!(${among(value)})`),
    expected: wanted ? anyOf(values) : `none of ${quoted(values)}`,
    good: wanted ? values[0] : outside,
    bad: wanted ? outside : values[0],
    parameters: { accepted: listed },
  };
}

function bounds(min: number | undefined, max: number | undefined): Kind {
  const parts = [...(min === undefined ? [] : ['>= {{minimum}}']), ...(max === undefined ? [] : ['<= {{maximum}}'])];
  const words = [...(min === undefined ? [] : [`at least ${min}`]), ...(max === undefined ? [] : [`at most ${max}`])];
  return {
    absent: 'fail',
    condition: (value) => parts.map((part) => `number(${value}) ${part}`).join(' && '),
    expected: words.join(' and '),
    good: min ?? max,
    bad: min === undefined ? max! + 1 : min - 1,
    parameters: { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) },
  };
}

function kindOf(check: Check): Kind {
  if (check.is !== undefined) {
    const wanted = check.is;
    return {
      absent: wanted ? 'fail' : 'pass',
      condition: (value) => `${wanted ? 'is_true' : 'is_false'}(${value})`,
      expected: `\`${wanted}\``,
      good: wanted,
      bad: !wanted,
    };
  }
  if (check.one_of !== undefined) return oneOf(check.one_of, check.ignore_case === true, true);
  if (check.none_of !== undefined) return oneOf(check.none_of, check.ignore_case === true, false);
  if (check.min !== undefined || check.max !== undefined) return bounds(check.min, check.max);
  const pattern = check.matches ?? check.not_matches;
  if (pattern !== undefined) {
    const wanted = check.matches !== undefined;
    return {
      absent: wanted ? 'fail' : 'pass',
      condition: (value) => `${wanted ? '' : '!'}string(${value}).matches(${quote(pattern)})`,
      expected: `a value that ${wanted ? 'matches' : 'does not match'} \`${pattern}\``,
      good: undefined,
      bad: undefined,
    };
  }
  if (check.set !== undefined) {
    return {
      absent: check.set ? 'fail' : 'pass',
      condition: undefined,
      expected: check.set ? 'set' : 'not set',
      good: 'value',
      bad: undefined,
    };
  }
  if (check.literal === false) {
    return {
      absent: 'pass',
      condition: (value) => `!is_literal(${value})`,
      expected: 'not written out',
      good: undefined,
      bad: 'written-out-value',
    };
  }
  throw new Error('the target states no check and neither does its family');
}

/** `{{name}}` filled in with a parameter's value. */
export function fillParameters(template: string, parameters: Parameters): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = parameters[name];
    return Array.isArray(value) ? list(value) : String(value);
  });
}

/**
 * Turns a target's check into an expression with its pair of samples.
 * @throws an Error that says what is wrong with the target
 */
export function buildCheck(target: Target, check: Check & { absent?: Outcome }): Checked {
  const base = target.given ?? {};
  const withGiven = (sample: Record<string, unknown>): Record<string, unknown> => merged(base, sample) as Record<string, unknown>;
  if (check.cel !== undefined) {
    if (target.pass === undefined || target.fail === undefined) throw new Error('a `cel` check needs `pass` and `fail` samples');
    const template = check.cel.trim().replace(/\s*\n\s*/g, ' ');
    const { parameters } = target;
    return {
      expression: parameters === undefined ? template : fillParameters(template, parameters),
      ...(parameters === undefined ? {} : { template, parameters }),
      ...(target.when === undefined ? {} : { applies: target.when }),
      expected: target.expected ?? '',
      samples: { pass: withGiven(target.pass), fail: withGiven(target.fail) },
    };
  }
  if (target.path === undefined) throw new Error('a check other than `cel` needs a `path`');
  const kind = kindOf(check);
  const steps = parsePath(target.path);
  const absent = check.absent ?? kind.absent;
  const blockAbsent = target.block_absent ?? absent;
  const wantsAbsence = check.set === false;
  const applies = [
    ...(target.when === undefined ? [] : [`(${target.when})`]),
    ...(absent === 'not_applicable'
      ? [presenceExpression(steps, false)]
      : blockAbsent === 'not_applicable'
        ? [presenceExpression(steps, true)]
        : []),
  ].filter((part) => part !== 'true');
  const each = target.each ?? 'all';
  // inside a list an element that the check does not apply to decides nothing
  const passes = (outcome: Outcome): boolean => outcome === 'pass' || (outcome === 'not_applicable' && each === 'all');
  const template = wantsAbsence
    ? pathExpression(steps, undefined, { absent: true, blockAbsent: true, each })
    : pathExpression(steps, kind.condition, {
        absent: check.set === true ? false : passes(absent),
        blockAbsent: check.set === true ? target.block_absent === 'pass' : passes(blockAbsent),
        each,
      });
  const { parameters } = kind;
  return {
    expression: parameters === undefined ? template : fillParameters(template, parameters),
    ...(applies.length === 0 ? {} : { applies: applies.join(' && ') }),
    expected: target.expected ?? kind.expected,
    ...(parameters === undefined ? {} : { template, parameters }),
    samples: {
      pass: target.pass === undefined ? withGiven(sample(target, kind, true, wantsAbsence)) : withGiven(target.pass),
      fail: target.fail === undefined ? withGiven(sample(target, kind, false, wantsAbsence)) : withGiven(target.fail),
    },
  };
}

function sample(target: Target, kind: Kind, wanted: boolean, wantsAbsence: boolean): Record<string, unknown> {
  const steps = parsePath(target.path!);
  const value = wantsAbsence ? (wanted ? undefined : 'value') : wanted ? kind.good : kind.bad;
  if (value !== undefined) return configurationWith(steps, value);
  // the sample is made of an attribute that is not there, its blocks being there
  const blocks = steps.slice(0, -1);
  return blocks.length === 0 ? {} : configurationWith(blocks, {});
}
