import type { Estate } from './estate.js';
import { frontsOf } from './fronts.js';
import { Weaknesses } from './weaknesses.js';

/** Resources whose neighbours are looked for, at most: the likeliest to be won. */
const MOST_WEAK = 2_000;

/** The resources whose vulnerabilities an attacker may use: workloads that he gets to, with what they are made of and run. */
export function vulnerablePlaces(estate: Estate): string[] {
  return placesOf(estate, [...frontsOf(estate).keys(), ...[...estate.edgesOf('triggers').all()].map(({ to }) => to)]);
}

/** What some workloads are made of and run, and themselves. */
export function placesOf(estate: Estate, uids: readonly string[]): string[] {
  const running = uids.filter((uid) => estate.runsCode(uid));
  return [...new Set(running.flatMap((uid) => [...estate.withTemplates(uid), ...estate.imagesOf(uid)]))].sort();
}

const isUnguarded = (estate: Estate, uid: string): boolean =>
  estate.signals(uid, 'no_authentication').length > 0 || estate.signals(uid, 'weak_authentication').length > 0;

/** The workloads that somebody from outside may win, and from whose networks he looks further. */
export function wonFromOutside(estate: Estate): string[] {
  const weaknesses = new Weaknesses(estate);
  return [...frontsOf(estate)]
    .filter(([uid, fronts]) => estate.runsCode(uid) && (isUnguarded(estate, uid) || weaknesses.of(uid, fronts).length > 0))
    .map(([uid]) => uid)
    .sort();
}

/** Those of some resources that who gets to them may win, the likeliest first. */
export function weakOf(estate: Estate, uids: readonly string[]): string[] {
  const weaknesses = new Weaknesses(estate);
  const weak = uids.flatMap((uid) => {
    const likeliest = Math.max(0, ...(estate.runsCode(uid) ? weaknesses.of(uid, null) : []).map(({ probability }) => probability));
    return likeliest > 0 || isUnguarded(estate, uid) ? [{ uid, likeliest }] : [];
  });
  weak.sort((one, other) => other.likeliest - one.likeliest || (one.uid < other.uid ? -1 : 1));
  return weak.slice(0, MOST_WEAK).map(({ uid }) => uid);
}
