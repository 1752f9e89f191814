import type { AuditInput } from '../audit/entry.js';
import { SYSTEM_ACTOR } from '../base/auth-context.js';
import type { EngineDatabase } from '../store/database.js';
import { FindingEffects } from './effects.js';
import { confirmedBy, observedAt } from './merge.js';
import type { ClosedBecause, IngestRun } from '../engine/finding-sink.js';
import { OtherSourceChanges, type OtherSource } from './other-sources.js';
import { movedTo } from './move.js';
import { MoveEntries } from './move-entries.js';
import { findings, type FindingRow } from './row.js';
import type { FindingContent, StoredFacts } from './merge.js';
import type { OpenFindingsServices } from './open-changes.js';
import type { Policies } from './policies.js';
import { CLOSABLE } from './lifecycle.js';
import { ranked } from './sla/due-rank.js';
import { isDatedByRule } from './triage-rules/in-force.js';
import type { SuppressionChange } from './suppressions/in-force.js';
import { suppressionMove } from './suppressions/move.js';
import { RunChanges } from './run-changes.js';
import type { BulkUpdate, TransactionOf } from '../store/query.js';

/** What is kept with a finding that closes though its rule goes on failing. */
function leftOutBy(because: ClosedBecause | undefined): { implied_by: string } | { profile: string } | null {
  if (because?.reason === 'implied') return { implied_by: because.implied_by };
  return because?.reason === 'profile' ? { profile: because.profile } : null;
}

/** What one transaction of a run is going to write. */
export class FindingChanges {
  readonly inserts: FindingRow[] = [];
  readonly updates: BulkUpdate[] = [];
  /** `_id` of findings that the run saw again as they were. */
  readonly confirmed: string[] = [];
  readonly effects = new FindingEffects();
  readonly otherSources: OtherSourceChanges;
  readonly ofRun: RunChanges;
  private readonly moves: MoveEntries;
  /** What suppressions make of what the run has moved. */
  private readonly suppressed: MoveEntries;
  /** What triage rules make of what the run has opened, or seen come back. */
  private readonly triaged: MoveEntries;
  /** Findings that leave their former engine. */
  private readonly adopted: { former: EngineDatabase; row: FindingRow }[] = [];

  constructor(
    private readonly engine: string,
    private readonly run: IngestRun,
    private readonly policies: Policies,
  ) {
    const told = { actor_email: SYSTEM_ACTOR, result: 'success', detail: { scan_run_id: run.scan_run_id } } as const;
    this.otherSources = new OtherSourceChanges(run);
    this.ofRun = new RunChanges(run);
    this.moves = new MoveEntries(engine, told);
    this.suppressed = new MoveEntries(engine, told);
    this.triaged = new MoveEntries(engine, told);
  }

  open(opened: FindingRow): void {
    this.moves.add(opened.finding_id, { action: 'finding.open', from: null, to: 'OPEN' });
    const held = { ...opened, ...this.policies.dueDates.change(opened), ...this.suppress(opened) };
    const row = ranked({ ...held, ...this.triage(held) });
    this.inserts.push(row);
    this.effects.opened(row);
  }

  /** Takes over a finding that stands under its former engine. @returns the row as it stands here */
  adopt(former: EngineDatabase, row: FindingRow): FindingRow {
    const moved = movedTo(this.engine, row);
    this.adopted.push({ former, row });
    this.inserts.push(moved);
    this.effects.cameOver(moved);
    return moved;
  }

  /** Takes note of a finding that the run saw again as it was. */
  confirm(known: StoredFacts): void {
    this.confirmed.push(known._id);
    this.effects.confirmed(known, { ...known, ...confirmedBy(this.run) });
  }

  /** Takes note that another source than the leading one sees a finding: its content stays. One that observed earlier redates nothing. */
  seeAlso(known: StoredFacts, content: FindingContent, alsoIds: readonly string[]): void {
    if (known.touched_at <= observedAt(this.run)) this.confirm(known);
    this.otherSources.saw(known, content, alsoIds);
    if (known.other_sources?.includes(content.source)) return;
    const change = { version: known.version + 1 };
    this.updates.push({ _id: known._id, update: { $addToSet: { other_sources: content.source }, $set: change } });
    this.effects.retold(known, { ...known, ...change });
  }

  /** Takes note that a scanner sees, and leads from now on, what advisories alone have told: these stay beside it. */
  stayBeside(known: StoredFacts): void {
    const { source, account_id, region, resource_uid } = known;
    this.otherSources.saw(known, { source, account_id, region, service: null, artifact: resource_uid }, known.also_ids ?? []);
    this.updates.push({ _id: known._id, update: { $addToSet: { other_sources: source } } });
  }

  /** Takes note that a source leads that was another one: the finding was closed in between. */
  lead(known: StoredFacts, source: string): void {
    if (!known.other_sources?.includes(source)) return;
    this.otherSources.drop(known, [source]);
    this.updates.push({ _id: known._id, update: { $pull: { other_sources: source } } });
  }

  /** What becomes of a finding that its source does not see any more: the `next` one leads it, where there is one; else it ends. */
  leave(known: StoredFacts, next: OtherSource | undefined, because?: ClosedBecause): void {
    if (next) this.handOver(known, next);
    else this.end(known, because);
  }

