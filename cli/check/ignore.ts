import { globs } from '../../catalog/glob.js';

/** Somebody has decided to leave a rule's findings alone. */
export interface Ignore {
  /** Rules by their ids, families, or globs of them, as one pattern. */
  rules: RegExp;
  /** The same as they are written. */
  names: readonly string[];
  reason: string;
  /** The last day on which it holds: 2027-03-31. */
  until: string | undefined;
}

const FORM = /^([\w.*,-]+)(?:\s+(.*))?$/s;
const UNTIL = /(?:^|\s)until=(\S+)\s*$/;
const COMMENT = /^\s*(?:#|\/\/|\/\*)\s*palisade:ignore\s+(.*?)\s*(?:\*\/)?\s*$/s;

/** The annotation of a Kubernetes object that ignores rules for it; several are separated by semicolons. */
export const ANNOTATION = 'palisade.dev/ignore';

/** Reads `RULE reason until=DATE`. @returns what is wrong with it as a text */
export function parseIgnore(text: string): Ignore | string {
  const [, rules, rest = ''] = FORM.exec(text.trim()) ?? [];
  if (rules === undefined) return 'name a rule: palisade:ignore RULE reason until=DATE';
  const until = UNTIL.exec(rest)?.[1];
  const reason = rest.replace(UNTIL, '').trim();
  if (until !== undefined && !isDay(until)) return `${until} is no date: until=YYYY-MM-DD`;
  if (reason === '') return `say why ${rules} is ignored, behind the rule`;
  const names = rules.split(',').filter(Boolean);
  return { rules: globs(names), names, reason, until };
}

/** What a comment ignores; undefined for one about something else. */
export function ignoreOfComment(comment: string): Ignore | string | undefined {
  const text = COMMENT.exec(comment)?.[1];
  return text === undefined ? undefined : parseIgnore(text);
}

const isDay = (text: string): boolean => {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};

/** Whether it still holds on a day. */
export const holdsOn = ({ until }: Ignore, today: string): boolean => until === undefined || until >= today;

/** Whether it speaks of a rule. */
export const covers = ({ rules }: Ignore, { rule_id, family }: { rule_id: string; family: string }): boolean =>
  rules.test(rule_id) || rules.test(family);
