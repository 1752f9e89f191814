import type { Document } from 'bson';
import { decodeDocument } from '../bson/decode.js';
import { childrenOf, type RawValue } from '../bson/raw.js';
import { splitPipeline } from '../aggregate/pipeline.js';
import { CommandError, notSupported } from '../errors.js';
import type { IndexScan, Plan, PointLookup } from '../plan/plan.js';
import { QueryRun, type QuerySpec } from '../plan/query-run.js';
import { parseSort } from '../plan/sort.js';
import { parseFilter } from '../query/parse.js';
import { Collection } from '../storage/collection.js';
import { Command, type Reply } from './command.js';
import type { CommandContext } from './context.js';
import { findSpec, hintOf } from './find.js';

interface Explained {
  readonly spec: QuerySpec;
  readonly counting: boolean;
  /** Aggregation stages after the query. */
  readonly stages: readonly string[];
}

/** Runs a query for its figures only, and answers which plan served it, in MongoDB's shape. */
export async function explain(context: CommandContext): Promise<Reply> {
  const { command, store } = context;
  const inner = new Command(command.document('explain'), new Map(), command.database);
  const namespace = `${command.database}.${inner.string(inner.name) ?? ''}`;
  const collection = store.find(namespace) ?? new Collection(store.database, 0, namespace, 0);
  const explained = explainedQuery(inner, collection);
  const started = performance.now();
  const run = await QueryRun.open({ ...explained.spec, check: context.check });
  const returned = explained.counting ? await run.count() : await drain(run);
  const winningPlan = stagesOf(run, explained);
  const executionStats = {
    executionSuccess: true,
    nReturned: explained.counting ? 0 : returned,
    executionTimeMillis: Math.round(performance.now() - started),
    totalKeysExamined: run.counts.keysExamined,
    totalDocsExamined: run.counts.docsExamined,
    executionStages: winningPlan,
  };
  const queryPlanner = {
    namespace,
    indexFilterSet: false,
    parsedQuery: decodeDocument(filterOf(inner).buf, filterOf(inner).off),
    winningPlan,
    rejectedPlans: [],
  };
  const verbosity = command.string('verbosity') ?? 'allPlansExecution';
  const figures = verbosity === 'queryPlanner' ? { queryPlanner } : { queryPlanner, executionStats };
  const serverInfo = { host: 'embedded', port: 0, version: '7.0.0' };
  if (explained.stages.length === 0) return { explainVersion: '1', ...figures, serverInfo, ok: 1 };
  return { explainVersion: '1', stages: [{ $cursor: figures }, ...explained.stages.map((name) => ({ [name]: {} }))], serverInfo, ok: 1 };
}

function filterOf(inner: Command): RawValue {
  return inner.document(inner.name === 'find' ? 'filter' : 'query');
}

async function drain(run: QueryRun): Promise<number> {
  let returned = 0;
  for await (const batch of run.batches()) returned += batch.length;
  return returned;
}

function explainedQuery(inner: Command, collection: Collection): Explained {
  const base = (filter: RawValue, from: Command, sort?: RawValue, limit = 0): Explained => ({
    spec: { collection, filter: parseFilter(filter), sort: sort && parseSort(childrenOf(sort)), limit, hint: hintOf(collection, from) },
    counting: false,
    stages: [],
  });
  switch (inner.name.toLowerCase()) {
    case 'find':
      return { spec: findSpec(inner, collection, undefined), counting: false, stages: [] };
    case 'count': {
      const { spec } = base(inner.document('query'), inner);
      return { spec: { ...spec, skip: inner.number('skip'), limit: inner.number('limit') }, counting: true, stages: [] };
    }
    case 'distinct':
      return base(inner.document('query'), inner);
    case 'findandmodify':
      return base(inner.document('query'), inner, inner.get('sort'), 1);
    case 'update':
    case 'delete': {
      const statement = new Command(inner.array(inner.name === 'update' ? 'updates' : 'deletes')[0]!);
      return base(
        statement.document('q'),
        statement,
        statement.get('sort'),
        statement.boolean('multi') || statement.number('limit') === 0 ? 0 : 1,
      );
    }
    case 'aggregate': {
      const { rest, ...query } = splitPipeline(inner.array('pipeline'));
      const counting = rest.length === 1 && rest[0]!.name === '$count';
      return { spec: { collection, ...query, hint: hintOf(collection, inner) }, counting, stages: rest.map((s) => s.name) };
    }
    case '':
      throw new CommandError(9, 'explain needs a command');
    default:
      throw notSupported(`Explaining ${inner.name}`);
  }
}

function scanStage(scan: IndexScan, name = 'IXSCAN'): Document {
  const { spec, multikey } = scan.index;
  return {
    stage: name,
    keyPattern: spec.key,
    indexName: spec.name,
    isMultiKey: multikey,
    isUnique: spec.unique === true,
    isSparse: spec.sparse === true,
    isPartial: spec.partialFilterExpression !== undefined,
    direction: scan.reverse ? 'backward' : 'forward',
    ranges: scan.ranges.length,
  };
}

const ID_SCAN: Document = {
  stage: 'IXSCAN',
  keyPattern: { _id: 1 },
  indexName: '_id_',
  isMultiKey: false,
  isUnique: true,
  isSparse: false,
  isPartial: false,
  direction: 'forward',
};

function lookupStage({ index: { spec, multikey } }: PointLookup): Document {
  return {
    ...ID_SCAN,
    keyPattern: spec.key,
    indexName: spec.name,
    isMultiKey: multikey,
    isPartial: spec.partialFilterExpression !== undefined,
  };
}

function branchStage(plan: Exclude<Plan, { kind: 'or' | 'collection' }>): Document {
  return plan.kind === 'ids' ? ID_SCAN : plan.kind === 'point' ? lookupStage(plan) : scanStage(plan);
}

function accessStage(plan: Plan, counting: boolean): Document {
  switch (plan.kind) {
    case 'collection':
      return { stage: 'COLLSCAN', direction: 'forward' };
    case 'ids':
    case 'point':
      return { stage: 'FETCH', inputStage: branchStage(plan) };
    case 'or':
      return {
        stage: 'FETCH',
        inputStage: { stage: 'OR', inputStages: plan.branches.map(branchStage) },
      };
    case 'index':
      if (counting && plan.exact) return scanStage(plan, 'COUNT_SCAN');
      return { stage: 'FETCH', inputStage: plan.merged ? { stage: 'SORT_MERGE', inputStages: [scanStage(plan)] } : scanStage(plan) };
  }
}

function stagesOf(run: QueryRun, { spec, counting }: Explained): Document {
  let stage = accessStage(run.plan, counting);
  if (run.sortsInMemory) {
    const sortPattern = Object.fromEntries((spec.sort ?? []).map((s) => [s.path.text, s.descending ? -1 : 1]));
    stage = { stage: 'SORT', sortPattern, inputStage: stage };
  }
  if (spec.skip) stage = { stage: 'SKIP', skipAmount: spec.skip, inputStage: stage };
  if (spec.limit) stage = { stage: 'LIMIT', limitAmount: spec.limit, inputStage: stage };
  return counting ? { stage: 'COUNT', inputStage: stage } : stage;
}