  /** Another source leads, and tells the content with its next run. */
  private handOver(known: StoredFacts, next: OtherSource): void {
    const { source, account_id, region, service, artifact, also_ids, scan_run_id, seen_at } = next;
    // the scope by which its runs close, and the ids by which they find it
    const scope = { account_id, region, service, artifact, ...(also_ids && { also_ids }) };
    const change = { source, ...scope, scan_run_id, last_seen_at: seen_at, touched_at: observedAt(this.run), version: known.version + 1 };
    this.updates.push({ _id: known._id, update: { $set: change, $pull: { other_sources: source } } });
    this.otherSources.drop(known, [source]);
    this.effects.moved(known, { ...known, ...change });
  }

  see(known: StoredFacts, merged: Partial<FindingRow>): void {
    const isBack = merged.status !== undefined && merged.status !== known.status;
    if (isBack) this.moves.add(known.finding_id, { action: 'finding.regress', from: known.status, to: merged.status! });
    if (merged.version !== undefined) this.ofRun.note(known, merged.regressed_by ? 'regressed' : 'changed', merged.severity);
    // a rule's date was for the time before
    const undated = isBack && isDatedByRule(known) ? { due_set_by: null } : {};
    const seenAgain = { ...known, ...merged, ...undated };
    const held = { ...merged, ...undated, ...this.policies.dueDates.change(seenAgain), ...this.suppress(seenAgain, known.version) };
    const change = ranked({ ...held, ...(isBack && this.triage({ ...known, ...held })) });
    this.updates.push({
      _id: known._id,
      update: { $set: change, ...(known.owner_unconfirmed && { $unset: { owner_unconfirmed: true } }) },
    });
    const seen = { ...known, ...change };
    this.effects.moved(known, seen);
  }

  /** Whether suppressions change what the run saw again as it was. */
  isStale(known: StoredFacts): boolean {
    return this.policies.suppressing.change(known, observedAt(this.run), SYSTEM_ACTOR) !== null;
  }

  /** What becomes of a finding that the completed run does not see: it closes, or is noted as absent while a person has it suppressed. */
  private end(known: StoredFacts, because?: ClosedBecause): void {
    const at = observedAt(this.run);
    const change = { touched_at: at, version: known.version + 1 };
    const leftOut = leftOutBy(because);
    if (known.status === 'SUPPRESSED') {
      // it is there still: whoever has accepted the risk has the last word
      if (leftOut) return;
      const absent = { ...change, absent_since: at };
      this.updates.push({ _id: known._id, update: { $set: absent } });
      this.effects.absent(known, { ...known, ...absent });
      return;
    }
    const closed = {
      ...change,
      status: 'RESOLVED',
      // what is observed is told by its time, what people choose by that of their choice
      resolved_at: because?.reason === 'profile' || because?.reason === 'rule_off' ? this.run.at : at,
      resolved_by: { scan_run_id: this.run.scan_run_id, ...leftOut },
    } as const;
    this.updates.push({ _id: known._id, update: { $set: closed } });
    this.effects.moved(known, { ...known, ...closed });
    this.ofRun.note(known, 'resolved');
    this.moves.add(known.finding_id, {
      action: 'finding.resolve',
      from: known.status,
      to: 'RESOLVED',
      ...(because !== undefined && { detail: { ...because } }),
    });
  }

  /** Takes adopted findings out of the engine that held them. */
  async writeAdopted(services: OpenFindingsServices, transaction: TransactionOf): Promise<void> {
    const [first] = this.adopted;
    if (!first) return;
    const { tenantId, engine } = first.former;
    const effects = new FindingEffects();
    for (const { row } of this.adopted) effects.wentOver(row);
    await first.former.collection(findings).remove({ _id: { $in: this.adopted.map(({ row }) => row._id) } }, { transaction });
    await effects.write(services, tenantId, engine, transaction);
  }

  /** The entries of the moves; what suppressions and triage rules make of them comes behind. */
  get audit(): AuditInput[] {
    return [...this.moves.all, ...this.suppressed.all, ...this.triaged.all];
  }

  /** What triage rules make of a finding that is open from now on; what is suppressed is left alone. */
  private triage(finding: FindingRow | StoredFacts): Partial<FindingRow> {
    const triaging = CLOSABLE.includes(finding.status) ? this.policies.triaging.triage(finding, observedAt(this.run)) : null;
    if (triaging) this.triaged.add(finding.finding_id, triaging.move);
    return triaging?.change ?? {};
  }

  /** What suppressions make of a finding as the run has left it. @param version the one before the run */
  private suppress(finding: FindingRow | StoredFacts, version = finding.version - 1): SuppressionChange {
    const { suppressing } = this.policies;
    const change = suppressing.change(finding, observedAt(this.run), SYSTEM_ACTOR);
    if (!change) return {};
    const move = suppressionMove(suppressing, finding, change);
    if (move) this.suppressed.add(finding.finding_id, move);
    // whatever a run changes is one change
    return change.version === undefined ? change : { ...change, version: version + 1 };
  }
}
