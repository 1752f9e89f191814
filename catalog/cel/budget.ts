/** Turns of macros that are left to the expression that is being evaluated; none are counted outside of a tenant's rule. */
let left = Number.POSITIVE_INFINITY;

/** The expression took more turns than it may. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly';
}

/** Counts one turn of a macro. @throws TooCostly when none is left */
export function tick(): boolean {
  if (--left < 0) throw new TooCostly('the expression takes too many steps');
  return true;
}

/** Runs a synchronous evaluation with at most so many turns. */
export function withBudget<T>(turns: number, evaluate: () => T): T {
  const before = left;
  left = turns;
  try {
    return evaluate();
  } finally {
    left = before;
  }
}
