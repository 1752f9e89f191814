import { holds, type AuthContext } from '../../kit/base/auth-context.js';
import type { EngineContext } from '../../kit/engine/context.js';
import type { GraphNode } from '../../kit/graph/types.js';
import type { PathStep } from './draft.js';
import { pathModel } from './model/model.js';
import type { AttackPathRow } from './records.js';

/** What the inventory itself says, which is no engine of findings. */
const INVENTORY = 'di';

type Facts = EngineContext['services']['findingEngines'];

/** What of paths a caller may read (decision 39). */
export class Sight {
  private readonly engines: ReadonlyMap<string, { segment: string; isReadable: boolean }>;
  /** Engines that paths may rest on and that the caller may not read. */
  readonly restricted: readonly string[];

  constructor(findingEngines: Facts, auth: AuthContext) {
    this.engines = new Map([
      [INVENTORY, { segment: 'inventory', isReadable: holds(auth, 'inventory:read') }] as const,
      ...findingEngines.map(
        ({ engine, viewSegment, permission }) => [engine, { segment: viewSegment, isReadable: holds(auth, permission) }] as const,
      ),
    ]);
    this.restricted = [...this.engines].filter(([, { isReadable }]) => !isReadable).map(([engine]) => engine);
  }

  static of({ services, auth }: EngineContext): Sight {
    return new Sight(services.findingEngines, auth);
  }

  segmentOf(engine: string): string {
    return this.engines.get(engine)?.segment ?? engine;
  }

  isReadable(engine: string): boolean {
    return this.engines.get(engine)?.isReadable ?? false;
  }

  /** View segments of those of some engines that the caller may not read. */
  restrictedOf(engines: readonly string[]): string[] {
    return engines.filter((engine) => !this.isReadable(engine)).map((engine) => this.segmentOf(engine));
  }

  isMasked({ conditions }: Pick<PathStep, 'conditions'>): boolean {
    return conditions.some(({ engine }) => !this.isReadable(engine));
  }

  /** The nodes of a path: one at a masked step would tell what that rests on, unless the path begins or ends there. */
  nodes({ nodes, steps }: Pick<AttackPathRow, 'nodes' | 'steps'>): (GraphNode | null)[] {
    return nodes.map((node, n) => {
      const isEnd = n === 0 || n === nodes.length - 1;
      const touching = [steps[n - 1], steps[n]].filter((step) => step !== undefined);
      return isEnd || !touching.some((step) => this.isMasked(step)) ? node : null;
    });
  }

  /** A step as it is shown. */
  step(step: PathStep) {
    const { effort, label, abuse, notice, fix, techniques } = pathModel().kinds[step.kind];
    const masked = this.isMasked(step);
    return {
      ...{ kind: step.kind, label, abuse, notice, fix, techniques, effort, masked },
      probability: masked ? null : step.probability,
      conditions: masked
        ? []
        : step.conditions.map(({ text, engine, finding_id, rule_id, resource_uid }) => ({
            ...{ text, engine: this.segmentOf(engine), finding_id, rule_id, resource_uid },
          })),
    };
  }
}
