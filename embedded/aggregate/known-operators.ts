import * as accumulators from 'mingo/operators/accumulator';
import * as expressions from 'mingo/operators/expression';
import * as windows from 'mingo/operators/window';
import { ownExpressions } from './own-expressions.js';

/** Whether there is an accumulator (for $group) or a window operator of this name. */
export function knowsAccumulator(name: string): boolean {
  return Object.hasOwn(accumulators, name) || Object.hasOwn(windows, name);
}

/** Whether there is an expression operator of this name. */
export function knowsExpression(name: string): boolean {
  return Object.hasOwn(expressions, name) || Object.hasOwn(ownExpressions, name);
}
