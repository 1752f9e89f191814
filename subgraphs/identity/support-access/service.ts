import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { AuditInput } from '../../../kit/audit/entry.js';
import type { AuthContext } from '../../../kit/base/auth-context.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { getAuditLog, onBehalfOf } from '../../../kit/engine/create-context.js';
import { conflict, forbidden, invalid, notFound, violationsOf } from '../../../kit/base/errors.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { tenants } from '../../../accounts/records.js';
import { sessions } from '../../../accounts/session-record.js';
import { MAX_HOURS, stateOf, supportAccesses, type SupportAccessRow } from '../../../accounts/support-access.js';

const HOUR = 3_600_000;
const hours = z.int().min(1, 'must be at least 1').max(MAX_HOURS, `must be at most ${MAX_HOURS}`);
const requestSchema = z.strictObject({
  tenant_id: z.string().min(1, 'must not be empty').max(128, 'must have at most 128 characters'),
  reason: z.string().trim().min(1, 'must not be empty').max(500, 'must have at most 500 characters'),
  hours: hours.nullish(),
});
const approvalSchema = z.strictObject({ hours: hours.nullish() });

function parse<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalid(violationsOf(parsed.error));
}

/** Whether the caller is staff at home, not in a customer's tenant. */
const isStaff = (auth: AuthContext): boolean => auth.role === 'platform_admin' && auth.support === undefined;

const shown = (access: SupportAccessRow, now: Date) => ({ ...access, id: access._id, state: stateOf(access, now) });

/** The requests to act in the caller's tenant, newest first; for the operator's staff at home, their own to whatever tenant. */
export async function listSupportAccesses(context: EngineContext, args: PageArguments) {
  const { auth, services } = context;
  const window = pageWindow(args);
  const rows = isStaff(auth) ? services.database.system(supportAccesses) : context.collection(supportAccesses);
  const filter = isStaff(auth) ? { staff_user_id: auth.user_id } : {};
  const [items, total] = await Promise.all([
    rows.find(filter, { sort: { requested_at: -1, _id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(filter),
  ]);
  const now = services.clock.now();
  return toPage(
    items.map((access) => shown(access, now)),
    total,
    window,
  );
}

/** @throws PalisadeError NOT_FOUND for an unknown tenant; FORBIDDEN inside a customer's tenant */
export async function requestSupportAccess(context: EngineContext, input: unknown) {
  const { auth, services } = context;
  if (!isStaff(auth)) throw forbidden("Ask from the operator's own tenant");
  const { tenant_id, reason, hours: asked } = parse(requestSchema, input);
  const customer = services.database.tenant(tenant_id);
  if (!(await customer.collection(tenants).findOne({ ends_at: null }, { fields: ['_id'] }))) throw notFound('Tenant');
  const now = services.clock.now();
  const row: SupportAccessRow = {
    _id: `sup_${randomBytes(12).toString('hex')}`,
    tenant_id,
    staff_user_id: auth.user_id,
    staff_email: auth.email,
    reason,
    hours: asked ?? 1,
    requested_at: now,
    approved_by: null,
    approved_at: null,
    expires_at: null,
    entered_at: null,
    ended_by: null,
    ended_at: null,
  };
  await context.transaction(async (transaction) => {
    await customer.collection(supportAccesses).insert(row, { transaction });
    const detail = { reason, hours: row.hours };
    // the operator keeps account of its staff, each customer of its own tenant
    for (const place of new Set([tenant_id, auth.tenant_id])) await append(context, transaction, place, row, 'support.request', detail);
  });
  return shown(row, now);
}

/** @throws PalisadeError NOT_FOUND; CONFLICT when it waits for no answer any more; VALIDATION_ERROR for the own request */
export function approveSupportAccess(context: EngineContext, id: string, input: unknown) {
  const { auth, services } = context;
  const approval = parse(approvalSchema, input ?? {});
  return context.transaction(async (transaction) => {
    const rows = context.collection(supportAccesses);
    const access = await rows.findOne({ _id: id }, { transaction });
    if (!access) throw notFound('Support access');
    if (access.staff_user_id === auth.user_id) throw invalid([{ path: 'id', message: 'nobody approves their own request' }]);
    const now = services.clock.now();
    assertState(access, now, ['requested']);
    const length = approval.hours ?? access.hours;
    const changes = { approved_by: auth.email, approved_at: now, expires_at: new Date(now.getTime() + length * HOUR) };
    await rows.update({ _id: id }, { $set: changes }, { transaction });
    await append(context, transaction, auth.tenant_id, access, 'support.approve', { hours: length });
    return shown({ ...access, ...changes }, now);
  });
}

/** Ends an access, its sessions with it, or denies a request. @throws PalisadeError NOT_FOUND; CONFLICT when it has ended already */
export function revokeSupportAccess(context: EngineContext, id: string) {
  const { auth, services } = context;
  return context.transaction(async (transaction) => {
    const access = await findRevocable(context, id, transaction);
    if (!access) throw notFound('Support access');
    const now = services.clock.now();
    assertState(access, now, ['requested', 'approved', 'active']);
    const changes = { ended_by: auth.email, ended_at: now };
    const rows = services.database.tenant(access.tenant_id).collection(supportAccesses);
    await rows.update({ _id: id }, { $set: changes }, { transaction });
    await services.database.system(sessions).remove({ user_id: access.staff_user_id, support_access_id: id }, { transaction });
    await append(context, transaction, access.tenant_id, access, 'support.revoke', { was: stateOf(access, now) });
    return shown({ ...access, ...changes }, now);
  });
}

/** One of the caller's tenant, or of the staff member's own in whatever tenant. */
async function findRevocable(context: EngineContext, id: string, transaction: TransactionOf): Promise<SupportAccessRow | null> {
  const { auth, services } = context;
  const own = isStaff(auth)
    ? await services.database.system(supportAccesses).findOne({ _id: id, staff_user_id: auth.user_id }, { transaction })
    : null;
  return own ?? context.collection(supportAccesses).findOne({ _id: id }, { transaction });
}

function assertState(access: SupportAccessRow, now: Date, allowed: readonly string[]): void {
  const state = stateOf(access, now);
  if (!allowed.includes(state)) throw conflict(`The support access is ${state} already`);
}

/** Writes to the log of the tenant `place`, which may be another than the caller's. */
function append(
  { auth, services }: EngineContext,
  transaction: TransactionOf,
  place: string,
  access: SupportAccessRow,
  action: AuditInput['action'],
  detail: Record<string, unknown>,
): Promise<void> {
  return getAuditLog(services).append(transaction, place, services.clock.now(), [
    {
      action,
      actor_email: auth.email,
      target: `support_access:${access._id}`,
      target_email: access.staff_email,
      ip_address: auth.ip_address,
      result: 'success',
      detail,
      ...onBehalfOf(auth),
    },
  ]);
}
