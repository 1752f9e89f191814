import type { Document } from 'bson';
import { toRaw, rawDocument } from '../bson/write.js';
import { CommandError } from '../errors.js';
import { parseFilter } from '../query/parse.js';
import { QueryRun } from '../plan/query-run.js';
import { decodeDocument } from '../bson/decode.js';
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

/**
 * Runs stages over documents, those too that read other collections.
 * @param run reads them
 * @param variables of $lookup's `let`, beside the request's
 */
export async function runWithLookups(
  request: PipelineRequest,
  documents: readonly Document[],
  stages: readonly Document[],
  run: RunPipeline,
  variables: Document = {},
): Promise<Document[]> {
  const options = { variables: { ...request.variables, ...variables } };
  let current = [...documents];
  let plain: Document[] = [];
  for (const stage of stages) {
    const name = Object.keys(stage)[0]!;
    const argument: unknown = stage[name];
    if (name === '$bucket') plain.push(...bucketStages(argument as Bucket));
    else if (name === '$graphLookup') {
      const from = await foreign(request, (argument as Lookup).from, [], run);
      plain.push({ $graphLookup: { ...(argument as Document), from } });
    } else if (!READS_OTHERS.has(name)) plain.push(stage);
    else {
      if (plain.length > 0) current = runStages(current, plain, options);
      plain = [];
      if (name === '$lookup') current = await lookup(request, current, argument as Lookup, run);
      else if (name === '$unionWith') current = [...current, ...(await union(request, argument, run))];
      else current = [await facets(request, current, argument as Record<string, Document[]>, run, variables)];
    }
  }
  return plain.length > 0 ? runStages(current, plain, options) : current;
}

const READS_OTHERS = new Set(['$lookup', '$unionWith', '$facet']);

async function facets(
  request: PipelineRequest,
  documents: readonly Document[],
  pipelines: Record<string, Document[]>,
  run: RunPipeline,
  variables: Document,
): Promise<Document> {
  const results: Document = {};
  for (const [name, pipeline] of Object.entries(pipelines))
    results[name] = await runWithLookups(request, documents, pipeline, run, variables);
  return results;
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
): Promise<Document[]> {
  const collection = request.store.find(`${request.database}.${from}`);
  return run({
    ...request,
    collection,
    pipeline: pipeline.map((stage) => rawDocument(toRaw(stage))),
    variables: { ...request.variables, ...variables },
    hint: undefined,
  });
}

function union(request: PipelineRequest, argument: unknown, run: RunPipeline): Promise<Document[]> {
  if (typeof argument === 'string') return foreign(request, argument, [], run);
  const { coll, pipeline } = argument as { coll: string; pipeline?: Document[] };
  return foreign(request, coll, pipeline ?? [], run);
}

async function lookup(request: PipelineRequest, documents: readonly Document[], spec: Lookup, run: RunPipeline): Promise<Document[]> {
  if (typeof spec.from !== 'string' || typeof spec.as !== 'string') throw new CommandError(9, "$lookup needs 'from' and 'as'");
  if ((spec.localField === undefined) !== (spec.foreignField === undefined))
    throw new CommandError(9, '$lookup needs both localField and foreignField, or neither');
  const byValue = new Map<string, Document[]>();
  const whole = new Map<string, Document[]>();
  const results: Document[] = [];
  for (const document of documents) {
    const variables = Object.fromEntries(
      Object.entries(spec.let ?? {}).map(([name, expression]) => [name, evaluate(document, expression) ?? null]),
    );
    const joined = spec.localField === undefined ? undefined : await matching(request, spec, document, byValue);
    if (!spec.pipeline) results.push(withField(document, spec.as, joined ?? []));
    else if (joined) results.push(withField(document, spec.as, await runWithLookups(request, joined, spec.pipeline, run, variables)));
    else {
      const key = keyOfJs(variables);
      let found = whole.get(key);
      if (!found) whole.set(key, (found = await foreign(request, spec.from, spec.pipeline, run, variables)));
      results.push(withField(document, spec.as, found));
    }
  }
  return results;
}

/** The foreign documents whose field equals the local one; a query on the foreign collection, so that its index serves. */
async function matching(request: PipelineRequest, spec: Lookup, document: Document, cache: Map<string, Document[]>): Promise<Document[]> {
  const value: unknown = evaluate(document, `$${spec.localField}`);
  const values: unknown[] = Array.isArray(value) ? value : [value ?? null];
  const key = keyOfJs(values);
  const known = cache.get(key);
  if (known) return known;
  const collection = request.store.find(`${request.database}.${spec.from}`);
  if (!collection) return [];
  const filter = parseFilter(rawDocument(toRaw({ [spec.foreignField!]: { $in: values } })));
  const query = await QueryRun.open({ collection, filter, transaction: request.transaction, check: request.check });
  const found = (await query.all()).map((bytes) => decodeDocument(bytes));
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
