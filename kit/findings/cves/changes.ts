import { createHash } from 'node:crypto';
import type { Severity } from '../../../schema/model.js';
import { createTimeSlice } from '../../base/time-slice.js';
import { repeatOnDuplicate, type EngineDatabase } from '../../store/database.js';
import type { BulkUpdate, TransactionOf } from '../../store/query.js';
import { CLOSABLE } from '../lifecycle.js';
import { severityOfRank, severityRank } from '../risk-score.js';
import type { FindingRow } from '../row.js';
import { fixesOf, joinFixes } from './fixes.js';
import { findingCveResources, findingCves, type FindingCveResourceRow, type FindingCveRow, type Fix } from './records.js';

/** What of a finding its CVE's row follows from. */
export const CVE_FIELDS = [
  'cve',
  'rule_id',
  'resource_uid',
  'severity',
  'status',
  'provider',
  'fixable',
  'epss',
  'known_exploited',
  'first_seen_at',
  'last_seen_at',
] as const satisfies readonly (keyof FindingRow)[];
export type CveFacts = Pick<FindingRow, (typeof CVE_FIELDS)[number]> & Partial<Pick<FindingRow, 'cvss' | 'evidence'>>;

/** What one CVE gets. */
interface Change {
  readonly cells: Map<string, number>;
  /** resource_uid -> severity -> open findings more or less. */
  readonly resources: Map<string, Map<string, number>>;
  readonly ruleIds: Set<string>;
  /** What reports and feeds tell; absent where nothing new is told. */
  told: { cvss?: number | null; epss?: number | null; known_exploited?: boolean; fixes?: readonly Fix[] };
  first: Date;
  last: Date;
}

const isOpen = (status: string): boolean => (CLOSABLE as readonly string[]).includes(status);
const cellOf = ({ severity, status, provider, fixable }: CveFacts) => `${severity}|${status}|${provider}|${fixable ? 1 : 0}`;
const add = (counts: Map<string, number>, key: string, step: number) => counts.set(key, (counts.get(key) ?? 0) + step);

/** `_id` of the row of a CVE. */
export const cveRowId = ({ tenantId, engine }: EngineDatabase, cve: string): string => `${tenantId}|${engine}|${cve}`;
const resourceRowId = (database: EngineDatabase, cve: string, uid: string): string =>
  `${cveRowId(database, cve)}|${createHash('sha256').update(uid).digest('base64url').slice(0, 32)}`;

/** Changes of the CVEs of one engine's vulnerabilities, gathered over a batch and written in its transaction. Other findings change nothing. */
export class CveChanges {
  private readonly cves = new Map<string, Change>();

  /** Takes note of a finding that comes (`before` null), changes, is seen again, or goes (`after` null). */
  move(before: CveFacts | null, after: CveFacts | null): void {
    if (before) this.count(before, -1);
    if (!after) return;
    const change = this.count(after, 1);
    if (!change) return;
    if (after.first_seen_at < change.first) change.first = after.first_seen_at;
    if (after.last_seen_at > change.last) change.last = after.last_seen_at;
    const isTold = { epss: before?.epss !== after.epss, known_exploited: before?.known_exploited !== after.known_exploited };
    if (before && !isTold.epss && !isTold.known_exploited && !after.evidence) return;
    change.ruleIds.add(after.rule_id);
    const { told } = change;
    if (after.epss !== null || (before && isTold.epss)) told.epss = after.epss;
    if (after.known_exploited !== null || (before && isTold.known_exploited)) told.known_exploited = after.known_exploited ?? false;
    if (after.cvss != null) told.cvss = Math.max(told.cvss ?? 0, after.cvss);
    if (after.evidence) told.fixes = joinFixes(told.fixes ?? [], fixesOf(after.evidence));
  }

  async write(database: EngineDatabase, transaction: TransactionOf): Promise<void> {
    if (this.cves.size === 0) return;
    for (const { cells, resources } of this.cves.values())
      for (const counts of [cells, ...resources.values()]) for (const [key, step] of counts) if (step === 0) counts.delete(key);
    const affected = await this.writeResources(database, transaction);
    const rows = database.collection(findingCves);
    const changed = [...this.cves].filter(([, { cells, told }]) => cells.size > 0 || Object.keys(told).length > 0);
    const ids = changed.map(([cve]) => cveRowId(database, cve));
    const known = new Map((await rows.find({ _id: { $in: ids } }, { transaction })).map((row) => [row.cve, row]));
    const made: FindingCveRow[] = [];
    const updates: BulkUpdate[] = [];
    const gone: string[] = [];
    const pause = createTimeSlice();
    for (const [cve, change] of this.cves) {
      await pause();
      const _id = cveRowId(database, cve);
      const before = known.get(cve);
      const { cells, told, last } = change;
      if (cells.size === 0 && Object.keys(told).length === 0) {
        updates.push({ _id, update: { $max: { last_seen_at: last } } });
        continue;
      }
      const after = afterChange(change, before, affected.get(cve) ?? 0);
      if (Object.keys(after.counts).length === 0) gone.push(_id);
      else if (before) updates.push({ _id, update: { $set: after } });
      else made.push({ _id, tenant_id: database.tenantId, engine: database.engine, cve, ...after });
    }
    // two first findings of a CVE at once: the later transaction starts again
    await rows.insertMany(made, { transaction }).catch(repeatOnDuplicate);
    await rows.bulkUpdate(updates, { transaction });
    if (gone.length > 0) await rows.remove({ _id: { $in: gone } }, { transaction });
  }

