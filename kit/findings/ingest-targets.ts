import type { Engine } from '../engine/engine.js';
import { getAuditLog } from '../engine/create-context.js';
import { FindingStore } from './store.js';
import type { AccountScans, IngestTargets } from '../engine/context.js';
import { NO_TENANT_RULES } from '../engine/tenant-rules.js';

const none = (): never => {
  throw new Error('no engine of the list keeps accounts');
};
const NO_ACCOUNTS: AccountScans = { scannable: none, collect: none, scanned: none };

/** The targets of scan runs, made of the engines of the list. */
export function createIngestTargets(engines: readonly Engine[]): IngestTargets {
  const facts = new Map(engines.flatMap((engine) => (engine.findings ? [[engine.name, engine.findings] as const] : [])));
  const factsOf = (owner: string) => {
    const found = facts.get(owner);
    if (!found) throw new Error(`${owner} is not a finding engine of the list`);
    return found;
  };
  const { accountScans } = engines.find(({ ingest }) => ingest.accountScans)?.ingest ?? {};
  return {
    accountScans: accountScans ?? NO_ACCOUNTS,
    findingEngines: new Set(facts.keys()),
    projections: engines.flatMap((engine) => engine.projections),
    findings: ({ services, auth }, engine) => new FindingStore(services, getAuditLog(services), factsOf(engine), auth.tenant_id),
    refusal(engine, evidence) {
      const parsed = factsOf(engine).evidence.safeParse(evidence);
      return parsed.success ? null : parsed.error.issues.map((issue) => `evidence.${issue.path.join('.')}: ${issue.message}`).join('; ');
    },
    async rules(context, rules) {
      for (const { ingest } of engines) await ingest.rules?.(context, rules);
    },
    async assets(context, run, assets, edges) {
      let leftOut = 0;
      for (const { ingest } of engines) leftOut += (await ingest.assets?.(context, run, assets, edges)) ?? 0;
      return leftOut;
    },
    async observations(...told) {
      for (const { ingest } of engines) await ingest.observations?.(...told);
    },
    async events(context, run, batch) {
      let leftOut = 0;
      for (const { ingest } of engines) leftOut += (await ingest.events?.(context, run, batch)) ?? 0;
      return leftOut;
    },
    async indicators(context, run, indicators) {
      let leftOut = 0;
      for (const { ingest } of engines) leftOut += (await ingest.indicators?.(context, run, indicators)) ?? 0;
      return leftOut;
    },
    async *detected(context, run) {
      for (const { ingest } of engines) if (ingest.detected) yield* ingest.detected(context, run);
    },
    async lastAccess(context, report) {
      for (const { ingest } of engines) await ingest.lastAccess?.(context, report);
    },
    async components(context, run, batch) {
      let leftOut = 0;
      for (const { ingest } of engines) leftOut += (await ingest.components?.(context, run, batch)) ?? 0;
      return leftOut;
    },
    async artifactTold(context, run, artifact) {
      for (const { ingest } of engines) await ingest.artifactTold?.(context, run, artifact);
    },
    async matched(context, run, artifactIds) {
      const told = [];
      for (const { ingest } of engines) if (ingest.matched) told.push(await ingest.matched(context, run, artifactIds));
      return { engines: told.flatMap((one) => one.engines), leftOut: told.reduce((sum, { leftOut }) => sum + leftOut, 0) };
    },
    async unseen(...told) {
      for (const { ingest } of engines) await ingest.unseen?.(...told);
    },
    async gone(...told) {
      for (const { ingest } of engines) await ingest.gone?.(...told);
    },
    async notCovered(...asked) {
      for (const { ingest } of engines) await ingest.notCovered?.(...asked);
    },
    async results(context, run, results) {
      for (const { ingest } of engines) await ingest.results?.(context, run, results);
    },
    async forgetResults(context, run, scope) {
      for (const { ingest } of engines) await ingest.forgetResults?.(context, run, scope);
    },
    async evaluated(services, tenantId, resourceUids) {
      const found = await Promise.all(engines.map(({ ingest }) => ingest.evaluated?.(services, tenantId, resourceUids) ?? []));
      return found.flat();
    },
    async *tagged(services, ...asked) {
      for (const { ingest } of engines) if (ingest.tagged) yield* ingest.tagged(services, ...asked);
    },
    async tagsOf(services, ...asked) {
      for (const { ingest } of engines) if (ingest.tagsOf) return ingest.tagsOf(services, ...asked);
      return new Map();
    },
    async riskContextsOf(...asked) {
      for (const { ingest } of engines) if (ingest.riskContextsOf) return ingest.riskContextsOf(...asked);
      return new Map();
    },
    async membersOf(services, ...asked) {
      for (const { ingest } of engines) if (ingest.membersOf) return ingest.membersOf(services, ...asked);
      return new Map();
    },
    async openFindings(...change) {
      for (const { ingest } of engines) await ingest.openFindings?.(...change);
    },
    async exposures(...change) {
      for (const { ingest } of engines) await ingest.exposures?.(...change);
    },
    async assertRoom(context) {
      for (const { ingest } of engines) await ingest.assertRoom?.(context);
    },
    async tenantRules(context) {
      for (const { ingest } of engines) if (ingest.tenantRules) return ingest.tenantRules(context);
      return NO_TENANT_RULES;
    },
    async rulesRevision(context) {
      for (const { ingest } of engines) if (ingest.rulesRevision) return ingest.rulesRevision(context);
      return NO_TENANT_RULES.revision;
    },
    async importSettings(services, tenantId) {
      for (const { ingest } of engines) if (ingest.importSettings) return ingest.importSettings(services, tenantId);
      throw new Error('no engine of the list knows the settings of imports');
    },
    async derive(context, run) {
      for (const { ingest } of engines) await ingest.derive?.(context, run);
    },
    async conclude(context, run) {
      for (const { ingest } of engines) await ingest.conclude?.(context, run);
    },
    async deriveFromEvents(context, run) {
      for (const { ingest } of engines) await ingest.deriveFromEvents?.(context, run);
    },
    async daily(context, run) {
      for (const { ingest } of engines) await ingest.daily?.(context, run);
    },
  };
}
