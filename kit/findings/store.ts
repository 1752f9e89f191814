import type { FindingStatus } from '../../schema/model.js';
import type { Observation } from '../../schema/observations.js';
import type { AuditInput, AuditLog } from '../audit/audit.js';
import { SYSTEM_ACTOR } from '../base/auth-context.js';
import type { Clock } from '../base/clock.js';
import type { Database } from '../store/database.js';
import { CounterChanges } from './counters.js';
import { mergeContent, newFinding, said, sighting, type IngestRun, type Said } from './merge.js';
import type { FindingFacts } from '../engine/finding-facts.js';
import { defineFindingCollection, findingId, findingRowId, type FindingRow } from './row.js';
import { CLOSABLE } from './lifecycle.js';
import type { BulkUpdate, Filter, TransactionOf } from '../store/tenant-collection.js';

/** What a run did to the findings of one engine (`counts` of decision 32), and how many it saw. */
export interface RunCounts {
  new: number;
  updated: number;
  resolved: number;
  regressed: number;
  seen: number;
}

/** An observation as `ingest` takes it. */
export interface PreparedObservation {
  readonly id: string;
  readonly result: Observation['result'];
  readonly content: Said;
}

/** Part of what a completed run closes by (decision 19). Absent parts match findings that lack them, `region` and `service` any. */
export interface Scope {
  source: string;
  account_id: string | null;
  artifact: string | null;
  region?: string;
  service?: string;
}

/** Findings closed in one transaction at the end of a run. */
const CLOSE_BATCH = 1_000;
/** What a merge reads of a stored finding. */
const MERGE_FIELDS = [
  'finding_id',
  'status',
  'severity',
  'provider',
  'account_id',
  'region',
  'resource_type',
  'first_seen_at',
  'scan_run_id',
  'version',
  'content_hash',
] as const;
export type StoredFacts = Pick<FindingRow, '_id' | (typeof MERGE_FIELDS)[number]>;

type SystemMove = 'finding.open' | 'finding.regress' | 'finding.resolve';

/** The findings of one engine and tenant, as scan runs change them. Every change carries its counters and audit entries in one transaction. */
export class FindingStore {
  private readonly collection;

  constructor(
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
    private readonly facts: FindingFacts,
    private readonly tenantId: string,
  ) {
    this.collection = findingCollection(facts.engine);
  }

  /** What `ingest` takes of an observation; a report's reader makes it while the store writes the batch before. */
  prepare(run: IngestRun, observation: Observation): PreparedObservation {
    return { id: findingId(this.facts.engine, observation), result: observation.result, content: said(this.facts, run, observation) };
  }

  /**
   * Takes in what a run says (decision 18): new findings open, known ones move on, resolved ones that came back reopen.
   * Doing the same batch again changes nothing more.
   * @returns `_id` of the findings that a PASS closes when the run completes: a run that ends otherwise resolves nothing
   */
  async ingest(run: IngestRun, observations: readonly PreparedObservation[]): Promise<string[]> {
    const latest = new Map<string, PreparedObservation>();
    for (const observation of observations) {
      // one report may say both of a resource: a failure is never hidden by a pass
      if (observation.result === 'FAIL' || latest.get(observation.id)?.result !== 'FAIL') latest.set(observation.id, observation);
    }
    return this.database.transaction((transaction) => this.ingestDistinct(run, latest, transaction));
  }

  /** Closes the findings that the completed `run` saw pass. */
  async closePassed(run: IngestRun, rowIds: readonly string[]): Promise<void> {
    for (let start = 0; start < rowIds.length; start += CLOSE_BATCH) {
      await this.closeBatch(run, { _id: { $in: rowIds.slice(start, start + CLOSE_BATCH) } });
    }
  }

  /** Closes what lies in `scope` and was not seen by the completed `run` (decisions 18, 19). */
  async closeUnseen(run: IngestRun, { region, service, ...exact }: Scope): Promise<void> {
    const filter = { ...exact, ...(region && { region }), ...(service && { service }) };
    while ((await this.closeBatch(run, filter)) === CLOSE_BATCH);
  }

  /** The findings of one source on these resources that a run may close. */
  async closable(source: string, resourceUids: readonly string[]): Promise<Pick<FindingRow, '_id' | 'rule_id' | 'resource_uid'>[]> {
    const filter = { resource_uid: { $in: resourceUids }, source, status: { $in: CLOSABLE } };
    return this.rows.find(filter, { fields: ['rule_id', 'resource_uid'] });
  }

  /** Which of these findings are stored. */
  async known(ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.rows.find({ _id: { $in: ids.map((id) => findingRowId(this.tenantId, id)) } }, { fields: ['finding_id'] });
    return new Set(rows.map(({ finding_id }) => finding_id));
  }

  /** Takes note that `run` came by these findings and cannot tell whether they are fixed: they stay as they are. */
  async keep(run: IngestRun, rowIds: readonly string[]): Promise<void> {
    if (rowIds.length) await this.rows.updateMany({ _id: { $in: rowIds } }, { $set: { scan_run_id: run.scan_run_id } });
  }

  /** Closes every open finding of a rule, because the rule is no more. */
  async closeRule(run: IngestRun, ruleId: string): Promise<void> {
    while ((await this.closeBatch(run, { rule_id: ruleId }, 'rule_retired')) === CLOSE_BATCH);
  }

