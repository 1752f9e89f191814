import { fixedClock } from '../../kit/base/clock.js';
import { loadConfig } from '../../kit/base/config.js';
import { createLogger } from '../../kit/base/logger.js';
import { systemAuthContext } from '../../kit/base/auth-context.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { createEngineContext } from '../../kit/engine/create-context.js';
import { createIngestTargets } from '../../kit/findings/ingest-targets.js';
import { findings } from '../../kit/findings/row.js';
import { Database } from '../../kit/store/database.js';
import { takeDue } from '../../kit/work/due.js';
import { createTenant } from '../../accounts/seed.js';
import { componentMatches } from '../../feeds/records.js';
import { loadFeed } from '../../feeds/load.js';
import type { FeedKind } from '../../feeds/kinds.js';
import { bufferSource } from '../../importers/index.js';
import { collectionsOf } from '../../processes/services.js';
import { permissionsOf } from '../../schema/permissions.js';
import type { Observation } from '../../schema/observations.js';
import type { ArtifactInput, ComponentInput } from '../../schema/artifacts.js';
import { artifactTold, ingestComponents } from '../../subgraphs/secops/components/ingest.js';
import { matched } from '../../subgraphs/secops/matching/artifacts.js';
import { componentMatchWork } from '../../subgraphs/secops/matching/task.js';
import { engines } from '../../subgraphs/index.js';
import { testMasterKey } from '../sign-in/world.js';

const MINUTE = 60_000;

export const openMatchingDatabase = (): Promise<Database> =>
  Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `matching_${process.pid}`, collectionsOf(engines));

/** An advisory as OSV writes it: about versions of a package of npm below the one that fixes it. */
export const advisory = (id: string, name: string, fixed: string, more: Record<string, unknown> = {}) => ({
  id,
  modified: '2030-01-01T00:00:00Z',
  summary: `${name} is weak`,
  severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' }],
  affected: [{ package: { ecosystem: 'npm', name }, ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed }] }] }],
  ...more,
});

export const npm = (name: string, version: string, own: Partial<ComponentInput> = {}): ComponentInput => ({
  ...{ name, version, purl: `pkg:npm/${name}@${version}`, package: `pkg:npm/${name}`, kind: 'library', ecosystem: 'npm', position: 'x' },
  ...own,
});

/** A tenant whose artifacts are told, and advisories beside it. */
export async function matchingWorld(database: Database) {
  const clock = fixedClock('2030-06-01T00:00:00.000Z');
  const services = {
    ...{ database, clock, storeClock: clock, masterKey: testMasterKey(), config: loadConfig({}), logger: createLogger('silent') },
    findingEngines: engines.flatMap((engine) => engine.findings ?? []),
    ingest: createIngestTargets(engines),
    caller: { engines: [], call: () => Promise.resolve({ data: { result: { organization_id: 'org_test', plan: 'starter' } } }) },
  } as unknown as EngineServices;
  const { tenant_id } = await createTenant(services, { organization_id: 'org_test', name: 'Test' });
  const auth = systemAuthContext(
    { tenant_id, organization_id: 'org_test', plan: 'starter' },
    'tenant_admin',
    permissionsOf('tenant_admin'),
  );
  const contextOf = (signal = new AbortController().signal) => createEngineContext(services, 'secops', auth, signal);
  const context = contextOf();
  const rows = database.tenant(tenant_id).engine('vulnerability').collection(findings);
  const store = services.ingest.findings(context, 'vulnerability');
  let runs = 0;
  const runOf = () => {
    clock.advance(MINUTE);
    return { scan_run_id: `run-${++runs}`, at: clock.now() };
  };
  return {
    ...{ tenant_id, services, context, contextOf, clock, rows, store },
    /** A run that tells what an artifact has, as its last steps judge it. */
    async upload(components: readonly ComponentInput[], artifact_id = 'shop:1', within = context): Promise<string> {
      const run = runOf();
      const place = { resource_type: 'container_image', resource_name: artifact_id, provider: 'aws', region: 'global' } as const;
      const artifact: ArtifactInput = {
        artifact_id,
        name: artifact_id,
        kind: 'container',
        document: 'CycloneDX 1.6',
        place,
        position: 'x',
      };
      await ingestComponents(within, run, { artifact, no: 0, components, dependencies: [] });
      await artifactTold(within, run, artifact);
      await matched(within, run, [artifact_id]);
      return run.scan_run_id;
    },
    matched: (artifact_id = 'shop:1', within = context) => matched(within, runOf(), [artifact_id]),
    /** A completed run of a scanner that sees these in the artifact. */
    async scan(source: string, seen: readonly Partial<Observation>[]): Promise<void> {
      const run = { ...runOf(), format: source };
      const base = { engine: 'vulnerability', result: 'FAIL', severity: 'low', title: 'It', resource_type: 'container_image' } as const;
      const place = { resource_uid: 'shop:1', artifact: 'shop:1', provider: 'aws', region: 'global' } as const;
      const whole = { ...base, ...place, rule_id: '', source, evidence: {}, position: '0' };
      await store.ingest(
        run,
        seen.map((one) => store.prepare(run, { ...whole, ...one })),
      );
      await store.closeUnseen(run, { source, account_id: null, artifact: 'shop:1' });
      await matched(context, run, ['shop:1']);
    },
    load: (kind: FeedKind, file: object | string) =>
      loadFeed(services, kind, bufferSource(Buffer.from(typeof file === 'string' ? file : JSON.stringify(file)))),
    /** Does what feeds have left to workers. @returns how many turns it took */
    async workOff(signal = new AbortController().signal): Promise<number> {
      const work = componentMatchWork(services);
      for (let turns = 0; ; turns++) {
        clock.advance(MINUTE);
        const row = await takeDue({ database, storeClock: clock }, { ...work, where: { _id: tenant_id } });
        if (!row) return turns;
        const outcome = await work.run({ row, signal, lost: signal, isHeld: () => true });
        const set = { due_at: outcome?.due_at ?? null, leased_by: null, leased_until: null, ...outcome?.set };
        await database.tenant(tenant_id).collection(componentMatches).update({ _id: row._id }, { $set: set });
      }
    },
    /** `<rule> <status>` of all findings. */
    async told(): Promise<string[]> {
      return (await rows.find({}, { sort: { rule_id: 1, status: 1 } })).map(({ rule_id, status }) => `${rule_id} ${status}`);
    },
  };
}
