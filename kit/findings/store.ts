import type { AssessmentInput, Observation } from '../../schema/observations.js';
import type { AuditLog } from '../audit/audit.js';
import { createTimeSlice } from '../base/time-slice.js';
import type { EngineServices, IngestTargets } from '../engine/context.js';
import { assessFindings } from './assess.js';
import { FindingChanges } from './changes.js';
import {
  confirmedBy,
  contentOf,
  MERGE_FIELDS,
  mergeContent,
  newFinding,
  observedAt,
  type FindingContent,
  type StoredFacts,
} from './merge.js';
import type { FindingFacts } from '../engine/finding-facts.js';
import type { ClosedBecause, FindingSink, IngestRun, PreparedObservation, Scope } from '../engine/finding-sink.js';
import type { OpenFindingsServices } from './open-changes.js';
import { findingId, findings } from './row.js';
import { alsoIdsOf, apartBySource, artifactIdsOf } from './also-ids.js';
import { formerIdsOf } from './former-owner.js';
import { StoredFindings } from './stored.js';
import { withScores } from './cves/intelligence.js';
import { ADVISORY_SOURCE, dropUnseen, nextSources } from './other-sources.js';
import { CLOSABLE, ENDABLE, isStanding } from './lifecycle.js';
import type { Filter, TransactionOf } from '../store/query.js';
import { NO_POLICIES, readPolicies } from './policies.js';
import { riskScore } from './risk-score.js';
import type { TagServices } from './suppressions/in-force.js';

/** Findings closed in one transaction at the end of a run. */
const CLOSE_BATCH = 1_000;

/** Findings that go into one transaction however often it has to be repeated. */
const SMALL = 100;

/** A transaction that met another one's changes. */
class Contended extends Error {
  override readonly name = 'Contended';
}

/** An observation as `ingest` takes it: with the content that its finding gets. */
export interface PreparedFinding extends PreparedObservation {
  readonly content: FindingContent;
  readonly isShared: boolean;
  /** Its ids by the digests of its artifact. */
  readonly artifactIds: readonly string[];
}

/** The findings of one engine and tenant, as scan runs change them. Every change carries its counters and audit entries in one transaction. */
export class FindingStore implements FindingSink {
  private readonly stored: StoredFindings;

  constructor(
    private readonly services: Pick<EngineServices, 'clock'> &
      OpenFindingsServices &
      TagServices & { readonly ingest: Pick<IngestTargets, 'riskContextsOf'> },
    private readonly auditLog: AuditLog,
    private readonly facts: FindingFacts,
    private readonly tenantId: string,
  ) {
    this.stored = new StoredFindings(services.database.tenant(tenantId), facts.engine);
  }

  /** What `ingest` takes of an observation; a report's reader makes it while the store writes the batch before. */
  prepare(run: IngestRun, observation: Observation): PreparedFinding {
    return {
      id: findingId(this.facts.engine, observation),
      formerIds: formerIdsOf(this.facts.engine, observation),
      result: observation.result,
      isShared: observation.is_shared === true,
      artifactIds: artifactIdsOf(this.facts.engine, observation),
      ...contentOf(this.facts, run, observation),
    };
  }

  /**
   * Takes in what a run reports (decision 18): new findings open, known ones move on, resolved ones that came back reopen. What a run
   * that observed later has touched stays as it is (decision 47). Doing the same batch again changes nothing more.
   * @returns `_id` of the findings that a PASS closes when the run completes: a run that ends otherwise resolves nothing
   */
  async ingest(run: IngestRun, observations: readonly PreparedFinding[]): Promise<string[]> {
    const latest = new Map<string, PreparedFinding>();
    for (const observation of observations) {
      const key = observation.isShared ? `${observation.id} ${observation.content.source}` : observation.id;
      // one report may hold both of a resource: a failure is never hidden by a pass
      if (observation.result === 'FAIL' || latest.get(key)?.result !== 'FAIL') latest.set(key, observation);
    }
    const told = [...latest.values()];
    const passed: string[] = [];
    for (const group of apartBySource(this.facts.vulnerabilities ? await withScores(this.services.database, told) : told))
      passed.push(...(await this.ingestAll(run, group)));
    return passed;
  }

