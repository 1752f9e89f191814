import type { Estate } from './estate.js';
import { frontsOf } from './fronts.js';

/** The resources whose vulnerabilities an attacker may use: workloads that he gets to, with what they are made of and run. */
export function vulnerablePlaces(estate: Estate): string[] {
  const reached = [
    ...frontsOf(estate).keys(),
    ...(['reaches', 'triggers'] as const).flatMap((kind) => [...estate.edgesOf(kind).all()].map(({ to }) => to)),
  ].filter((uid) => estate.runsCode(uid));
  return [...new Set(reached.flatMap((uid) => [...estate.withTemplates(uid), ...estate.imagesOf(uid)]))].sort();
}
