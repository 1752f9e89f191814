// The expression engine: mingo, with what depends on MongoDB's order and equality across types replaced by ours.
import { Aggregator } from 'mingo/aggregator';
import { Context, evalExpr } from 'mingo/core';
import * as accumulators from 'mingo/operators/accumulator';
import * as expressions from 'mingo/operators/expression';
import * as projections from 'mingo/operators/projection';
import * as queries from 'mingo/operators/query';
import * as windows from 'mingo/operators/window';
import type { Document } from 'bson';
import { CommandError, errorReply } from '../errors.js';
import { ownDates } from './own-dates.js';
import { ownExpressions } from './own-expressions.js';

export type EngineOptions = ConstructorParameters<typeof Aggregator>[1];
export type ComputeOptions = Parameters<typeof evalExpr>[2];

type ExpressionOperators = NonNullable<Parameters<typeof Context.init>[0]>['expression'];
export type PipelineOperators = NonNullable<Parameters<typeof Context.init>[0]>['pipeline'];

const { $function: _function, ...safeExpressions } = expressions;
const { $accumulator: _accumulator, ...safeAccumulators } = accumulators;
const { $where: _where, $jsonSchema: _schema, ...safeQueries } = queries;

/** Every operator that the store knows, but for stages. */
export const operators = Context.init({
  accumulator: { ...safeAccumulators },
  expression: { ...safeExpressions, ...ownExpressions, ...ownDates } as ExpressionOperators,
  projection: { ...projections },
  query: { ...safeQueries },
  window: { ...windows },
});

/** What the engine may do: run no script, and forgive no mistake. */
export const engineOptions: EngineOptions = { context: operators, scriptEnabled: false, useStrictMode: true } as EngineOptions;

const NO_VARIABLES: Document = {};
const preparedOptions = new WeakMap<Document, ComputeOptions>();

/** mingo copies all its operators for options that it has not prepared itself; a stage is handed prepared ones. */
function prepared(variables: Document): ComputeOptions {
  let found = preparedOptions.get(variables);
  if (!found) {
    const capturing = { $prepare: {} };
    const capture: Record<string, unknown> = {
      $prepare: (documents: unknown, _argument: unknown, given: ComputeOptions) => {
        found = given;
        return documents;
      },
    };
    const withCapture = Context.from(Context.init({ pipeline: capture as PipelineOperators }), operators);
    new Aggregator([capturing], { ...engineOptions, variables, context: withCapture } as EngineOptions).run([]);
    if (!found) throw new Error('mingo did not run the stage');
    preparedOptions.set(variables, found);
  }
  return found;
}

/** The value of an expression for one document. Throws CommandError. */
export function evaluate(document: Document, expression: unknown, variables: Document = NO_VARIABLES): unknown {
  try {
    const value: unknown = evalExpr(document, expression as Document, prepared(variables));
    return value;
  } catch (error) {
    throw asCommandError(error);
  }
}

/** mingo's own errors are mistakes in the pipeline: BadValue. */
export function asCommandError(error: unknown): CommandError {
  return error instanceof CommandError ? error : new CommandError(2, String(errorReply(error)['errmsg']));
}
