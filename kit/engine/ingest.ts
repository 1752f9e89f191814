import type { Provider } from '../../schema/model.js';
import type { AssetInput, EdgeInput, RuleInput } from '../../schema/observations.js';
import type { EngineContext, EngineServices } from './context.js';
import type { Engine } from './engine.js';
import { getAuditLog } from './create-context.js';
import type { AssetProjection } from './projection.js';
import { FindingStore } from '../findings/store.js';
import type { ResourceResults, ResultScope } from './rule-results.js';
import { NO_TENANT_RULES, type TenantRules } from './tenant-rules.js';

/** Takes rules of a report in; idempotent. */
export type RuleSink = (context: EngineContext, rules: readonly RuleInput[]) => Promise<void>;

/** An asset as a run saw it, or as a finding names it (`configuration` null then: what an inventory said stays). */
export type SeenAsset = Omit<AssetInput, 'configuration' | 'source' | 'position'> &
  Partial<Pick<AssetInput, 'source'>> & { configuration: Record<string, unknown> | null };

/** Takes assets and edges of a run in; idempotent. @returns how many new assets were left out, because the tenant's plan has no room for them */
export type AssetSink = (
  context: EngineContext,
  run: { scan_run_id: string; at: Date },
  assets: readonly SeenAsset[],
  edges: readonly EdgeInput[],
) => Promise<number>;

/** Takes what the posture rules said of resources; idempotent. */
export type ResultSink = (
  context: EngineContext,
  run: { scan_run_id: string; at: Date },
  results: readonly ResourceResults[],
) => Promise<void>;

/** Forgets resources of a scope that a completed run, which covers it, did not evaluate. */
export type ResultCleaner = (context: EngineContext, run: { scan_run_id: string; at: Date }, scope: ResultScope) => Promise<void>;

/** What a tenant has set for its imports. */
export interface ImportSettings {
  /** Provider of what runs in no cloud; null when each import must name it. */
  default_provider: Provider | null;
  /** Days for which the report of a run that has ended is kept. */
  run_retention_days: number;
}

/** What an engine takes from scan runs beside findings, and gives to them. */
export interface EngineIngest {
  rules?: RuleSink;
  assets?: AssetSink;
  results?: ResultSink;
  forgetResults?: ResultCleaner;
  /** Refuses a run when the tenant's plan has no room for what it may bring. @throws PalisadeError VALIDATION_ERROR */
  assertRoom?: (context: EngineContext) => Promise<void>;
  /** The tenant's own rules and settings, which the evaluation of a run goes by. */
  tenantRules?: (context: EngineContext) => Promise<TenantRules>;
  /** What the tenant has set for its imports. */
  importSettings?: (services: EngineServices, tenantId: string) => Promise<ImportSettings>;
  /** Derives what follows from a run's results, once the run has ended. */
  derive?: (context: EngineContext, run: { scan_run_id: string; at: Date }) => Promise<void>;
}

/** Where a scan run delivers what it read: made of the list, so that the pipeline names no engine. */
export interface IngestTargets {
  /** The engines that take observations. */
  readonly findingEngines: ReadonlySet<string>;
  /** @throws for an engine that is not listed */
  findings(context: EngineContext, engine: string): FindingStore;
  /** @returns why the engine refuses the evidence, or null. @throws for an engine that is not listed */
  refusal(engine: string, evidence: Record<string, unknown>): string | null;
  /** The views of the inventory that engines keep, to be written with the assets. */
  readonly projections: readonly AssetProjection[];
  readonly rules: RuleSink;
  readonly assets: AssetSink;
  readonly results: ResultSink;
  readonly forgetResults: ResultCleaner;
  /** @throws PalisadeError VALIDATION_ERROR when the tenant's plan has no room for what a run may bring */
  assertRoom(context: EngineContext): Promise<void>;
  tenantRules(context: EngineContext): Promise<TenantRules>;
  /** @throws when no engine of the list knows the tenant's settings */
  importSettings(services: EngineServices, tenantId: string): Promise<ImportSettings>;
  derive(context: EngineContext, run: { scan_run_id: string; at: Date }): Promise<void>;
}

export function createIngestTargets(engines: readonly Engine[]): IngestTargets {
  const facts = new Map(engines.flatMap((engine) => (engine.findings ? [[engine.name, engine.findings] as const] : [])));
  const factsOf = (owner: string) => {
    const found = facts.get(owner);
    if (!found) throw new Error(`${owner} is not a finding engine of the list`);
    return found;
  };
  return {
    findingEngines: new Set(facts.keys()),
    findings: ({ services, auth }, engine) =>
      new FindingStore(services.database, getAuditLog(services), services.clock, factsOf(engine), auth.tenant_id),
    refusal(engine, evidence) {
      const parsed = factsOf(engine).evidence.safeParse(evidence);
      return parsed.success ? null : parsed.error.issues.map((issue) => `evidence.${issue.path.join('.')}: ${issue.message}`).join('; ');
    },
    projections: engines.flatMap((engine) => engine.projections),
    async rules(context, rules) {
      for (const { ingest } of engines) await ingest.rules?.(context, rules);
    },
    async assets(context, run, assets, edges) {
      let leftOut = 0;
      for (const { ingest } of engines) leftOut += (await ingest.assets?.(context, run, assets, edges)) ?? 0;
      return leftOut;
    },
    async results(context, run, results) {
      for (const { ingest } of engines) await ingest.results?.(context, run, results);
    },
    async forgetResults(context, run, scope) {
      for (const { ingest } of engines) await ingest.forgetResults?.(context, run, scope);
    },
    async assertRoom(context) {
      for (const { ingest } of engines) await ingest.assertRoom?.(context);
    },
    async tenantRules(context) {
      for (const { ingest } of engines) if (ingest.tenantRules) return ingest.tenantRules(context);
      return NO_TENANT_RULES;
    },
    async importSettings(services, tenantId) {
      for (const { ingest } of engines) if (ingest.importSettings) return ingest.importSettings(services, tenantId);
      throw new Error('no engine of the list knows the settings of imports');
    },
    async derive(context, run) {
      for (const { ingest } of engines) await ingest.derive?.(context, run);
    },
  };
}
