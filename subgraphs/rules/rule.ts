import { tacticsOf } from '../../catalog/attack.js';
import { controlsOfRule } from '../../catalog/assessed.js';
import { loadCatalog } from '../../catalog/catalog.js';
import { profilesOf } from '../../catalog/profiles.js';
import { familiesByName } from '../../catalog/tenant-catalog.js';
import { remedyMarkdown, remedyOf } from '../../catalog/remedies/remedies.js';
import { textsOf } from '../../catalog/texts.js';
import type { Family, Rule } from '../../catalog/types.js';
import type { Provider, Severity } from '../../schema/model.js';
import type { ControlReference, Reference, Remediation } from '../../schema/observations.js';
import type { CustomRuleRow, RuleRow, RuleSettingsRow } from './records.js';

/** A rule as the graph gives it, wherever it comes from. */
export interface RuleView {
  rule_id: string;
  /** View segment of the engine by taxonomy. */
  engine: string;
  title: string;
  description: string | null;
  rationale: string | null;
  severity: Severity | null;
  provider: Provider | null;
  resource_type: string | null;
  resource_types: string[];
  source: string;
  family: string | null;
  module: string | null;
  subcategory: string | null;
  expression: string | null;
  attribute: string | null;
  expected: string | null;
  parameters: Readonly<Record<string, unknown>> | null;
  profiles: readonly string[];
  enabled: boolean;
  version: number;
  remediation: (Remediation & { effort?: string }) | null;
  references: readonly Reference[];
  controls: readonly ControlReference[];
  mitre_techniques: readonly string[];
  mitre_tactics: readonly string[];
  tags: readonly string[];
}

/** `source` of the catalog's rules, and of the tenants' own. */
export const CATALOG_SOURCE = 'palisade';
export const CUSTOM_SOURCE = 'custom';

let families: ReadonlyMap<string, Family> | undefined;
const familyOf = (rule: Rule): Family => (families ??= familiesByName(loadCatalog().families)).get(rule.family)!;

/** A rule of the catalog with what the tenant changes in it. */
export function catalogView(rule: Rule, settings: RuleSettingsRow | undefined): RuleView {
  const family = familyOf(rule);
  const { title, description, rationale, steps, references } = textsOf(rule, family);
  const remedy = remedyOf(rule.rule_id);
  const parameters = rule.parameters === undefined ? null : { ...rule.parameters, ...settings?.parameters };
  return {
    rule_id: rule.rule_id,
    engine: rule.engine,
    title,
    description,
    rationale,
    severity: settings?.severity ?? rule.severity,
    provider: rule.provider,
    resource_type: rule.resource_types[0]!,
    resource_types: rule.resource_types,
    source: CATALOG_SOURCE,
    family: rule.family,
    module: family.module,
    subcategory: family.subcategory,
    expression: rule.expression,
    attribute: rule.path ?? null,
    expected: rule.expected || null,
    parameters,
    profiles: profilesOf(rule),
    enabled: settings?.enabled ?? true,
    version: 1,
    remediation: { steps, effort: family.effort, ...(remedy && { markdown: remedyMarkdown(remedy) }) },
    references,
    controls: controlsOfRule(rule).map(({ framework, control_id, control_name }) => ({ framework, control_id, control_name })),
    mitre_techniques: family.techniques,
    mitre_tactics: tacticsOf(family.techniques),
    tags: [],
  };
}

/** A rule of the tenant's own. */
export function customView(row: CustomRuleRow): RuleView {
  return {
    ...row,
    resource_type: row.resource_types.length === 1 ? row.resource_types[0]! : null,
    source: CUSTOM_SOURCE,
    family: null,
    module: null,
    subcategory: null,
    attribute: null,
    expected: null,
    parameters: null,
    profiles: [],
    enabled: row.retired_at === null,
    remediation: row.remediation === null ? null : { guidance: row.remediation },
    controls: [],
    mitre_techniques: [],
    mitre_tactics: [],
  };
}

/** A rule that a report brought along. */
export function reportedView(row: RuleRow): RuleView {
  return {
    ...row,
    resource_types: row.resource_type === null ? [] : [row.resource_type],
    family: null,
    module: null,
    subcategory: null,
    expression: null,
    attribute: null,
    expected: null,
    parameters: null,
    profiles: [],
    enabled: true,
    version: 1,
  };
}