  private count(finding: CveFacts, step: 1 | -1): Change | undefined {
    if (finding.cve === null || finding.fixable == null) return undefined;
    const { cve, resource_uid, severity, status, first_seen_at: first, last_seen_at: last } = finding;
    let change = this.cves.get(cve);
    if (!change) {
      change = { cells: new Map(), resources: new Map(), ruleIds: new Set(), told: {}, first, last };
      this.cves.set(cve, change);
    }
    add(change.cells, cellOf(finding), step);
    if (!isOpen(status)) return change;
    let resource = change.resources.get(resource_uid);
    if (!resource) change.resources.set(resource_uid, (resource = new Map()));
    add(resource, severity, step);
    return change;
  }

  /** @returns how many resources more, or less, each CVE affects */
  private async writeResources(database: EngineDatabase, transaction: TransactionOf): Promise<Map<string, number>> {
    const affected = new Map<string, number>();
    const changes = [...this.cves].flatMap(([cve, { resources }]) =>
      [...resources].flatMap(([uid, steps]) => (steps.size > 0 ? [{ _id: resourceRowId(database, cve, uid), cve, uid, steps }] : [])),
    );
    if (changes.length === 0) return affected;
    const rows = database.collection(findingCveResources);
    const known = new Map(
      (await rows.find({ _id: { $in: changes.map(({ _id }) => _id) } }, { fields: ['counts'], transaction })).map((row) => [row._id, row]),
    );
    const made: FindingCveResourceRow[] = [];
    const updates: BulkUpdate[] = [];
    const gone: string[] = [];
    const pause = createTimeSlice();
    for (const { _id, cve, uid, steps } of changes) {
      await pause();
      const before = known.get(_id);
      const counts = stepped(before?.counts ?? {}, steps);
      const open_findings = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const after = { severity_rank: worstOf(Object.keys(counts)), open_findings, counts };
      if (open_findings > 0 && before) updates.push({ _id, update: { $set: after } });
      else if (open_findings > 0)
        made.push({ _id, tenant_id: database.tenantId, engine: database.engine, cve, resource_uid: uid, ...after });
      else if (before) gone.push(_id);
      add(affected, cve, (open_findings > 0 ? 1 : 0) - (before ? 1 : 0));
    }
    await rows.insertMany(made, { transaction }).catch(repeatOnDuplicate);
    await rows.bulkUpdate(updates, { transaction });
    if (gone.length > 0) await rows.remove({ _id: { $in: gone } }, { transaction });
    return affected;
  }
}

const worstOf = (severities: readonly string[]): number => Math.max(0, ...severities.map((one) => severityRank(one as Severity)));

function stepped(before: Readonly<Record<string, number>>, steps: ReadonlyMap<string, number>): Record<string, number> {
  const counts = { ...before };
  for (const [key, step] of steps) {
    const count = (counts[key] ?? 0) + step;
    if (count === 0) delete counts[key];
    else counts[key] = count;
  }
  return counts;
}

function afterChange({ cells, told, ruleIds, first, last }: Change, before: FindingCveRow | undefined, affected: number) {
  const counts = stepped(before?.counts ?? {}, cells);
  const all = Object.entries(counts).map(([key, count]) => ({ parts: key.split('|') as [Severity, string, string, string], count }));
  const open = all.filter(({ parts: [, status] }) => isOpen(status));
  const shown = open.length > 0 ? open : all;
  const severity_rank = worstOf(shown.map(({ parts: [severity] }) => severity));
  return {
    rule_ids: [...new Set([...(before?.rule_ids ?? []), ...ruleIds])],
    is_open: open.length > 0,
    severity: severity_rank === 0 ? ('info' as const) : severityOfRank(severity_rank),
    severity_rank,
    cvss: told.cvss == null ? (before?.cvss ?? null) : Math.max(before?.cvss ?? 0, told.cvss),
    epss: told.epss === undefined ? (before?.epss ?? null) : told.epss,
    known_exploited: told.known_exploited ?? before?.known_exploited ?? false,
    fixable: shown.some(({ parts: [, , , fixable] }) => fixable === '1'),
    fixes: joinFixes(before?.fixes ?? [], told.fixes ?? []),
    providers: [...new Set(shown.map(({ parts: [, , provider] }) => provider))].sort(),
    open_findings: open.reduce((sum, { count }) => sum + count, 0),
    affected_resources: (before?.affected_resources ?? 0) + affected,
    counts,
    scored_by: Object.keys(told).length > 0 ? null : (before?.scored_by ?? null),
    first_seen_at: before && before.first_seen_at < first ? before.first_seen_at : first,
    last_seen_at: before && before.last_seen_at > last ? before.last_seen_at : last,
  };
}
