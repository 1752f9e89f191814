import type { z } from 'zod';
import type { Permission } from '../../schema/permissions.js';

/** What makes an engine a finding engine, as data. */
export interface FindingFacts {
  readonly engine: string;
  /** The name in `/views/finding/{engine}/{id}`. */
  readonly viewSegment: string;
  /** What a reader of its findings must hold. */
  readonly permission: Permission;
  /** The shape of `findingData`; an observation whose evidence does not fit is a broken record. */
  readonly evidence: z.ZodType<Record<string, unknown>>;
  /** `ruleType` of its findings: config, cdr or threat. */
  readonly ruleType: 'config' | 'cdr' | 'threat';
  /**
   * Its findings are vulnerabilities: severity is computed from CVSS, EPSS and known exploitation (decision 21) instead of
   * taken from the rule, and lists filter by them.
   */
  readonly vulnerabilities?: boolean;
  /** Module code and display label of the taxonomy. */
  readonly module: { code: string; label: string };
  /** Subcategory of a finding: code and display label. */
  subcategory(finding: { rule_id: string; resource_type: string; evidence: Record<string, unknown> }): { code: string; label: string };
  /** When what an observation tells of was last done; for engines whose findings tell of what was done, not of how something is. */
  happenedAt?(evidence: Record<string, unknown>): Date | undefined;
  /** Payload of the engine's own tab of the detail view (`engineExtensions`). */
  extensions(finding: { evidence: Record<string, unknown>; provider_metadata: Record<string, unknown> }): Record<string, unknown>;
  /** What of its evidence a caller sees, where that tells of findings of other engines; all of it when absent. */
  shownEvidence?(evidence: Record<string, unknown>, canRead: (engine: string) => boolean): Record<string, unknown>;
}
