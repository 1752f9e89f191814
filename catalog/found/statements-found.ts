import { matchesPattern, parsed, statementsOf, type Statement } from '../cel/policy.js';
import { block, blocks, type Plain } from '../cel/read.js';
import type { Subject } from '../cel/asset-value.js';
import type { Rule } from '../types.js';
import { keepingOnly, occurrencesAt, type Occurrence } from './occurrences.js';
import { failsWith, type Failure } from './retrial.js';
import { cut, listed, MOST_NAMED } from './words.js';

/** Documents and statements that are looked at. */
const MOST = 50;

/** Which statements of which policy documents are at fault, with their actions; undefined where there is no document that can be read. */
export function statementsFound(failure: Failure, subject: Subject, documents: readonly string[]): string | undefined {
  const wanted = wantedActions(failure.rule);
  const guilty: string[] = [];
  const holding: string[] = [];
  let count = 0;
  for (const path of documents) {
    for (const document of path === '' ? [wholeOf(subject)] : occurrencesAt(subject.configuration, path, MOST)) {
      for (const [i, { raw, alone }] of statementsIn(document).slice(0, MOST).entries()) {
        count += 1;
        const [statement] = readStatement(raw);
        if (statement === undefined) continue;
        const words = (): string => `\`${document.where}\` statement ${i + 1}${inWords(statement, wanted)}`;
        if (failsWith(failure, subject, replaced(subject.configuration, document.trail, alone))) guilty.push(words());
        else if (statement.effect === 'Allow' && namesAny(statement, wanted)) holding.push(words());
      }
    }
  }
  if (guilty.length > 0) return listed(guilty, '; ');
  if (holding.length > 0) return listed(holding, '; ');
  return count === 0
    ? undefined
    : `none of the ${count === 1 ? 'statements (there is one)' : `${count} statements`} of \`${documents[0] || 'statement'}\` does so`;
}

/** A resource that is a document itself: its statements are blocks. */
const wholeOf = ({ configuration }: Subject): Occurrence => ({ where: 'statement', value: configuration, trail: [] });

function readStatement(raw: Plain): Statement[] {
  try {
    return statementsOf([raw]);
  } catch {
    return [];
  }
}

/** The statements of a document, each with the document that holds it alone. */
function statementsIn({ value, trail }: Occurrence): { raw: Plain; alone: unknown }[] {
  try {
    const document = parsed(value);
    const policy = block(document);
    if (policy === undefined) return [];
    const key = ['Statement', 'statement'].find((name) => name in policy);
    if (key === undefined) return [];
    const asText = typeof value === 'string';
    return blocks(policy[key]).map((raw) => {
      const alone = { ...policy, [key]: [raw] };
      return { raw, alone: trail.length > 0 && asText ? JSON.stringify(alone) : alone };
    });
  } catch {
    return [];
  }
}

/** A configuration with another value at the end of a trail, and nothing else in the lists on it. */
function replaced(configuration: unknown, trail: readonly (string | number)[], value: unknown): unknown {
  const put = (at: unknown, [step, ...rest]: readonly (string | number)[]): unknown => {
    if (step === undefined) return value;
    if (typeof step === 'number') return Array.isArray(at) ? [put(at[0], rest)] : at;
    return { ...(at as Plain), [step]: put((at as Plain)[step], rest) };
  };
  return put(keepingOnly(configuration, trail), trail);
}

/** The actions that a rule asks after, where its variables name them. */
function wantedActions({ variables = {} }: Rule): string[] {
  const { actions = '[]', action, service } = variables;
  try {
    const list = JSON.parse(actions) as unknown;
    const named = Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];
    return [...named, ...(action === undefined ? [] : [action]), ...(service === undefined ? [] : [`${service}:*`])];
  } catch {
    return [];
  }
}

const namesAny = ({ actions }: Statement, wanted: readonly string[]): boolean =>
  actions.some((action) => action !== undefined && wanted.some((one) => matchesPattern(action, one)));

function inWords(statement: Statement, wanted: readonly string[]): string {
  const { sid, effect, actions, not_actions, resources, not_resources, principals, conditions } = statement;
  const asked = actions.filter((action) => action !== undefined && wanted.some((one) => matchesPattern(action, one)));
  const texts = (values: readonly (string | undefined)[]): string => listed(values.map((value) => `\`${cut(value ?? '?', 60)}\``));
  const did = not_actions.length > 0 ? `everything but ${texts(not_actions)}` : texts(asked.length > 0 ? asked : actions);
  const on =
    not_resources.length > 0 ? ` on everything but ${texts(not_resources)}` : resources.length > 0 ? ` on ${texts(resources)}` : '';
  const whom = principals.length > 0 ? ` ${effect === 'Deny' ? 'for' : 'to'} ${texts(principals)}` : '';
  const keys = [...new Set(conditions.map(({ key }) => key))].slice(0, MOST_NAMED);
  return `${sid === undefined ? '' : ` (${cut(sid, 40)})`} ${effect === 'Deny' ? 'denies' : 'allows'} ${did}${whom}${on}${keys.length > 0 ? `, on conditions of ${keys.join(', ')}` : ''}`;
}
