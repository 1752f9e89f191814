import { matchesPattern } from '../cel/policy.js';
import { anyHolds } from './pattern-list.js';
import type { Patterns } from './types.js';

/** Whether patterns hold a text: null where one that is not known yet may. */
export function holds({ include, exclude }: Patterns, text: string): boolean | null {
  const [inside, outside] = [anyHolds(include, text), anyHolds(exclude, text)];
  if (inside === false || outside === true) return false;
  return inside === null || outside === null ? null : true;
}

/** Whether all that a pattern holds is held by another one: a pattern is a text, and its stars are held by stars alone. */
export const covers = (wide: string, narrow: string): boolean => matchesPattern(wide, narrow);

/** Whether there is a text that both patterns hold. The time grows with the product of their lengths. */
export function overlap(a: string, b: string): boolean {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  // which places of `right` are reached with what stands before a place of `left`
  let reached = skipStars(new Set([0]), right);
  for (const letter of left) {
    const next = new Set<number>();
    if (letter === '*') {
      const first = Math.min(...reached);
      for (let at = first; at <= right.length; at++) next.add(at);
    } else {
      for (const at of reached) {
        const other = right[at];
        if (other === '*') next.add(at);
        else if (other !== undefined && (other === '?' || letter === '?' || other === letter)) next.add(at + 1);
      }
    }
    if (next.size === 0) return false;
    reached = skipStars(next, right);
  }
  return reached.has(right.length);
}

function skipStars(places: Set<number>, text: string): Set<number> {
  for (const at of places) if (text[at] === '*') places.add(at + 1);
  return places;
}

/** Whether patterns and others hold something in common, as far as they are known. */
export const meets = (a: Patterns, b: Patterns): boolean =>
  a.include.some((one) => b.include.some((other) => one === null || other === null || (overlap(one, other) && !leftOut(a, b, one, other))));

/** Whether what two patterns have in common is left out by either. */
const leftOut = (a: Patterns, b: Patterns, one: string, other: string): boolean =>
  [...a.exclude, ...b.exclude].some((out) => out !== null && (covers(out, one) || covers(out, other)));

/** Whether patterns hold all that others hold, for sure. */
export const holdsAll = (wide: Patterns, narrow: Patterns): boolean =>
  narrow.include.every((one) => one !== null && wide.include.some((other) => other !== null && covers(other, one))) &&
  // what the wide ones leave out must be outside of the narrow ones
  wide.exclude.every(
    (out) =>
      out !== null &&
      (narrow.exclude.some((other) => other !== null && covers(other, out)) ||
        narrow.include.every((one) => one !== null && !overlap(one, out))),
  );

/** Patterns without anything left out. */
export const only = (...include: readonly (string | null)[]): Patterns => ({ include, exclude: [] });
export const EVERYTHING: Patterns = only('*');
