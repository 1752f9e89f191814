import { parse, type CelInput, type CelResult } from '@bufbuild/cel';
import { checkExpression, type ExpressionFault } from './cel/type-check.js';
import { withBudget, withTicks } from './cel/budget.js';
import { compileTree, type Program } from './cel/environment.js';

/** The longest expression of a tenant's rule, in characters. */
export const MAX_EXPRESSION = 2_000;
/** Turns of macros that one evaluation of a tenant's rule may take. */
export const MAX_STEPS = 20_000;
/** Milliseconds after which an evaluation of a tenant's rule ends at its next turn. */
export const MAX_MILLISECONDS = 1_000;

/**
 * What is wrong with a tenant's expression: too long, not CEL, unknown names, wrong types, too costly. None when it may be saved.
 */
export function expressionFaults(expression: string): ExpressionFault[] {
  if (expression.length > MAX_EXPRESSION)
    return [
      {
        message: `the expression has ${expression.length} characters; at most ${MAX_EXPRESSION} are allowed`,
        line: 1,
        column: MAX_EXPRESSION + 1,
      },
    ];
  return checkExpression(expression);
}

/** Compiles a tenant's expression; each evaluation has a budget, so that none can hold the process. */
export function compileTenantExpression(expression: string): Program {
  const program = compileTree(withTicks(parse(expression)));
  return (bindings: { r: CelInput; asset: CelInput }): CelResult => withBudget(MAX_STEPS, MAX_MILLISECONDS, () => program(bindings));
}
