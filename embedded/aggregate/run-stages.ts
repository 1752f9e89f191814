import { Aggregator } from 'mingo/aggregator';
import { Context } from 'mingo/core';
import * as stages from 'mingo/operators/pipeline';
import type { Document } from 'bson';
import { asCommandError, engineOptions, operators, type EngineOptions, type PipelineOperators } from './expression-engine.js';
import { ownStages } from './stages.js';

const { $merge: _merge, $out: _out, ...safeStages } = stages;

const context = Context.from(
  operators,
  Context.init({ pipeline: { ...safeStages, ...(ownStages as Record<string, unknown>) } as PipelineOperators }),
);

/** Runs stages over documents. Throws CommandError. */
export function runStages(documents: Iterable<Document>, pipeline: readonly Document[], more: object = {}): Document[] {
  try {
    return new Aggregator([...pipeline], { ...engineOptions, context, ...more } as EngineOptions).run(documents as Document[]);
  } catch (error) {
    throw asCommandError(error);
  }
}
