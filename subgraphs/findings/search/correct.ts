import distance from 'damerau-levenshtein';
import type { SearchHit } from './hit.js';

/** Words that are corrected in one text, and letters of the shortest: near shorter ones there are too many. */
const MOST_WORDS = 3;
const SHORTEST = 4;
/** Letters of a word from which on two mistakes are allowed, else one. */
const LONG = 8;
/** Letters of the shortest part that is searched. */
const PART = 3;
/** Hits of a part in which the word that was meant is looked for. */
const LOOKED_AT = 200;
/** Common words that are tried where no part is right. */
const TRIED = 10;

/** The first hits of a text, as far as the caller may read them. */
type Find = (text: string, count: number) => Promise<readonly SearchHit[]>;
/** Words that people are likely to mean, with how common each is. */
type Common = () => Promise<ReadonlyMap<string, number>>;

const mistakesIn = (word: string): number => (word.length < LONG ? 1 : 2);
export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
/** A digit is no slip: numbers and identifiers are meant as they are. */
export const isCorrectable = (word: string): boolean => word.length >= SHORTEST && !/\p{N}/u.test(word);

/**
 * A text that found nothing, with each word that none has replaced by the nearest one that the caller may read.
 * @returns null where a word has no near one, or all are right
 */
export async function correctedText(text: string, find: Find, common: Common): Promise<string | null> {
  const asked = [...new Set(wordsOf(text).filter(isCorrectable))];
  if (asked.length > MOST_WORDS) return null;
  let corrected = text.toLowerCase();
  for (const word of asked) {
    const nearest = (await nearestTo(word, find)) ?? (await commonNear(word, find, common));
    if (nearest !== null) corrected = corrected.replaceAll(word, nearest);
    // a part of words may be meant as it is
    else if ((await find(word, 1)).length === 0) return null;
  }
  return corrected === text.toLowerCase() ? null : corrected;
}

/** The word itself where there is one. Of a word with so many mistakes one part more than that is right: what has one of the parts is compared. */
async function nearestTo(word: string, find: Find): Promise<string | null> {
  const found = await Promise.all([word, ...partsOf(word), ...changedBack(word)].map((part) => find(part, LOOKED_AT)));
  const words = new Set(found.flat().flatMap(({ id, title, detail }) => wordsOf(`${id} ${title} ${detail ?? ''}`)));
  const near = [...words]
    .filter((one) => isCorrectable(one) && Math.abs(one.length - word.length) <= mistakesIn(word))
    .map((one) => ({ one, steps: distance(word, one).steps }))
    .filter(({ steps }) => steps <= mistakesIn(word))
    .sort((a, b) => a.steps - b.steps || (a.one < b.one ? -1 : 1));
  return near[0]?.one ?? null;
}

/**
 * The most common word one step from a short one, whose parts have the letter in the middle in common: where that is the wrong one, nothing with a part of it is what was meant.
 * Of words that are not common, names of a tenant's own, there is no finding out.
 */
async function commonNear(word: string, find: Find, common: Common): Promise<string | null> {
  if (word.length >= 2 * PART) return null;
  const near = [...(await common())]
    .filter(([one]) => Math.abs(one.length - word.length) <= 1 && distance(word, one).steps === 1)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  for (const [one] of near.slice(0, TRIED)) if ((await find(one, 1)).length > 0) return one;
  return null;
}

/** A word in as many parts as one of them must be right, of three letters at least: of a word with fewer than six these have letters in common. */
function partsOf(word: string): string[] {
  return [...new Set(placesOf(word).map(({ start, end }) => word.slice(start, end)))];
}

/** The word with two neighbours changed back, where these are in every part: in the middle of a short word. */
function changedBack(word: string): string[] {
  const places = placesOf(word);
  const pairs = Array.from({ length: word.length - 1 }, (_, n) => n).filter((n) =>
    places.every(({ start, end }) => n + 1 >= start && n < end),
  );
  return pairs.map((n) => `${word.slice(0, n)}${word[n + 1]}${word[n]}${word.slice(n + 2)}`);
}

function placesOf(word: string): { start: number; end: number }[] {
  const count = mistakesIn(word) + 1;
  const size = Math.max(PART, Math.floor(word.length / count));
  const starts = Array.from({ length: count }, (_, n) => Math.round((n * (word.length - size)) / (count - 1)));
  return starts.map((start) => ({ start, end: start + size }));
}
