import { AdvisoriesByPackage } from '../../../feeds/advisories-by-package.js';
import { lastChange } from '../../../feeds/advisory-changes.js';
import { componentMatches } from '../../../feeds/records.js';
import type { EngineContext, IngestSinks } from '../../../kit/engine/context.js';
import type { RunStart } from '../../../kit/engine/ingest-input.js';
import { inBatches } from '../../../kit/engine/retention.js';
import { NEVER_LEASED } from '../../../kit/work/due.js';
import { components, rowsOf, sbomRowId, sboms, type SbomRow } from '../components/records.js';
import { Judgement, MATCHED_FIELDS, OWNER } from './judgement.js';

/** Artifacts looked up at a time. */
const BATCH = 200;
/** How often an artifact is judged anew because it, or advisories, have changed meanwhile. */
const MOST_TRIES = 5;

/** Judges all components of these artifacts, as they are stored, by all advisories of their packages. */
export const matched: IngestSinks['matched'] = async (context, run, artifactIds) => {
  const { services, auth } = context;
  const tenant = services.database.tenant(auth.tenant_id);
  const ids = artifactIds.map((artifactId) => sbomRowId(tenant.tenantId, artifactId));
  const told = { engines: new Set<string>(), leftOut: 0 };
  const advisories = new AdvisoriesByPackage(services.database);
  for (let at = 0; at < ids.length; at += BATCH) {
    const rows = await tenant.collection(sboms).find({ _id: { $in: ids.slice(at, at + BATCH) } }, { fields: ['place'] });
    for (const { _id } of rows.filter(({ place }) => place)) {
      if (told.engines.size === 0) await follow(context);
      told.engines.add(OWNER);
      told.leftOut += await judgeArtifact(context, run, _id, advisories);
    }
  }
  return { engines: [...told.engines], leftOut: told.leftOut };
};

/** From the first judgement on the tenant's components are held against what changes in advisories. */
async function follow({ services, auth }: EngineContext): Promise<void> {
  const { database } = services;
  const first = { due_at: null, revision: 0, position: await lastChange(database), ...NEVER_LEASED };
  const row = { _id: auth.tenant_id, update: { $setOnInsert: first }, upsert: true };
  await database.tenant(auth.tenant_id).collection(componentMatches).bulkUpdate([row]);
}

/** What a judgement of an artifact rests on: the components that it has, and what advisories say. */
async function groundsOf(
  { services, auth }: EngineContext,
  sbomId: string,
): Promise<{ sbom: SbomRow | null; change: string | null; grounds: string }> {
  const { database } = services;
  const sbom = await database.tenant(auth.tenant_id).collection(sboms).findOne({ _id: sbomId });
  const change = await lastChange(database);
  return { sbom, change, grounds: JSON.stringify([sbom?.scan_run_id, sbom?.batches, change]) };
}

/**
 * Judges an artifact as a whole, until nothing has changed meanwhile: of two judgements at a time the last to end has seen all.
 * @returns how many findings were left out, because the tenant's plan has no room for them
 */
export async function judgeArtifact(
  context: EngineContext,
  run: Pick<RunStart, 'scan_run_id' | 'at'>,
  sbomId: string,
  advisories = new AdvisoriesByPackage(context.services.database),
): Promise<number> {
  const { services, auth, signal } = context;
  const rows = services.database.tenant(auth.tenant_id).collection(components);
  for (let tries = 1; ; tries++) {
    const { sbom, change, grounds } = await groundsOf(context, sbomId);
    if (!sbom?.place) return 0;
    advisories.asOf(change);
    // what the run has opened in one try, the next one may have to close
    const judgement = new Judgement(context, tries === 1 ? run : judgedAnew(services.clock.now()), advisories);
    for await (const batch of inBatches(rows.scan(rowsOf(sbomId), { fields: MATCHED_FIELDS }))) {
      signal.throwIfAborted();
      await judgement.judge(batch.map((component) => ({ component, sbom })));
    }
    await judgement.close([sbom.artifact_id]);
    if (tries >= MOST_TRIES || (await groundsOf(context, sbomId)).grounds === grounds) return judgement.leftOut;
  }
}

/** A judgement that no scan has asked for. */
export const judgedAnew = (at: Date) => ({ scan_run_id: `advisories-${at.toISOString()}`, at });
