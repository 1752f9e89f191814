import { EVALUATION_SOURCE } from '../engine/rule-results.js';
import { TENANT_RULE_PREFIX } from '../engine/tenant-rules.js';
import type { Database } from '../store/database.js';
import type { TransactionOf } from '../store/query.js';
import { controlStatus } from './lifecycle.js';
import { findingsOfRules, resultsRowId, ruleResults } from './rule-results.js';
import { TallyChanges, type JudgedFinding } from './rule-tallies.js';

/** The findings of one rule on one resource, as they were and as they become. */
interface Moved {
  readonly rule_id: string;
  readonly resource_uid: string;
  readonly before: JudgedFinding[];
  readonly after: JudgedFinding[];
}

/** A finding as far as the tallies know it: scanners' findings have no results of rules. */
const judged = (finding: JudgedFinding | null): JudgedFinding | null => (finding?.source === EVALUATION_SOURCE ? finding : null);
const countedAs = (finding: JudgedFinding | null) =>
  finding && JSON.stringify([controlStatus(finding), finding.resolved_by, finding.provider, finding.account_id]);

/** What findings that one transaction moves change in what their rules' results count as (decision 41). */
export class VerdictChanges {
  private readonly moves = new Map<string, Moved>();
  private readonly ids = new Set<string>();

  /** Takes note of a finding that opens (`was` null), moves, or is removed (`is` null). */
  move(was: JudgedFinding | null, is: JudgedFinding | null): void {
    const [before, after] = [judged(was), judged(is)];
    const known = after ?? before;
    if (known === null || countedAs(before) === countedAs(after)) return;
    const { _id, rule_id, resource_uid } = known;
    const key = JSON.stringify([rule_id, resource_uid]);
    let moved = this.moves.get(key);
    if (!moved) this.moves.set(key, (moved = { rule_id, resource_uid, before: [], after: [] }));
    if (before) moved.before.push(before);
    if (after) moved.after.push(after);
    this.ids.add(_id);
  }

  /**
   * Changes the tallies, once the findings are written in the same transaction.
   * @param isCounted whether the tallies know a finding that does not move; all are known when absent
   */
  async write(
    database: Database,
    tenantId: string,
    transaction: TransactionOf,
    isCounted: (id: string) => boolean = () => true,
  ): Promise<void> {
    if (this.moves.size === 0) return;
    const tenant = database.tenant(tenantId);
    const moves = [...this.moves.values()];
    const ids = new Set(moves.map(({ resource_uid }) => resultsRowId(tenantId, resource_uid)));
    const fields = ['resource_uid', 'provider', 'account_id', 'results'];
    const stored = await tenant.collection(ruleResults).find({ _id: { $in: [...ids] } }, { fields, transaction });
    const rows = new Map(stored.map((row) => [row.resource_uid, row]));
    const others = await this.others(tenant, moves, transaction);
    const changes = new TallyChanges(tenantId);
    for (const { rule_id, resource_uid, before, after } of moves) {
      const staying = others.filter((one) => one.rule_id === rule_id && one.resource_uid === resource_uid && isCounted(one._id));
      changes.judge(rule_id, rows.get(resource_uid) ?? null, [...before, ...staying], [...after, ...staying]);
    }
    await changes.write(database, transaction, null);
  }

  /** Findings that stay, beside those that move: a tenant's own rule may have had another engine before, and left findings there. */
  private async others(
    tenant: ReturnType<Database['tenant']>,
    moves: readonly Moved[],
    transaction: TransactionOf,
  ): Promise<JudgedFinding[]> {
    const own = moves.filter(({ rule_id }) => rule_id.startsWith(TENANT_RULE_PREFIX));
    if (own.length === 0) return [];
    const filter = {
      rule_id: { $in: [...new Set(own.map(({ rule_id }) => rule_id))] },
      resource_uid: { $in: [...new Set(own.map(({ resource_uid }) => resource_uid))] },
    };
    return (await findingsOfRules(tenant, filter, transaction)).filter(({ _id }) => !this.ids.has(_id));
  }
}
