import type { AssetInput, Observation } from '../../../schema/observations.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { asTenant } from '../../../kit/engine/create-context.js';
import type { ClosedBecause, FindingSink, IngestRun } from '../../../kit/engine/finding-sink.js';
import { EVALUATION_SOURCE } from '../../../kit/engine/rule-results.js';
import { findings, type FindingRow } from '../../../kit/findings/row.js';
import { CLOSABLE } from '../../../kit/findings/lifecycle.js';
import { isLeftOut } from '../../../kit/findings/rule-tallies.js';
import type { ResourceResultsRow } from '../../../kit/findings/rule-results.js';
import { readAssetsByUid, type ViewedAsset } from '../../../kit/read/inventory.js';
import type { Judged } from '../evaluation.js';
import type { Evaluator } from '../evaluator.js';
import { setAsideOn, whyNotReported } from '../not-reported.js';
import { RoomOfRun } from '../room.js';

/** What became of the findings of some resources; `left_out` are failures that could not be told, for want of the configuration or of room. */
export interface BroughtUp {
  opened: number;
  closed: number;
  changed: number;
  left_out: number;
}

type Standing = Pick<
  FindingRow,
  '_id' | 'rule_id' | 'resource_uid' | 'engine' | 'status' | 'severity' | 'resolved_at' | 'resolved_by' | 'evidence'
>;
const STANDING_FIELDS = ['rule_id', 'resource_uid', 'engine', 'status', 'severity', 'resolved_at', 'resolved_by', 'evidence'] as const;

/** Brings findings of resources to what the rules of an evaluation make of the results that are stored. */
export class BringingUp {
  private readonly room: RoomOfRun;
  private readonly sinks = new Map<string, FindingSink>();
  private readonly off: ReadonlySet<string>;

  /** @param run what the changes are said to come from */
  constructor(
    private readonly context: EngineContext,
    private readonly evaluator: Evaluator,
    private readonly run: { scan_run_id: string; at: Date },
  ) {
    this.room = new RoomOfRun(context);
    this.off = new Set(evaluator.tenant.settings.flatMap(({ rule_id, enabled }) => (enabled ? [] : [rule_id])));
  }

  async bring(rows: readonly ResourceResultsRow[]): Promise<BroughtUp> {
    const uids = rows.map(({ resource_uid }) => resource_uid);
    const [assets, aside, standing] = await Promise.all([
      this.assetsOf(uids),
      setAsideOn(this.context, this.owners, uids),
      this.standingOn(uids),
    ]);
    const brought: BroughtUp = { opened: 0, closed: 0, changed: 0, left_out: 0 };
    for (const row of rows) {
      const asset = assets.get(row.resource_uid);
      const judged = await this.evaluator.recall(inputOf(row, asset), row.results, aside.get(row.resource_uid) ?? []);
      const own = standing.get(row.resource_uid) ?? [];
      // results of rules that are off come first: a finding that closes by them has nothing to say then
      await this.forgetOff(row);
      brought.closed += await this.close(row, judged, own);
      const told = judged.failures.filter((failure) => !isTold(failure, row, own));
      if (asset?.configuration == null) brought.left_out += told.length;
      else await this.tell(row, told, own, brought);
    }
    return brought;
  }

  /** Runs are ordered by what they observed: nothing new was observed here. */
  private runOf({ observed_at, evaluated_at }: ResourceResultsRow): IngestRun {
    return { ...this.run, observed_at: observed_at ?? evaluated_at, format: EVALUATION_SOURCE };
  }

  private async forgetOff(row: ResourceResultsRow): Promise<void> {
    const results = row.results.filter(({ rule_id }) => !this.off.has(rule_id));
    if (results.length === row.results.length) return;
    const { resource_uid, resource_type, resource_name, provider, account_id, region, artifact } = row;
    const run = { scan_run_id: row.scan_run_id, at: row.evaluated_at, observed_at: row.observed_at ?? row.evaluated_at };
    const kept = { resource_uid, resource_type, resource_name, provider, account_id, region, artifact, results };
    await this.context.services.ingest.results(this.context, run, [kept]);
  }

