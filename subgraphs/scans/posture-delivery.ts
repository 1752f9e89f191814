import type { AssetInput, Observation } from '../../schema/observations.js';
import type { EngineContext } from '../_kit/context.js';
import type { IngestRun } from '../_kit/finding-merge.js';
import type { FindingStore } from '../_kit/finding-store.js';
import type { ResourceResults, RuleVerdict } from '../_kit/rule-results.js';
import { EVALUATION_SOURCE, type PostureEvaluation } from './evaluation.js';

/** Resources whose results are written at a time: each has one of every rule of its type. */
const BATCH = 200;

type Verdicts = ReadonlyMap<string, ReadonlyMap<string, RuleVerdict>>;

/** Delivers what the posture rules say of the resources of one report. */
export class PostureDelivery {
  private results: ResourceResults[] = [];
  /** Findings that did not fail again, by store: they close when the run completes. */
  private readonly passed = new Map<FindingStore, string[]>();

  constructor(
    private readonly context: EngineContext,
    private readonly run: IngestRun,
    private readonly evaluation: PostureEvaluation,
    private readonly storeOf: (engine: string) => FindingStore,
  ) {}

  /** Evaluates a resource. @returns an observation for each rule that fails */
  take(asset: AssetInput): Observation[] {
    const { results, failures } = this.evaluation.judge(asset);
    this.results.push(results);
    return failures;
  }

  get isFull(): boolean {
    return this.results.length >= BATCH;
  }

  /** Gives the waiting results away; calling what it returns stores them. */
  batch(): () => Promise<void> {
    const batch = this.results;
    this.results = [];
    return async () => {
      if (batch.length === 0) return;
      await this.context.services.ingest.results(this.context, this.run, batch);
      const verdicts: Verdicts = new Map(
        batch.map(({ resource_uid, results }) => [resource_uid, new Map(results.map(({ rule_id, result }) => [rule_id, result]))]),
      );
      for (const store of this.stores) await this.settle(store, verdicts);
    };
  }

  /** Closes the findings of a completed run that did not fail again. */
  async close(): Promise<void> {
    for (const [store, ids] of this.passed) await store.closePassed(this.run, ids);
  }

  private get stores(): Set<FindingStore> {
    return new Set(this.evaluation.engines.map(this.storeOf));
  }

  /** Notes which open findings on these resources did not fail again; of those that could not be evaluated nothing changes. */
  private async settle(store: FindingStore, verdicts: Verdicts): Promise<void> {
    const open: string[] = [];
    const passed = this.passed.get(store) ?? [];
    this.passed.set(store, passed);
    for (const { _id, resource_uid, rule_id } of await store.closable(EVALUATION_SOURCE, [...verdicts.keys()])) {
      const verdict = verdicts.get(resource_uid)?.get(rule_id);
      if (verdict === 'NOT_EVALUATED') open.push(_id);
      else if (verdict !== 'FAIL') passed.push(_id);
    }
    await store.keep(this.run, open);
  }
}
