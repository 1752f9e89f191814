import { RETENTION_SETTINGS, type RetentionSetting } from '../../kit/engine/retention-rule.js';
import { z } from 'zod';
import { PROVIDERS, type Provider } from '../../schema/model.js';
import { PLANS, type AuthContext } from '../../kit/base/auth-context.js';
import type { EngineContext, EngineServices } from '../../kit/engine/context.js';
import { getAuditLog, onBehalfOf } from '../../kit/engine/create-context.js';
import { forbidden, invalid, notFound, violationsOf, conflict } from '../../kit/base/errors.js';
import { BUSINESS_PARTS, RECLASSIFY, USUAL_TAGS, type BusinessPart, type BusinessTags } from '../../kit/engine/business-tags.js';
import type { ImportSettings } from '../../kit/engine/ingest-input.js';
import { assertPerson, assertProved } from '../../kit/base/person.js';
import { isEnded } from '../../kit/work/tenant-ends.js';
import { pageWindow, toPage, type PageArguments } from '../../kit/store/paging.js';
import { runbookTemplateMistake } from '../../kit/engine/runbook-template.js';
import { tenants, type TenantRow } from '../../accounts/records.js';
import { createTenant } from '../../accounts/seed.js';

const DEFAULT_RUN_RETENTION_DAYS = 90;
/** A session ends after twelve hours however much it is used, so a longer idle time says nothing (decision 22). */
const SESSION_IDLE_MINUTES = { least: 5, usual: 60, most: 720 } as const;

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const nameSchema = z.string().trim().min(1).max(100);
const newTenantSchema = z.strictObject({ name: nameSchema, plan: z.enum(PLANS).nullish(), default_provider: z.enum(PROVIDERS).nullish() });

const retentionSchema = Object.fromEntries(
  Object.entries(RETENTION_SETTINGS).map(([name, { least, most }]) => [name, z.int().min(least).max(most).nullable()]),
) as Record<RetentionSetting, z.ZodNullable<z.ZodInt>>;

/** Names of tags for each part of the business context; a part that is left out has the usual ones. */
const businessTagsSchema = z
  .strictObject(
    Object.fromEntries(BUSINESS_PARTS.map((part) => [part, z.array(z.string().min(1).max(128)).max(10).optional()])) as Record<
      BusinessPart,
      z.ZodOptional<z.ZodArray<z.ZodString>>
    >,
  )
  .nullable();

const inputSchema = z
  .strictObject({
    name: nameSchema,
    settings: z
      .strictObject({
        ...retentionSchema,
        default_provider: z.enum(PROVIDERS).nullable(),
        run_retention_days: z.int().min(RETENTION_SETTINGS.run_retention_days.least).max(RETENTION_SETTINGS.run_retention_days.most),
        session_idle_minutes: z.int().min(SESSION_IDLE_MINUTES.least).max(SESSION_IDLE_MINUTES.most).nullable(),
        runbook_url_template: z
          .string()
          .max(2_000)
          .superRefine((template, issues) => {
            const message = runbookTemplateMistake(template);
            if (message !== null) issues.addIssue({ code: 'custom', message });
          })
          .nullable(),
        business_tags: businessTagsSchema,
        time_zone: z.string().max(64).refine(isTimeZone, 'not a time zone of the IANA database'),
      })
      .partial(),
  })
  .partial();

/** A tenant that was made before it had a default says `k8s`, as imports did then; null is a tenant's own word. */
export const tenantSettings = ({ settings }: Pick<TenantRow, 'settings'>) => ({
  ...Object.fromEntries(Object.keys(RETENTION_SETTINGS).map((name) => [name, settings[name] ?? null])),
  default_provider: (settings['default_provider'] === undefined ? 'k8s' : settings['default_provider']) as Provider | null,
  event_retention_days: (settings['event_retention_days'] ?? null) as number | null,
  run_retention_days: Number(settings['run_retention_days'] ?? DEFAULT_RUN_RETENTION_DAYS),
  session_idle_minutes: settings['session_idle_minutes'] ?? SESSION_IDLE_MINUTES.usual,
  runbook_url_template: (settings['runbook_url_template'] ?? null) as string | null,
  business_tags: { ...USUAL_TAGS, ...(settings['business_tags'] as Partial<BusinessTags> | null | undefined) },
  time_zone: settings['time_zone'] ?? 'UTC',
});

/** What the tenant has set for its imports; of a tenant that is gone, what one has that sets nothing. */
export async function importSettings({ database }: Pick<EngineServices, 'database'>, tenantId: string): Promise<ImportSettings> {
  const tenant = await database.tenant(tenantId).collection(tenants).findOne({ _id: tenantId });
  return tenantSettings(tenant ?? { settings: {} });
}

