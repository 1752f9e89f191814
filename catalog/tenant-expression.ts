import { celError, parse, type CelInput, type CelResult } from '@bufbuild/cel';
import { checkExpression, type ExpressionFault } from './cel/type-check.js';
import { spend, withSteps } from './cel/budget.js';
import { withCosts } from './cel/costs.js';
import { compileTree, isPlanned, type Program } from './cel/environment.js';

/** The longest expression of a tenant's rule, in characters. */
export const MAX_EXPRESSION = 2_000;
/** Steps that one evaluation of a tenant's rule may take: about a tenth of a second of work. */
export const MAX_STEPS = 1_000_000;
/** How much longer the library's planner takes for a part than ours. */
const UNPLANNED = 32;
/** Evaluations that may take too many steps before the rule is asked no more. */
export const MAX_OVERRUNS = 3;

/**
 * The steps that a tenant's rules may take in one run, or in a trial. They are spent in the order in which rules and resources are asked, so the
 * same report gives the same results, however fast the machine is and whatever else it does.
 */
export class StepBudget {
  #left: number;

  /** @param steps at most so many */
  constructor(readonly steps: number) {
    this.#left = steps;
  }

  /** Steps that may still be taken. */
  get left(): number {
    return this.#left;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** Evaluates with what is left; undefined for an evaluation that took too many steps. What is left and does not suffice is spent. */
  evaluate<T>(most: number, evaluate: () => T): T | undefined {
    const { value, steps } = withSteps(Math.min(most, this.left), evaluate);
    this.#left -= steps;
    return value;
  }
}

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
 * Compiles a tenant's expression. Each evaluation has an end of its own, and all share the run's; one that takes too many steps again and again is
 * evaluated no more until it is compiled anew, by the next run.
 * @param budget what the tenant's rules may take together
 */
export function compileTenantExpression(expression: string, budget: StepBudget): Program {
  const { tree, steps } = withCosts(parse(expression), isPlanned(parse(expression)) ? 1 : UNPLANNED);
  const program = compileTree(tree);
  let overruns = 0;
  return (bindings: { r: CelInput; asset: CelInput }): CelResult => {
    if (budget.isSpent) return spent(budget);
    if (overruns >= MAX_OVERRUNS) return celError('the expression took too many steps on other resources');
    const answer = budget.evaluate(MAX_STEPS, () => {
      spend(steps);
      return program(bindings);
    });
    if (answer !== undefined) return answer;
    if (budget.isSpent) return spent(budget);
    overruns += 1;
    return celError('the expression takes too many steps');
  };
}

const spent = ({ steps }: StepBudget): CelResult => celError(`the budget of ${steps} evaluation steps for the tenant's own rules is spent`);
