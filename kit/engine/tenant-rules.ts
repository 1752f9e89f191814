import type { Provider, Severity } from '../../schema/model.js';

/** How a tenant wants a rule of the catalog: off, with another severity, with other values. */
export interface RuleSettings {
  rule_id: string;
  enabled: boolean;
  severity: Severity | null;
  parameters: Readonly<Record<string, unknown>> | null;
}

/** A rule of a tenant's own, as evaluation takes it. */
export interface TenantRule {
  rule_id: string;
  title: string;
  description: string | null;
  severity: Severity;
  engine: string;
  provider: Provider;
  resource_types: string[];
  /** CEL; true passes. */
  expression: string;
}

/** What ids of tenants' own rules begin with. */
export const TENANT_RULE_PREFIX = 'custom.';

/** The job that brings findings to a tenant's profile and rules; a change of these asks for it. */
export const REEVALUATE = 'posture.reevaluate';

/** What a tenant adds to the catalog and changes in it. */
export interface TenantRules {
  /** The profile of the catalog whose rules raise findings. */
  profile: string;
  /** Grows with each change of what raises findings: two evaluations of one revision agree. */
  revision: number;
  settings: readonly RuleSettings[];
  rules: readonly TenantRule[];
}

export const NO_TENANT_RULES: TenantRules = { profile: 'all', revision: 0, settings: [], rules: [] };
