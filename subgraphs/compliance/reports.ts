import { isDeepStrictEqual } from 'node:util';
import type { Provider, Severity } from '../../schema/model.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { pageWindow, toPage, type PageArguments } from '../../kit/store/paging.js';
import { validAttestations } from './attestations.js';
import { findFramework, listAllFrameworks, type ScoredFramework } from './frameworks.js';
import { frameworkScores, type AttestationRow, type FrameworkScoreRow } from './records.js';
import { OpenFindings } from './open-findings.js';
import { scoreControls, type Score } from './score.js';
import { readTallies, type ScoreScope, type Tallies } from './tallies.js';

export interface FrameworkFilter extends PageArguments, ScoreScope {
  custom?: boolean | null;
  q?: string | null;
}

/** `scope` of scores over all providers. */
const ALL = 'all';
/** Days that a report's trend goes back. */
const TREND_DAYS = 365;

type Attestations = ReadonlyMap<string, ReadonlyMap<string, AttestationRow>>;
const NONE: ReadonlyMap<string, AttestationRow> = new Map();

/** The frameworks with their scores over a part of the estate, the tenant's own first, by id. */
export async function listFrameworks(context: EngineContext, args: FrameworkFilter) {
  const window = pageWindow(args);
  const [frameworks, tallies, attested] = await Promise.all([
    listAllFrameworks(context),
    readTallies(context, args),
    validAttestations(context),
  ]);
  const text = args.q?.toLowerCase();
  const selected = frameworks.filter(
    ({ framework_id, name, custom }) =>
      (args.custom == null || args.custom === custom) && (!text || `${framework_id} ${name}`.toLowerCase().includes(text)),
  );
  const open = openOnce(context, tallies, args);
  const items = selected.slice(window.skip, window.skip + window.limit).map((framework) => summary(framework, tallies, attested, open));
  return toPage(items, selected.length, window);
}

/** The open findings of failing rules, read once where they are asked for. */
function openOnce(context: EngineContext, tallies: Tallies, scope: ScoreScope): () => Promise<OpenFindings> {
  let read: Promise<OpenFindings> | undefined;
  return () => (read ??= OpenFindings.read(context, tallies.failing, scope));
}

/** A framework as the graph gives it, but for what is counted by provider. */
export type FrameworkCounts = ReturnType<typeof summary>;

function summary(framework: ScoredFramework, tallies: Tallies, attestations: Attestations, open: () => Promise<OpenFindings>) {
  const attested = attestations.get(framework.framework_id) ?? NONE;
  const { score, passed, failed } = scoreControls(framework.controls, tallies.of(framework.providers), attested);
  const { framework_id, name, version, providers, source, custom, controls } = framework;
  return {
    framework_id,
    framework_name: name,
    version,
    providers,
    source,
    custom,
    score: score ?? 0,
    assessed_controls: passed.length + failed.length,
    pass_count: passed.length,
    fail_count: failed.length,
    total_controls: controls.length,
    mapped_controls: controls.filter(({ selectors }) => selectors.length > 0).length,
    manual_controls: controls.filter(({ manual }) => manual !== undefined).length,
    // findings are counted where they are asked for
    countProviders: async () => byProvider(framework, tallies, await open()),
    last_evaluated: tallies.evaluatedAt(providers),
  };
}

type OfProvider = Record<Severity, number> & { score: number; pass_count: number; fail_count: number };

/**
 * Of each provider the open findings by severity (decision 44), and the score by its own results alone; attestations are of no provider and
 * left out.
 */
function byProvider(framework: ScoredFramework, tallies: Tallies, open: OpenFindings) {
  const { controls, providers } = framework;
  const scores: Partial<Record<Provider, OfProvider>> = {};
  for (const provider of tallies.providers) {
    if (!providers.includes(provider)) continue;
    const { score, passed, failed } = scoreControls(controls, tallies.of([provider]), NONE);
    if (score === null) continue;
    scores[provider] = { ...open.bySeverity(framework, provider), score, pass_count: passed.length, fail_count: failed.length };
  }
  return scores;
}

/** A framework's report over a part of the estate; null when there is no such framework. */
export async function frameworkReport(context: EngineContext, frameworkId: string, scope: ScoreScope) {
  const framework = await findFramework(context, frameworkId);
  if (!framework) return null;
  const [tallies, attestations, trend] = await Promise.all([
    readTallies(context, scope),
    validAttestations(context, frameworkId),
    trendOf(context, frameworkId, scope),
  ]);
  return { ...summary(framework, tallies, attestations, openOnce(context, tallies, scope)), trend };
}

/** Stored scores by day; of a single provider or of everything, because scores by account are not kept. */
async function trendOf(context: EngineContext, framework_id: string, { provider, account_id }: ScoreScope) {
  if (account_id || (provider && provider.length !== 1)) return [];
  const since = new Date(context.services.clock.now().getTime() - TREND_DAYS * 86_400_000).toISOString().slice(0, 10);
  const filter = { framework_id, scope: provider?.[0] ?? ALL, date: { $gte: since } };
  const rows = await context.collection(frameworkScores).find(filter, { sort: { date: 1 }, fields: ['date', 'score'] });
  return rows.map(({ date, score }) => ({ date, score }));
}

/** Keeps today's scores, over all providers and over each, for trends. Doing it again replaces them. */
export async function keepScores(context: EngineContext, { at }: { at: Date }): Promise<void> {
  const [frameworks, tallies, attestations] = await Promise.all([
    listAllFrameworks(context),
    readTallies(context, {}),
    validAttestations(context),
  ]);
  const date = at.toISOString().slice(0, 10);
  const rows: Omit<FrameworkScoreRow, 'tenant_id'>[] = [];
  const keep = (framework_id: string, scope: string, { score, passed, failed }: Score): void => {
    if (score === null) return;
    const _id = [context.auth.tenant_id, framework_id, scope, date].join('|');
    rows.push({ _id, framework_id, scope, date, score, passed, failed });
  };
  for (const framework of frameworks) {
    const { framework_id, controls, providers } = framework;
    keep(framework_id, ALL, scoreControls(controls, tallies.of(providers), attestations.get(framework_id) ?? NONE));
    for (const provider of tallies.providers)
      if (providers.includes(provider)) keep(framework_id, provider, scoreControls(controls, tallies.of([provider]), NONE));
  }
  const own = context.collection(frameworkScores);
  const stored = await own.find({ _id: { $in: rows.map(({ _id }) => _id) } }, { fields: ['score', 'passed', 'failed'] });
  const known = new Map(stored.map((row) => [row._id, row]));
  // most runs of a day change few scores or none
  const changed = rows.filter(({ _id, score, passed, failed }) => !isDeepStrictEqual({ _id, score, passed, failed }, known.get(_id)));
  await own.bulkUpdate(changed.map(({ _id, ...row }) => ({ _id, update: { $set: row }, upsert: true })));
}

/** What a control's status was, day by day. */
export async function controlHistory(context: EngineContext, framework_id: string, controlId: string) {
  const rows = await context.collection(frameworkScores).find({ framework_id, scope: ALL }, { sort: { date: 1 } });
  return rows.map(({ date, passed, failed }) => ({
    date,
    status: failed.includes(controlId) ? 'FAIL' : passed.includes(controlId) ? 'PASS' : 'NOT_ASSESSED',
  }));
}
