import type { PlanNode, QueryPlan } from '@apollo/query-planner';
import type { ExecutionResult } from 'graphql';
import type { FetchCall, PlanReport, PlanStep } from '../../schema/explorer.js';
import type { EngineCall, EngineCaller } from '../../kit/engine/caller.js';
import type { PlannedOperation } from './planned-operation.js';

type Seen = FetchCall & Pick<EngineCall, 'engine' | 'query'>;

const round = (ms: number): number => Math.round(ms * 10) / 10;

/** A caller that notes what is called through it. */
export class ObservedCaller implements EngineCaller {
  readonly #begun = performance.now();
  readonly #seen: Seen[] = [];

  constructor(readonly inner: EngineCaller) {}

  get engines(): readonly string[] {
    return this.inner.engines;
  }

  async call<Data = Record<string, unknown>>(call: EngineCall): Promise<ExecutionResult<Data>> {
    const at = performance.now();
    const result = await this.inner.call<Data>(call);
    const representations = call.variables?.['representations'];
    this.#seen.push({
      engine: call.engine,
      query: call.query,
      at: round(at - this.#begun),
      ms: round(performance.now() - at),
      entities: Array.isArray(representations) ? representations.length : null,
      errors: result.errors?.length ?? 0,
    });
    return result;
  }

  /** What `operation` asked for through this caller. */
  report(operation: PlannedOperation): PlanReport {
    const { engine, plan } = operation.facts;
    const root = operation.way === 'single' && engine !== null ? this.#fetch(engine, operation.ownText, []) : this.#step(plan().node, []);
    return { ms: round(performance.now() - this.#begun), root };
  }

  #fetch(engine: string, operation: string, path: readonly (string | number)[]): PlanStep {
    const calls = this.#seen
      .filter((call) => call.engine === engine && call.query === operation)
      .map(({ at, ms, entities, errors }) => ({ at, ms, entities, errors }));
    return { kind: 'fetch', engine, operation, path, calls };
  }

  #step(node: QueryPlan['node'], path: readonly (string | number)[]): PlanStep | null {
    const steps = (nodes: readonly (PlanNode | undefined)[]) => nodes.flatMap((inner) => this.#step(inner, path) ?? []);
    switch (node?.kind) {
      case 'Fetch':
        return this.#fetch(node.serviceName, node.operation, path);
      case 'Flatten':
        return this.#step(node.node, [...path, ...node.path]);
      case 'Sequence':
        return { kind: 'sequence', steps: steps(node.nodes) };
      case 'Parallel':
        return { kind: 'parallel', steps: steps(node.nodes) };
      case 'Condition':
        return { kind: 'either', steps: steps([node.ifClause, node.elseClause]) };
      default:
        return null;
    }
  }
}
