import { factsOf } from '../../catalog/facts.js';
import type { ReportFormat } from '../../importers/types.js';
import { INVENTORY_FORMATS } from '../../catalog/check-file.js';
import type { RunState } from '../../schema/model.js';
import type { AssetInput, Observation } from '../../schema/observations.js';
import type { EngineContext } from '../../kit/engine/context.js';
import type { FindingSink, IngestRun } from '../../kit/engine/finding-sink.js';
import { DETECTION_SOURCE } from '../../kit/engine/event-pack.js';
import { EVALUATION_SOURCE } from '../../kit/engine/rule-results.js';
import { countRun } from '../../kit/findings/run-counts.js';
import { AssessmentDelivery } from './assessment-delivery.js';
import { AssetDelivery } from './asset-delivery.js';
import { BatchWriter } from './batch-writer.js';
import { ComponentDelivery } from './component-delivery.js';
import { Coverage, covers, ingestRunOf } from './coverage.js';
import type { Evaluator } from './evaluator.js';
import { EventDelivery } from './event-delivery.js';
import { FindingDelivery } from './finding-delivery.js';
import { IntelligenceDelivery } from './intelligence-delivery.js';
import { PostureDelivery } from './posture-delivery.js';
import type { RunProgress, ScanRunRow } from './records.js';
import { STAGE_OF, type StageClock } from './stages.js';
import { refusalOf } from './refusal.js';
import type { DeliveredItem } from './report-items.js';
import { RuleDelivery } from './rule-delivery.js';
import { RunNotes } from './run-notes.js';
import { RoomOfRun } from './room.js';

/** Takes the items of one report, in order, and delivers them in batches to the engines that own them. */
export class Delivery {
  readonly notes = new RunNotes();
  private readonly findings: FindingDelivery;
  private readonly assessments: AssessmentDelivery;
  readonly components: ComponentDelivery;
  private readonly stores = new Map<string, FindingSink>();
  readonly posture: PostureDelivery | null;
  readonly events: EventDelivery;
  private readonly intelligence: IntelligenceDelivery;
  /** Engines that hold findings of the evaluation, of detections, and of advisories. */
  readonly evaluated = new Set<string>();
  readonly coverage: Coverage;
  private readonly rules: RuleDelivery;
  readonly assets: AssetDelivery;
  private readonly providers = new Set<string>();
  private readonly writer: BatchWriter;
  private ingestRun: IngestRun;
  private readonly room: RoomOfRun;

  constructor(
    private readonly context: EngineContext,
    private readonly run: ScanRunRow,
    /** One, or those of an archive, which says of each report what it is of. */
    private readonly formats: readonly ReportFormat[],
    evaluation: Evaluator | null,
    readonly stages: StageClock,
    onProgress: (progress: RunProgress) => Promise<void>,
  ) {
    const { ingest } = context.services;
    const told = () => onProgress(this.notes.progress);
    this.writer = new BatchWriter((queue, work) => stages.during(STAGE_OF[queue], work));
    this.room = new RoomOfRun(context);
    this.ingestRun = ingestRunOf(run);
    this.coverage = new Coverage(run.format);
    this.posture = evaluation && new PostureDelivery(context, this.ingestRun, run.scope, evaluation, (owner) => this.store(owner));
    this.assets = new AssetDelivery((assets, edges, estate) => {
      const report = { ...this.ingestRun, estate };
      return this.writer.write('inventory', () => this.room.takeIn('assets', () => ingest.assets(context, report, assets, edges)));
    }, evaluation !== null);
    this.findings = new FindingDelivery(async (owner, batch, passed) => {
      // findings count among those of their assets, which come first
      await this.assets.flush();
      return this.writer.write('findings', async () => {
        const store = this.store(owner);
        passed(await store.ingest(this.ingestRun, await this.room.admit(store, batch)));
        await told();
      });
    });
    this.assessments = new AssessmentDelivery(async (owner, batch) => {
      // what a statement speaks of may wait to be written
      await this.findings.flush();
      return this.writer.write('findings', () => this.store(owner).assess(this.ingestRun, batch));
    });
    const put = (kind: 'events' | 'components' | 'indicators', take: () => Promise<number>) =>
      this.writer.write(kind === 'components' ? kind : 'events', () => this.room.takeIn(kind, take).then(told));
    this.components = new ComponentDelivery((batch, of = this.ingestRun) => put('components', () => ingest.components(context, of, batch)));
    this.rules = new RuleDelivery((rules) => this.writer.write('inventory', () => ingest.rules(context, rules)));
    this.events = new EventDelivery(context, run, { refuse: this.notes.refuse.bind(this.notes), write: (batch) => put('events', batch) });
    this.intelligence = new IntelligenceDelivery({
      indicators: (batch) => put('indicators', () => ingest.indicators(context, this.ingestRun, batch)),
      observations: (batch) => this.writer.write('events', () => ingest.observations(context, this.ingestRun, batch)),
    });
    if (formats.length === 1) this.begin(formats[0]!);
  }

  async take(item: DeliveredItem): Promise<void> {
    switch (item.kind) {
      case 'part':
        await this.assets.beginReport();
        await this.components.flush();
        await this.intelligence.flush();
        return this.begin(this.formats.find(({ name }) => name === item.format)!);
      case 'record':
      case 'broken':
      case 'unanswered':
      case 'skipped':
      case 'truncated':
        return this.notes.take(item);
      case 'observation':
        return this.takeObservation(item.observation);
      case 'rule':
        return this.rules.take(item.rule);
      case 'asset':
        this.providers.add(item.asset.provider);
        await this.assets.take(item.asset);
        return this.judge(item.asset);
      case 'edge':
        return this.assets.takeEdge(item.edge);
      case 'events':
      case 'last_access':
        return this.events.take(item);
      case 'indicator':
        return this.intelligence.takeIndicator(item.indicator);
      case 'artifact':
      case 'component':
      case 'dependency':
        return this.components.take(item);
      case 'assessment':
        return this.assessments.take(item.assessment);
      case 'estate':
        return this.assets.tellEstate(item.estate);
      case 'whole':
        return this.assets.tellWhole(item.part);
      case 'scope':
        return this.coverage.add(item.scope.engine, item.scope);
    }
  }

