import type { Provider } from '../../schema/model.js';
import type { ResourceResults, RuleVerdict } from '../engine/rule-results.js';
import { defineCollection, type RowOf } from '../store/collection.js';
import type { Database } from '../store/database.js';
import { date, nullable, number, optional, text, textOf } from '../store/fields.js';
import type { BulkUpdate, TransactionOf } from '../store/query.js';
import { controlStatus } from './lifecycle.js';
import type { FindingRow } from './row.js';
import { digestOf } from '../store/row-id.js';

/**
 * How many resources of an account a rule passed and failed, findings considered (`verdictOf`). Kept in step with results and findings in
 * the transactions that change them, so that a score reads a few numbers however many there are.
 */
export const ruleTallies = defineCollection(
  'rule_tallies',
  {
    rule_id: text,
    provider: textOf<Provider>(),
    account_id: nullable(text),
    PASS: number,
    FAIL: number,
    NOT_APPLICABLE: number,
    NOT_EVALUATED: number,
    evaluated_at: date,
    /** Grows with every write: of two transactions that look at one result and its findings, one meets the other and begins again. */
    changes: optional(number),
  },
  [{ key: { tenant_id: 1, account_id: 1 } }],
);
export type RuleTallyRow = RowOf<typeof ruleTallies>;

/**
 * One row a tenant, written where a rule gets its first result on a resource, or has findings and no result: neither side can see the other's
 * row before it is there, and their tallies may be of different accounts.
 */
export const firstResults = defineCollection('rule_first_results', { changes: number });

/** What of a finding decides what the result of its rule counts as, and where it is counted when there is no result. */
export type JudgedFinding = Pick<
  FindingRow,
  '_id' | 'rule_id' | 'resource_uid' | 'provider' | 'account_id' | 'source' | 'status' | 'resolved_by' | 'absent_since' | 'first_seen_at'
>;
export const JUDGED_FIELDS: readonly (keyof JudgedFinding)[] = [
  'rule_id',
  'resource_uid',
  'provider',
  'account_id',
  'source',
  'status',
  'resolved_by',
  'absent_since',
  'first_seen_at',
];

/** Whether the controls of a finding fail by it. */
export const fails = (finding: JudgedFinding): boolean => controlStatus(finding) === 'FAIL';

/**
 * What a rule says of a resource for controls and scores (decision 41): FAIL while a finding of it fails its controls; PASS where the
 * evaluation failed and its findings do not (a false positive, or resolved by a person); else the evaluation's own result. Null where there
 * is neither. The result alone counts where a failure has no finding, as when the tenant's plan had no room for it, and where another rule's
 * finding stands for it, or the tenant's profile leaves its rule out.
 */
export function verdictOf(result: RuleVerdict | null, findings: readonly JudgedFinding[]): RuleVerdict | null {
  if (findings.some(fails)) return 'FAIL';
  return result === 'FAIL' && findings.some((finding) => !isLeftOut(finding)) ? 'PASS' : result;
}

/** Whether a finding was closed because another rule's stands for it, or the profile leaves its rule out, so that nothing says that it is mended. */
export const isLeftOut = ({ resolved_by }: Pick<JudgedFinding, 'resolved_by'>): boolean =>
  resolved_by != null && 'scan_run_id' in resolved_by && (resolved_by.implied_by ?? resolved_by.profile) != null;

/** Where the stored results of a resource are counted. */
export type ResultsOfResource = Pick<ResourceResults, 'resource_uid' | 'provider' | 'account_id' | 'results'>;

interface Cell {
  key: Pick<RuleTallyRow, 'rule_id' | 'provider' | 'account_id'>;
  by: Record<RuleVerdict, number>;
  /** For a row that is made by it. */
  since: Date;
}

export const tenantDigest = (...parts: (string | null)[]): string => digestOf(parts);

/** What one transaction adds to the tallies and takes from them. */
export class TallyChanges {
  private readonly cells = new Map<string, Cell>();
  private hasFirst = false;

  constructor(private readonly tenantId: string) {}

  /** Counts what the results of a resource become. @param findings those of posture rules on it */
  replace(before: ResultsOfResource | null, after: ResultsOfResource | null, findings: readonly JudgedFinding[], at: Date): void {
    const [old, present] = [resultsByRule(before), resultsByRule(after)];
    for (const rule_id of new Set([...old.keys(), ...present.keys()])) {
      const judged = findings.filter((finding) => finding.rule_id === rule_id);
      this.hasFirst ||= !old.has(rule_id);
      this.count(before, rule_id, old.get(rule_id), judged, -1, at);
      this.count(after, rule_id, present.get(rule_id), judged, 1, at);
    }
  }

  /** Counts what the findings of one rule on one resource become, whose results stay as they are. */
  judge(rule_id: string, row: ResultsOfResource | null, before: readonly JudgedFinding[], after: readonly JudgedFinding[]): void {
    const result = row?.results.find((entry) => entry.rule_id === rule_id)?.result;
    this.hasFirst ||= result === undefined;
    const { first_seen_at } = (after[0] ?? before[0])!;
    this.count(row, rule_id, result, before, -1, first_seen_at);
    this.count(row, rule_id, result, after, 1, first_seen_at);
  }

  /** @param evaluatedAt when the resources were evaluated; null where findings moved and nothing was */
  async write(database: Database, transaction: TransactionOf, evaluatedAt: Date | null): Promise<void> {
    const updates = [...this.cells].map(([_id, { key, by, since }]): BulkUpdate => ({
      _id,
      update: {
        $inc: { ...by, changes: 1 },
        ...(evaluatedAt ? { $set: { ...key, evaluated_at: evaluatedAt } } : { $setOnInsert: { ...key, evaluated_at: since } }),
      },
      upsert: true,
    }));
    const tenant = database.tenant(this.tenantId);
    const first = [{ _id: this.tenantId, update: { $inc: { changes: 1 } }, upsert: true }];
    if (this.hasFirst) await tenant.collection(firstResults).bulkUpdate(first, { transaction });
    await tenant.collection(ruleTallies).bulkUpdate(updates, { transaction });
  }

  /** Results are counted in their resource's account; a finding without a result in its own. */
  private count(
    row: ResultsOfResource | null,
    rule_id: string,
    result: RuleVerdict | undefined,
    findings: readonly JudgedFinding[],
    by: 1 | -1,
    since: Date,
  ): void {
    const verdict = verdictOf(result ?? null, findings);
    if (verdict === null) return;
    const of = row !== null && result !== undefined ? row : firstOf(findings.filter(fails));
    const key = { rule_id, provider: of.provider, account_id: of.account_id };
    const _id = tenantDigest(this.tenantId, rule_id, of.provider, of.account_id);
    let cell = this.cells.get(_id);
    if (!cell) this.cells.set(_id, (cell = { key, by: { PASS: 0, FAIL: 0, NOT_APPLICABLE: 0, NOT_EVALUATED: 0 }, since }));
    cell.by[verdict] += by;
  }
}

/** The same one whatever order they come in. */
const firstOf = (findings: readonly JudgedFinding[]): JudgedFinding => findings.reduce((first, one) => (one._id < first._id ? one : first));

const resultsByRule = (row: ResultsOfResource | null): Map<string, RuleVerdict> =>
  new Map(row?.results.map(({ rule_id, result }) => [rule_id, result]));