/** What other engines read of the caller's tenant's settings; null when it is gone. */
export async function ownTenantSettings(context: EngineContext) {
  const tenant = await context.collection(tenants).findOne({ _id: context.auth.tenant_id });
  return tenant && tenantSettings(tenant);
}

/** What work that no session carries is told of its tenant; null when that is gone or was ended. */
export async function ownTenantPlan({ auth, services, collection }: EngineContext) {
  const tenant = await collection(tenants).findOne({ _id: auth.tenant_id });
  return tenant && !(await isEnded(services.database, auth.tenant_id))
    ? { organization_id: tenant.organization_id, plan: tenant.plan }
    : null;
}

/** The tenants that a caller administers: the session's own, and all of the organization for an org_admin. */
const administered = (auth: AuthContext) =>
  auth.role === 'org_admin' ? { organization_id: auth.organization_id } : { _id: auth.tenant_id };

export async function listTenants(context: EngineContext, args: PageArguments) {
  const window = pageWindow(args);
  const rows = context.services.database.system(tenants);
  const filter = administered(context.auth);
  const [items, total] = await Promise.all([
    rows.find(filter, { sort: { name: 1, _id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(filter),
  ]);
  return toPage(items, total, window);
}

/** One tenant, or null when the caller does not administer it, whether it exists or not. */
export async function findTenant({ auth, services }: EngineContext, tenantId: string): Promise<TenantRow | null> {
  if (auth.role !== 'org_admin' && tenantId !== auth.tenant_id) return null;
  const rows = services.database.system(tenants);
  return rows.findOne({ $and: [{ _id: tenantId }, administered(auth)] });
}

function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalid(violationsOf(parsed.error));
}

/**
 * Makes a tenant in the caller's organization. It gets no members: an org_admin reaches it without a membership.
 * @throws PalisadeError FORBIDDEN for a tenant_admin (decision 15); VALIDATION_ERROR when the input breaks its rules, or names a plan wider
 *   than that of the session's tenant
 */
export async function createTenantFor({ auth, services }: EngineContext, input: unknown): Promise<TenantRow> {
  if (auth.role === 'tenant_admin') throw forbidden('Only an org_admin makes tenants');
  const { name, plan, default_provider } = parseInput(newTenantSchema, input);
  // customers do not choose what they pay for: a wider plan is the operator's to give
  if (plan && PLANS.indexOf(plan) > PLANS.indexOf(auth.plan))
    throw invalid([{ path: 'plan', message: 'is wider than that of this tenant' }]);
  const settings = default_provider ? { default_provider } : {};
  return createTenant(services, { organization_id: auth.organization_id, name, plan: plan ?? auth.plan, settings, by: auth });
}

/** @throws PalisadeError NOT_FOUND when the caller does not administer it; VALIDATION_ERROR when the input breaks its rules */
export async function updateTenant(context: EngineContext, tenantId: string, input: unknown): Promise<TenantRow | null> {
  const { auth, services } = context;
  const tenant = await findTenant(context, tenantId);
  if (!tenant) throw notFound('Tenant');
  if (tenant.ends_at) throw conflict('This tenant was ended: take it back first');
  const parsed = parseInput(inputSchema, input);
  const { name, settings = {} } = parsed;
  // it says how people sign in, so it is theirs to change, as the settings of sign-in are
  if (settings.session_idle_minutes !== undefined) {
    assertPerson(auth);
    assertProved(auth);
  }
  const changes = {
    ...(name !== undefined && { name }),
    ...Object.fromEntries(Object.entries(settings).map(([key, value]) => [`settings.${key}`, value])),
  };
  if (Object.keys(changes).length === 0) throw invalid([{ path: 'input', message: 'Name at least one change' }]);
  const updated = await context.transaction(async (transaction) => {
    const rows = services.database.tenant(tenant.tenant_id).collection(tenants);
    const changed = await rows.findAndUpdate({ _id: tenant.tenant_id }, { $set: changes }, { returnNew: true, transaction });
    await getAuditLog(services).append(transaction, tenant.tenant_id, services.clock.now(), [
      {
        action: 'tenant.update',
        actor_email: auth.email,
        target: `tenant:${tenant.tenant_id}`,
        role: auth.role,
        ip_address: auth.ip_address,
        result: 'success',
        detail: parsed,
        ...onBehalfOf(auth),
      },
    ]);
    // what is stored goes by the tags that were before
    if (settings.business_tags !== undefined) {
      const owner = { ...auth, tenant_id: tenant.tenant_id };
      await services.jobs.addFollowed(transaction, owner, RECLASSIFY, {}, { readers: ['tenants:read'], total: null });
    }
    return changed;
  });
  if (settings.business_tags !== undefined) services.jobs.wake();
  return updated;
}