  /** Delivers what is left. @param cut when the evaluation was ended: what it has not answered is left out */
  async flush(cut = false): Promise<void> {
    if (!cut) await this.judgeRest();
    await this.rules.flush();
    await this.assets.flush();
    await this.flushResults();
    await this.events.flush();
    await this.intelligence.flush();
    await this.components.flush();
    await this.takeDetected();
    await this.findings.flush();
    await this.assessments.flush();
    await this.writer.flush();
    // before the records that were skipped: of those the first hundred are told
    this.notes.precede(this.room.shortages);
  }

  /** Waits for the batches that are being written, however they end: what is counted afterwards is final. */
  settle = (): Promise<void> => this.writer.settle();

  /** The state of a run that read the report to its end. */
  outcome = (): RunState => this.notes.outcome(this.room.shortages.length === 0);

  /** Closes what the run saw pass, and what lies in its scope and was not seen; where answers alone are lacking (`isPartial`), by what was told whole. */
  async close(isPartial: boolean): Promise<void> {
    const [{ region }, context, run, byParts] = [this.run.scope, this.context, this.ingestRun, isPartial || this.notes.hasSkips];
    await (byParts ? this.posture?.closePassed() : this.posture?.close());
    await this.assets.endUnseen({ context, run, isPartial: byParts });
    if (isPartial) return;
    for (const artifact of this.components.artifacts.values()) await context.services.ingest.artifactTold(context, run, artifact);
    for (const [owner, ids] of this.findings.passed) await this.store(owner).closePassed(run, ids);
    for (const { owner, scope } of this.coverage.all) await this.store(owner).closeUnseen(run, { ...scope, ...(region && { region }) });
  }

  /** What the run did, of all engines. */
  async count() {
    const { services, auth } = this.context;
    const { seen, ...done } = await countRun(services.database.tenant(auth.tenant_id), this.engines, this.ingestRun.scan_run_id);
    return { counts: { ...this.notes.progress, ...done }, total_findings: seen };
  }

  /** The engines that the run feeds. */
  get engines(): string[] {
    const told = [...this.run.engines.map(({ engine }) => engine), ...this.coverage.all.map(({ owner }) => owner)];
    return [...new Set([...told, ...this.evaluated, ...(this.posture?.engines ?? [])])];
  }

  /** The provider, when all that was seen lies on one. */
  get provider(): string | null {
    const all = new Set([...this.providers, ...this.events.providers]);
    return all.size === 1 ? [...all][0]! : null;
  }

  /** Goes on with a report of a format, which what names no source is of. */
  private begin(format: ReportFormat): void {
    this.ingestRun = { ...this.ingestRun, format: format.name };
    this.coverage.format = format.name;
    const owners = format.engines.filter((engine) => this.context.services.ingest.findingEngines.has(engine));
    this.coverage.addNamed(owners, this.run.scope);
  }

  /** Takes what rules have seen in the events, and indicators in all that was brought, once that is written. */
  private async takeDetected(): Promise<void> {
    await this.writer.flush();
    for await (const { rule, observation } of this.context.services.ingest.detected(this.context, this.ingestRun)) {
      await this.rules.take(rule);
      await this.takeObservation(observation);
    }
    await this.rules.flush();
    await this.assets.flush();
  }

  private async takeObservation(observation: Observation): Promise<void> {
    const owner = observation.engine;
    const refusal = refusalOf(this.context, this.ingestRun.format, observation);
    if (refusal) return this.notes.refuse(observation.position, refusal);
    // what the evaluation raises covers no more than the resources that it saw, unless the caller names an account or an artifact; what was done stays done
    if (observation.source === EVALUATION_SOURCE || observation.source === DETECTION_SOURCE) this.evaluated.add(owner);
    else {
      this.coverage.add(owner, observation);
      await this.intelligence.takeObservation(observation);
    }
    this.providers.add(observation.provider);
    await this.assets.takeNamed(observation, factsOf(observation, this.ingestRun.observed_at ?? this.ingestRun.at));
    if (covers(this.run, owner)) await this.findings.take(owner, this.store(owner).prepare(this.ingestRun, observation));
  }

  /** Evaluates the rules over a resource: what fails becomes observations, all of it results. */
  private async judge(asset: AssetInput): Promise<void> {
    if (!this.posture || !INVENTORY_FORMATS.has(this.ingestRun.format)) return;
    for (const failure of await this.posture.take(asset)) await this.takeObservation(failure);
    if (this.posture.isFull) await this.flushResults();
  }

  /** Takes what the evaluation has not answered yet. */
  private async judgeRest(): Promise<void> {
    for (let failures = await this.posture?.rest(); failures; failures = await this.posture?.rest()) {
      for (const failure of failures) await this.takeObservation(failure);
      if (this.posture!.isFull) await this.flushResults();
    }
  }

  // in the queue of the findings, because both change them
  private flushResults(): Promise<void> | undefined {
    return this.posture ? this.writer.write('findings', this.posture.batch()) : undefined;
  }

  private store(owner: string): FindingSink {
    const known = this.stores.get(owner) ?? this.context.services.ingest.findings(this.context, owner);
    this.stores.set(owner, known);
    return known;
  }
}
