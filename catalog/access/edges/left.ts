import { decide } from '../decide.js';
import type { Held } from '../held.js';
import { holds, holdsAll, meets, only } from '../pattern.js';
import type { Place } from '../place.js';
import type { ProviderAccess } from '../provider.js';
import type { AccessRule, Call } from '../types.js';

/** What is left of a rule for one action in a broad place. */
export interface Left {
  readonly conditional: boolean;
  /** Names and places that denials take out of it. */
  readonly except: readonly string[];
  /** Where boundaries admit less than the whole place: the patterns that they admit. */
  readonly only: readonly string[] | null;
}

type Broad = Extract<Place, { within: readonly string[] }>;
type Relation = 'all' | 'none' | { readonly out: readonly string[] };

/** Denials that are looked at for one rule. */
const MOST_DENIALS = 2_000;

/**
 * What denials, boundaries and policies of the organization leave of a rule for an action in a broad place; undefined for nothing, and for what
 * hangs on something that the inventory does not show.
 * @param pattern the place as the rule writes it
 */
export function whatIsLeftOf(
  access: ProviderAccess,
  held: Held,
  rule: AccessRule,
  action: string,
  pattern: string,
  place: Broad,
): Left | undefined {
  const call: Call = { ...held.call, action, resources: [pattern] };
  const own = rule.condition(call);
  if (own === false) return undefined;
  let conditional = own === undefined;
  const except = new Set<string>();
  for (const denial of held.denials.slice(0, MOST_DENIALS)) {
    if (holds(denial.actions, action) === false) continue;
    const applies = denial.condition(call);
    if (applies === false) continue;
    const relation = relationOf(access, denial, pattern, place, held.call.who);
    if (relation === 'all' && applies) return undefined;
    if (relation === 'all') conditional = true;
    // what is forbidden now and then in a part of the place says little about the whole
    else if (relation !== 'none' && applies) for (const out of relation.out) except.add(out);
  }
  let admitted: string[] | null = null;
  for (const gate of held.limits) {
    const here = gate.rules.filter((other) => holds(other.actions, action) === true && meets(only(pattern), other.resources));
    const whole = here.filter((other) => holdsAll(other.resources, only(pattern)));
    const sure = whole.some((other) => other.condition(call) === true);
    if (sure) continue;
    if (whole.some((other) => other.condition(call) === undefined)) conditional = true;
    else {
      const parts = here
        .filter((other) => other.condition(call) !== false)
        .flatMap(({ resources }) => resources.include.filter((one) => one !== null));
      if (parts.length === 0) return undefined;
      // one boundary that admits a part is followed; of two the narrower is not told
      if (admitted !== null) return undefined;
      admitted = parts;
    }
  }
  return { conditional, except: [...except].sort(), only: admitted };
}

function relationOf(access: ProviderAccess, denial: AccessRule, pattern: string, place: Broad, who: string): Relation {
  if (denial.resources.include.includes(null)) return 'none';
  if (access.byTrust) {
    if (holdsAll(denial.resources, only(pattern))) return 'all';
    if (denial.resources.exclude.length > 0 || !meets(only(pattern), denial.resources)) return 'none';
    return { out: denial.resources.include as string[] };
  }
  const out: string[] = [];
  for (const name of denial.resources.include) {
    const other = access.place(name!, who);
    if (other === undefined) continue;
    if ('named' in other) out.push(...other.named);
    else if (place.within.every((inner) => other.within.some((outer) => isInside(inner, outer)))) return 'all';
    else out.push(...other.within.filter((inner) => place.within.some((outer) => isInside(inner, outer))));
  }
  return out.length === 0 ? 'none' : { out };
}

/** Whether one container lies in another: a resource group in its subscription, a namespace in its cluster. */
const isInside = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(`${outer}/`);

/** The best answer of several actions of which one is enough. */
export function bestOf(weigh: (action: string) => Parameters<typeof decide>[0], actions: readonly string[]) {
  let best: ReturnType<typeof decide> | undefined;
  for (const action of actions) {
    const decision = decide(weigh(action));
    if (decision.answer === 'allowed') return decision;
    if (decision.answer === 'conditional') best = decision;
  }
  return best;
}