  private async close(row: ResourceResultsRow, judged: Judged, standing: readonly Standing[]): Promise<number> {
    const failing = new Set(row.results.flatMap(({ rule_id, result }) => (result === 'FAIL' ? [rule_id] : [])));
    const closing = new Map<string, Map<string, ClosedBecause>>();
    let closed = 0;
    for (const { _id, rule_id, engine, status } of standing) {
      if (!CLOSABLE.includes(status)) continue;
      const because: ClosedBecause | undefined = this.off.has(rule_id)
        ? { reason: 'rule_off' }
        : failing.has(rule_id)
          ? whyNotReported(judged, rule_id, this.evaluator.tenant.profile)
          : undefined;
      if (because === undefined) continue;
      closing.set(engine, (closing.get(engine) ?? new Map<string, ClosedBecause>()).set(_id, because));
      closed += 1;
    }
    for (const [owner, because] of closing) await this.sink(owner).closeBecause(this.runOf(row), because);
    return closed;
  }

  private async tell(
    row: ResourceResultsRow,
    failures: readonly Observation[],
    standing: readonly Standing[],
    brought: BroughtUp,
  ): Promise<void> {
    const run = this.runOf(row);
    for (const owner of new Set(failures.map(({ engine }) => engine))) {
      const sink = this.sink(owner);
      const own = failures.filter(({ engine }) => engine === owner);
      const admitted = await this.room.admit(
        sink,
        own.map((failure) => sink.prepare(run, failure)),
      );
      await sink.ingest(run, admitted);
      const known = own.filter(({ rule_id }) =>
        standing.some((finding) => finding.rule_id === rule_id && finding.status !== 'RESOLVED'),
      ).length;
      brought.changed += known;
      brought.opened += admitted.length - known;
      brought.left_out += own.length - admitted.length;
    }
  }

  private get owners(): readonly string[] {
    return this.evaluator.engines;
  }

  private async assetsOf(uids: readonly string[]): Promise<ReadonlyMap<string, ViewedAsset>> {
    // what findings rest on is the tenant's, whoever has pressed the button
    const found = await readAssetsByUid(asTenant(this.context), uids);
    return new Map(found.map((asset) => [asset.resource_uid, asset]));
  }

  private async standingOn(uids: readonly string[]): Promise<ReadonlyMap<string, Standing[]>> {
    const { auth, services } = this.context;
    const rows = services.database
      .tenant(auth.tenant_id)
      .engines([...this.owners])
      .collection(findings);
    const found: Standing[] = await rows.find({ resource_uid: { $in: uids }, source: EVALUATION_SOURCE }, { fields: STANDING_FIELDS });
    const byResource = new Map<string, Standing[]>();
    for (const finding of found) byResource.set(finding.resource_uid, [...(byResource.get(finding.resource_uid) ?? []), finding]);
    return byResource;
  }

  private sink(owner: string): FindingSink {
    const known = this.sinks.get(owner) ?? this.context.services.ingest.findings(this.context, owner);
    this.sinks.set(owner, known);
    return known;
  }
}

/** Whether the findings that stand tell a failure as it is. What was closed after the resource was looked at, by whoever, stays closed. */
function isTold(failure: Observation, row: ResourceResultsRow, standing: readonly Standing[]): boolean {
  const finding = standing.find(({ rule_id, engine }) => rule_id === failure.rule_id && engine === failure.engine);
  if (finding === undefined) return false;
  if (finding.status === 'RESOLVED') {
    const observed = row.observed_at ?? row.evaluated_at;
    return !isLeftOut(finding) && finding.resolved_at !== null && finding.resolved_at > observed;
  }
  const impliedBy = ({ evidence }: { evidence: Record<string, unknown> }) => JSON.stringify(evidence['implied'] ?? []);
  return finding.severity === failure.severity && impliedBy(finding) === impliedBy(failure);
}

/** A stored asset as rules read it; of one that is not kept nothing is told, and results alone count. */
function inputOf(row: ResourceResultsRow, asset: ViewedAsset | undefined): AssetInput {
  const { resource_uid, resource_type, resource_name, provider, account_id, region } = row;
  const { configuration, unknown_paths, sensitive_paths, tags, source } = asset ?? {};
  return {
    resource_uid,
    resource_type,
    ...(resource_name !== null && { resource_name }),
    provider,
    ...(account_id !== null && { account_id }),
    region,
    configuration: configuration ?? {},
    ...(tags && { tags }),
    ...(unknown_paths && { unknown_paths }),
    ...(sensitive_paths && { sensitive_paths }),
    source: source ?? { format: EVALUATION_SOURCE, address: resource_uid },
    position: resource_uid,
  };
}
