import type { AuditAction } from '../../../kit/audit/entry.js';
import { holds } from '../../../kit/base/auth-context.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { invalid, notFound } from '../../../kit/base/errors.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { FindingReader } from '../findings/reader.js';
import { integrations } from '../integrations/records.js';
import { checkRule, type CheckedRule, type RuleInput } from './input.js';
import { matchNow, type Matches } from './match.js';
import { notificationRules, notifications, overdueMarks, ruleRowId, type NotificationRow, type NotificationRuleRow } from './records.js';

/** Rules that a tenant may have: each is asked about every new finding. */
export const MAX_RULES = 100;

type RuleView = Omit<NotificationRuleRow, '_id' | 'tenant_id'> & { last_delivery: unknown; matches: Matches | null };

const lastDelivery = ({ state, total, attempts, error, created_at, finished_at, due_at }: NotificationRow) => ({
  state,
  findings: total,
  attempts,
  error,
  created_at,
  finished_at,
  next_attempt_at: finished_at === null ? due_at : null,
});

async function view(context: EngineContext, row: NotificationRuleRow): Promise<RuleView> {
  const sent = { rule_id: row.id, attempts: { $gt: 0 } };
  const [last] = await context.collection(notifications).find(sent, { sort: { created_at: -1 }, limit: 1 });
  return { ...row, last_delivery: last ? lastDelivery(last) : null, matches: null };
}

export async function listRules(context: EngineContext, args: PageArguments) {
  const window = pageWindow(args);
  const rows = context.collection(notificationRules);
  const [items, total] = await Promise.all([rows.find({}, { sort: { id: 1 }, skip: window.skip, limit: window.limit }), rows.count({})]);
  return toPage(await Promise.all(items.map((row) => view(context, row))), total, window);
}

/**
 * Makes the rule of an id, or replaces it. A dry run stores nothing and answers what matches now.
 * @throws PalisadeError VALIDATION_ERROR
 */
export async function setRule(context: EngineContext, id: string, input: RuleInput): Promise<RuleView> {
  const { services } = context;
  const checked = checkRule(
    id,
    input,
    services.findingEngines.map(({ viewSegment }) => viewSegment),
  );
  const row = { ...ownFacts(context, id), ...checked };
  if (input.dry_run) {
    await assertIntegration(context, checked.integration_id);
    return { ...row, last_delivery: null, matches: await matchesOf(context, checked) };
  }
  const rows = context.collection(notificationRules);
  const stored = await context.transaction(async (transaction) => {
    await assertIntegration(context, checked.integration_id, transaction);
    const before = await rows.findOne({ _id: row._id }, { transaction });
    if (!before && (await rows.count({}, { transaction })) >= MAX_RULES)
      throw invalid([{ path: 'id', message: `a tenant may have ${MAX_RULES} notification rules` }]);
    if (before) await rows.update({ _id: row._id }, { $set: { ...checked, updated_at: row.updated_at } }, { transaction });
    else await rows.insert(row, { transaction });
    await audit(context, transaction, 'notification_rule.set', row);
    return before ? { ...row, created_by: before.created_by, created_at: before.created_at } : row;
  });
  return view(context, stored);
}

/** @throws PalisadeError NOT_FOUND */
export async function removeRule(context: EngineContext, id: string): Promise<true> {
  await context.transaction(async (transaction) => {
    const rows = context.collection(notificationRules);
    const row = await rows.findOne({ _id: ruleRowId(context.auth.tenant_id, id) }, { transaction });
    if (!row) throw notFound('Notification rule');
    await rows.remove({ _id: row._id }, { transaction });
    await context.collection(notifications).remove({ rule_id: id }, { transaction });
    await context.collection(overdueMarks).remove({ rule_id: id }, { transaction });
    await audit(context, transaction, 'notification_rule.delete', row);
  });
  return true;
}

function ownFacts({ auth, services }: EngineContext, id: string) {
  const now = services.clock.now();
  return { _id: ruleRowId(auth.tenant_id, id), tenant_id: auth.tenant_id, id, created_by: auth.email, created_at: now, updated_at: now };
}

async function assertIntegration(context: EngineContext, id: string | null, transaction?: TransactionOf): Promise<void> {
  if (id === null || (await context.collection(integrations).findOne({ _id: id }, { fields: ['kind'], transaction }))) return;
  throw invalid([{ path: 'integration_id', message: 'there is no such integration' }]);
}

/** What matches now, in the engines that the filter names and the caller may read. */
function matchesOf({ auth, services, signal }: EngineContext, { event, filter }: CheckedRule): Promise<Matches> {
  const engines = services.findingEngines
    .filter(({ viewSegment, permission }) => holds(auth, permission) && (filter.engine.length === 0 || filter.engine.includes(viewSegment)))
    .map(({ engine }) => engine);
  return matchNow(new FindingReader(services, auth, signal), engines, event, filter, services.clock.now());
}

const audit = (
  { auth, audit: append }: EngineContext,
  transaction: TransactionOf,
  action: AuditAction,
  { id, name, event, enabled }: Pick<NotificationRuleRow, 'id' | 'name' | 'event' | 'enabled'>,
) =>
  append(transaction, {
    action,
    actor_email: auth.email,
    role: auth.role,
    ip_address: auth.ip_address,
    target: `notification_rule:${id}`,
    result: 'success',
    detail: { name, event, enabled },
  });
