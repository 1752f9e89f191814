import { SEVERITIES, type Provider, type Severity } from '../../schema/model.js';
import { defineCollection } from '../_kit/collection.js';
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

export const ruleRowId = (tenantId: string, ruleId: string): string => `${tenantId}|${ruleId}`;
