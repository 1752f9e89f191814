import type { Provider, Severity } from '../../schema/model.js';
import { defineCollection, type RowOf } from '../../kit/store/collection.js';
import { date, flag, list, nullable, number, object, optional, text, textOf } from '../../kit/store/fields.js';
import type { ControlReference, Reference, Remediation } from '../../schema/observations.js';

/** A rule that a report brought along; `_id` is `<tenant_id>|<rule_id>`. */
export const rules = defineCollection(
  'rules',
  {
    rule_id: text,
    engine: text,
    title: text,
    description: nullable(text),
    rationale: nullable(text),
    severity: nullable(textOf<Severity>()),
    severity_rank: number,
    provider: nullable(textOf<Provider>()),
    resource_type: nullable(text),
    source: text,
    remediation: nullable(object<Remediation>()),
    references: list(object<Reference>()),
    controls: list(object<ControlReference>()),
    mitre_techniques: list(text),
    mitre_tactics: list(text),
    tags: list(text),
    updated_at: date,
  },
  [{ key: { tenant_id: 1, rule_id: 1 }, options: { unique: true } }, { key: { tenant_id: 1, engine: 1, rule_id: 1 } }],
);
export type RuleRow = RowOf<typeof rules>;

/** What a tenant changes in a rule of the catalog; `_id` is `<tenant_id>|<rule_id>`. */
export const ruleSettings = defineCollection(
  'rule_settings',
  {
    rule_id: text,
    enabled: flag,
    severity: nullable(textOf<Severity>()),
    parameters: nullable(object<Record<string, unknown>>()),
    updated_by: text,
    updated_at: date,
  },
  [{ key: { tenant_id: 1, rule_id: 1 }, options: { unique: true } }],
);
export type RuleSettingsRow = RowOf<typeof ruleSettings>;

/** The profile that a tenant has chosen, a row a tenant; one without a row, or a profile in it, has the deployment's. */
export const ruleProfiles = defineCollection('rule_profiles', {
  profile: optional(text),
  /** How often what raises findings was changed, rules among it. */
  changes: number,
  updated_by: optional(text),
  updated_at: optional(date),
});

/** One version of a rule of the tenant's own; `_id` is `<tenant_id>|<rule_id>|<version>`. */
export const customRules = defineCollection(
  'custom_rules',
  {
    rule_id: text,
    version: number,
    /** Whether it is the version in force: one a rule, none of a retired one. */
    current: flag,
    title: text,
    description: nullable(text),
    rationale: nullable(text),
    severity: textOf<Severity>(),
    engine: text,
    provider: textOf<Provider>(),
    resource_types: list(text),
    expression: text,
    remediation: nullable(text),
    references: list(object<Reference>()),
    tags: list(text),
    created_by: text,
    created_at: date,
    retired_at: nullable(date),
  },
  [{ key: { tenant_id: 1, rule_id: 1, version: 1 }, options: { unique: true } }, { key: { tenant_id: 1, current: 1, rule_id: 1 } }],
);
export type CustomRuleRow = RowOf<typeof customRules>;

export const ruleRowId = (tenantId: string, ruleId: string): string => `${tenantId}|${ruleId}`;
export const customRuleRowId = (tenantId: string, ruleId: string, version: number): string => `${tenantId}|${ruleId}|${version}`;
