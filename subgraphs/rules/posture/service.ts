import { findCatalogRule, loadCatalog } from '../../../catalog/catalog.js';
import { profileNames, profileOrDefault } from '../../../catalog/profiles.js';
import { invalid, PalisadeError, type Violation } from '../../../kit/base/errors.js';
import { RECLASSIFY } from '../../../kit/engine/business-tags.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { defineOperation, runOperation } from '../../../kit/engine/operation.js';
import { readTenantSettings } from '../../../kit/read/tenant-settings.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { jobs } from '../../../kit/work/jobs.js';
import { ruleRowId, ruleSettings } from '../records.js';
import { assertProfile, chooseProfile, chosenProfile, lastReevaluation, reevaluate } from './profile.js';

export interface PostureSettingsInput {
  profile?: string | null;
  disabled_rules?: readonly string[] | null;
  default_provider?: string | null;
  tag_mapping?: object | null;
  runbook_template?: string | null;
}

/** What the input calls a setting of the tenant, and what the tenant does. */
const OF_TENANT = { default_provider: 'default_provider', tag_mapping: 'business_tags', runbook_template: 'runbook_url_template' } as const;

const updateTenant = defineOperation<{ tenant: string; input: { settings: Record<string, unknown> } }, { tenant_id: string }>(
  'identity',
  'mutation($tenant: String!, $input: TenantInput!) { result: update_tenant(tenant_id: $tenant, input: $input) { tenant_id } }',
);

/** What the tenant has set for the whole of its posture: its rules here, the rest where the tenant's settings stand. */
export async function postureSettings(context: EngineContext) {
  const [settings, rows, { profile }, reevaluation_job, [job]] = await Promise.all([
    readTenantSettings(context),
    context.collection(ruleSettings).find({}, { sort: { rule_id: 1 } }),
    chosenProfile(context),
    lastReevaluation(context),
    context.collection(jobs).find({ kind: RECLASSIFY }, { sort: { created_at: -1 }, limit: 1, fields: ['_id'] }),
  ]);
  const { default_provider, business_tags, runbook_url_template } = settings!;
  const known = rows.filter(({ rule_id }) => findCatalogRule(rule_id) !== undefined);
  const { rules } = loadCatalog();
  const chosen = profileOrDefault(profile);
  return {
    profile,
    profiles: profileNames(),
    rule_profile: {
      rules: rules.length,
      in_profile: rules.filter((rule) => chosen.has(rule)).length,
      disabled_rules: known.filter(({ enabled }) => !enabled).map(({ rule_id }) => rule_id),
      adjusted: known.filter(({ enabled, severity, parameters }) => enabled && (severity ?? parameters) !== null).length,
    },
    default_provider,
    tag_mapping: business_tags,
    runbook_template: runbook_url_template,
    reclassification_job: job?._id ?? null,
    reevaluation_job,
  };
}

/** @throws PalisadeError VALIDATION_ERROR */
export async function setPostureSettings(context: EngineContext, input: PostureSettingsInput) {
  const { disabled_rules, profile } = input;
  if (profile != null) assertProfile(profile);
  const unknown = disabled_rules?.find((id) => findCatalogRule(id) === undefined);
  if (unknown !== undefined) throw invalid([{ path: 'disabled_rules', message: `there is no rule ${unknown} in the catalog` }]);
  const names = Object.entries(OF_TENANT).filter(([name]) => input[name as keyof typeof OF_TENANT] !== undefined);
  if (names.length === 0 && !disabled_rules && profile == null) throw invalid([{ path: 'input', message: 'Name at least one change' }]);
  if (names.length > 0) {
    const settings = Object.fromEntries(names.map(([name, of]) => [of, input[name as keyof typeof OF_TENANT]]));
    await runOperation(context, updateTenant, { tenant: context.auth.tenant_id, input: { settings } }).catch(inOwnWords);
  }
  if (disabled_rules || profile != null) await setRules(context, disabled_rules ?? null, profile ?? null);
  return postureSettings(context);
}

/** A refusal of the tenant's settings in the words of this input. */
function inOwnWords(error: unknown): never {
  if (!(error instanceof PalisadeError) || error.extensions.code !== 'VALIDATION_ERROR') throw error;
  const ownName = (path: string) =>
    Object.entries(OF_TENANT).reduce((own, [name, of]) => own.replace(new RegExp(`^settings\\.${of}(?=\\.|$)`), name), path);
  const violations = error.extensions['detail'] as Violation[];
  throw invalid(violations.map(({ path, message }) => ({ path: ownName(path), message })));
}

/** Changes which rules raise findings, and has what is stored follow, in one transaction. */
async function setRules(context: EngineContext, disabled: readonly string[] | null, profile: string | null): Promise<void> {
  await context.transaction(async (transaction) => {
    const isOther = profile !== null && (await chooseProfile(context, transaction, profile));
    const isSwitched = disabled !== null && (await switchOff(context, transaction, new Set(disabled)));
    if (isOther || isSwitched) await reevaluate(context, transaction);
  });
  context.services.jobs.wake();
}

/** Switches off exactly these rules; severities and parameters stay. @returns whether any is switched */
async function switchOff(context: EngineContext, transaction: TransactionOf, wanted: ReadonlySet<string>): Promise<boolean> {
  const { auth, services } = context;
  const rows = context.collection(ruleSettings);
  const off = (await rows.find({ enabled: false }, { fields: ['rule_id'], transaction })).map(({ rule_id }) => rule_id);
  const disabled = [...wanted].filter((id) => !off.includes(id));
  const enabled = off.filter((id) => !wanted.has(id));
  if (disabled.length + enabled.length === 0) return false;
  const told = { updated_by: auth.email, updated_at: services.clock.now() };
  const made = { severity: null, parameters: null };
  await rows.bulkUpdate(
    [...disabled.map((id) => ({ id, enabled: false })), ...enabled.map((id) => ({ id, enabled: true }))].map(({ id, ...change }) => ({
      _id: ruleRowId(auth.tenant_id, id),
      update: { $set: { ...change, ...told, rule_id: id }, $setOnInsert: made },
      upsert: true,
    })),
    { transaction },
  );
  const entry = { action: 'rule.settings', actor_email: auth.email, target: 'rule_profile', result: 'success' } as const;
  await context.audit(transaction, { ...entry, detail: { disabled, enabled } });
  return true;
}
