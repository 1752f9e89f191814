import type { BulkUpdate, TransactionOf } from '../../kit/store/query.js';
import { createHash } from 'node:crypto';
import type { Provider } from '../../schema/model.js';
import type { ResourceResults, ResultScope, RuleVerdict, RuleVerdictEntry } from '../../kit/engine/rule-results.js';
import { defineCollection, type RowOf } from '../../kit/store/collection.js';
import { date, list, nullable, number, object, text, textOf } from '../../kit/store/fields.js';
import type { Database } from '../../kit/store/database.js';

/** What the rules said of one resource when it was last evaluated; `_id` is a digest of tenant and resource_uid: the next evaluation replaces it. */
export const ruleResults = defineCollection(
  'rule_results',
  {
    resource_uid: text,
    resource_type: text,
    resource_name: nullable(text),
    provider: textOf<Provider>(),
    account_id: nullable(text),
    region: text,
    /** What the run that evaluated it was told that it covers. */
    artifact: nullable(text),
    results: list(object<RuleVerdictEntry>()),
    scan_run_id: text,
    evaluated_at: date,
  },
  [
    { key: { tenant_id: 1, 'results.rule_id': 1, resource_uid: 1 } },
    { key: { tenant_id: 1, resource_uid: 1 } },
    { key: { tenant_id: 1, account_id: 1, artifact: 1 } },
  ],
);
export type ResourceResultsRow = RowOf<typeof ruleResults>;

/** How many resources of an account a rule passed and failed. Kept in step with the rows, so that scores read a few numbers. */
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
  },
  [{ key: { tenant_id: 1, rule_id: 1 } }, { key: { tenant_id: 1, account_id: 1 } }],
);
export type RuleTallyRow = RowOf<typeof ruleTallies>;

const digest = (...parts: (string | null)[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32);

/** Stores what a run's evaluation said of resources, with the tallies, in one transaction. Doing the same batch again changes nothing. */
export async function recordResults(
  database: Database,
  tenantId: string,
  run: { scan_run_id: string; at: Date },
  batch: readonly ResourceResults[],
): Promise<void> {
  const latest = new Map(batch.map((resource) => [digest(tenantId, resource.resource_uid), resource]));
  await database.transaction(async (transaction) => {
    const rows = database.tenant(tenantId).collection(ruleResults);
    const changes = new TallyChanges(tenantId, run.at);
    for (const row of await rows.find({ _id: { $in: [...latest.keys()] } }, { transaction })) changes.count(row, -1);
    for (const resource of latest.values()) changes.count(resource, 1);
    await rows.bulkUpdate(
      [...latest].map(([_id, resource]) => ({
        _id,
        update: { $set: { ...resource, scan_run_id: run.scan_run_id, evaluated_at: run.at } },
        upsert: true,
      })),
      { transaction },
    );
    await changes.write(database, transaction);
  });
}

/** Resources forgotten in one transaction. */
const FORGET_BATCH = 200;

/** Forgets resources of a scope that the completed `run`, which covers it, did not evaluate: they are gone, and count for no score. */
export async function forgetResults(
  database: Database,
  tenantId: string,
  run: { scan_run_id: string; at: Date },
  scope: ResultScope,
): Promise<void> {
  const rows = database.tenant(tenantId).collection(ruleResults);
  const forget = (): Promise<number> =>
    database.transaction(async (transaction) => {
      const gone = await rows.find({ ...scope, scan_run_id: { $ne: run.scan_run_id } }, { limit: FORGET_BATCH, transaction });
      const changes = new TallyChanges(tenantId, run.at);
      for (const row of gone) changes.count(row, -1);
      await rows.remove({ _id: { $in: gone.map(({ _id }) => _id) } }, { transaction });
      await changes.write(database, transaction);
      return gone.length;
    });
  while ((await forget()) === FORGET_BATCH);
}

/** What a batch adds to the tallies and takes from them. */
class TallyChanges {
  private readonly cells = new Map<
    string,
    { key: Pick<RuleTallyRow, 'rule_id' | 'provider' | 'account_id'>; by: Record<RuleVerdict, number> }
  >();

  constructor(
    private readonly tenantId: string,
    private readonly at: Date,
  ) {}

  count({ provider, account_id, results }: ResourceResults, by: 1 | -1): void {
    for (const { rule_id, result } of results) {
      const _id = digest(this.tenantId, rule_id, provider, account_id);
      let cell = this.cells.get(_id);
      if (!cell) {
        cell = { key: { rule_id, provider, account_id }, by: { PASS: 0, FAIL: 0, NOT_APPLICABLE: 0, NOT_EVALUATED: 0 } };
        this.cells.set(_id, cell);
      }
      cell.by[result] += by;
    }
  }

  async write(database: Database, transaction: TransactionOf): Promise<void> {
    const updates = [...this.cells].map(([_id, { key, by }]): BulkUpdate => ({
      _id,
      update: { $inc: by, $set: { ...key, evaluated_at: this.at } },
      upsert: true,
    }));
    await database.tenant(this.tenantId).collection(ruleTallies).bulkUpdate(updates, { transaction });
  }
}
