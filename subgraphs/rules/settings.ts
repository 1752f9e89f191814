import { findCatalogRule } from '../../catalog/catalog.js';
import { parameterFaults } from '../../catalog/tenant-catalog.js';
import type { Severity } from '../../schema/model.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { invalid, notFound } from '../../kit/base/errors.js';
import { reevaluate } from './posture/profile.js';
import { ruleRowId, ruleSettings, type RuleSettingsRow } from './records.js';
import { catalogView } from './rule.js';

export interface RuleSettingsInput {
  enabled?: boolean | null;
  severity?: Severity | null;
  parameters?: unknown;
}

/**
 * Replaces what the tenant changes in a rule of the catalog; what the input leaves out is the catalog's again. Stored findings follow in the
 * background; rules that are switched on, and other parameters, are evaluated from the next scan run on. @throws NOT_FOUND for an id that the catalog does not have
 */
export async function setRuleSettings(context: EngineContext, ruleId: string, input: RuleSettingsInput) {
  const rule = findCatalogRule(ruleId);
  if (!rule) throw notFound('Rule');
  const parameters = parametersOf(input.parameters);
  const faults = parameters === null ? [] : parameterFaults(rule, parameters);
  if (faults.length) throw invalid(faults.map(({ name, message }) => ({ path: `parameters.${name}`, message })));
  const now = context.services.clock.now();
  const settings: Omit<RuleSettingsRow, '_id' | 'tenant_id'> = {
    rule_id: ruleId,
    enabled: input.enabled ?? true,
    severity: input.severity ?? null,
    parameters,
    updated_by: context.auth.email,
    updated_at: now,
  };
  const rows = context.collection(ruleSettings);
  await context.transaction(async (transaction) => {
    const before = await rows.findOne({ _id: ruleRowId(context.auth.tenant_id, ruleId) }, { transaction });
    await rows.update({ _id: ruleRowId(context.auth.tenant_id, ruleId) }, { $set: settings }, { transaction, upsert: true });
    const { enabled, severity } = settings;
    if (enabled !== (before?.enabled ?? true) || severity !== (before?.severity ?? null)) await reevaluate(context, transaction);
    await context.audit(transaction, {
      action: 'rule.settings',
      actor_email: context.auth.email,
      target: `rule:${ruleId}`,
      result: 'success',
      detail: { enabled, severity, parameters },
    });
  });
  context.services.jobs.wake();
  const view = catalogView(rule, { ...settings, _id: '', tenant_id: context.auth.tenant_id });
  return { ...settings, effective_severity: view.severity, effective_parameters: view.parameters };
}

function parametersOf(value: unknown): Record<string, unknown> | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid([{ path: 'parameters', message: 'must be an object' }]);
  return Object.keys(value).length === 0 ? null : (value as Record<string, unknown>);
}
