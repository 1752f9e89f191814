import type { AuditAction } from '../../../kit/audit/entry.js';
import { forbidden, invalid, notFound } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { CLOSABLE } from '../../../kit/findings/lifecycle.js';
import { severityRank } from '../../../kit/findings/risk-score.js';
import { pausedBecause, peopleOf } from '../../../kit/findings/triage-rules/owner.js';
import { MAX_TRIAGE_RULES, triageRules, type TriageFilter, type TriageRuleRow } from '../../../kit/findings/triage-rules/records.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { readable } from '../suppressions/matched.js';
import { matchedNow } from '../suppressions/preview.js';
import { checkTriageRule, type TriageRuleInput } from './input.js';

/** Rules as the graph gives them, with what stands against each now. */
async function views({ auth, services }: EngineContext, rows: readonly TriageRuleRow[]) {
  const members = await services.ingest.membersOf(services, auth.tenant_id, peopleOf(rows));
  return rows.map((row) => {
    const { _id, tenant_id: _tenant, engines: _engines, owner_id: _owner, ...told } = row;
    return { ...told, paused_because: row.enabled ? pausedBecause(row, members) : null, matches: null };
  });
}

export async function listTriageRules(context: EngineContext, args: PageArguments) {
  const window = pageWindow(args);
  const rows = context.collection(triageRules);
  const [items, total] = await Promise.all([rows.find({}, { sort: { id: 1 }, skip: window.skip, limit: window.limit }), rows.count({})]);
  return toPage(await views(context, items), total, window);
}

/**
 * Makes the rule of an id, or replaces it; whoever sets it is its owner. A dry run stores nothing and answers which open findings it would take.
 * @throws PalisadeError VALIDATION_ERROR; FORBIDDEN
 */
export async function setTriageRule(context: EngineContext, id: string, input: TriageRuleInput) {
  const { auth, services } = context;
  // nobody is there whose rights could be read again
  if (auth.support) throw forbidden('A support access leaves no triage rules behind');
  const checked = await checkTriageRule(context, id, input);
  const { engines, restrictedEngines } = readable(context);
  const now = services.clock.now();
  const given = {
    ...checked,
    engines: restrictedEngines.length === 0 ? null : engines.map(({ engine }) => engine),
    owner_id: auth.user_id,
    updated_by: auth.email,
    updated_at: now,
  };
  const _id = `${auth.tenant_id}|${id}`;
  const row: TriageRuleRow = { _id, tenant_id: auth.tenant_id, id, ...given, created_by: auth.email, created_at: now };
  if (input.dry_run) {
    const [view] = await views(context, [row]);
    return { ...view!, matches: await matchesOf(context, checked.filter) };
  }
  const rows = context.collection(triageRules);
  const stored = await context.transaction(async (transaction) => {
    const before = await rows.findOne({ _id }, { transaction });
    if (!before && (await rows.count({}, { transaction })) >= MAX_TRIAGE_RULES)
      throw invalid([{ path: 'id', message: `a tenant may have ${MAX_TRIAGE_RULES} triage rules` }]);
    if (before) await rows.update({ _id }, { $set: given }, { transaction });
    else await rows.insert(row, { transaction });
    await audit(context, transaction, 'triage_rule.set', row);
    return before ? { ...before, ...given } : row;
  });
  return (await views(context, [stored]))[0]!;
}

/** @throws PalisadeError NOT_FOUND */
export async function removeTriageRule(context: EngineContext, id: string): Promise<true> {
  const rows = context.collection(triageRules);
  await context.transaction(async (transaction) => {
    const row = await rows.findOne({ _id: `${context.auth.tenant_id}|${id}` }, { transaction });
    if (!row) throw notFound('Triage rule');
    await rows.remove({ _id: row._id }, { transaction });
    await audit(context, transaction, 'triage_rule.delete', row);
  });
  return true;
}

/** The open findings that a filter takes now. */
async function matchesOf(context: EngineContext, filter: TriageFilter) {
  const { severity, provider, resource_type } = filter;
  const asked = { severity_rank: severity.map(severityRank), provider, resource_type };
  const columns = Object.entries(asked).flatMap(([column, wanted]) => (wanted.length > 0 ? [[column, { $in: wanted }]] : []));
  const condition = { status: { $in: CLOSABLE }, ...(Object.fromEntries(columns) as Record<string, unknown>) };
  const { counts, ...matched } = await matchedNow(context, filter, [condition]);
  return { total: counts[0]!, ...matched };
}

const audit = (
  { auth, audit: append }: EngineContext,
  transaction: TransactionOf,
  action: AuditAction,
  { id, name, assignee, due_in_days, labels, enabled }: TriageRuleRow,
) =>
  append(transaction, {
    action,
    actor_email: auth.email,
    target: `triage_rule:${id}`,
    result: 'success',
    detail: { name, assignee, due_in_days, labels, enabled },
  });
