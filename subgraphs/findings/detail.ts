import type { FindingStatus, Severity } from '../../schema/model.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { invalid } from '../../kit/base/errors.js';
import { controlStatus } from '../../kit/findings/lifecycle.js';
import type { PageArguments } from '../../kit/store/paging.js';
import type { FindingRecord } from '../../kit/read/findings.js';
import { tacticsOf } from '../../catalog/attack.js';
import { is80053, isCisBenchmark, mapControl, type MappedControl } from '../../catalog/reported-controls.js';
import { STANDARD_COLUMNS } from '../../kit/findings/item.js';
import { askHolder, ruleOf } from './owner.js';
import type { ReadRule } from '../../kit/read/rules.js';
import { relatedFindings } from './related.js';
import { fillTemplate } from '../../kit/engine/runbook-template.js';
import { runbookTemplate } from './runbook.js';

const MAX_NOTE = 4_000;
/** The recommended windows (specification, "Severity scale"). */
const SLA: Readonly<Record<Severity, string>> = {
  critical: '7 days',
  high: '30 days',
  medium: '90 days',
  low: 'next maintenance cycle',
  info: 'none',
};
/** The universal detail view: the owner's record first, then everything around it. Null when the tenant has no such finding. */
export async function viewFinding(context: EngineContext, segment: string, id: string) {
  const found = await askHolder(context, segment, 'record', { id });
  if (!found) return null;
  const [related, rule, template] = await Promise.all([
    relatedFindings(context, found.finding.resource_uid),
    ruleOf(context, found),
    runbookTemplate(context),
  ]);
  const record = withRule(found, rule);
  const header = headerOf(record, rule?.rationale ?? null);
  return {
    finding: header,
    header,
    relatedFindings: {
      available: true,
      items: related.items
        .filter((item) => item.finding_id !== id || item.engine !== found.finding.engine)
        .map(({ engine, finding_id, severity, rule_id, title, status }) => ({
          engine,
          findingId: finding_id,
          severity,
          ruleId: rule_id,
          title,
          status,
        })),
      perEngineAvailability: related.availability,
      restrictedEngines: related.restricted,
    },
    compliance: complianceOf(record),
    remediation: { ...remediationOf(record, rule), runbook_url: template === null ? null : fillTemplate(template, found.finding) },
    resourceContext: null,
    engineExtensions: record.extensions,
    degradedEngines: related.degraded,
    restrictedEngines: related.restricted,
  };
}

export async function timelineOf(context: EngineContext, segment: string, id: string, { page, page_size }: PageArguments) {
  return askHolder(context, segment, 'timeline', { id, page, page_size });
}

export async function setStatus(
  context: EngineContext,
  segment: string,
  id: string,
  { status, note }: { status: FindingStatus; note?: string | null },
  version: number | null,
) {
  if (note && note.length > MAX_NOTE) throw invalid([{ path: 'note', message: `must have at most ${MAX_NOTE} characters` }]);
  return askHolder(context, segment, 'setStatus', { id, status, note, version });
}

/** A finding with its rule's words where it has none of its own. */
function withRule(record: FindingRecord, rule: ReadRule | null): FindingRecord {
  return {
    ...record,
    description: record.description ?? rule?.description ?? null,
    remediation: record.remediation ?? rule?.remediation ?? null,
    references: record.references.length > 0 ? record.references : (rule?.references ?? []),
    controls: record.controls.length > 0 ? record.controls : (rule?.controls ?? []),
  };
}

function headerOf({ finding, ...record }: FindingRecord, rationale: string | null) {
  const controls = record.controls.map((control) => mapControl(control, finding.provider));
  // the newest benchmark, in whatever order a report names them
  const cis = controls
    .filter(({ framework }) => isCisBenchmark(framework))
    .sort((one, other) => one.framework.localeCompare(other.framework, 'en', { numeric: true }))
    .at(-1);
  const nist = controls.filter(({ framework }) => is80053(framework));
  const newest = nist.filter(({ framework }) => framework === 'nist_800_53_r5');
  const soc2 = controls.filter(({ framework }) => framework === 'soc2_tsc');
  const idsOf = (mapped: readonly MappedControl[]) => [...new Set(mapped.map(({ controlId }) => controlId))];
  return {
    findingId: finding.finding_id,
    engine: finding.engine,
    ruleId: finding.rule_id,
    title: finding.title,
    description: record.description,
    rationale,
    severity: finding.severity,
    status: finding.status,
    riskScore: finding.risk_score,
    resourceUid: finding.resource_uid,
    resourceType: finding.resource_type,
    resourceName: finding.resource_name,
    provider: finding.provider,
    accountId: finding.account_id,
    region: finding.region,
    firstSeenAt: finding.first_seen_at,
    lastSeenAt: finding.last_seen_at,
    regressedAt: finding.regressed_at,
    scanRunId: finding.scan_run_id,
    version: finding.version,
    module: record.module,
    module_label: record.module_label,
    subcategory: record.subcategory,
    subcategory_label: record.subcategory_label,
    ruleType: record.rule_type,
    mitreTactics: tacticsOf(record.mitre_techniques, record.mitre_tactics),
    mitreTechniques: record.mitre_techniques,
    cisBenchmark: cis?.frameworkName ?? null,
    cisSection: cis?.controlId ?? null,
    nistControls: idsOf(newest.length > 0 ? newest : nist),
    soc2Criteria: idsOf(soc2),
    ticketId: record.ticket?.ticket_id ?? null,
    ticketUrl: record.ticket?.ticket_url ?? null,
    assignee: finding.assignee ?? null,
    dueAt: finding.due_at ?? null,
    standardColumns: Object.fromEntries(STANDARD_COLUMNS.map((column) => [column, finding[column]])),
    findingData: record.evidence,
  };
}

function complianceOf({ finding, absent_since, controls }: FindingRecord) {
  const status = controlStatus({ status: finding.status, absent_since });
  const controlMappings = controls.map((control) => ({ ...mapControl(control, finding.provider), status }));
  return { available: controlMappings.length > 0, controlMappings };
}

function remediationOf({ finding, remediation, references }: FindingRecord, rule: ReadRule | null) {
  const steps = (remediation?.steps ?? []).map(({ action, detail }, i) => ({ order: i + 1, action, detail: detail ?? null }));
  const guidance = remediation?.guidance ?? null;
  const markdown = remediation?.markdown ?? rule?.remediation?.markdown ?? null;
  return {
    available: steps.length > 0 || guidance !== null || markdown !== null,
    steps: steps.length === 0 && guidance !== null ? [{ order: 1, action: guidance, detail: null }] : steps,
    referenceItems: references.map(({ url, title }) => ({ url, title: title ?? null })),
    estimatedEffort: rule?.remediation?.effort ?? null,
    slaPriority: SLA[finding.severity],
    guidance,
    markdown,
  };
}
