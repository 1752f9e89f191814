import type { Filter } from './query.js';
import type { RowReader } from './row-reader.js';

/** Letters of a text from a place in it on, by which it is found. */
const PART = 10;
/** The part of what is looked at in every search; no text has it. */
const IN_EVERY_SEARCH = '*';
/** The shortest text that parts find. */
const SHORTEST = 3;

/** Letters that stand for themselves; all others are `~`. Regular expressions and indexes of every store take these as they are. */
const PLAIN = /^[a-z0-9 _:/@,;=%#&<>'"!-]$/;

/** One letter for each letter of a text: the same for all that equal it in any case. What differs may become the same. */
export const folded = (text: string): string =>
  Array.from(text, (letter) => {
    const lower = letter.toUpperCase().toLowerCase();
    return PLAIN.test(lower) ? lower : '~';
  }).join('');

/**
 * The parts by which texts are found: some letters from every so manyth on.
 * @param texts null for those that are looked at in every search
 * @param step letters from the beginning of a part to that of the next: the fewer, the more parts, and the shorter the texts that these find
 */
export function partsOf(texts: readonly string[] | null, step: number): string[] {
  if (texts === null) return [IN_EVERY_SEARCH];
  const parts = texts
    .map(folded)
    .flatMap((one) => Array.from({ length: Math.ceil(one.length / step) }, (_, n) => one.slice(n * step, n * step + PART)));
  return [...new Set(parts)];
}

/**
 * How the texts that hold `wanted` are found, those that are looked at in every search included: conditions of a field `parts`. Each of the
 * answer's lists is needed; within one, each condition alone finds all that it has to, and some others: which of them finds the fewest depends on
 * the texts.
 * @param step as the parts were made with
 * @returns null where `wanted` is too short to be found by parts
 */
export function partConditions(wanted: string, step: number): object[][] | null {
  const letters = folded(wanted);
  if (letters.length < Math.max(SHORTEST, step + 1)) return null;
  const places = Array.from({ length: step }, (_, first) => {
    const last = Math.max(first, letters.length - PART);
    // the end first: names that are numbered begin alike
    return [...new Set([last + ((step - ((last - first) % step)) % step), first])];
  });
  const beginning = (at: number) => ({ parts: { $regex: `^${letters.slice(at, at + PART)}` } });
  return [[{ parts: IN_EVERY_SEARCH }], ...places.map((starts) => starts.map(beginning))];
}

/**
 * `_id` of the rows in whose texts a text may be: what it finds is to be held against the text itself.
 * @param rows with a field `parts`, made with `step`, and an index of it
 * @param among the rows that are meant
 * @returns null where they are more than `most`, or the text is too short
 */
export async function findByParts<T extends { _id: string; parts: string[] }>(
  rows: RowReader<T>,
  wanted: string,
  { step, most, among = {} }: { step: number; most: number; among?: Filter },
): Promise<string[] | null> {
  const conditions = partConditions(wanted, step);
  if (!conditions) return null;
  const ids = new Set<string>();
  for (const alternatives of conditions) {
    let found: { _id: string }[] | undefined;
    for (const condition of alternatives) {
      const some = await rows.find({ ...among, ...condition }, { limit: most + 1, fields: ['_id'] });
      if (some.length <= most) found = some;
      if (found) break;
    }
    if (!found) return null;
    for (const { _id } of found) ids.add(_id);
  }
  return [...ids];
}
