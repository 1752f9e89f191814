import type { Document } from 'bson';
import { decodeDocument, decodeFields, decodeValue } from '../bson/decode.js';
import { BSON, childrenOf, type RawElement, type RawValue } from '../bson/raw.js';
import { readWholeNumber } from '../bson/number.js';
import { toRaw } from '../bson/write.js';
import { streamOf, type DocumentStream } from '../cursors.js';
import { CommandError } from '../errors.js';
import { parseSort, type SortField } from '../plan/sort.js';
import { QueryRun } from '../plan/query-run.js';
import { conjunctsOf, type Filter } from '../query/ast.js';
import { parseFilter } from '../query/parse.js';
import { withImpliedEqualities } from './implied.js';
import { neededFields } from './dependencies.js';
import { runWithLookups } from './lookup.js';
import type { PipelineRequest } from './request.js';
import { countingGroup } from './raw-group.js';
import { compileRawStage, countDocument } from './raw-stages.js';
import { assertPipeline } from './validate.js';

/** A pipeline, cut into the query that its first stages are and the stages that are left. */
export interface SplitPipeline {
  readonly filter: Filter;
  readonly sort: readonly SortField[];
  readonly skip: number;
  readonly limit: number;
  readonly rest: readonly RawElement[];
}

function stageOf(stage: RawValue): RawElement {
  const elements = stage.type === BSON.object ? childrenOf(stage) : [];
  if (elements.length !== 1) throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
  return elements[0]!;
}

/** Takes the leading $match, $sort, $skip and $limit stages as a query. */
export function splitPipeline(pipeline: readonly RawValue[]): SplitPipeline {
  const stages = pipeline.map(stageOf);
  const filters: Filter[] = [];
  let at = 0;
  let sort: readonly SortField[] = [];
  let skip = 0;
  let limit = 0;
  const matches = (): void => {
    while (stages[at]?.name === '$match') filters.push(parseFilter(stages[at++]!.value));
  };
  matches();
  if (stages[at]?.name === '$sort') {
    sort = parseSort(childrenOf(stages[at++]!.value));
    matches();
  }
  if (stages[at]?.name === '$skip') skip = wholeArgument(stages[at++]!, 0);
  if (stages[at]?.name === '$limit') limit = wholeArgument(stages[at++]!, 1);
  const conditions = filters.flatMap(conjunctsOf);
  return {
    filter: conditions.length === 1 ? conditions[0]! : { kind: 'and', filters: conditions },
    sort,
    skip,
    limit,
    rest: stages.slice(at),
  };
}

function wholeArgument({ name, value }: RawElement, least: number): number {
  const number = readWholeNumber(value);
  if (number === undefined || number < least)
    throw new CommandError(15958, `the ${name.slice(1)} must be a whole number of at least ${least}`);
  return number;
}

/** Opens an aggregation: a stream of result documents. */
export async function openPipeline(request: PipelineRequest): Promise<DocumentStream> {
  const split = splitPipeline(request.pipeline);
  const stages = split.rest.map(({ name, value }) => ({ [name]: decodeValue(value) }));
  assertPipeline(stages, request.wholeDatabase === true);
  const { collection } = request;
  if (!collection) {
    if (split.rest.length === 0) return streamOf([]);
    return run(request, streamOf([]), stages);
  }
  const filter = withImpliedEqualities(split.filter, request.variables);
  const query = await QueryRun.open({
    collection,
    filter,
    variables: request.variables,
    sort: split.sort,
    skip: split.skip,
    limit: split.limit,
    hint: request.hint,
    transaction: request.transaction,
    check: request.check,
  });
  if (stages.length === 0) return query.batches();
  return countOnly(query, stages) ?? run(request, query.batches(), stages);
}

/** A pipeline that only counts, as countDocuments sends it, need not look at documents that an index counts. */
function countOnly(query: QueryRun, stages: readonly Document[]): DocumentStream | undefined {
  const stage = stages[0]!;
  if (stages.length !== 1) return undefined;
  const counting = '$group' in stage ? countingGroup(stage['$group'] as Document) : undefined;
  const name: unknown = counting?.name ?? stage['$count'];
  if (typeof name !== 'string') return undefined;
  return countedDocuments(query, name, counting?.id);
}

async function* countedDocuments(query: QueryRun, name: string, id: RawValue | undefined): DocumentStream {
  const total = await query.count();
  if (total > 0) yield [countDocument(name, id, total)];
}

async function decodeAll(documents: DocumentStream, wanted: ReadonlySet<string> | undefined): Promise<Document[]> {
  const decoded: Document[] = [];
  for await (const batch of documents)
    for (const bytes of batch) decoded.push(wanted ? decodeFields(bytes, wanted) : decodeDocument(bytes));
  return decoded;
}

/** Runs stages on raw documents as far as that goes, and the others, from the first that needs it, in the expression engine. */
async function* run(request: PipelineRequest, documents: DocumentStream, stages: readonly Document[]): DocumentStream {
  let current = documents;
  let at = 0;
  for (; at < stages.length; at++) {
    const stage = compileRawStage(stages[at]!, request.variables);
    if (!stage) break;
    current = stage(current);
  }
  const rest = stages.slice(at);
  if (rest.length === 0) return yield* current;
  const results = await runWithLookups(request, await decodeAll(current, neededFields(rest)), rest, runSubPipeline);
  yield results.map((d) => toRaw(d));
}

/** Documents of a collection for a sub-pipeline: its leading stages run as a query. */
async function runSubPipeline(request: PipelineRequest): Promise<Document[]> {
  return decodeAll(await openPipeline(request), undefined);
}
