import type { parse } from '@bufbuild/cel';

type Tree = ReturnType<typeof parse>;
type Expr = NonNullable<Tree['expr']>;

/** Turns of macros, and time on the clock, that are left to the expression being evaluated; outside of a tenant's rule there is no end. */
let left = Number.POSITIVE_INFINITY;
let deadline = Number.POSITIVE_INFINITY;

/** The expression took more turns than it may. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly';
}

/** How the message of such an error begins; CEL gives errors of functions as values. */
export const TOO_COSTLY = /^the expression takes too /;

/** Counts one turn of a macro. @throws TooCostly when none is left */
export function tick(): boolean {
  if (--left < 0) throw new TooCostly('the expression takes too many steps');
  if (performance.now() > deadline) throw new TooCostly('the expression takes too long');
  return true;
}

/** Runs a synchronous evaluation with at most so many turns, and about so many milliseconds: a single turn may be slow. */
export function withBudget<T>(turns: number, milliseconds: number, evaluate: () => T): T {
  const before = [left, deadline] as const;
  left = turns;
  deadline = performance.now() + milliseconds;
  try {
    return evaluate();
  } finally {
    [left, deadline] = before;
  }
}

/** Makes every turn of every macro of a parsed expression count. Changes the tree and gives it back. */
export function withTicks(tree: Tree): Tree {
  for (const node of nodesOf(tree.expr)) {
    if (node.exprKind.case !== 'comprehensionExpr') continue;
    const { value } = node.exprKind;
    if (value.loopCondition !== undefined) value.loopCondition = call('_&&_', [call('tick', [one], node.id), value.loopCondition], node.id);
  }
  return tree;
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

const one = {
  $typeName: 'cel.expr.Expr',
  id: 0n,
  exprKind: { case: 'constExpr', value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'int64Value', value: 1n } } },
} as Expr;

const call = (name: string, args: Expr[], id: bigint): Expr =>
  ({
    $typeName: 'cel.expr.Expr',
    id,
    exprKind: { case: 'callExpr', value: { $typeName: 'cel.expr.Expr.Call', function: name, args } },
  }) as unknown as Expr;
