import { simulate } from '../simulation/simulate.js';
import { statisticsOf } from '../simulation/statistics.js';
import type { Basis } from './basis.js';
import type { BreachedEntry } from './records.js';
import { waysOf } from './ways.js';

/** Entries of which it is reckoned what they lead to: those on which the most likely paths hang. */
const MOST = 25;
const DRAWS = 10_000;

/** What is lost when an entry is won: one attempt that has got so far, and goes on by luck. The worst first. */
export async function breachesOf({ paths, losses, seed }: Basis, slice: () => Promise<void> | void): Promise<BreachedEntry[]> {
  const likelihoods = new Map<string, number>();
  for (const { nodes, likelihood } of paths) {
    const uid = nodes[1]?.uid;
    if (uid !== undefined) likelihoods.set(uid, Math.max(likelihoods.get(uid) ?? 0, likelihood));
  }
  const entries = [...likelihoods].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)).slice(0, MOST);
  const ways = waysOf(paths, (uid) => losses.get(uid) ?? null, [1]);
  const breaches: BreachedEntry[] = [];
  for (const [uid] of entries) {
    const from = paths.find(({ nodes }) => nodes[1]?.uid === uid)!.nodes[1]!;
    const places = ways.placesOf.get(uid) ?? [];
    const starts = new Set(ways.steps.flatMap((step) => (step.from === 0 && places.includes(step.to) ? [step.to] : [])));
    const steps = ways.steps
      .filter((step) => step.from !== 0)
      .concat([...starts].map((to) => ({ from: 0, to, probability: 1, cause: `won:${uid}`, entry: 0 })));
    const years = await simulate({ ...ways, steps }, { seed, draws: DRAWS, once: true }, slice);
    const { mean, high } = statisticsOf(years.losses);
    const reached = ways.jewels.filter((_, n) => years.years[n]! > 0);
    breaches.push({
      ...{ resource_uid: uid, resource_type: from.type, resource_name: from.name, provider: from.provider, account_id: from.account_id },
      ...{ expected: mean, high, jewels: reached.length, without_figures: reached.filter(({ loss }) => loss === null).length },
    });
  }
  return breaches.sort(
    (one, other) => other.expected - one.expected || other.jewels - one.jewels || (one.resource_uid < other.resource_uid ? -1 : 1),
  );
}
