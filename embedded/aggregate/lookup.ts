import type { Document } from 'bson';
import { toRaw, rawDocument } from '../bson/write.js';
import { CommandError } from '../errors.js';
import { parseFilter } from '../query/parse.js';
import { QueryRun } from '../plan/query-run.js';
import { decodeDocument } from '../bson/decode.js';
import { bound } from './bound-stage.js';
import { evaluate } from './expression-engine.js';
import type { PipelineRequest, RunPipeline } from './request.js';
import { runStages } from './run-stages.js';
import { keyOfJs } from './values.js';

interface Lookup {
  readonly from: string;
  readonly as: string;
  readonly localField?: string;
  readonly foreignField?: string;
  readonly let?: Document;
  readonly pipeline?: readonly Document[];
}

/** Replaces the stages that read other collections by ones that are bound to the store. @param run reads them */
export function lookupStages(request: PipelineRequest, stages: readonly Document[], run: RunPipeline): Document[] {
  return stages.flatMap((stage): Document | Document[] => {
    const name = Object.keys(stage)[0]!;
    const argument: unknown = stage[name];
    if (name === '$lookup') return bound((documents) => lookup(request, documents, argument as Lookup, run));
    if (name === '$unionWith') return bound((documents) => [...documents, ...union(request, argument, run)]);
    if (name === '$graphLookup')
      return { $graphLookup: { ...(argument as Document), from: foreign(request, (argument as Lookup).from, [], run) } };
    if (name === '$bucket') return bucketStages(argument as Bucket);
    if (name === '$facet') {
      const pipelines = Object.entries(argument as Record<string, Document[]>).map(([k, p]) => [k, lookupStages(request, p, run)] as const);
      return { $facet: Object.fromEntries(pipelines) };
    }
    return stage;
  });
}

interface Bucket {
  readonly groupBy: unknown;
  readonly boundaries: readonly unknown[];
  readonly default?: unknown;
  readonly output?: Document;
}

/** $bucket as MongoDB rewrites it: a $group by the boundary below, in order. */
function bucketStages({ groupBy, boundaries, default: rest, output }: Bucket): Document[] {
  if (!Array.isArray(boundaries) || boundaries.length < 2)
    throw new CommandError(40192, "The $bucket 'boundaries' field must have at least 2 values");
  const branches = boundaries.slice(0, -1).map((low: unknown, i) => ({
    case: { $and: [{ $gte: [groupBy, { $literal: low }] }, { $lt: [groupBy, { $literal: boundaries[i + 1] as unknown }] }] },
    then: { $literal: low },
  }));
  const $switch = rest === undefined ? { branches } : { branches, default: { $literal: rest } };
  return [{ $group: { _id: { $switch }, ...(output ?? { count: { $sum: 1 } }) } }, { $sort: { _id: 1 } }];
}

function foreign(
  request: PipelineRequest,
  from: string,
  pipeline: readonly Document[],
  run: RunPipeline,
  variables: Document = {},
): Document[] {
  const collection = request.store.find(`${request.database}.${from}`);
  return run({
    ...request,
    collection,
    pipeline: pipeline.map((stage) => rawDocument(toRaw(stage))),
    variables: { ...request.variables, ...variables },
    hint: undefined,
  });
}

function union(request: PipelineRequest, argument: unknown, run: RunPipeline): Document[] {
  if (typeof argument === 'string') return foreign(request, argument, [], run);
  const { coll, pipeline } = argument as { coll: string; pipeline?: Document[] };
  return foreign(request, coll, pipeline ?? [], run);
}

function lookup(request: PipelineRequest, documents: readonly Document[], spec: Lookup, run: RunPipeline): Document[] {
  if (typeof spec.from !== 'string' || typeof spec.as !== 'string') throw new CommandError(9, "$lookup needs 'from' and 'as'");
  if ((spec.localField === undefined) !== (spec.foreignField === undefined))
    throw new CommandError(9, '$lookup needs both localField and foreignField, or neither');
  const byValue = new Map<string, Document[]>();
  const whole = new Map<string, Document[]>();
  return documents.map((document) => {
    const variables = Object.fromEntries(
      Object.entries(spec.let ?? {}).map(([name, expression]) => [name, evaluate(document, expression) ?? null]),
    );
    const joined = spec.localField === undefined ? undefined : matching(request, spec, document, byValue);
    if (!spec.pipeline) return withField(document, spec.as, joined ?? []);
    if (joined)
      return withField(
        document,
        spec.as,
        runStages(joined, lookupStages(request, spec.pipeline, run), { variables: { ...request.variables, ...variables } }),
      );
    const key = keyOfJs(variables);
    let found = whole.get(key);
    if (!found) whole.set(key, (found = foreign(request, spec.from, spec.pipeline, run, variables)));
    return withField(document, spec.as, found);
  });
}

/** The foreign documents whose field equals the local one; a query on the foreign collection, so that its index serves. */
function matching(request: PipelineRequest, spec: Lookup, document: Document, cache: Map<string, Document[]>): Document[] {
  const value: unknown = evaluate(document, `$${spec.localField}`);
  const values: unknown[] = Array.isArray(value) ? value : [value ?? null];
  const key = keyOfJs(values);
  const known = cache.get(key);
  if (known) return known;
  const collection = request.store.find(`${request.database}.${spec.from}`);
  if (!collection) return [];
  const filter = parseFilter(rawDocument(toRaw({ [spec.foreignField!]: { $in: values } })));
  const found = new QueryRun({ collection, filter, transaction: request.transaction }).all().map((bytes) => decodeDocument(bytes));
  cache.set(key, found);
  return found;
}

function withField(document: Document, path: string, value: readonly Document[]): Document {
  const [head, ...rest] = path.split('.');
  if (head === undefined || rest.length === 0) return { ...document, [path]: value };
  const inner: unknown = document[head];
  const object = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as Document) : {};
  return { ...document, [head]: withField(object, rest.join('.'), value) };
}
