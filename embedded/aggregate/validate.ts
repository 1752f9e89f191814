import type { Document } from 'bson';
import { CommandError, notSupported } from '../errors.js';
import { knowsAccumulator, knowsExpression } from './known-operators.js';

const STAGES = new Set([
  '$match', '$sort', '$skip', '$limit', '$project', '$addFields', '$set', '$unset', '$group', '$unwind', '$count', '$facet', '$lookup', '$replaceRoot',
  '$replaceWith', '$sortByCount', '$bucket', '$sample', '$unionWith', '$graphLookup', '$documents',
]); // prettier-ignore
const LACKING = new Set([
  '$merge', '$out', '$geoNear', '$search', '$searchMeta', '$vectorSearch', '$changeStream', '$changeStreamSplitLargeEvent', '$collStats', '$currentOp',
  '$indexStats', '$listSessions', '$listLocalSessions', '$planCacheStats', '$listSampledQueries', '$densify', '$fill', '$querySettings', '$shardedDataDistribution',
  '$bucketAuto', '$redact', '$setWindowFields',
]); // prettier-ignore
const REFUSED_EXPRESSIONS = new Set(['$function', '$accumulator', '$where', '$meta', '$toHashedIndexKey']);
/** Names that start with a dollar sign inside expressions without being operators of their own. */
const EXPRESSION_WORDS = new Set(['$literal', '$let', '$map', '$filter', '$reduce', '$cond', '$switch', '$expr']);

/** Checks a pipeline before it runs: an unknown stage or operator is an error even when no document reaches it. */
export function assertPipeline(pipeline: readonly Document[], withoutCollection = false): void {
  pipeline.forEach((stage, i) => {
    const names = Object.keys(stage);
    const name = names[0];
    if (names.length !== 1 || name === undefined)
      throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
    if (LACKING.has(name)) throw notSupported(`The aggregation stage ${name}`);
    if (!STAGES.has(name)) throw new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`);
    if (name === '$documents' && i > 0) throw new CommandError(40602, '$documents is only valid as the first stage in a pipeline');
    assertStage(name, stage[name] as unknown);
  });
  if (withoutCollection && !('$documents' in (pipeline[0] ?? {})))
    throw new CommandError(73, 'Invalid namespace specified: {aggregate: 1} is only valid for pipelines that start with $documents');
}

function assertStage(name: string, argument: unknown): void {
  if (name === '$match' || name === '$sort' || name === '$limit' || name === '$skip' || name === '$count' || name === '$sample') return;
  if (name === '$facet') {
    for (const pipeline of Object.values(objectOf(argument))) assertPipeline(pipeline as Document[]);
    return;
  }
  if (name === '$lookup' || name === '$unionWith') {
    const { pipeline, let: variables } = objectOf(argument);
    if (pipeline !== undefined) assertPipeline(pipeline as Document[]);
    assertExpression(variables);
    return;
  }
  if (name === '$graphLookup') return assertExpression(objectOf(argument)['startWith']);
  if (name === '$group') {
    const fields = objectOf(argument);
    if (!('_id' in fields)) throw new CommandError(15955, 'a group specification must include an _id');
    for (const [field, value] of Object.entries(fields)) if (field !== '_id') assertAccumulator(field, value);
    return assertExpression(fields['_id']);
  }
  assertExpression(argument);
}

function objectOf(value: unknown): Document {
  return typeof value === 'object' && value !== null ? (value as Document) : {};
}

function assertAccumulator(field: string, value: unknown): void {
  const names = Object.keys(objectOf(value));
  const name = names[0];
  if (names.length !== 1 || name === undefined || !name.startsWith('$'))
    throw new CommandError(40234, `The field '${field}' must be an accumulator object`);
  if (REFUSED_EXPRESSIONS.has(name)) throw notSupported(`The operator ${name}`);
  if (!knowsAccumulator(name)) throw new CommandError(15952, `unknown group operator '${name}'`);
  assertExpression(objectOf(value)[name]);
}

/** Throws InvalidPipelineOperator for an operator that does not exist, anywhere in an expression. */
export function assertExpression(expression: unknown): void {
  if (typeof expression === 'string' && /^\$[^.]+(\.[^.]+)*\.\d+(\.|$)/.test(expression)) {
    throw notSupported(`The field path ${expression}, which has a number in it,`);
  }
  if (Array.isArray(expression)) return expression.forEach(assertExpression);
  if (typeof expression !== 'object' || expression === null) return;
  if (Object.getPrototypeOf(expression) !== Object.prototype) return;
  for (const [name, value] of Object.entries(expression)) {
    if (name === '$literal') continue;
    if (REFUSED_EXPRESSIONS.has(name)) throw notSupported(`The operator ${name}`);
    if (name.startsWith('$') && !EXPRESSION_WORDS.has(name) && !knowsExpression(name) && !knowsAccumulator(name)) {
      throw new CommandError(168, `Unrecognized expression '${name}'`);
    }
    assertExpression(value);
  }
}
