import { maskText, maskValue } from '../../redaction/redact-fast.js';
import { REDACTED } from '../../redaction/secret-keys.js';

/** Longer values are cut: the evidence has the rest. */
const MAX_SHOWN = 60;
/** Attributes, elements, statements that one message names. */
export const MOST_NAMED = 3;

/** A text of at most so many characters. */
export const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 3)}...` : text);

/** A value for people: `` `true` ``, `not set`. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return 'not set';
  if (value === '' || (Array.isArray(value) && value.length === 0)) return 'empty';
  if (value === REDACTED) return REDACTED;
  const text = typeof value === 'string' ? maskText(value) : (JSON.stringify(maskValue(value)) ?? '');
  return `\`${cut(text.replaceAll('`', "'").replace(/\s+/g, ' '), MAX_SHOWN)}\``;
}

/** The first of some texts, and how many more there are. */
export function listed(texts: readonly string[], joint = ', '): string {
  const more = texts.length - MOST_NAMED;
  return more > 0 ? `${texts.slice(0, MOST_NAMED).join(joint)} and ${more} more` : texts.join(joint);
}
