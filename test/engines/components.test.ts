import { fixedClock } from '../../kit/base/clock.js';
import { createLogger } from '../../kit/base/logger.js';
import type { EngineContext, EngineServices } from '../../kit/engine/context.js';
import { createIngestTargets } from '../../kit/findings/ingest-targets.js';
import { Database } from '../../kit/store/database.js';
import { collectionsOf } from '../../processes/services.js';
import { createTenant } from '../../accounts/seed.js';
import { bufferSource, findImporter, type ImportItem } from '../../importers/index.js';
import type { ArtifactInput, ComponentInput } from '../../schema/artifacts.js';
import { ComponentDelivery } from '../../subgraphs/scans/component-delivery.js';
import { artifactTold, ingestComponents } from '../../subgraphs/secops/components/ingest.js';
import { listComponents, listSboms, type ComponentFilter } from '../../subgraphs/secops/components/list.js';
import { sbomPiece } from '../../subgraphs/secops/components/pieces.js';
import { components, sbomDependencies } from '../../subgraphs/secops/components/records.js';
import { parseRange, versionKey } from '../../subgraphs/secops/components/version-key.js';
import { engines } from '../../subgraphs/index.js';
import { fixture } from '../importers/fixtures.js';
import { testMasterKey } from '../sign-in/world.js';

const NOW = '2030-06-01T00:00:00.000Z';
const ARTIFACT: ArtifactInput = {
  artifact_id: 'shop:1',
  name: 'shop',
  kind: 'container',
  document: 'CycloneDX 1.6',
  ref: 'root',
  position: 'x',
};

