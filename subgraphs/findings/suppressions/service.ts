import { randomUUID } from 'node:crypto';
import type { AuditAction } from '../../../kit/audit/entry.js';
import { onBehalfOf } from '../../../kit/engine/create-context.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { holds } from '../../../kit/base/auth-context.js';
import { invalid, missingPermission, notFound } from '../../../kit/base/errors.js';
import { applySuppression } from '../../../kit/findings/suppressions/apply.js';
import { MAX_SUPPRESSIONS, suppressions, type SuppressionRow } from '../../../kit/findings/suppressions/records.js';
import { nextDue } from '../../../kit/findings/suppressions/task.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { NEVER_LEASED } from '../../../kit/work/due.js';
import { checkExpiry, checkReason, checkScope } from './input.js';
import { countMatched, readable, worstMatched } from './matched.js';

/** Findings that one suppression shows. */
const SHOWN = 50;
/** A lifted suppression is no more. */
const THERE = { state: { $ne: 'lifted' } } as const;

/** A suppression as a client makes it. */
export interface NewSuppression {
  scope: unknown;
  reason: string;
  expires_at?: Date | null;
}

async function view(context: EngineContext, row: SuppressionRow) {
  const { engines, restrictedEngines } = readable(context);
  const { _id, state, due_at, expires_at, ...rest } = row;
  const matched_count = await countMatched(context, engines, { suppressed_by: _id });
  const applying = due_at?.getTime() !== nextDue(row)?.getTime();
  return { ...rest, id: _id, state: state.toUpperCase(), expires_at, applying, matched_count, findings: null, restrictedEngines };
}

