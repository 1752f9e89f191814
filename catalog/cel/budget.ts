import type { parse } from '@bufbuild/cel';

type Tree = ReturnType<typeof parse>;
type Expr = NonNullable<Tree['expr']>;

/** Steps that are left to the expression being evaluated; outside of a tenant's rule there is no end. */
let left = Number.POSITIVE_INFINITY;

/** The expression took more steps than it may. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly';
}

/** Counts steps: about 100 ns of work each on the machine that they were measured on, the same number on every machine. @throws TooCostly when none is left */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) throw new TooCostly('the expression takes too many steps');
}

/**
 * Runs a synchronous evaluation with at most so many steps.
 * @returns its value and the steps that it took; no value of an evaluation that took too many, whatever it made of that
 */
export function withSteps<T>(most: number, evaluate: () => T): { value?: T; steps: number } {
  const before = left;
  left = most;
  try {
    const value = evaluate();
    return left < 0 ? { steps: most } : { value, steps: most - left };
  } catch (error) {
    if (error instanceof TooCostly) return { steps: most };
    throw error;
  } finally {
    left = before;
  }
}

/** Every node of an expression, the outermost first. */
export function* nodesOf(root: Expr | undefined): Generator<Expr> {
  const pending: (Expr | undefined)[] = [root];
  while (pending.length > 0) {
    const node = pending.pop();
    if (node === undefined) continue;
    yield node;
    pending.push(...childrenOf(node));
  }
}

function childrenOf({ exprKind }: Expr): (Expr | undefined)[] {
  switch (exprKind.case) {
    case 'selectExpr':
      return [exprKind.value.operand];
    case 'callExpr':
      return [exprKind.value.target, ...exprKind.value.args];
    case 'listExpr':
      return exprKind.value.elements;
    case 'structExpr':
      return exprKind.value.entries.flatMap(({ keyKind, value }) => [keyKind.case === 'mapKey' ? keyKind.value : undefined, value]);
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value;
      return [iterRange, accuInit, loopCondition, loopStep, result];
    }
    default:
      return [];
  }
}