let database: Database;
let services: EngineServices;
let context: EngineContext;
beforeAll(async () => {
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `components_${process.pid}`, collectionsOf(engines));
  const parts = { database, clock: fixedClock(NOW), masterKey: testMasterKey(), logger: createLogger('error'), config: {} };
  services = { ...parts, ingest: createIngestTargets(engines) } as unknown as EngineServices;
});
beforeEach(async () => {
  const tenant_id = (await createTenant(services, { organization_id: 'org_test', name: 'Test' })).tenant_id;
  context = contextOf(tenant_id);
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

function contextOf(tenant_id: string, QUOTAS?: string): EngineContext {
  return {
    services: { ...services, config: { QUOTAS } },
    auth: { tenant_id, plan: 'starter' },
    signal: new AbortController().signal,
    collection: (definition: never) => database.tenant(tenant_id).collection(definition),
    transaction: (work: never) => database.transaction(work),
  } as unknown as EngineContext;
}

const npm = (name: string, version: string, own: Partial<ComponentInput> = {}): ComponentInput => ({
  ...{ name, version, purl: `pkg:npm/${name}@${version}`, package: `pkg:npm/${name}`, kind: 'library', ecosystem: 'npm', position: 'x' },
  ...own,
});
const run = (id: string, day: number) => ({ scan_run_id: id, at: new Date(NOW), observed_at: new Date(Date.UTC(2030, 4, day)) });

/** What a run that reads these components does. */
async function take(id: string, day: number, list: ComponentInput[], artifact = ARTIFACT, within = context): Promise<number> {
  const leftOut = await ingestComponents(within, run(id, day), { artifact, no: 0, components: list, dependencies: [] });
  if (leftOut === 0) await artifactTold(within, run(id, day), artifact);
  return leftOut;
}
const found = async (filter: ComponentFilter = {}) => {
  const { items, total } = await listComponents(context, { page_size: 200, ...filter });
  if (items.length < 200) expect(total).toBe(items.length);
  return items.map(({ name, version }) => `${name}@${version}`);
};

describe('the components of an artifact', () => {
  it('are those of its newest bill: what is gone is removed, what stays keeps when it was first seen', async () => {
    await take('one', 1, [npm('a', '1.0.0'), npm('b', '1.0.0')]);
    await take('two', 2, [npm('b', '1.0.0'), npm('c', '1.0.0')]);
    expect(await found()).toEqual(['b@1.0.0', 'c@1.0.0']);
    const { items } = await listComponents(context, { name: 'b' });
    expect(items).toMatchObject([{ first_seen_at: run('', 1).observed_at, last_seen_at: run('', 2).observed_at, scan_run_id: 'two' }]);
    expect((await listSboms(context, {})).items).toMatchObject([{ component_count: 2, is_whole: true, scan_run_id: 'two' }]);
  });

  it('are not changed by a bill that was made before, nor by the rest of one that a newer one has overtaken', async () => {
    await take('two', 2, [npm('b', '1.0.0')]);
    await take('one', 1, [npm('a', '1.0.0')]);
    expect(await found()).toEqual(['b@1.0.0']);
    const batch = { artifact: ARTIFACT, components: [npm('late', '1.0.0')], dependencies: [] };
    await ingestComponents(context, run('three', 3), { ...batch, no: 0, components: [npm('c', '1.0.0')] });
    await take('four', 4, [npm('d', '1.0.0')]);
    await ingestComponents(context, run('three', 3), { ...batch, no: 1 });
    await artifactTold(context, run('three', 3), ARTIFACT);
    expect(await found()).toEqual(['d@1.0.0']);
  });

  it('are the same after a run that was killed in the middle and begun again', async () => {
    await take('one', 1, [npm('a', '1.0.0'), npm('b', '1.0.0')]);
    await ingestComponents(context, run('two', 2), { artifact: ARTIFACT, no: 0, components: [npm('b', '2.0.0')], dependencies: [] });
    await take('two', 2, [npm('b', '2.0.0'), npm('b', '2.0.0')]);
    expect(await found()).toEqual(['b@2.0.0']);
    expect((await listSboms(context, {})).items[0]).toMatchObject({ component_count: 1 });
  });

  it('are kept beyond a run that did not complete, and counted exactly', async () => {
    await take('one', 1, [npm('a', '1.0.0')]);
    await ingestComponents(context, run('two', 2), { artifact: ARTIFACT, no: 0, components: [npm('b', '1.0.0')], dependencies: [] });
    expect(await found({ artifact_id: ['shop:1'] })).toEqual(['a@1.0.0', 'b@1.0.0']);
    expect((await listSboms(context, {})).items[0]).toMatchObject({ component_count: 2, is_whole: false });
  });

  it('are stored up to what the plan allows, and nothing is removed then', async () => {
    const small = contextOf(context.auth.tenant_id, 'starter.components=2');
    await take('one', 1, [npm('a', '1.0.0')], ARTIFACT, small);
    expect(await take('two', 2, [npm('b', '1.0.0'), npm('c', '1.0.0')], ARTIFACT, small)).toBe(1);
    expect(await found()).toEqual(['a@1.0.0', 'b@1.0.0']);
  });

  it('are of their tenant alone, though another has the same artifact', async () => {
    await take('one', 1, [npm('a', '1.0.0')]);
    const other = (await createTenant(services, { organization_id: 'org_test', name: 'Other' })).tenant_id;
    await take('one', 3, [npm('z', '1.0.0')], ARTIFACT, contextOf(other));
    expect(await found()).toEqual(['a@1.0.0']);
    expect(await sbomPiece(contextOf(other), { artifact_id: 'shop:2' })).toBeNull();
  });
});

describe('finding components', () => {
  beforeEach(async () => {
    const list = ['1.0.0', '1.9.0', '1.10.0', '2.0.0-rc.1', '2.0.0'].map((version) =>
      npm('lib', version, { licenses: ['MIT OR Apache-2.0'] }),
    );
    const deb = { ecosystem: 'deb', purl: 'pkg:deb/debian/lib@1.5-1?arch=amd64', package: 'pkg:deb/debian/lib' };
    await take('one', 1, [
      ...list,
      npm('@scope/lib', '3.0.0'),
      npm('lib', '1.5-1', deb),
      npm('other', '1.5.0', { licenses: ['GPL-3.0-only'] }),
    ]);
    await take('two', 1, [npm('lib', '1.9.0')], { ...ARTIFACT, artifact_id: 'shop:2' });
  });

  it.each<[string, ComponentFilter, string[]]>([
    ['by package, all versions in their order', { purl: 'pkg:npm/lib' }, ['1.0.0', '1.9.0', '1.9.0', '1.10.0', '2.0.0-rc.1', '2.0.0']],
    ['by package and version', { purl: 'pkg:npm/lib@1.9.0' }, ['1.9.0', '1.9.0']],
    ['by package and range', { purl: 'pkg:npm/lib', version: '>=1.9 <2' }, ['1.9.0', '1.9.0', '1.10.0', '2.0.0-rc.1']],
    ['by name and range, each ecosystem by its order', { name: 'LIB', version: '>1.0.0, <1.10' }, ['1.5-1', '1.9.0', '1.9.0']],
    ['by the name behind a scope', { name: 'lib', version: '3' }, ['3.0.0']],
    ['by a license of an expression', { license: ['apache-2.0'], artifact_id: ['shop:1'], name: 'lib', version: '2.0.0' }, ['2.0.0']],
    ['by ecosystem', { ecosystem: ['deb'] }, ['1.5-1']],
    ['by another license', { license: ['gpl-3.0-only'] }, ['1.5.0']],
    ['by several artifacts', { artifact_id: ['shop:2', 'absent'] }, ['1.9.0']],
  ])('%s', async (_case, filter, versions) => {
    expect((await found(filter)).map((one) => one.slice(one.lastIndexOf('@') + 1))).toEqual(versions);
  });

  it('goes through pages without seeing one twice or leaving one out', async () => {
    const pages = [1, 2, 3].map((page) => listComponents(context, { page, page_size: 3 }));
    const items = (await Promise.all(pages)).flatMap((page) => page.items);
    expect([items.length, new Set(items.map(({ _id }) => _id)).size]).toEqual([9, 9]);
  });

  it.each([{ version: '>=1.0' }, { name: 'lib', version: 'about 3' }, { purl: 'lib' }, { purl: 'pkg:npm/lib@1', version: '1' }])(
    'refuses %j',
    async (filter) => {
      await expect((async () => listComponents(context, filter))()).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    },
  );
});

describe('versions', () => {
  it.each([
    ['npm', ['0.9.0', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.1', '1.2.0', '1.10.0']],
    ['maven', ['1.0-alpha-1', '1.0-beta-1', '1.0-rc1', '1.0-SNAPSHOT', '1.0', '1.0-sp1', '1.0.1', '2.13.2', '2.15.0']],
    ['pypi', ['1.0.dev1', '1.0a1', '1.0b2', '1.0rc1', '1.0', '1.0.post1', '1.1', '1!0.5']],
    ['deb', ['1.0~rc1-1', '1.0-1', '1.0-1ubuntu1', '1.0-2', '1.0a-1', '1.0.1-1', '1.2.13', '1:0.1-1']],
    ['apk', ['1.2.3_rc1-r0', '1.2.3-r0', '1.2.3-r10', '1.2.4-r0']],
  ])('of %s sort as it orders them', (ecosystem, versions) => {
    const keys = versions.map((version) => versionKey(version, ecosystem));
    expect([...keys].sort()).toEqual(keys);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('are the same with a v, with zeros at the end, and with build metadata', () => {
    for (const version of ['v1.2', '1.2.0', '1.2.0+build.5']) expect(versionKey(version, 'npm')).toBe(versionKey('1.2', 'npm'));
    expect(parseRange('>= 1.0, <2.0')).toHaveLength(2);
  });
});

describe('a bill that was imported', () => {
  /** Imports a report as a run does. */
  async function imported(format: string, bytes: Uint8Array, artifact = 'round', id = format): Promise<void> {
    const of = run(id, 5);
    const delivery = new ComponentDelivery(async (batch) => void (await ingestComponents(context, of, batch)));
    for await (const item of findImporter(format)!.read(bufferSource(bytes), { artifact, provider: 'aws' }))
      if (isOfComponents(item)) await delivery.take(item);
    await delivery.flush();
    for (const told of delivery.artifacts.values()) await artifactTold(context, of, told);
  }
  const isOfComponents = (item: ImportItem) => item.kind === 'artifact' || item.kind === 'component' || item.kind === 'dependency';

  async function documentOf(artifact_id: string, accept?: string): Promise<string> {
    let text = '';
    for (let after: string | null | undefined; after !== null;) {
      const piece = await sbomPiece(context, { artifact_id, accept, after });
      text += piece!.text;
      after = piece!.next;
    }
    return text;
  }
  const contents = async () => {
    const rows = await context.collection(components).find({}, { sort: { _id: 1 } });
    return rows.map(({ purl, name, version, kind, ecosystem, licenses, hashes, refs, distribution }) => ({
      ...{ purl, name, version, kind, ecosystem, licenses, hashes, refs, distribution },
    }));
  };

  it('comes back as CycloneDX with every component and dependency', async () => {
    await imported('cyclonedx', fixture('cyclonedx', 'shop.cdx.json'));
    const before = await contents();
    expect(before).toHaveLength(5);
    const text = await documentOf('round');
    expect(JSON.parse(text)).toMatchObject({
      specVersion: '1.6',
      dependencies: [
        { ref: 'shop', dependsOn: ['express', 'core'] },
        { ref: 'express', dependsOn: ['qs'] },
      ],
    });
    await context.collection(components).remove({});
    await context.collection(sbomDependencies).remove({});
    await imported('cyclonedx', Buffer.from(text), 'round', 'again');
    expect(await contents()).toEqual(before);
  });

  it('comes back as SPDX with every component, however many pieces it takes', async () => {
    const list = Array.from({ length: 603 }, (_, n) => npm(`many-${n}`, '1.0.0', { ref: `r${n}`, licenses: ['MIT'] }));
    const delivery = new ComponentDelivery(async (batch) => void (await ingestComponents(context, run('many', 5), batch)));
    await delivery.take({ kind: 'artifact', artifact: ARTIFACT });
    for (const component of list) await delivery.take({ kind: 'component', component });
    for (let n = 0; n < 602; n++) await delivery.take({ kind: 'dependency', dependency: { ref: `r${n}`, on: [`r${n + 1}`] } });
    await delivery.flush();
    const text = await documentOf('shop:1', 'application/spdx+json');
    const document = JSON.parse(text) as { packages: object[]; relationships: object[] };
    expect([document.packages.length, document.relationships.length]).toEqual([604, 603]);
    await imported('spdx', Buffer.from(text), 'copy');
    expect((await listComponents(context, { artifact_id: ['copy'] })).total).toBe(603);
    expect((await listComponents(context, { artifact_id: ['copy'], name: 'many-7' })).items).toMatchObject([
      { purl: 'pkg:npm/many-7@1.0.0', licenses: ['MIT'], ecosystem: 'npm' },
    ]);
  });

  it('of nothing is a document, too', async () => {
    await imported('cyclonedx', fixture('cyclonedx', 'empty.cdx.json'));
    expect(JSON.parse(await documentOf('round'))).toMatchObject({ components: [], dependencies: [] });
    expect(JSON.parse(await documentOf('round', 'application/spdx+json'))).toMatchObject({ packages: [{ name: 'nothing' }] });
  });
});