  /** Closes the findings that the completed `run` saw pass. */
  async closePassed(run: IngestRun, rowIds: readonly string[]): Promise<void> {
    for (let start = 0; start < rowIds.length; start += CLOSE_BATCH) {
      await this.closeBatch(run, { _id: { $in: rowIds.slice(start, start + CLOSE_BATCH) } });
    }
  }

  async closeBecause(run: IngestRun, because: ReadonlyMap<string, ClosedBecause>): Promise<void> {
    const rowIds = [...because.keys()];
    for (let start = 0; start < rowIds.length; start += CLOSE_BATCH) {
      const filter = { _id: { $in: rowIds.slice(start, start + CLOSE_BATCH) } };
      await this.closeBatch(run, filter, ({ _id }) => because.get(_id)!);
    }
  }

  /** Closes what lies in `scope` and was not seen by the completed `run` (decisions 18, 19). */
  async closeUnseen(run: IngestRun, { region, service, ...exact }: Scope): Promise<void> {
    const filter = { ...exact, ...(region && { region }), ...(service && { service }) };
    while ((await this.closeBatch(run, filter)) === CLOSE_BATCH);
    const drop = () => this.services.database.transaction((transaction) => dropUnseen(this.scoped, run, filter, CLOSE_BATCH, transaction));
    while ((await drop()) === CLOSE_BATCH);
  }

  /** Closes what is of these rules and one source and was not seen by the completed `run`. */
  async closeUnseenOf(run: IngestRun, source: string, ruleIds: readonly string[]): Promise<void> {
    while ((await this.closeBatch(run, { source, rule_id: { $in: ruleIds } })) === CLOSE_BATCH);
  }

  async known(observations: readonly PreparedFinding[]): Promise<Map<string, string>> {
    const known = await this.stored.of(observations);
    return new Map([...known].map(([id, { _id }]) => [id, _id]));
  }

  /** Takes note that `run` came by these findings and cannot tell whether they are fixed: they stay as they are. */
  async keep(run: IngestRun, rowIds: readonly string[]): Promise<void> {
    if (rowIds.length) await this.rows.updateMany({ _id: { $in: rowIds } }, { $set: { undecided_in: run.scan_run_id } });
  }

  /** Makes false positives of the findings that statements speak of. */
  async assess(run: IngestRun, assessments: readonly AssessmentInput[]): Promise<void> {
    const where = { tenantId: this.tenantId, engine: this.facts.engine };
    for (const assessment of assessments) await assessFindings(this.services, this.auditLog, where, run, assessment);
  }

  /** Closes every open finding of a rule, because the rule is no more. */
  async closeRule(run: IngestRun, ruleId: string): Promise<void> {
    while ((await this.closeBatch(run, { rule_id: ruleId }, () => ({ reason: 'rule_retired' }))) === CLOSE_BATCH);
  }

  private get scoped() {
    return this.services.database.tenant(this.tenantId).engine(this.facts.engine);
  }

  private get rows() {
    return this.scoped.collection(findings);
  }

  /** Takes a batch in as a whole; where others change what it changes, in halves, so that who moves findings all the time does not stop a run. */
  private async ingestAll(run: IngestRun, observations: readonly PreparedFinding[]): Promise<string[]> {
    let tries = 0;
    try {
      return await this.services.database.transaction((transaction) => {
        if (++tries > 1 && observations.length > SMALL) throw new Contended();
        return this.ingestDistinct(run, observations, transaction);
      });
    } catch (error) {
      if (!(error instanceof Contended)) throw error;
      const half = Math.ceil(observations.length / 2);
      const passed = await this.ingestAll(run, observations.slice(0, half));
      return [...passed, ...(await this.ingestAll(run, observations.slice(half)))];
    }
  }