export async function listSuppressions(context: EngineContext, args: PageArguments & { state?: string[] | null }) {
  const window = pageWindow(args);
  const rows = context.collection(suppressions);
  const condition = args.state ? { state: { $in: args.state.map((state) => state.toLowerCase()) } } : THERE;
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { created_at: -1, _id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  return toPage(await Promise.all(items.map((row) => view(context, row))), total, window);
}

export async function findSuppression(context: EngineContext, id: string) {
  const row = await context.collection(suppressions).findOne({ _id: id, ...THERE });
  if (!row) return null;
  const findings = await worstMatched(context, readable(context).engines, { suppressed_by: id }, SHOWN);
  return { ...(await view(context, row)), findings };
}

/** @throws PalisadeError VALIDATION_ERROR; FORBIDDEN for an engine that the caller may not read */
export async function createSuppression(context: EngineContext, input: NewSuppression) {
  const { auth, services } = context;
  const checked = {
    scope: checkScope(context, input.scope),
    reason: checkReason(input.reason),
    expires_at: checkExpiry(context, input.expires_at),
  };
  const now = services.clock.now();
  const { engines, restrictedEngines } = readable(context);
  const row: SuppressionRow = {
    _id: randomUUID(),
    tenant_id: auth.tenant_id,
    ...checked,
    engines: restrictedEngines.length === 0 ? null : engines.map(({ engine }) => engine),
    state: 'active',
    revision: 1,
    created_by: auth.email,
    created_at: now,
    updated_by: auth.email,
    updated_at: now,
    ...NEVER_LEASED,
    due_at: afterCall(context),
  };
  await context.transaction(async (transaction) => {
    const rows = context.collection(suppressions);
    if ((await rows.count({}, { transaction })) >= MAX_SUPPRESSIONS)
      throw invalid([{ path: 'scope', message: `a tenant may have ${MAX_SUPPRESSIONS} suppressions` }]);
    await rows.insert(row, { transaction });
    await audit(context, transaction, 'suppression.create', row);
  });
  return view(context, await apply(context, row));
}

/** @throws PalisadeError NOT_FOUND, VALIDATION_ERROR, FORBIDDEN for an engine that the caller may not read */
export async function updateSuppression(context: EngineContext, id: string, input: Partial<NewSuppression>) {
  const { auth, services } = context;
  const given = {
    ...(input.scope != null && { scope: checkScope(context, input.scope) }),
    ...(input.reason != null && { reason: checkReason(input.reason) }),
    ...(input.expires_at !== undefined && { expires_at: checkExpiry(context, input.expires_at) }),
  };
  const row = await change(context, id, 'suppression.update', (before) => {
    const expires_at = given.expires_at === undefined ? before.expires_at : given.expires_at;
    const isOver = expires_at !== null && expires_at <= services.storeClock.now();
    return { ...given, state: isOver ? before.state : 'active', updated_by: auth.email, updated_at: services.clock.now() };
  });
  return view(context, await apply(context, row));
}

/** @throws PalisadeError NOT_FOUND; FORBIDDEN for an engine that the caller may not read */
export async function removeSuppression(context: EngineContext, id: string): Promise<true> {
  const row = await change(context, id, 'suppression.delete', () => ({ state: 'lifted', updated_by: context.auth.email }));
  await apply(context, row);
  return true;
}

/** Changes a suppression that covers no engine which the caller may not read. */
function change(
  context: EngineContext,
  id: string,
  action: AuditAction,
  changeOf: (before: SuppressionRow) => Partial<SuppressionRow>,
): Promise<SuppressionRow> {
  const rows = context.collection(suppressions);
  return context.transaction(async (transaction) => {
    const before = await rows.findOne({ _id: id, ...THERE }, { transaction });
    if (!before) throw notFound('Suppression');
    assertCovered(context, before);
    const changed = { ...changeOf(before), revision: before.revision + 1, due_at: afterCall(context) };
    await rows.update({ _id: id }, { $set: changed }, { transaction });
    const row = { ...before, ...changed };
    await audit(context, transaction, action, row);
    return row;
  });
}

function assertCovered({ auth, services }: EngineContext, { engines, scope }: SuppressionRow): void {
  for (const { engine, viewSegment, permission } of services.findingEngines) {
    const covers = (engines === null || engines.includes(engine)) && (scope.engine.length === 0 || scope.engine.includes(viewSegment));
    if (covers && !holds(auth, permission)) throw missingPermission(permission);
  }
}

/** When a worker takes over what a call has begun. */
const afterCall = ({ services }: EngineContext): Date => new Date(services.storeClock.now().getTime() + services.config.ENGINE_TIMEOUT_MS);

/** Moves the findings at once; what takes longer than half of the call's time is left to a worker. @returns the row as it is stored then */
async function apply(context: EngineContext, row: SuppressionRow): Promise<SuppressionRow> {
  const { auth, services, signal } = context;
  const until = performance.now() + services.config.ENGINE_TIMEOUT_MS / 2;
  const { email: actor_email, role, ip_address } = auth;
  const told = { actor_email, role, ip_address, result: 'success', ...onBehalfOf(auth) } as const;
  const isDone = await applySuppression(services, row, { told, signal, isEnough: () => performance.now() > until });
  const rows = context.collection(suppressions);
  const unchanged = { _id: row._id, revision: row.revision };
  if (isDone && row.state === 'lifted') await rows.remove(unchanged);
  const due_at = isDone ? nextDue(row) : services.storeClock.now();
  await rows.update(unchanged, { $set: { due_at } });
  return { ...row, due_at };
}

const audit = (
  context: EngineContext,
  transaction: TransactionOf,
  action: AuditAction,
  { _id, scope, reason, expires_at }: Pick<SuppressionRow, '_id' | 'scope' | 'reason' | 'expires_at'>,
): Promise<void> =>
  context.audit(transaction, {
    action,
    actor_email: context.auth.email,
    target: `suppression:${_id}`,
    result: 'success',
    detail: { scope: Object.fromEntries(Object.entries(scope).filter(([, list]) => list.length > 0)), note: reason, expires_at },
  });
