import { SEVERITIES, type Provider, type Severity } from '../../schema/model.js';
import { defineCollection } from '../../kit/store/collection.js';
import type { ControlReference, Reference, Remediation } from '../../schema/observations.js';

/** A rule that a report brought along; `_id` is `<tenant_id>|<rule_id>`. */
export interface RuleRow {
  _id: string;
  tenant_id: string;
  rule_id: string;
  engine: string;
  title: string;
  description: string | null;
  rationale: string | null;
  severity: Severity | null;
  severity_rank: number;
  provider: Provider | null;
  resource_type: string | null;
  source: string;
  remediation: Remediation | null;
  references: Reference[];
  controls: ControlReference[];
  mitre_techniques: string[];
  mitre_tactics: string[];
  tags: string[];
  updated_at: Date;
}

/** What a tenant changes in a rule of the catalog; `_id` is `<tenant_id>|<rule_id>`. */
export interface RuleSettingsRow {
  _id: string;
  tenant_id: string;
  rule_id: string;
  enabled: boolean;
  severity: Severity | null;
  parameters: Record<string, unknown> | null;
  updated_by: string;
  updated_at: Date;
}

/** One version of a rule of the tenant's own; `_id` is `<tenant_id>|<rule_id>|<version>`. */
export interface CustomRuleRow {
  _id: string;
  tenant_id: string;
  rule_id: string;
  version: number;
  /** Whether it is the version in force: one a rule, none of a retired one. */
  current: boolean;
  title: string;
  description: string | null;
  rationale: string | null;
  severity: Severity;
  engine: string;
  provider: Provider;
  resource_types: string[];
  expression: string;
  remediation: string | null;
  references: Reference[];
  tags: string[];
  created_by: string;
  created_at: Date;
  retired_at: Date | null;
}

export const rules = defineCollection<RuleRow>(
  'rules',
  {
    rule_id: String,
    engine: String,
    title: String,
    description: String,
    rationale: String,
    severity: { type: String, enum: [...SEVERITIES, null] },
    severity_rank: Number,
    provider: String,
    resource_type: String,
    source: String,
    remediation: Object,
    references: [Object],
    controls: [Object],
    mitre_techniques: [String],
    mitre_tactics: [String],
    tags: [String],
    updated_at: Date,
  },
  [{ key: { tenant_id: 1, rule_id: 1 }, options: { unique: true } }, { key: { tenant_id: 1, engine: 1, rule_id: 1 } }],
);

export const ruleSettings = defineCollection<RuleSettingsRow>(
  'rule_settings',
  { rule_id: String, enabled: Boolean, severity: String, parameters: Object, updated_by: String, updated_at: Date },
  [{ key: { tenant_id: 1, rule_id: 1 }, options: { unique: true } }],
);

export const customRules = defineCollection<CustomRuleRow>(
  'custom_rules',
  {
    rule_id: String,
    version: Number,
    current: Boolean,
    title: String,
    description: String,
    rationale: String,
    severity: String,
    engine: String,
    provider: String,
    resource_types: [String],
    expression: String,
    remediation: String,
    references: [Object],
    tags: [String],
    created_by: String,
    created_at: Date,
    retired_at: Date,
  },
  [{ key: { tenant_id: 1, rule_id: 1, version: 1 }, options: { unique: true } }, { key: { tenant_id: 1, current: 1, rule_id: 1 } }],
);

export const ruleRowId = (tenantId: string, ruleId: string): string => `${tenantId}|${ruleId}`;
export const customRuleRowId = (tenantId: string, ruleId: string, version: number): string => `${tenantId}|${ruleId}|${version}`;
