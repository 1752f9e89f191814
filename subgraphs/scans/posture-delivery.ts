import type { AssetInput, Observation } from '../../schema/observations.js';
import type { EngineContext } from '../../kit/engine/context.js';
import type { ClosedBecause, FindingSink, IngestRun } from '../../kit/engine/finding-sink.js';
import { EVALUATION_SOURCE, type RuleVerdict } from '../../kit/engine/rule-results.js';
import { readClosable, type ClosableFinding } from '../../kit/findings/closable.js';
import { REEVALUATE } from '../../kit/engine/tenant-rules.js';
import type { Judged } from './evaluation.js';
import { setAsideOn, whyNotReported } from './not-reported.js';
import type { Evaluator } from './evaluator.js';
import type { RunScope } from './records.js';

/** Resources whose results are written at a time: each has one of every rule of its type. */
const BATCH = 50;

/** Who reads the job that follows changes of the tenant: who reads its settings. */
const FOLLOWED = { readers: ['tenants:read'], total: null } as const;

/** What a rule said of a resource, and why its failure is not reported, where it is not. */
interface Verdict {
  result: RuleVerdict;
  because: ClosedBecause | undefined;
}
type Verdicts = ReadonlyMap<string, ReadonlyMap<string, Verdict>>;

const verdictsOf = (judged: Judged, profile: string): ReadonlyMap<string, Verdict> =>
  new Map(judged.results.results.map(({ rule_id, result }) => [rule_id, { result, because: whyNotReported(judged, rule_id, profile) }]));

/** Delivers what the posture rules say of the resources of one report. */
export class PostureDelivery {
  private results: Judged[] = [];
  /** Resources that are not evaluated yet: what people have set aside of them is read in batches. */
  private waiting: AssetInput[] = [];
  /** Findings that did not fail again, by the engine that owns them: they close when the run completes. */
  private readonly passed = new Map<string, string[]>();
  /** Findings that are not reported any more though their rules fail, by their owner: they close with them, each with the reason. */
  private readonly because = new Map<string, Map<string, ClosedBecause>>();
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

  /** Takes a resource to be evaluated. @returns an observation for each failure that is reported of resources that were taken before */
  async take(asset: AssetInput): Promise<Observation[]> {
    if (this.scope.artifact) this.covered.add(asset.account_id ?? null);
    return this.waiting.push(asset) < BATCH ? [] : this.evaluateWaiting();
  }

  private async evaluateWaiting(): Promise<Observation[]> {
    const assets = this.waiting;
    this.waiting = [];
    const aside = await setAsideOn(
      this.context,
      this.evaluation.engines,
      assets.map(({ resource_uid }) => resource_uid),
    );
    const observations: Observation[] = [];
    for (const asset of assets) {
      const judged = await this.evaluation.take(asset, aside.get(asset.resource_uid));
      if (judged !== null) observations.push(...this.judged(judged));
    }
    return observations;
  }

  /** The observations of the next resource that was taken; null when none is left. */
  async rest(): Promise<Observation[] | null> {
    if (this.waiting.length > 0) return this.evaluateWaiting();
    const judged = await this.evaluation.next();
    return judged && this.judged(judged);
  }

  private judged(judged: Judged): Observation[] {
    this.results.push(judged);
    return judged.failures;
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
      const results = batch.map((judged) => judged.results);
      await this.context.services.ingest.results(this.context, this.run, results);
      const verdicts: Verdicts = new Map(
        batch.map((judged) => [judged.results.resource_uid, verdictsOf(judged, this.evaluation.tenant.profile)]),
      );
      const open = await readClosable(this.context, this.owners, EVALUATION_SOURCE, [...verdicts.keys()]);
      for (const [owner, found] of open) await this.settle(owner, found, verdicts);
    };
  }

  /** The engines in which the run closes something, or may. */
  get engines(): string[] {
    return [...this.owners].filter((owner) => this.covered.size > 0 || this.passed.get(owner)?.length || this.because.get(owner)?.size);
  }

  /** Closes the findings that did not fail again, and those that are not reported any more. */
  async closePassed(): Promise<void> {
    for (const [owner, ids] of this.passed) await this.storeOf(owner).closePassed(this.run, ids);
    for (const [owner, because] of this.because) await this.storeOf(owner).closeBecause(this.run, because);
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

  /** What the tenant has changed while the run was at work is followed behind it. */
  async follow(): Promise<void> {
    const { services, auth } = this.context;
    if ((await services.ingest.rulesRevision(this.context)) === this.evaluation.tenant.revision) return;
    const payload = { run: this.run.scan_run_id };
    await this.context.transaction((transaction) => services.jobs.addFollowed(transaction, auth, REEVALUATE, payload, FOLLOWED));
    services.jobs.wake();
  }

  /** Notes which open findings on these resources did not fail again; of those that could not be evaluated nothing changes. */
  private async settle(owner: string, found: readonly ClosableFinding[], verdicts: Verdicts): Promise<void> {
    const open: string[] = [];
    const passed = this.passed.get(owner) ?? [];
    this.passed.set(owner, passed);
    const because = this.because.get(owner) ?? new Map<string, ClosedBecause>();
    this.because.set(owner, because);
    for (const { _id, resource_uid, rule_id } of found) {
      const verdict = verdicts.get(resource_uid)?.get(rule_id);
      if (verdict?.result === 'NOT_EVALUATED') open.push(_id);
      else if (verdict?.result !== 'FAIL') passed.push(_id);
      else if (verdict.because !== undefined) because.set(_id, verdict.because);
    }
    await this.storeOf(owner).keep(this.run, open);
  }
}
