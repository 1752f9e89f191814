// The expression and stage engine: mingo, with the stages whose order, equality or access to collections must be MongoDB's replaced.
import { Aggregator } from 'mingo';
import { ComputeOptions, Context, evalExpr } from 'mingo/core';
import * as accumulators from 'mingo/operators/accumulator';
import * as expressions from 'mingo/operators/expression';
import * as stages from 'mingo/operators/pipeline';
import * as projections from 'mingo/operators/projection';
import * as queries from 'mingo/operators/query';
import * as windows from 'mingo/operators/window';
console.log(Object.keys(expressions).length, Aggregator, ComputeOptions, Context, evalExpr, Object.keys(stages), Object.keys(accumulators), Object.keys(projections), Object.keys(queries).length, Object.keys(windows));
