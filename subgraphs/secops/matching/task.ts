import { AdvisoriesByPackage } from '../../../feeds/advisories-by-package.js';
import { changesBehind, lastChange, type AdvisoryChanges } from '../../../feeds/advisory-changes.js';
import { componentMatches, type ComponentMatchRow } from '../../../feeds/records.js';
import { systemAuthContext } from '../../../kit/base/auth-context.js';
import type { BackgroundTask } from '../../../kit/engine/background.js';
import type { EngineContext, EngineServices } from '../../../kit/engine/context.js';
import { createEngineContext } from '../../../kit/engine/create-context.js';
import { inBatches } from '../../../kit/engine/retention.js';
import { readTenantPlan } from '../../../kit/read/tenant-plan.js';
import { heldBy, workOffDue, type DueWork, type Outcome, type Taken } from '../../../kit/work/due.js';
import { permissionsOf } from '../../../schema/permissions.js';
import { components, sboms } from '../components/records.js';
import { judgeArtifact, judgedAnew } from './artifacts.js';
import { Judgement, MATCHED_FIELDS, type MatchedComponent } from './judgement.js';

/** How long a tenant is worked on before those that wait have their turn, and how soon what failed is tried again; milliseconds. */
const TURN = 1_000;
const RETRY = 60_000;
/** Changed advisories looked at together, and packages that are asked for at a time. */
const PAGE = 100;
const PACKAGES = 200;

/** Judges components anew that changed advisories name, or have named before, of tenants that have been asked for, in turns. */
export const componentMatchTask: BackgroundTask = {
  name: 'component-matches',
  run: (services, stopping) => workOffDue(services, componentMatchWork(services), stopping),
};

export const componentMatchWork = (services: EngineServices): DueWork<ComponentMatchRow> => ({
  name: 'component-matches',
  collection: componentMatches,
  atATime: 2,
  run: (taken) => followChanges(services, taken),
  failed({ row }, error) {
    services.logger.error({ err: error, tenant: row.tenant_id }, 'components could not be held against changed advisories');
    return { due_at: new Date(services.storeClock.now().getTime() + RETRY) };
  },
});

async function followChanges(
  services: EngineServices,
  { row, signal }: Taken<ComponentMatchRow>,
): Promise<Outcome<ComponentMatchRow> | null> {
  const until = performance.now() + TURN;
  const { database, storeClock } = services;
  const rows = database.tenant(row.tenant_id).collection(componentMatches);
  const context = await contextOf(services, row.tenant_id, signal);
  const when = { revision: row.revision };
  const advisories = new AdvisoriesByPackage(database);
  // a tenant that is gone has nothing to follow
  if (context === null) return { due_at: null, when };
  const end = await lastChange(database);
  for (let position = row.position; ;) {
    signal.throwIfAborted();
    const changes = await changesBehind(database, position, end, PAGE);
    if (changes === null) return { due_at: null, when, set: { position: end } };
    await judgeNamed(context, changes, advisories);
    position = changes.position;
    const { matched } = await rows.update(heldBy(row), { $set: { position } });
    if (matched === 0) return null;
    if (performance.now() > until) return { due_at: storeClock.now() };
  }
}

/** The tenant as a whole, with the plan that it has now; null when it is gone. */
async function contextOf(services: EngineServices, tenant_id: string, signal: AbortSignal): Promise<EngineContext | null> {
  const of = (tenant: { organization_id: string; plan: 'starter' | 'growth' | 'enterprise' }) =>
    systemAuthContext({ tenant_id, ...tenant }, 'tenant_admin', permissionsOf('tenant_admin'));
  const asked = { auth: of({ organization_id: 'system', plan: 'starter' }), services, signal };
  const tenant = await readTenantPlan(asked);
  return tenant && createEngineContext(services, 'secops', of(tenant), signal);
}

/** Judges the components of the tenant that changes name, wherever they are. */
async function judgeNamed(context: EngineContext, { packages, ruleIds }: AdvisoryChanges, advisories: AdvisoriesByPackage): Promise<void> {
  const { services, auth, signal } = context;
  const rows = services.database.tenant(auth.tenant_id).collection(components);
  for (let at = 0; at < packages.length; at += PACKAGES) {
    const named = rows.scan({ package_keys: { $in: packages.slice(at, at + PACKAGES) } }, { fields: MATCHED_FIELDS });
    for await (const batch of inBatches(named)) {
      signal.throwIfAborted();
      advisories.asOf(await lastChange(services.database));
      await judgeBatch(context, batch, ruleIds, advisories);
    }
  }
}

const sbomOf = ({ _id }: MatchedComponent): string => _id.slice(0, _id.lastIndexOf('|'));

async function judgeBatch(
  context: EngineContext,
  batch: readonly MatchedComponent[],
  ruleIds: ReadonlySet<string>,
  advisories: AdvisoriesByPackage,
): Promise<void> {
  const { services, auth } = context;
  const bills = services.database.tenant(auth.tenant_id).collection(sboms);
  const ids = [...new Set(batch.map(sbomOf))];
  const artifacts = new Map((await bills.find({ _id: { $in: ids } })).filter(({ place }) => place).map((sbom) => [sbom._id, sbom]));
  const placed = batch.flatMap((component) => {
    const sbom = artifacts.get(sbomOf(component));
    return sbom ? [{ component, sbom }] : [];
  });
  const run = judgedAnew(services.clock.now());
  const judgement = new Judgement(context, run, advisories, ruleIds);
  await judgement.judge(placed);
  await judgement.close([...artifacts.values()].map(({ artifact_id }) => artifact_id));
  // a bill that came meanwhile may have been judged before this judgement ended
  const changed = (await bills.find({ _id: { $in: ids } }, { fields: ['scan_run_id', 'batches'] })).filter(
    ({ _id, scan_run_id, batches }) => {
      const before = artifacts.get(_id);
      return before?.scan_run_id !== scan_run_id || before.batches !== batches;
    },
  );
  let { leftOut } = judgement;
  for (const { _id } of changed) leftOut += await judgeArtifact(context, judgedAnew(services.clock.now()), _id);
  if (leftOut > 0) services.logger.warn({ tenant: auth.tenant_id, findings: leftOut }, 'the plan has no room for findings by advisories');
}
