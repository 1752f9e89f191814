import { defineEngineCollection, type RowOf } from '../store/collection.js';
import { list, text, textOf } from '../store/fields.js';

/** What a search looks for: titles of rules, and names of resources. */
export const SEARCHED = { rule_id: 'title', resource_uid: 'resource_name' } as const;
export type Searched = keyof typeof SEARCHED;

/** Letters of a text from a place in it on, by which it is found. */
const PART = 10;
/** Every so many letters a part begins: what is searched is looked up from its first and from its second letter on. */
const STEP = 2;
/** Letters of a text of which parts are kept, and texts of a rule or a resource; what has more is looked at in every search. */
const LONGEST = 256;
const MOST_TEXTS = 8;
/** The part of what is looked at in every search; no text has it. */
const IN_EVERY_SEARCH = '*';
/** The shortest text that parts find. */
const SHORTEST = 3;

/**
 * The titles of a rule's findings, or the names of a resource, in parts by which a search finds them: titles and names are few where findings are
 * many. `_id` is that of the row of counters, which has the texts themselves.
 */
export const findingTexts = defineEngineCollection('finding_texts', { by: textOf<Searched>(), parts: list(text) }, [
  { key: { tenant_id: 1, engine: 1, by: 1, parts: 1 } },
]);
export type FindingTextsRow = RowOf<typeof findingTexts>;

/** Letters that stand for themselves; all others are `~`. Regular expressions and indexes of every store take these as they are. */
const PLAIN = /^[a-z0-9 _:/@,;=%#&<>'"!-]$/;

/** One letter for each letter of a text: the same for all that equal it in any case. What differs may become the same. */
export const folded = (text: string): string =>
  Array.from(text, (letter) => {
    const lower = letter.toUpperCase().toLowerCase();
    return PLAIN.test(lower) ? lower : '~';
  }).join('');

/** Texts that are kept for a rule or a resource; null where they are too many or too long. */
export const keptTexts = (texts: readonly string[]): readonly string[] | null =>
  texts.length > MOST_TEXTS || texts.some((one) => one.length > LONGEST) ? null : texts;

/** The parts by which texts are found. @param texts null for those that are looked at in every search */
export function partsOf(texts: readonly string[] | null): string[] {
  if (texts === null) return [IN_EVERY_SEARCH];
  const parts = texts
    .map(folded)
    .flatMap((one) => Array.from({ length: Math.ceil(one.length / STEP) }, (_, n) => one.slice(n * STEP, n * STEP + PART)));
  return [...new Set(parts)];
}

/**
 * How the texts that hold `wanted` are found, those that are looked at in every search included. Each of the answer's lists is needed; within
 * one, each condition alone finds all that it has to, and some others: which of them finds the fewest depends on the texts.
 * @returns null where `wanted` is too short to be found by parts
 */
export function partConditions(wanted: string): object[][] | null {
  const letters = folded(wanted);
  if (letters.length < SHORTEST) return null;
  const places = Array.from({ length: STEP }, (_, first) => {
    const last = Math.max(first, letters.length - PART);
    // the end first: names that are numbered begin alike
    return [...new Set([last + ((last - first) % STEP), first])];
  });
  const beginning = (at: number) => ({ parts: { $regex: `^${letters.slice(at, at + PART)}` } });
  return [[{ parts: IN_EVERY_SEARCH }], ...places.map((starts) => starts.map(beginning))];
}
