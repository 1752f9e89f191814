import { rulesOfControl } from '../../catalog/assessed.js';
import type { Control } from '../../catalog/frameworks.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { POSTURE_ENGINES } from '../../kit/engine/rule-results.js';
import { acrossEngines, listFindings } from '../../kit/read/findings.js';
import { pageWindow, toPage, type PageArguments } from '../../kit/store/paging.js';
import { attestationView, validAttestations } from './attestations.js';
import { findFramework, type ScoredFramework } from './frameworks.js';
import type { AttestationRow } from './records.js';
import { controlHistory } from './reports.js';
import { controlStatus, type ControlStatus } from './score.js';
import { readTallies, type ScoreScope, type Tallies } from './tallies.js';

export interface ControlFilter extends PageArguments, ScoreScope {
  framework_id: string;
  status?: ControlStatus[] | null;
}

/** Rules of a control that its detail lists, the worst first. */
const MAX_RULES = 200;
/** Findings of a control that its detail lists. */
const MAX_FINDINGS = 100;

/** The controls of a framework with their status, in the framework's order; null when there is no such framework. */
export async function listControls(context: EngineContext, args: ControlFilter) {
  const window = pageWindow(args);
  const framework = await findFramework(context, args.framework_id);
  if (!framework) return null;
  const [tallies, attestations] = await Promise.all([readTallies(context, args), validAttestations(context, args.framework_id)]);
  const attested = attestations.get(args.framework_id);
  const now = context.services.clock.now();
  const results = framework.controls
    .map((control) => ({ control, attestation: attested?.get(control.control_id) }))
    .map((entry) => ({ ...entry, status: controlStatus(entry.control, tallies.of(framework.providers), entry.attestation) }))
    .filter(({ status }) => !args.status || args.status.includes(status));
  const page = results.slice(window.skip, window.skip + window.limit);
  return toPage(
    page.map((entry) => controlResult(framework, entry, tallies, now)),
    results.length,
    window,
  );
}

interface Entry {
  control: Control;
  status: ControlStatus;
  attestation: AttestationRow | undefined;
}

/** Ids of the rules that assess a control: the catalog's by selector, a tenant's framework names them itself. */
const ruleIdsOf = ({ custom, providers }: ScoredFramework, control: Control): string[] =>
  custom ? control.selectors : rulesOfControl(control, providers).map(({ rule_id }) => rule_id);

function controlResult(framework: ScoredFramework, { control, status, attestation }: Entry, tallies: Tallies, now: Date) {
  const { control_id, section, title, manual, planned } = control;
  const ids = ruleIdsOf(framework, control);
  const sum = { passed: 0, failed: 0, open: 0 };
  for (const id of ids) {
    const tally = tallies.ofRule(id);
    sum.passed += tally.PASS;
    sum.failed += tally.FAIL;
    sum.open += tally.NOT_EVALUATED;
  }
  return {
    control_id,
    section,
    title,
    status,
    assessable: manual === undefined,
    not_assessed_because: manual ?? planned ?? null,
    rule_count: ids.length,
    passed_results: sum.passed,
    failed_results: sum.failed,
    not_evaluated_results: sum.open,
    attestation: attestation ? attestationView(attestation, now) : null,
  };
}

/** One control with its rules, failing findings, evidence and history; null when there is no such framework or control. */
export async function findControl(context: EngineContext, frameworkId: string, controlId: string, scope: ScoreScope) {
  const framework = await findFramework(context, frameworkId);
  const control = framework?.controls.find(({ control_id }) => control_id === controlId);
  if (!framework || !control) return null;
  const [tallies, attestations, history] = await Promise.all([
    readTallies(context, scope),
    validAttestations(context, frameworkId),
    controlHistory(context, frameworkId, controlId),
  ]);
  const rules = ruleIdsOf(framework, control)
    .map((rule_id) => ({ rule_id, tally: tallies.ofRule(rule_id) }))
    .sort((a, b) => b.tally.FAIL - a.tally.FAIL || b.tally.PASS - a.tally.PASS || (a.rule_id < b.rule_id ? -1 : 1));
  const failing = rules.filter(({ tally }) => tally.FAIL > 0).map(({ rule_id }) => rule_id);
  const attestation = attestations.get(frameworkId)?.get(controlId);
  const status = controlStatus(control, tallies.of(framework.providers), attestation);
  return {
    framework_id: frameworkId,
    ...controlResult(framework, { control, status, attestation }, tallies, context.services.clock.now()),
    rules: rules.slice(0, MAX_RULES).map(({ rule_id, tally }) => ({
      rule_id,
      passed: tally.PASS,
      failed: tally.FAIL,
      not_applicable: tally.NOT_APPLICABLE,
      not_evaluated: tally.NOT_EVALUATED,
    })),
    ...(await failingFindings(context, failing.slice(0, MAX_RULES), scope)),
    history,
  };
}

/** Open findings of rules, and those of others that stand for their failures, from every engine that the caller may read; the others are named. */
async function failingFindings(context: EngineContext, rules: readonly string[], { provider, account_id }: ScoreScope) {
  if (rules.length === 0) return { failing_findings: [], failing_total: 0, degradedEngines: [], restrictedEngines: [] };
  const page = { provider, account_id, status: ['OPEN', 'IN_PROGRESS'] as const, page: 1, page_size: MAX_FINDINGS };
  const { answers, degradedEngines, restrictedEngines } = await acrossEngines(context, async ({ engine }) => {
    const [own, standing] = await Promise.all([
      listFindings(context, engine, { ...page, rule_id: rules }),
      POSTURE_ENGINES.some((name) => name === engine) ? listFindings(context, engine, { ...page, stands_for: rules }) : null,
    ]);
    return { items: [...own.items, ...(standing?.items ?? [])], total: own.total + (standing?.total ?? 0) };
  });
  return {
    failing_findings: answers.flatMap(({ result }) => result.items).slice(0, MAX_FINDINGS),
    failing_total: answers.reduce((sum, { result }) => sum + result.total, 0),
    degradedEngines,
    restrictedEngines,
  };
}
