import type { FetchNode, PlanNode } from '@apollo/query-planner';
import type { ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import type { EngineCaller } from '../../kit/engine/caller.js';
import { badRequest } from '../../kit/base/errors.js';
import { publicError } from '../../http/engine-errors.js';
import { failureAt, placeOf, rootKeysOf, type Path } from './fetch-errors.js';
import type { PlannedOperation, Variables } from './planned-operation.js';
import { mergeInto, pathOf, representationsOf, targetsAt, type Representation, type Row, type Target } from './representations.js';
import { otherCallers, sliceIsOver } from '../../kit/base/time-slice.js';
import type { GraphCall } from './types.js';

/** Most entities that one operation loads, over all its fetches (decision 49). */
export const MAX_LOADS = 20_000;

/** Most representations in one `_entities` call; engines refuse more. */
export const MAX_REPRESENTATIONS = 1_000;

const chunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

/** One run of a plan: the data merged so far and the errors, which are placed where clients find them. */
class PlanRun {
  readonly data: Row = {};
  readonly errors: GraphQLError[] = [];
  #loads = 0;

  constructor(
    readonly caller: EngineCaller,
    readonly schema: GraphQLSchema,
    readonly variables: Variables,
    readonly call: GraphCall,
  ) {}

  async run(node: PlanNode, targets: readonly Target[], path: Path): Promise<void> {
    if (targets.length === 0) return;
    if (node.kind === 'Sequence') for (const child of node.nodes) await this.run(child, targets, path);
    else if (node.kind === 'Parallel') await Promise.all(node.nodes.map((child) => this.run(child, targets, path)));
    else if (node.kind === 'Flatten') await this.run(node.node, await targetsAt(targets, node.path), [...path, ...node.path]);
    else if (node.kind === 'Fetch') await (node.requires ? this.#fetchEntities(node, targets, path) : this.#fetchRoot(node, targets, path));
  }

  #send(fetch: FetchNode, added: Row): Promise<ExecutionResult<Row>> {
    const variables: Row = { ...added };
    for (const name of fetch.variableUsages ?? []) if (this.variables[name] !== undefined) variables[name] = this.variables[name];
    const { auth, signal } = this.call;
    return this.caller.call<Row>({ engine: fetch.serviceName, query: fetch.operation, variables, auth, signal });
  }

  #report(error: GraphQLError, path: Path): void {
    this.errors.push(publicError(error, path, this.call.auth.request_id));
  }

  async #fetchRoot(fetch: FetchNode, targets: readonly Target[], path: Path): Promise<void> {
    const { data, errors = [] } = await this.#send(fetch, {});
    if (data) for (const { row } of targets) mergeInto(row, data);
    const placed = errors.filter((error) => error.path);
    const unplaced = errors.filter((error) => !error.path);
    for (const target of targets) for (const error of placed) this.#report(error, [...pathOf(target.place), ...error.path!]);
    if (unplaced.length) {
      for (const key of rootKeysOf(fetch.operation))
        this.errors.push(...failureAt(unplaced, [...placeOf(path), key], this.call.auth.request_id));
    }
  }

  async #fetchEntities(fetch: FetchNode, targets: readonly Target[], path: Path): Promise<void> {
    const representations = await representationsOf(this.schema, targets, fetch.requires!);
    this.#loads += representations.length;
    // what else of the plan is under way is not used
    if (this.#loads > MAX_LOADS)
      throw badRequest(`The operation loads more than ${MAX_LOADS} entities; ask for smaller pages`, { limit: MAX_LOADS });
    await Promise.all(chunks(representations, MAX_REPRESENTATIONS).map((chunk) => this.#fetchChunk(fetch, chunk, path)));
  }

  async #fetchChunk(fetch: FetchNode, chunk: readonly Representation[], path: Path): Promise<void> {
    const { data, errors = [] } = await this.#send(fetch, { representations: chunk.map(({ value }) => value) });
    const entities = Array.isArray(data?._entities) ? (data._entities as (Row | null)[]) : [];
    for (const [index, { targets }] of chunk.entries()) {
      const entity = entities[index];
      if (!entity) continue;
      for (const { row } of targets) {
        if (sliceIsOver()) await otherCallers();
        mergeInto(row, entity);
      }
    }
    for (const error of errors) {
      const index = error.path?.[0] === '_entities' ? error.path[1] : undefined;
      const targets = typeof index === 'number' ? chunk[index]?.targets : undefined;
      if (targets) for (const target of targets) this.#report(error, [...pathOf(target.place), ...error.path!.slice(2)]);
      else this.#report(error, placeOf(path));
    }
  }
}

/**
 * Runs a query plan over several engines: each fetch within its engine's time budget, each entity asked for once. An engine that
 * fails leaves its fields null and names itself in the errors; the others' fields stay.
 */
export async function executeJoined(
  caller: EngineCaller,
  schema: GraphQLSchema,
  operation: PlannedOperation,
  variables: Variables,
  call: GraphCall,
): Promise<ExecutionResult> {
  const run = new PlanRun(caller, schema, variables, call);
  const { node } = operation.facts.plan();
  if (node && node.kind !== 'Subscription') await run.run(node, [{ row: run.data, place: null }], []);
  const data = await operation.shape.complete(run.data, variables);
  return run.errors.length ? { data, errors: run.errors } : { data };
}