  private async ingestDistinct(run: IngestRun, observations: readonly PreparedFinding[], transaction: TransactionOf): Promise<string[]> {
    const uids = observations.map(({ content }) => content.resource_uid);
    const contexts = await this.services.ingest.riskContextsOf(this.services, this.tenantId, uids, transaction);
    const policies = await readPolicies(this.services, this.tenantId, this.facts, this.services.clock.now(), uids, transaction);
    const changes = new FindingChanges(this.facts.engine, run, policies);
    const known = await this.stored.ofOrAdopted(observations, changes, transaction);
    const passed: string[] = [];
    const pause = createTimeSlice();
    for (const observation of observations) {
      const { id, result, content: reported, isShared } = observation;
      await pause();
      const content = { ...reported, risk_score: riskScore(reported, contexts.get(reported.resource_uid)) };
      const row = known.get(id);
      if (!row) {
        if (result === 'FAIL') changes.open(newFinding(this.tenantId, this.facts.engine, observation, run, content));
        continue;
      }
      const isOther = isShared && row.source !== content.source && isStanding(row);
      // advisories give way to a scanner, which has looked
      const isTaken = row.source === ADVISORY_SOURCE && result === 'FAIL' && row.touched_at <= observedAt(run);
      if (isOther && !isTaken) {
        // one that passes has no say while the leading source reports it, and is dropped with what its run did not see fail
        if (result === 'FAIL') changes.seeAlso(row, content, alsoIdsOf(observation, row.finding_id));
      } else if (row.touched_at > observedAt(run)) continue;
      else if (result === 'FAIL') {
        if (isOther) changes.stayBeside(row);
        this.seeAgain(changes, run, row, content, isShared ? alsoIdsOf(observation, row.finding_id) : []);
      } else if (CLOSABLE.includes(row.status) || row.status === 'SUPPRESSED') passed.push(row._id);
    }
    await this.write(changes, transaction);
    if (changes.confirmed.length)
      await this.rows.updateMany({ _id: { $in: changes.confirmed } }, { $set: confirmedBy(run) }, { transaction });
    return passed;
  }

  /** Closes findings that `run` did not see fail. @returns how many it had a say in */
  private async closeBatch(run: IngestRun, filter: Filter, why?: (row: StoredFacts) => ClosedBecause): Promise<number> {
    const unseen = {
      ...filter,
      ...ENDABLE,
      scan_run_id: { $ne: run.scan_run_id },
      undecided_in: { $ne: run.scan_run_id },
      touched_at: { $lte: observedAt(run) },
    };
    // most often there is nothing to close, which needs no transaction
    if ((await this.rows.findOne(unseen, { fields: ['_id'] })) === null) return 0;
    return this.services.database.transaction(async (transaction) => {
      const rows: StoredFacts[] = await this.rows.find(unseen, { fields: MERGE_FIELDS, limit: CLOSE_BATCH, transaction });
      const changes = new FindingChanges(this.facts.engine, run, NO_POLICIES);
      const next = why === undefined ? await nextSources(this.scoped, rows, transaction) : null;
      for (const row of rows) changes.leave(row, next?.get(row._id), why?.(row));
      await this.write(changes, transaction);
      return rows.length;
    });
  }

  private seeAgain(changes: FindingChanges, run: IngestRun, known: StoredFacts, content: FindingContent, alsoIds: readonly string[]): void {
    const named = alsoIds.join() === (known.also_ids ?? []).join() ? null : { also_ids: [...alsoIds] };
    const merged = mergeContent(run, known, content);
    if (merged || named || known.owner_unconfirmed || changes.isStale(known))
      changes.see(known, { ...merged, ...named, ...confirmedBy(run) });
    else changes.confirm(known);
    changes.lead(known, content.source);
  }

  private async write(changes: FindingChanges, transaction: TransactionOf): Promise<void> {
    await changes.writeAdopted(this.services, transaction);
    await this.rows.insertMany(changes.inserts, { transaction });
    await this.rows.bulkUpdate(changes.updates, { transaction });
    await changes.otherSources.write(this.scoped, transaction);
    await changes.ofRun.write(this.scoped, transaction);
    await changes.effects.write(this.services, this.tenantId, this.facts.engine, transaction);
    await this.auditLog.append(transaction, this.tenantId, this.services.clock.now(), changes.audit);
  }
}