  /** Counts from the rows themselves, so that a run that was interrupted and resumed counts right. */
  async countRun(run: IngestRun): Promise<RunCounts> {
    const of = (filter: Filter) => this.rows.count({ scan_run_id: run.scan_run_id, ...filter });
    const [all, opened, regressed, resolved] = await Promise.all([
      of({}),
      of({ first_seen_at: run.at }),
      of({ regressed_at: run.at }),
      of({ status: 'RESOLVED', resolved_at: run.at }),
    ]);
    return { new: opened, regressed, resolved, updated: all - opened - regressed - resolved, seen: all - resolved };
  }

  private get rows() {
    return this.database.tenant(this.tenantId).collection(this.collection);
  }

  private async ingestDistinct(
    run: IngestRun,
    observations: ReadonlyMap<string, PreparedObservation>,
    transaction: TransactionOf,
  ): Promise<string[]> {
    const ids = [...observations.keys()].map((id) => findingRowId(this.tenantId, id));
    const stored = new Map(
      (await this.rows.find({ _id: { $in: ids } }, { fields: MERGE_FIELDS, transaction })).map((row) => [
        row.finding_id,
        row as StoredFacts,
      ]),
    );
    const changes = new Changes();
    const passed: string[] = [];
    for (const [id, observation] of observations) {
      const known = stored.get(id);
      if (observation.result === 'FAIL') {
        if (known) this.see(changes, run, known, observation.content);
        else this.open(changes, run, id, observation.content);
      } else if (known && CLOSABLE.includes(known.status)) passed.push(known._id);
    }
    await this.write(changes, transaction);
    if (changes.confirmed.length) await this.rows.updateMany({ _id: { $in: changes.confirmed } }, { $set: sighting(run) }, { transaction });
    return passed;
  }

  /** Closes findings that `run` did not see fail. @returns how many */
  private closeBatch(run: IngestRun, filter: Filter, reason?: string): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const unseen = { ...filter, status: { $in: CLOSABLE }, scan_run_id: { $ne: run.scan_run_id } };
      const rows = (await this.rows.find(unseen, { fields: MERGE_FIELDS, limit: CLOSE_BATCH, transaction })) as StoredFacts[];
      const changes = new Changes();
      for (const row of rows) this.close(changes, run, row, reason);
      await this.write(changes, transaction);
      return rows.length;
    });
  }

  private open(changes: Changes, run: IngestRun, id: string, content: Said): void {
    const row = newFinding(this.tenantId, id, run, content);
    changes.inserts.push(row);
    changes.counters.add(row, 1);
    changes.moved('finding.open', this.facts.engine, run, id, null, 'OPEN');
  }

  private see(changes: Changes, run: IngestRun, known: StoredFacts, content: Said): void {
    const merged = mergeContent(run, known, content);
    if (!merged) return void changes.confirmed.push(known._id);
    changes.updates.push({ _id: known._id, update: { $set: { ...merged, ...sighting(run) } } });
    changes.counters.move(known, { ...known, ...merged });
    if (merged.status === known.status) return;
    changes.moved('finding.regress', this.facts.engine, run, known.finding_id, known.status, merged.status);
  }

  private close(changes: Changes, run: IngestRun, known: StoredFacts, reason?: string): void {
    const update = { status: 'RESOLVED', resolved_at: run.at, scan_run_id: run.scan_run_id, version: known.version + 1 } as const;
    changes.updates.push({ _id: known._id, update: { $set: update } });
    changes.counters.move(known, { ...known, ...update });
    changes.moved('finding.resolve', this.facts.engine, run, known.finding_id, known.status, 'RESOLVED', reason);
  }

  private async write(changes: Changes, transaction: TransactionOf): Promise<void> {
    await this.rows.insertMany(changes.inserts, { transaction });
    await this.rows.bulkUpdate(changes.updates, { transaction });
    await changes.counters.write(this.database.tenant(this.tenantId), this.facts.engine, transaction);
    await this.auditLog.append(transaction, this.tenantId, this.clock.now(), changes.audit);
  }
}

/** What one transaction is going to write. */
class Changes {
  readonly inserts: FindingRow[] = [];
  readonly updates: BulkUpdate[] = [];
  /** `_id` of findings that the run saw again as they were. */
  readonly confirmed: string[] = [];
  readonly counters = new CounterChanges();
  readonly audit: AuditInput[] = [];

  moved(
    action: SystemMove,
    engine: string,
    run: IngestRun,
    id: string,
    from: FindingStatus | null,
    to: FindingStatus,
    reason?: string,
  ): void {
    this.audit.push({
      action,
      actor_email: SYSTEM_ACTOR,
      target: findingTarget(engine, id),
      result: 'success',
      detail: { from, to, scan_run_id: run.scan_run_id, ...(reason && { reason }) },
    });
  }
}

/** How the audit log names a finding. */
export const findingTarget = (engine: string, id: string): string => `finding:${engine}/${id}`;

const collections = new Map<string, ReturnType<typeof defineFindingCollection>>();

/** The one definition of an engine's finding collection. */
export function findingCollection(engine: string): ReturnType<typeof defineFindingCollection> {
  const known = collections.get(engine) ?? defineFindingCollection(engine);
  collections.set(engine, known);
  return known;
}
