import { PalisadeError } from '../../base/errors.js';
import { getAuditLog, onBehalfOf } from '../../engine/create-context.js';
import type { EngineContext } from '../../engine/context.js';
import type { FindingFacts } from '../../engine/finding-facts.js';
import type { TransactionOf } from '../../store/query.js';
import { FindingUpdates } from '../finding-updates.js';
import { readPolicies } from '../policies.js';
import { findingRowId, findings } from '../row.js';
import { decide, TRIAGE_FIELDS, type Decision, type Triage, type TriagedFinding } from './decide.js';

/** What came of one finding: how it was, what changes in it, and whether the audit log tells of it; or why nothing comes of it. */
export type Triaged = { readonly id: string } & (
  | { readonly before: TriagedFinding; readonly change: Decision['change']; readonly isTold: boolean; readonly error: null }
  | { readonly before: null; readonly change: null; readonly isTold: false; readonly error: PalisadeError }
);

/** One engine's findings that are triaged in one transaction. */
export interface TriageBatch {
  readonly ids: readonly string[];
  readonly asked: Triage;
  readonly at: Date;
  /** Only tells what would come of it. */
  readonly dryRun?: boolean;
  /** One finding for which it cannot be done ends it for all. */
  readonly allOrNothing?: boolean;
}

/**
 * Triages findings of one engine on the word of the caller, whose permissions were checked: rows, counters and an audit entry each in one transaction
 * (decision 20).
 * @returns what came of each, in the order of `ids`
 * @throws PalisadeError as `decide`, where it is all or nothing
 */
export async function triageFindings(
  { auth, services }: EngineContext,
  facts: FindingFacts,
  { ids, asked, at, dryRun, allOrNothing }: TriageBatch,
  transaction: TransactionOf,
): Promise<Triaged[]> {
  const tenant = services.database.tenant(auth.tenant_id);
  const rowIds = ids.map((id) => findingRowId(auth.tenant_id, facts.engine, id));
  const rows: TriagedFinding[] = await tenant
    .engine(facts.engine)
    .collection(findings)
    .find({ _id: { $in: rowIds } }, { fields: TRIAGE_FIELDS, transaction });
  const known = new Map(rows.map((row) => [row.finding_id, row]));
  const uids = rows.map(({ resource_uid }) => resource_uid);
  const policies = await readPolicies(services, auth.tenant_id, facts, services.storeClock.now(), uids, transaction);
  const { email: actor_email, role, ip_address } = auth;
  const updates = new FindingUpdates(facts.engine, { actor_email, role, ip_address, result: 'success', ...onBehalfOf(auth) });
  const triaged = ids.map((id): Triaged => {
    try {
      const before = known.get(id);
      const { change, move } = decide(before, asked, { actor: auth.email, at, ...policies });
      if (Object.keys(change).length > 0) updates.set(before!, change);
      if (move) updates.moves.add(id, move);
      return { id, before: before!, change, isTold: move !== null, error: null };
    } catch (error) {
      if (allOrNothing || !(error instanceof PalisadeError)) throw error;
      return { id, before: null, change: null, isTold: false, error };
    }
  });
  if (!dryRun) await updates.write(services, getAuditLog(services), auth.tenant_id, at, transaction);
  return triaged;
}
