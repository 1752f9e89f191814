import type { FindingStatus, Provider, Severity } from '../../../schema/model.js';
import type { Target } from './finding.js';

/** `GET /views/finding/{engine}/{id}`, as far as it is shown. */
export interface FindingView {
  readonly header: {
    readonly findingId: string;
    readonly engine: string;
    readonly ruleId: string;
    readonly title: string;
    readonly description: string | null;
    readonly rationale: string | null;
    readonly severity: Severity;
    readonly status: FindingStatus;
    readonly riskScore: number;
    readonly resourceUid: string;
    readonly resourceType: string;
    readonly resourceName: string | null;
    readonly provider: Provider;
    readonly accountId: string | null;
    readonly region: string;
    readonly firstSeenAt: string;
    readonly lastSeenAt: string;
    readonly regressedAt: string | null;
    readonly scanRunId: string;
    readonly version: number;
    readonly mitreTactics: readonly string[];
    readonly mitreTechniques: readonly string[];
    readonly ticketId: string | null;
    readonly ticketUrl: string | null;
    readonly assignee: string | null;
    readonly dueAt: string | null;
    readonly findingData: unknown;
  };
  readonly relatedFindings: {
    readonly available: boolean;
    readonly items: readonly {
      readonly engine: string;
      readonly findingId: string;
      readonly severity: Severity;
      readonly title: string;
      readonly status: FindingStatus;
    }[];
  };
  readonly compliance: {
    readonly available: boolean;
    readonly controlMappings: readonly {
      readonly framework: string;
      readonly frameworkName: string;
      readonly controlId: string;
      readonly controlName: string | null;
      readonly status: string;
    }[];
  };
  readonly remediation: {
    readonly available: boolean;
    readonly steps: readonly { readonly order: number; readonly action: string; readonly detail: string | null }[];
    readonly referenceItems: readonly { readonly url: string; readonly title: string | null }[];
    readonly estimatedEffort: string | null;
    readonly guidance: string | null;
    readonly markdown: string | null;
    readonly runbook_url: string | null;
  };
  readonly engineExtensions: unknown;
  readonly degradedEngines: readonly string[];
  readonly restrictedEngines: readonly string[];
}

export interface TimelineEvent {
  readonly seq: number;
  readonly action: string;
  readonly at: string;
  readonly actor_email: string;
  readonly from: FindingStatus | null;
  readonly to: FindingStatus | null;
  readonly note: string | null;
  readonly assignee: string | null;
  readonly due_at: string | null;
  readonly scan_run_id: string | null;
}

/** What triage has to know of a finding, from its detail. */
export const targetOf = ({ header }: FindingView): Target => ({
  engine: header.engine,
  finding_id: header.findingId,
  title: header.title,
  status: header.status,
  version: header.version,
  rule_id: header.ruleId,
  resource_uid: header.resourceUid,
  account_id: header.accountId,
  assignee: header.assignee,
  due_at: header.dueAt,
});
