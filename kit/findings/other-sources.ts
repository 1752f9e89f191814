import { defineEngineCollection, type RowOf } from '../store/collection.js';
import type { EngineDatabase } from '../store/database.js';
import { date, list, nullable, optional, text } from '../store/fields.js';
import type { BulkUpdate, Filter, TransactionOf } from '../store/query.js';
import type { IngestRun } from '../engine/finding-sink.js';
import { findings } from './row.js';
import { observedAt, type FindingContent, type StoredFacts } from './merge.js';

/**
 * `source` of vulnerabilities that follow from what an artifact has and what advisories say. It gives way to scanners, which have looked: the first
 * that sees such a finding leads it.
 */
export const ADVISORY_SOURCE = 'palisade-advisories';

/**
 * Scanners that report a finding beside the one that leads, whose source and content the finding has: one row a finding and source, until a
 * completed run of that source does not see it any more. When the leading source does not see a finding, one of these leads.
 */
export const otherSources = defineEngineCollection(
  'other_sources',
  {
    /** `_id` of the finding's row. */
    finding: text,
    /** Parts of the scope that a run closes by (decision 19). */
    source: text,
    account_id: nullable(text),
    region: text,
    service: nullable(text),
    artifact: nullable(text),
    /** The finding's `also_ids` once this source leads. */
    also_ids: optional(list(text)),
    /** The run that last saw it, and when it observed. */
    scan_run_id: text,
    seen_at: date,
  },
  [
    { key: { tenant_id: 1, engine: 1, finding: 1 } },
    { key: { tenant_id: 1, engine: 1, source: 1, account_id: 1, artifact: 1 } },
    { key: { tenant_id: 1, engine: 1, artifact: 1 } },
  ],
);
export type OtherSource = RowOf<typeof otherSources>;

const rowIdOf = (finding: string, source: string): string => `${finding}|${source}`;

/** What one transaction of a run is going to write of other sources. */
export class OtherSourceChanges {
  private readonly seen: BulkUpdate[] = [];
  private readonly gone: string[] = [];

  constructor(private readonly run: IngestRun) {}

  /** Takes note that the run's source sees what another one leads. */
  saw(
    { _id }: Pick<StoredFacts, '_id'>,
    { source, account_id, region, service, artifact }: Pick<FindingContent, 'source' | 'account_id' | 'region' | 'service' | 'artifact'>,
    also_ids: readonly string[],
  ): void {
    const sighting = { scan_run_id: this.run.scan_run_id, seen_at: observedAt(this.run) };
    this.seen.push({
      _id: rowIdOf(_id, source),
      update: { $set: { finding: _id, source, account_id, region, service, artifact, also_ids: [...also_ids], ...sighting } },
      upsert: true,
    });
  }

  /** Takes note that a source leads now, or that its finding is over. */
  drop({ _id }: Pick<StoredFacts, '_id'>, sources: readonly string[]): void {
    this.gone.push(...sources.map((source) => rowIdOf(_id, source)));
  }

  async write(database: EngineDatabase, transaction: TransactionOf): Promise<void> {
    if (this.seen.length) await database.collection(otherSources).bulkUpdate(this.seen, { transaction });
    if (this.gone.length) await database.collection(otherSources).remove({ _id: { $in: this.gone } }, { transaction });
  }
}

/** Which source leads next, by the finding's `_id`, of findings that others report, too: who saw it last. */
export async function nextSources(
  database: EngineDatabase,
  rows: readonly StoredFacts[],
  transaction: TransactionOf,
): Promise<Map<string, OtherSource>> {
  const shared = rows.filter(({ other_sources = [] }) => other_sources.length > 0);
  if (shared.length === 0) return new Map();
  const leading = new Map(shared.map(({ _id, source }) => [_id, source]));
  const found = await database.collection(otherSources).find({ finding: { $in: [...leading.keys()] } }, { transaction });
  const others = found.filter(({ finding, source }) => source !== leading.get(finding));
  return new Map(others.sort((one, other) => one.seen_at.getTime() - other.seen_at.getTime()).map((other) => [other.finding, other]));
}

/**
 * Drops what other sources reported in a scope and the completed run did not see.
 * @param limit of one transaction
 * @returns how many: as many as the limit where there may be more
 */
export async function dropUnseen(
  database: EngineDatabase,
  run: IngestRun,
  scope: Filter,
  limit: number,
  transaction: TransactionOf,
): Promise<number> {
  const others = database.collection(otherSources);
  const unseen = { ...scope, scan_run_id: { $ne: run.scan_run_id }, seen_at: { $lte: observedAt(run) } };
  const gone = await others.find(unseen, { limit, transaction });
  if (gone.length === 0) return 0;
  await others.remove({ _id: { $in: gone.map(({ _id }) => _id) } }, { transaction });
  const left = gone.map(({ finding, source }) => ({ _id: finding, update: { $pull: { other_sources: source }, $inc: { version: 1 } } }));
  await database.collection(findings).bulkUpdate(left, { transaction });
  return gone.length;
}
