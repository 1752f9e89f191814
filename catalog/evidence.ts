import { REDACTED } from '../redaction/secret-keys.js';
import type { Subject } from './cel/asset-value.js';
import type { Evaluation } from './evaluate.js';
import { valuesAt } from './inventory.js';
import type { Rule } from './types.js';

/** What a result rests on. */
export interface Evidence {
  /** The rule's expression, CEL. */
  expression: string;
  /** The attribute that it looks at, where it is one. */
  attribute: string | null;
  /** What stands there: null where nothing does, `[REDACTED]` where the source marks it sensitive. */
  actual: unknown;
  /** What should stand there, in words. */
  expected: string;
}

/** The evidence of a result. @param sensitive attribute paths that the source marks sensitive: `ingress[0].description` */
export function evidenceOf(rule: Rule, subject: Subject, sensitive: readonly string[] = []): Evidence {
  const { path } = rule;
  return {
    expression: rule.expression,
    attribute: path ?? null,
    actual: path === undefined ? null : actualAt(subject, path, sensitive),
    expected: rule.expected,
  };
}

function actualAt({ configuration }: Subject, path: string, sensitive: readonly string[]): unknown {
  const values = valuesAt(configuration, path.split('.'));
  if (values.length === 0) return null;
  const plain = path.replaceAll('[]', '');
  if (sensitive.some((marked) => within(plain, marked.replace(/\[[^\]]*\]/g, '')))) return REDACTED;
  return values.length === 1 ? values[0] : values.slice(0, 20);
}

const within = (path: string, marked: string): boolean => path === marked || path.startsWith(`${marked}.`) || marked.startsWith(`${path}.`);

/** Longer values are left to the evidence. */
const MAX_SHOWN = 60;

/** Why a result is what it is, in a sentence. @param title the rule's title */
export function messageOf(
  { rule, result, reason }: Pick<Evaluation, 'rule' | 'result' | 'reason'>,
  evidence: Evidence,
  title: string,
): string {
  if (result === 'NOT_EVALUATED') return reason ?? 'the rule could not be evaluated';
  if (result !== 'FAIL') return title;
  const expected = rule.expected === '' ? 'what the title says' : rule.expected;
  if (rule.path === undefined) return rule.expected === '' ? `not so: ${title}` : `expected ${expected}`;
  const text = shown(evidence.actual);
  return text === undefined ? `\`${rule.path}\`: expected ${expected}` : `\`${rule.path}\` is ${text}; expected ${expected}`;
}

function shown(value: unknown): string | undefined {
  if (value === null) return 'not set';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > MAX_SHOWN ? undefined : `\`${text}\``;
}
