import type { AssetInput, Observation } from '../../schema/observations.js';
import type { EngineContext } from '../../kit/engine/context.js';
import type { FindingSink, IngestRun } from '../../kit/engine/finding-sink.js';
import { EVALUATION_SOURCE, type ResourceResults, type RuleVerdict } from '../../kit/engine/rule-results.js';
import type { Judged } from './evaluation.js';
import type { Evaluator } from './evaluator.js';
import type { RunScope } from './records.js';

/** Resources whose results are written at a time: each has one of every rule of its type. */
const BATCH = 50;

type Verdicts = ReadonlyMap<string, ReadonlyMap<string, RuleVerdict>>;

/** Delivers what the posture rules say of the resources of one report. */
export class PostureDelivery {
  private results: ResourceResults[] = [];
  /** Findings that did not fail again, by the engine that owns them: they close when the run completes. */
  private readonly passed = new Map<string, string[]>();
  /** The engines that own what the rules raise. */
  private readonly owners: ReadonlySet<string>;
  /** Accounts that the run covers, when the caller names an account or an artifact: what is gone from them closes. */
  private readonly covered = new Set<string | null>();

  constructor(
    private readonly context: EngineContext,
    private readonly run: IngestRun,
    private readonly scope: RunScope,
    private readonly evaluation: Evaluator,
    private readonly storeOf: (owner: string) => FindingSink,
  ) {
    this.owners = new Set(evaluation.engines);
    // what the caller names is covered even where the report finds nothing in it
    if (scope.account_id || scope.artifact) this.covered.add(scope.account_id ?? null);
  }

  /** Takes a resource to be evaluated. @returns an observation for each rule that fails on resources that were taken before */
  async take(asset: AssetInput): Promise<Observation[]> {
    if (this.scope.artifact) this.covered.add(asset.account_id ?? null);
    const judged = await this.evaluation.take(asset);
    return judged === null ? [] : this.judged(judged);
  }

  /** The observations of the next resource that was taken; null when none is left. */
  async rest(): Promise<Observation[] | null> {
    const judged = await this.evaluation.next();
    return judged && this.judged(judged);
  }

  private judged({ results, failures }: Judged): Observation[] {
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
      for (const owner of this.owners) await this.settle(owner, verdicts);
    };
  }

  /** The engines in which the run closes something, or may. */
  get engines(): string[] {
    return [...this.owners].filter((owner) => this.covered.size > 0 || this.passed.get(owner)?.length);
  }

  /** Closes the findings that did not fail again. */
  async closePassed(): Promise<void> {
    for (const [owner, ids] of this.passed) await this.storeOf(owner).closePassed(this.run, ids);
  }

  /** Closes the findings of a completed run that did not fail again, and forgets resources that are gone from what it covers. */
  async close(): Promise<void> {
    await this.closePassed();
    const { artifact = null, region } = this.scope;
    for (const account_id of this.covered) {
      const part = { account_id, artifact, ...(region && { region }) };
      for (const owner of this.owners) await this.storeOf(owner).closeUnseen(this.run, { source: EVALUATION_SOURCE, ...part });
      await this.context.services.ingest.forgetResults(this.context, this.run, part);
    }
  }

  /** Notes which open findings on these resources did not fail again; of those that could not be evaluated nothing changes. */
  private async settle(owner: string, verdicts: Verdicts): Promise<void> {
    const store = this.storeOf(owner);
    const open: string[] = [];
    const passed = this.passed.get(owner) ?? [];
    this.passed.set(owner, passed);
    for (const { _id, resource_uid, rule_id } of await store.closable(EVALUATION_SOURCE, [...verdicts.keys()])) {
      const verdict = verdicts.get(resource_uid)?.get(rule_id);
      if (verdict === 'NOT_EVALUATED') open.push(_id);
      else if (verdict !== 'FAIL') passed.push(_id);
    }
    await store.keep(this.run, open);
  }
}
