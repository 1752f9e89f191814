import { SYSTEM_ACTOR } from '../../../kit/base/auth-context.js';
import { periodic } from '../../../kit/engine/background.js';
import type { AnyCollection } from '../../../kit/store/collection.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { getAuditLog } from '../../../kit/engine/create-context.js';
import { outbox } from '../../../kit/work/outbox.js';
import { tenantEnds, type TenantEndRow } from '../../../kit/work/tenant-ends.js';
import { mailedCodes, pendingTotp, secondSteps } from '../../../accounts/factors/records.js';
import { memberships, organizations, tenants, users } from '../../../accounts/records.js';
import { sessions } from '../../../accounts/session-record.js';

/** Rows removed in one transaction. */
const BATCH = 500;
const EVERY = 10 * 60_000;

/** What goes last: without it nobody would know that something is left to do. */
const LAST: readonly string[] = [memberships.name, outbox.name, tenantEnds.name, tenants.name];

type Services = Pick<EngineServices, 'database' | 'clock' | 'masterKey' | 'objects' | 'collections' | 'logger'>;

/** Removes the tenants whose days to be taken back are over. */
export const tenantRemoval = periodic('tenant.removal', EVERY, removeEndedTenants);

/** One look for tenants to remove. A failure of one is logged, and holds up no other. */
export async function removeEndedTenants(services: Services, signal: AbortSignal): Promise<void> {
  const due = await services.database.system(tenantEnds).find({ removal_at: { $lte: services.clock.now() } });
  for (const row of due) {
    signal.throwIfAborted();
    await removeTenant(services, row, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      services.logger.error({ err: error, tenant: row.tenant_id }, 'a tenant could not be removed; the next look goes on with it');
    });
  }
}

/** Whether the rows of a collection go with their tenant. */
export const goesWithTenant = ({ schema, outlivesTenant }: AnyCollection): boolean =>
  schema.path('tenant_id') !== undefined && !outlivesTenant;

/**
 * Removes everything of a tenant but its audit log: the rows of every collection that has a `tenant_id`, whichever engine declares it, the staged
 * objects, and the accounts of people who are at home nowhere else. Every step may be repeated, so a kill leaves the rest for the next look.
 */
async function removeTenant(services: Services, { tenant_id, organization_id }: TenantEndRow, signal: AbortSignal): Promise<void> {
  const tenant = services.database.tenant(tenant_id);
  const begun = { $set: { removing: true } };
  const { matched } = await tenant.collection(tenantEnds).update({ removal_at: { $lte: services.clock.now() } }, begun);
  if (matched === 0) return;
  await services.objects.removeAll(tenant_id);
  for (const definition of services.collections)
    if (goesWithTenant(definition) && !LAST.includes(definition.name)) await removeRows(services, tenant_id, definition, signal);
  await removePeople(services, tenant_id, organization_id, signal);
  await removeLast(services, tenant_id, organization_id);
}

async function removeRows({ database }: Services, tenantId: string, definition: AnyCollection, signal: AbortSignal): Promise<void> {
  const tenant = database.tenant(tenantId);
  const rows = tenant.ofAllEngines<{ _id: string }>(definition);
  for (;;) {
    signal.throwIfAborted();
    const ids = (await rows.find({}, { fields: ['_id'], limit: BATCH })).map(({ _id }) => _id);
    if (ids.length === 0) return;
    await database.transaction(async (transaction) => {
      const removed = await rows.remove({ _id: { $in: ids } }, { transaction });
      await tenant.collection(tenantEnds).update({}, { $inc: { [`removed.${definition.name}`]: removed } }, { transaction });
    });
  }
}

/** Removes the memberships, and with them the accounts of the organization's people who are members of no other tenant. */
async function removePeople({ database }: Services, tenantId: string, organizationId: string, signal: AbortSignal): Promise<void> {
  const tenant = database.tenant(tenantId);
  for (;;) {
    signal.throwIfAborted();
    const batch = await tenant.collection(memberships).find({}, { fields: ['user_id'], limit: BATCH });
    if (batch.length === 0) return;
    const ids = batch.map(({ user_id }) => user_id);
    await database.transaction(async (transaction) => {
      const elsewhere = { user_id: { $in: ids }, tenant_id: { $ne: tenantId } };
      const others = await database.system(memberships).find(elsewhere, { fields: ['user_id'], transaction });
      const staying = new Set(others.map(({ user_id }) => user_id));
      const own = { _id: { $in: ids.filter((id) => !staying.has(id)) }, organization_id: organizationId };
      const going = (await database.system(users).find(own, { fields: ['_id'], transaction })).map(({ _id }) => _id);
      const theirs = { user_id: { $in: going } };
      await database.system(sessions).remove(theirs, { transaction });
      await database.system(secondSteps).remove(theirs, { transaction });
      await database.system(pendingTotp).remove(theirs, { transaction });
      await database.system(mailedCodes).remove({ _id: { $in: going } }, { transaction });
      await database.system(users).remove({ _id: { $in: going } }, { transaction });
      const removed = await tenant.collection(memberships).remove({ _id: { $in: batch.map(({ _id }) => _id) } }, { transaction });
      const counts = { 'removed.memberships': removed, 'removed.users': going.length };
      await tenant.collection(tenantEnds).update({}, { $inc: counts }, { transaction });
    });
  }
}

/** The end: what was removed stands in the audit log, and the tenant, and an organization without any other, are gone. */
async function removeLast(services: Services, tenantId: string, organizationId: string): Promise<void> {
  const { database, clock } = services;
  const tenant = database.tenant(tenantId);
  await database.transaction(async (transaction) => {
    const row = await tenant.collection(tenantEnds).findOne({}, { transaction });
    if (!row) return;
    const detail = { removed: row.removed, ended_at: row.ended_at.toISOString() };
    const entry = { action: 'tenant.remove', actor_email: SYSTEM_ACTOR, target: `tenant:${tenantId}`, result: 'success', detail } as const;
    await getAuditLog(services).append(transaction, tenantId, clock.now(), [entry]);
    await tenant.collection(outbox).remove({}, { transaction });
    await tenant.collection(tenants).remove({}, { transaction });
    await tenant.collection(tenantEnds).remove({}, { transaction });
    if ((await database.system(tenants).count({ organization_id: organizationId }, { transaction })) > 0) return;
    await database.system(users).remove({ organization_id: organizationId }, { transaction });
    await database.system(organizations).remove({ _id: organizationId, operator: { $ne: true } }, { transaction });
  });
}
