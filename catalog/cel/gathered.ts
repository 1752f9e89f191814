import type { parse } from '@bufbuild/cel';

type Expr = NonNullable<ReturnType<typeof parse>['expr']>;
type Comprehension = Extract<Expr['exprKind'], { case: 'comprehensionExpr' }>['value'];

/** What `map` and `filter` gather, and under which condition; undefined for other macros. */
export function gatheredBy({ accuVar, accuInit, loopStep, result }: Comprehension) {
  const isOwn = (expr: Expr | undefined): boolean => expr?.exprKind.case === 'identExpr' && expr.exprKind.value.name === accuVar;
  const callOf = (expr: Expr | undefined, name: string): Expr[] | undefined =>
    expr?.exprKind.case === 'callExpr' && expr.exprKind.value.function === name ? expr.exprKind.value.args : undefined;
  if (accuInit?.exprKind.case !== 'listExpr' || accuInit.exprKind.value.elements.length > 0 || !isOwn(result)) return undefined;
  const conditional = callOf(loopStep, '_?_:_');
  if (conditional !== undefined && !isOwn(conditional[2])) return undefined;
  const sum = conditional === undefined ? loopStep : conditional[1];
  const [first, added] = callOf(sum, '_+_') ?? [];
  if (!isOwn(first) || added?.exprKind.case !== 'listExpr' || added.exprKind.value.elements.length !== 1) return undefined;
  return { sum: sum!, test: conditional?.[0], element: added.exprKind.value.elements[0]! };
}
