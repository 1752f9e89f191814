import { REDACTED } from '../redaction/secret-keys.js';
import type { Subject } from './cel/asset-value.js';
import type { Evaluation } from './evaluate.js';
import { foundOf } from './found/found.js';
import { cut } from './found/words.js';
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
  if (isSensitive(path, sensitive)) return REDACTED;
  return values.length === 1 ? values[0] : values.slice(0, 20);
}

const isSensitive = (path: string, sensitive: readonly string[]): boolean => {
  const plain = path.replaceAll('[]', '');
  return sensitive.some((marked) => within(plain, marked.replace(/\[[^\]]*\]/g, '')));
};
const within = (path: string, marked: string): boolean => path === marked || path.startsWith(`${marked}.`) || marked.startsWith(`${path}.`);

/** The longest words for what is wanted. */
const MAX_EXPECTED = 200;

/** What a check that has no value to name wants. */
const WANTED: Readonly<Record<string, string>> = { set: 'a value', 'not set': 'no value', 'not written out': 'a reference instead' };

/**
 * Why a result is what it is, in a sentence: of a failure where it is, what was found there and what is wanted.
 * @param title the rule's title
 * @param sensitive attribute paths that the source marks sensitive
 */
export function messageOf(
  { rule, result, reason, program }: Evaluation,
  subject: Subject,
  title: string,
  sensitive: readonly string[] = [],
): string {
  if (result === 'NOT_EVALUATED') return reason ?? 'the rule could not be evaluated';
  if (result !== 'FAIL') return title;
  const found = foundOf({ rule, program }, subject, (path) => isSensitive(path, sensitive));
  if (rule.expected === '') return `${found}; wanted: ${title}`;
  return `${found}; expected ${cut(WANTED[rule.expected] ?? rule.expected, MAX_EXPECTED)}`;
}
