import type { Condition } from '../../../kit/graph/types.js';
import type { Figure } from '../model/model.js';
import type { Assembly } from './assembly.js';
import { signalled } from './conditions.js';
import type { Front } from './fronts.js';
import type { Weaknesses } from './weaknesses.js';

/** How who gets to a resource wins it: where he stands then, how likely that is, and by what. */
export interface WayIn {
  readonly node: number;
  readonly figure: Figure | number;
  readonly condition: Condition;
}

/** The ways into a resource for who comes by some fronts: a hole of what listens, no authentication, or a weak one. */
export function* waysIn(assembly: Assembly, weaknesses: Weaknesses, uid: string, fronts: readonly Front[]): Generator<WayIn> {
  const { estate } = assembly;
  if (estate.runsCode(uid))
    for (const { hold, probability, condition } of weaknesses.of(uid, fronts))
      yield { node: assembly.node(uid, hold), figure: probability, condition };
  for (const figure of ['no_authentication', 'weak_authentication'] as const) {
    const [finding] = estate.signals(uid, figure);
    if (finding !== undefined) yield { node: assembly.holder(uid), figure, condition: signalled(finding) };
  }
}
