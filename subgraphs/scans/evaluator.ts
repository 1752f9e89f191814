import type { AssetInput, EdgeInput } from '../../importers/index.js';
import type { DeliveredItem } from './report-items.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { allowancesOf } from '../../kit/base/quotas.js';
import type { RuleVerdictEntry } from '../../kit/engine/rule-results.js';
import type { TenantRules } from '../../kit/engine/tenant-rules.js';
import type { ThreadSession } from '../../kit/work/thread-pool.js';
import type { Judged } from './evaluation.js';
import type { EvaluationOpened, EvaluationRequest } from './evaluation-thread.js';
import type { RunScope } from './records.js';

/** Items that a message brings: what is copied to a thread is copied in one piece. */
const BATCH = 50;
/** Resources that the thread works on, or has done, while the run goes on with those before. */
const AHEAD = 50;

type Session = ThreadSession<EvaluationOpened, EvaluationRequest, Judged | null>;

/** Evaluates the rules over the inventory of one run, in a thread of its own. Answers come in the order of the resources. */
export class Evaluator {
  private readonly answers: Promise<Judged>[] = [];

  private constructor(
    private readonly session: Session,
    /** What the evaluation goes by. */
    readonly tenant: TenantRules,
  ) {}

  /**
   * Reads the report once, for what surrounds the resources.
   * @param items of the report
   * @param onItem called for every item of the report
   * @param signal ends the evaluation, whatever it is at
   */
  static async open(
    context: EngineContext,
    items: AsyncIterable<DeliveredItem>,
    scope: RunScope,
    onItem: () => Promise<void> | void,
    signal: AbortSignal,
  ): Promise<Evaluator> {
    const evaluator = await Evaluator.begin(context, scope, signal);
    try {
      await surround(evaluator.session, items, onItem);
      return evaluator;
    } catch (error) {
      evaluator.close();
      throw error;
    }
  }

  /** For results that are stored: nothing surrounds the resources. */
  static alone(context: EngineContext): Promise<Evaluator> {
    return Evaluator.begin(context, {}, context.signal);
  }

  private static async begin(context: EngineContext, scope: RunScope, signal: AbortSignal): Promise<Evaluator> {
    const { services, auth } = context;
    const tenant = await services.ingest.tenantRules(context);
    const steps = allowancesOf(services.config, auth.plan).evaluation_steps;
    return new Evaluator(await services.threads.evaluations.open(auth.tenant_id, { scope, tenant, steps }, signal), tenant);
  }

  /** The engines that the rules raise findings of, by taxonomy. */
  get engines(): readonly string[] {
    return this.session.opened.engines;
  }

  /**
   * Begins to evaluate a resource.
   * @param aside rules whose findings on it a person has set aside
   * @returns the answer to the resource that has waited longest, once many wait
   */
  take(asset: AssetInput, aside?: readonly string[]): Promise<Judged> | null {
    const answer = this.session.ask({ judge: asset, ...(aside && { aside }) }) as Promise<Judged>;
    // whoever takes it hears of a failure; until then it is nobody's
    answer.catch(() => {});
    this.answers.push(answer);
    return this.answers.length > AHEAD ? this.answers.shift()! : null;
  }

  /** The answer to the resource that has waited longest; null when none waits. */
  next(): Promise<Judged> | null {
    return this.answers.shift() ?? null;
  }

  /** Judges a resource by results that are stored. @param aside rules whose findings on it a person has set aside */
  recall(asset: AssetInput, stored: readonly RuleVerdictEntry[], aside: readonly string[]): Promise<Judged> {
    return this.session.ask({ recall: asset, stored, aside }) as Promise<Judged>;
  }

  /** Lets the thread go; what it still works on is ended. */
  close(): void {
    this.session.close();
  }
}

async function surround(session: Session, items: AsyncIterable<DeliveredItem>, onItem: () => Promise<void> | void): Promise<void> {
  const { kept } = session.opened;
  const companions = new Set<string>();
  const edges: EdgeInput[] = [];
  let assets: AssetInput[] = [];
  let listed: string[] = [];
  const send = async (): Promise<void> => {
    if (assets.length + listed.length > 0) await session.ask({ surround: { assets, edges: [], listed } });
    [assets, listed] = [[], []];
  };
  for await (const item of items) {
    await onItem();
    if (item.kind === 'edge') edges.push(item.edge);
    if (item.kind === 'listed') listed = [...listed, ...item.types];
    if (item.kind !== 'asset' || !kept.has(item.asset.resource_type)) continue;
    companions.add(item.asset.resource_uid);
    if (assets.push(item.asset) >= BATCH) await send();
  }
  await send();
  const own = edges.filter(({ from }) => companions.has(from));
  for (let at = 0; at < own.length; at += 20 * BATCH) {
    await onItem();
    await session.ask({ surround: { assets: [], edges: own.slice(at, at + 20 * BATCH), listed: [] } });
  }
}
