import type { OpenFindingsSink } from './open-findings.js';
import type { Clock } from '../base/clock.js';
import type { AnyCollection } from '../store/collection.js';
import type { Database } from '../store/database.js';
import type { EvaluatedFinder } from './ingest-input.js';
import type { AssetProjection } from './projection.js';
import type { FindingFacts } from './finding-facts.js';
import type { Filter, TransactionOf } from '../store/query.js';

/** The settings of a tenant that say how many days something is kept, with the bounds of each. Not set means the standard of the rule. */
export const RETENTION_SETTINGS = {
  finding_retention_days: { least: 1, most: 3_650 },
  discovery_retention_days: { least: 7, most: 3_650 },
  event_retention_days: { least: 1, most: 3_650 },
  run_retention_days: { least: 1, most: 3_650 },
  delivery_retention_days: { least: 1, most: 365 },
  change_retention_days: { least: 7, most: 90 },
} as const;
export type RetentionSetting = keyof typeof RETENTION_SETTINGS;

/** One tenant's turn of one rule. */
export interface RetentionRun {
  readonly services: {
    readonly clock: Clock;
    readonly database: Database;
    readonly findingEngines: readonly FindingFacts[];
    readonly ingest: {
      readonly evaluated: EvaluatedFinder;
      readonly openFindings: OpenFindingsSink;
      readonly projections: readonly AssetProjection[];
    };
  };
  readonly tenantId: string;
  /** What was last touched before is to go. */
  readonly cutoff: Date;
  readonly signal: AbortSignal;
  /**
   * Removes one batch in a transaction of its own, noted in the audit log with its count.
   * @param what in the entry: `webhook deliveries`
   * @param work gives the number of rows that it removed
   */
  batch(what: string, work: (transaction: TransactionOf) => Promise<number>): Promise<void>;
}

/** What an engine removes when it is old: rows of a collection by a column of time, or a way of its own. */
export type RetentionRule = {
  /** What is removed, as the audit log and the operator's guide say it. */
  readonly what: string;
  readonly setting: RetentionSetting;
  /** Days where the tenant has set nothing; null keeps it for ever. */
  readonly standard: number | null;
} & (RowRule | { readonly apply: (run: RetentionRun) => Promise<void> });

/** Rows of a collection that are removed by a column of time. */
export interface RowRule {
  readonly collection: AnyCollection;
  /** The column that is compared with the cutoff; an index of `tenant_id` and this column serves it. */
  readonly time: string;
  /** Only rows of these values. */
  readonly where?: Filter;
  /** The fields that `inUse` needs beside `_id`. */
  readonly fields?: readonly string[];
  /** Ids of those of `rows` that something else still refers to: they stay. */
  readonly inUse?: (run: RetentionRun, rows: readonly Record<string, unknown>[]) => Promise<ReadonlySet<string>>;
  /** Removes what stands and falls with rows, in the transaction that removes them. */
  readonly alongside?: (run: RetentionRun, ids: readonly string[], transaction: TransactionOf) => Promise<void>;
}
