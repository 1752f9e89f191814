import type { FindingStatus } from '../../schema/model.js';
import type { AuditInput, SHARED_ACTIONS } from '../audit/entry.js';
import { SYSTEM_ACTOR } from '../base/auth-context.js';
import type { EngineDatabase } from '../store/database.js';
import { FindingEffects } from './effects.js';
import { confirmedBy, observedAt } from './merge.js';
import type { IngestRun } from '../engine/finding-sink.js';
import { OtherSourceChanges, type OtherSource } from './other-sources.js';
import { movedTo } from './move.js';
import { findings, findingTarget, type FindingRow } from './row.js';
import type { FindingContent, StoredFacts } from './merge.js';
import type { OpenFindingsServices } from './open-changes.js';
import type { BulkUpdate, TransactionOf } from '../store/query.js';

type SystemMove = (typeof SHARED_ACTIONS)[number];

interface Move {
  readonly action: SystemMove;
  readonly from: FindingStatus | null;
  readonly to: FindingStatus;
  readonly reason: string | undefined;
}

/** Moves that share an entry: whoever reads one of them reads the row of all. */
const MOST_SHARED = 200;

const sharesOf = (findings: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(findings.length / MOST_SHARED) }, (_, n) => findings.slice(n * MOST_SHARED, (n + 1) * MOST_SHARED));

/** What one transaction of a run is going to write. */
export class FindingChanges {
  readonly inserts: FindingRow[] = [];
  readonly updates: BulkUpdate[] = [];
  /** `_id` of findings that the run saw again as they were. */
  readonly confirmed: string[] = [];
  readonly effects = new FindingEffects();
  readonly otherSources: OtherSourceChanges;
  /** What moved in the same way shares an entry of the audit log (decision 20). */
  private readonly moves = new Map<string, Move & { findings: string[] }>();
  /** Findings that leave their former engine. */
  private readonly adopted: { former: EngineDatabase; row: FindingRow }[] = [];

  constructor(
    private readonly engine: string,
    private readonly run: IngestRun,
  ) {
    this.otherSources = new OtherSourceChanges(run);
  }

  open(row: FindingRow): void {
    this.inserts.push(row);
    this.effects.opened(row);
    this.moved('finding.open', row.finding_id, null, 'OPEN');
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
  seeAlso(known: StoredFacts, content: FindingContent): void {
    if (known.touched_at <= observedAt(this.run)) this.confirm(known);
    this.otherSources.saw(known, content);
    if (known.other_sources?.includes(content.source)) return;
    const update = { $addToSet: { other_sources: content.source }, $set: { version: known.version + 1 } };
    this.updates.push({ _id: known._id, update });
  }

  /** Takes note that a source leads that was another one: the finding was closed in between. */
  lead(known: StoredFacts, source: string): void {
    if (!known.other_sources?.includes(source)) return;
    this.otherSources.drop(known, [source]);
    this.updates.push({ _id: known._id, update: { $pull: { other_sources: source } } });
  }

  /** What becomes of a finding that its source does not see any more: the `next` one leads it, where there is one; else it ends. */
  leave(known: StoredFacts, next: OtherSource | undefined, reason?: string): void {
    if (next) this.handOver(known, next);
    else this.end(known, reason);
  }

  /** Another source leads, and tells the content with its next run. */
  private handOver(known: StoredFacts, { source, scan_run_id, seen_at }: OtherSource): void {
    const change = { source, scan_run_id, last_seen_at: seen_at, touched_at: observedAt(this.run), version: known.version + 1 };
    this.updates.push({ _id: known._id, update: { $set: change, $pull: { other_sources: source } } });
    this.otherSources.drop(known, [source]);
    this.effects.moved(known, { ...known, ...change });
  }

  see(known: StoredFacts, change: Partial<FindingRow>): void {
    this.updates.push({
      _id: known._id,
      update: { $set: change, ...(known.owner_unconfirmed && { $unset: { owner_unconfirmed: true } }) },
    });
    const seen = { ...known, ...change };
    this.effects.moved(known, seen);
    if (change.status !== undefined && change.status !== known.status)
      this.moved('finding.regress', known.finding_id, known.status, change.status);
  }

  /** What becomes of a finding that the completed run does not see: it closes, or is noted as absent while a person has it suppressed. */
  private end(known: StoredFacts, reason?: string): void {
    const at = observedAt(this.run);
    const change = { touched_at: at, version: known.version + 1 };
    if (known.status === 'SUPPRESSED') {
      const absent = { ...change, absent_since: at };
      this.updates.push({ _id: known._id, update: { $set: absent } });
      this.effects.absent(known, { ...known, ...absent });
      return;
    }
    const closed = { ...change, status: 'RESOLVED', resolved_at: at, resolved_by: { scan_run_id: this.run.scan_run_id } } as const;
    this.updates.push({ _id: known._id, update: { $set: closed } });
    this.effects.moved(known, { ...known, ...closed });
    this.moved('finding.resolve', known.finding_id, known.status, 'RESOLVED', reason);
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

  /** The entries of the moves: those that are alike share one, up to a number. */
  get audit(): AuditInput[] {
    return [...this.moves.values()].flatMap(({ action, from, to, reason, findings }) => {
      const detail = { from, to, scan_run_id: this.run.scan_run_id, ...(reason && { reason }) };
      const entry = { action, actor_email: SYSTEM_ACTOR, result: 'success', detail } as const;
      return sharesOf(findings).map((target): AuditInput =>
        target.length === 1 ? { ...entry, target: target[0]! } : { ...entry, target },
      );
    });
  }

  private moved(action: SystemMove, id: string, from: FindingStatus | null, to: FindingStatus, reason?: string): void {
    const key = `${action} ${from} ${reason}`;
    let move = this.moves.get(key);
    if (!move) this.moves.set(key, (move = { action, from, to, reason, findings: [] }));
    move.findings.push(findingTarget(this.engine, id));
  }
}
