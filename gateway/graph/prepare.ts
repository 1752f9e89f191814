import { operationFromDocument } from '@apollo/federation-internals';
import { QueryPlanner, type FetchNode, type PlanNode, type QueryPlan, type SubscriptionNode } from '@apollo/query-planner';
import {
  BREAK,
  getOperationAST,
  GraphQLError,
  Kind,
  OperationTypeNode,
  parse,
  print,
  separateOperations,
  validate,
  visit,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { badRequest, type PalisadeError } from '../../kit/base/errors.js';
import { BoundedCache } from '../../kit/base/bounded-cache.js';
import { operationBytes } from '../operation-bytes.js';
import { guardOperation } from './permissions.js';
import { engineOfRoots } from './owners.js';
import { PlannedOperation, type Way } from './planned-operation.js';
import type { ViewSegments } from './requirements.js';
import type { ComposedGraph } from './supergraph.js';

/** Bytes of operations kept with their plans; what was used longest ago is planned again. */
const KEPT_BYTES = 16 * 1_048_576;

/** Root fields that the gateway answers itself. */
const INTROSPECTION = new Set(['__schema', '__type']);

interface PrepareOptions {
  readonly composed: ComposedGraph;
  readonly segments: ViewSegments;
  /** The schema that an engine runs: a document that is valid in it can run there as it is. */
  readonly engineSchema: (engine: string) => GraphQLSchema;
}

const refuse = (errors: readonly GraphQLError[]): PalisadeError =>
  badRequest(
    errors[0]!.message,
    errors.map(({ message, locations }) => ({ message, locations: locations ?? [] })),
  );

/** Parses `query` and picks its operation. Throws BAD_REQUEST. */
function readOperation(query: string, operationName: string | undefined): { document: DocumentNode; definition: OperationDefinitionNode } {
  let document: DocumentNode;
  try {
    document = parse(query);
  } catch (error) {
    if (error instanceof GraphQLError) throw refuse([error]);
    throw error;
  }
  const definition = getOperationAST(document, operationName);
  if (definition) return { document, definition };
  throw badRequest(
    operationName ? `Unknown operation named "${operationName}"` : 'The document must hold one operation, or operationName must pick one',
  );
}

/** The document with one operation and the fragments that it uses. */
function isolate(document: DocumentNode, definition: OperationDefinitionNode): DocumentNode {
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return operations.length === 1 ? document : separateOperations(document)[definition.name!.value]!;
}

/** Fields that the operation selects, fragments counted wherever they are spread. */
function countFields(document: DocumentNode, definition: OperationDefinitionNode): number {
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node.selectionSet] as const] : [])),
  );
  const counted = new Map<string, number>();
  const count = (set: SelectionSetNode | undefined): number =>
    (set?.selections ?? []).reduce(
      (sum, node) =>
        sum +
        (node.kind === Kind.FIELD
          ? 1 + count(node.selectionSet)
          : node.kind === Kind.INLINE_FRAGMENT
            ? count(node.selectionSet)
            : spread(node.name.value)),
      0,
    );
  const spread = (name: string): number => {
    if (!counted.has(name)) counted.set(name, count(fragments.get(name)));
    return counted.get(name)!;
  };
  return count(definition.selectionSet);
}

function* fetchesOf(node: PlanNode | SubscriptionNode | undefined): Iterable<FetchNode | null> {
  if (!node) return;
  if (node.kind === 'Fetch') yield node;
  else if (node.kind === 'Flatten') yield* fetchesOf(node.node);
  else if (node.kind === 'Sequence' || node.kind === 'Parallel') for (const child of node.nodes) yield* fetchesOf(child);
  else yield null;
}

const isPlain = (fetch: FetchNode | null): boolean =>
  fetch !== null && !fetch.inputRewrites && !fetch.outputRewrites && !fetch.contextRewrites;

function asksIntrospection(document: DocumentNode): boolean {
  let asks = false;
  visit(document, { Field: ({ name }) => (INTROSPECTION.has(name.value) ? ((asks = true), BREAK) : undefined) });
  return asks;
}

/** Makes the function that parses, validates, guards and plans an operation once. */
export function createPrepare({
  composed,
  segments,
  engineSchema,
}: PrepareOptions): (query: string, operationName?: string) => PlannedOperation {
  // takes a tenth of a second, which the first operation waits for and a start does not
  let planner: QueryPlanner | undefined;
  const planOf = (document: DocumentNode): QueryPlan => {
    planner ??= new QueryPlanner(composed.supergraph, { debug: { maxEvaluatedPlans: 1_000 } });
    return planner.buildQueryPlan(operationFromDocument(composed.supergraph.apiSchema(), document, { validate: false }));
  };
  const canRunOn = (engine: string, document: DocumentNode): boolean => validate(engineSchema(engine), document).length === 0;
  const cache = new BoundedCache<PlannedOperation>(KEPT_BYTES, operationBytes);

  /** The engine that answers all of an operation by itself, where that shows without a plan, which costs more than all the rest. */
  const findAlone = (document: DocumentNode, { operation, selectionSet }: OperationDefinitionNode): string | null => {
    if (composed.owners.shared.size > 0 || asksIntrospection(document)) return null;
    const engine = engineOfRoots(composed.owners, composed.apiSchema.getRootType(operation)!.name, selectionSet, document);
    return engine !== null && canRunOn(engine, document) ? engine : null;
  };

  const chooseWay = (plan: QueryPlan, document: DocumentNode): { way: Way; engine: string | null } => {
    const fetches = [...fetchesOf(plan.node)];
    const [first] = fetches;
    if (asksIntrospection(document) || !fetches.every(isPlain)) return { way: 'apollo', engine: null };
    const alone = fetches.length === 1 && first && !first.requires ? first.serviceName : null;
    if (alone === null || !canRunOn(alone, document)) return { way: 'joined', engine: null };
    return { way: 'single', engine: alone };
  };

  const make = (query: string, operationName: string | undefined): PlannedOperation => {
    const { document: whole, definition } = readOperation(query, operationName);
    if (definition.operation === OperationTypeNode.SUBSCRIPTION) throw badRequest('There are no subscriptions');
    const errors = validate(composed.apiSchema, whole, undefined, { maxErrors: 5 });
    if (errors.length) throw refuse(errors);
    if (definition.variableDefinitions?.some(({ variable }) => variable.name.value === 'representations'))
      throw badRequest('The variable name $representations is reserved');
    const document = isolate(whole, definition);
    const alone = findAlone(document, definition);
    let made: QueryPlan | undefined;
    const plan = () => (made ??= planOf(document));
    const guard = guardOperation(composed.apiSchema, document, definition, composed.requirements, segments);
    const ownText = document === whole ? query : print(document);
    const facts = {
      query,
      ownText,
      document,
      operationName,
      definition,
      guard,
      plan,
      fields: countFields(document, definition),
      ...(alone === null ? chooseWay(plan(), document) : { way: 'single' as const, engine: alone }),
    };
    return new PlannedOperation(facts, composed.apiSchema);
  };
  return (query, operationName) => cache.getOrMake(`${operationName ?? ''}\0${query}`, () => make(query, operationName));
}
