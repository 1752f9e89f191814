import { celError, isCelError, parse, type CelInput, type CelResult } from '@bufbuild/cel';
import { checkExpression, type ExpressionFault } from './cel/type-check.js';
import { TOO_COSTLY, withBudget, withTicks } from './cel/budget.js';
import { compileTree, type Program } from './cel/environment.js';

/** The longest expression of a tenant's rule, in characters. */
export const MAX_EXPRESSION = 2_000;
/** Turns of macros that one evaluation of a tenant's rule may take. */
export const MAX_STEPS = 20_000;
/** Milliseconds after which an evaluation of a tenant's rule ends at its next turn. */
export const MAX_MILLISECONDS = 250;
/** Evaluations that may run out of their budget before the rule is asked no more. */
export const MAX_OVERRUNS = 3;

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

/**
 * Compiles a tenant's expression; each evaluation has a budget, so that none can hold the process. One that runs out of it again and again
 * is evaluated no more until it is compiled anew, by the next run.
 */
export function compileTenantExpression(expression: string): Program {
  const program = compileTree(withTicks(parse(expression)));
  let overruns = 0;
  return (bindings: { r: CelInput; asset: CelInput }): CelResult => {
    if (overruns >= MAX_OVERRUNS) return celError('the expression took too long on other resources');
    const answer = withBudget(MAX_STEPS, MAX_MILLISECONDS, () => program(bindings));
    if (isCelError(answer) && TOO_COSTLY.test(answer.message)) overruns += 1;
    return answer;
  };
}
