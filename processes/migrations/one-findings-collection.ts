import { auditLog } from '../../kit/audit/audit.js';
import { entriesOf, type AuditEntry } from '../../kit/audit/entries.js';
import { defineSystemCollection, type CollectionDefinition } from '../../kit/store/collection.js';
import { movedTo } from '../../kit/findings/move.js';
import { findings, findingTarget, type FindingRow, type ResolvedBy } from '../../kit/findings/row.js';
import { FIRST_OWNER } from '../../kit/findings/former-owner.js';
import type { Migrating, Migration } from '../../kit/store/migration.js';
import type { TransactionOf } from '../../kit/store/query.js';
import { ticketRowId, tickets } from '../../subgraphs/events/tickets/records.js';
import { customRules } from '../../subgraphs/rules/records.js';
import { asFinding, ownerOfOld, ownRuleKey, type OldFinding, type OwnRules } from './finding-owner.js';

/** The engines of release 0.1.0, each with a collection of its own. */
const ENGINES = ['check', 'container-security', 'secops', 'vulnerability'] as const;
/** Findings moved in one transaction. */
const BATCH = 500;

/**
 * The findings of each engine move into the one collection; those that stood under `check` because their engine was not listed
 * move to it, with their id, status, ticket and history (decisions 36, 37).
 */
export const oneFindingsCollection: Migration = {
  name: '2026-11-one-findings-collection',
  async run(migrating) {
    const existing = new Set(await migrating.database.collectionNames());
    const names = ENGINES.map((engine) => ({ engine, name: `findings_${engine.replaceAll('-', '_')}` })).filter(({ name }) =>
      existing.has(name),
    );
    if (names.length === 0) return;
    const ownRules = await engineOfOwnRules(migrating);
    for (const { engine, name } of names) {
      const old: OldFindings = { ...defineSystemCollection(name, {}), row: undefined };
      while ((await moveBatch(migrating, old, engine, ownRules)) > 0);
      await migrating.database.dropCollection(name);
    }
  },
};

/** One of the former collections: nothing declares its rows any more. */
type OldFindings = CollectionDefinition<OldFinding & { _id: string }>;

async function engineOfOwnRules({ database }: Migrating): Promise<OwnRules> {
  const own = new Map<string, string>();
  for (const { tenant_id, rule_id, engine } of await database.system(customRules).find({}, { sort: { version: 1 } }))
    own.set(ownRuleKey(tenant_id, rule_id), engine);
  return own;
}

/** @returns how many findings there were left */
function moveBatch({ database, batch }: Migrating, old: OldFindings, engine: string, ownRules: OwnRules): Promise<number> {
  return batch(async (transaction) => {
    const rows = await database.system(old).find({}, { sort: { _id: 1 }, limit: BATCH, transaction });
    const closers = await closersOf(database, engine, rows, transaction);
    const moved = rows.map((row): FindingRow => {
      const finding = asFinding(engine, row, closers.get(row._id) ?? null);
      const owner = engine === FIRST_OWNER ? ownerOfOld(row, ownRules) : { engine, certain: true };
      if (owner.engine !== engine) return movedTo(owner.engine, finding);
      return owner.certain ? finding : { ...finding, owner_unconfirmed: true };
    });
    await database.system(findings).insertMany(moved, { transaction });
    await database.system(old).remove({ _id: { $in: rows.map(({ _id }) => _id) } }, { transaction });
    await follow(database, moved, transaction);
    return rows.length;
  });
}

/** The tickets of findings that changed their engine; counters are made anew by a later migration. */
async function follow(database: Migrating['database'], rows: readonly FindingRow[], transaction: TransactionOf): Promise<void> {
  const changed = rows.filter(({ former_engines }) => former_engines.length > 0);
  for (const row of changed) {
    const links = database.tenant(row.tenant_id).collection(tickets);
    for (const link of await links.find({ finding_id: row.finding_id, engine: row.former_engines[0] }, { transaction })) {
      await links.remove({ _id: link._id }, { transaction });
      const _id = ticketRowId(row.tenant_id, link.integration_id, row.engine, row.finding_id);
      await links.insert({ ...link, _id, engine: row.engine }, { transaction });
    }
  }
}

/** What closed the resolved findings among `rows`, as the audit log tells it, by `_id`. */
async function closersOf(
  database: Migrating['database'],
  engine: string,
  rows: readonly (OldFinding & { _id: string })[],
  transaction: TransactionOf,
): Promise<ReadonlyMap<string, ResolvedBy>> {
  const resolved = rows.filter(({ status }) => status === 'RESOLVED');
  const closers = new Map<string, ResolvedBy>();
  for (const tenant of new Set(resolved.map(({ tenant_id }) => tenant_id))) {
    const ofTenant = new Map(
      resolved.filter(({ tenant_id }) => tenant_id === tenant).map((row) => [findingTarget(engine, row.finding_id), row._id]),
    );
    const filter = { target: { $in: [...ofTenant.keys()] }, 'detail.to': 'RESOLVED' };
    const entries = await database
      .tenant(tenant)
      .collection(auditLog)
      .find(filter, { sort: { seq: 1 }, transaction });
    // the last one counts
    for (const entry of entries.flatMap(entriesOf)) {
      const _id = ofTenant.get(entry.target!);
      if (_id !== undefined) closers.set(_id, closerOf(entry));
    }
  }
  return closers;
}

const closerOf = ({ actor_email, detail }: AuditEntry): ResolvedBy =>
  typeof detail?.['scan_run_id'] === 'string' ? { scan_run_id: detail['scan_run_id'] } : { actor_email };
