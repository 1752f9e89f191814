import type { Database } from '../../kit/store/database.js';
import { advisories, feedStates } from '../../feeds/records.js';
import type { ArtifactInput, ComponentInput } from '../../schema/artifacts.js';
import { artifactTold, ingestComponents } from '../../subgraphs/secops/components/ingest.js';
import { matched } from '../../subgraphs/secops/matching/artifacts.js';
import { fixture } from '../importers/fixtures.js';
import { readAll } from '../importers/read-all.js';
import { advisory, matchingWorld, openMatchingDatabase } from './matching-world.js';

let database: Database;
beforeAll(async () => {
  database = await openMatchingDatabase();
});
afterAll(async () => {
  for (const collection of [advisories, feedStates]) await database.system<{ _id: string }>(collection).remove({});
  await database.drop();
  await database.close();
});

const OPENSSL = {
  ...advisory('DSA-5532-1', 'openssl', '', { aliases: ['CVE-2029-5363'] }),
  affected: [
    {
      package: { ecosystem: 'Debian:12', name: 'openssl' },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '3.0.11-1~deb12u3' }] }],
    },
  ],
};

/** What a list says, as a run of it hands it on. */
async function listOf(format: string, report: string): Promise<{ artifact: ArtifactInput; components: ComponentInput[] }> {
  const { items } = await readAll(format, report);
  const artifact = items.flatMap((item) => (item.kind === 'artifact' ? [item.artifact] : []))[0]!;
  return { artifact, components: items.flatMap((item) => (item.kind === 'component' ? [item.component] : [])) };
}

it('finds what advisories say of the packages of a host, by the source package, and closes it with a list that has the version that mends it', async () => {
  const world = await matchingWorld(database);
  await world.load('osv', OPENSSL);
  let runs = 0;
  const bring = async (format: string, report: string) => {
    world.clock.advance(60_000);
    const run = { scan_run_id: `list-${++runs}`, at: world.clock.now() };
    const { artifact, components } = await listOf(format, report);
    await ingestComponents(world.context, run, { artifact, no: 0, components, dependencies: [] });
    await artifactTold(world.context, run, artifact);
    await matched(world.context, run, [artifact.artifact_id]);
  };
  const told = async () =>
    (await world.rows.find({}, { sort: { discriminator: 1 } })).map(({ rule_id, resource_uid, resource_type, discriminator, status }) =>
      [rule_id, resource_uid, resource_type, discriminator, status].join(' '),
    );
  const list = fixture('host_packages', 'debian.txt').toString();
  await bring('host_packages', list);
  const open = ['libssl3', 'openssl'].map((name) => `CVE-2029-5363 mail1 host pkg:deb/${name}@3.0.11-1~deb12u2 OPEN`);
  expect(await told()).toEqual(open);
  // Lynis does not tell source packages: its list takes the place of none
  await bring(
    'lynis',
    '# Lynis Report\nreport_version_major=1\nlynis_version=3.1.4\nos_name=Debian\nos_version=12\nhostname=mail1\ninstalled_packages_array=|libssl3,3.0.11-1~deb12u2|\nfinish=true\n',
  );
  expect(await told()).toEqual(open);
  await bring('host_packages', list.replaceAll('deb12u2', 'deb12u3'));
  expect(await told()).toEqual(open.map((text) => text.replace('OPEN', 'RESOLVED')));
});

it('names packages as bills of materials do, and what they were built of', async () => {
  const { components } = await listOf('host_packages', fixture('host_packages', 'rocky.txt').toString());
  expect(components).toMatchObject([
    {
      ...{
        name: 'openssl-libs',
        version: '3.0.7-24.el9',
        distribution: 'rocky-9.3',
        source_name: 'openssl',
        source_version: '3.0.7-24.el9',
      },
      purl: 'pkg:rpm/rocky/openssl-libs@3.0.7-24.el9?arch=x86_64&distro=rocky-9.3&epoch=1',
    },
    { name: 'bash', purl: 'pkg:rpm/rocky/bash@5.1.8-6.el9_1?arch=x86_64&distro=rocky-9.3' },
  ]);
});

it('refuses a list that names no host, and takes one whose host the import names', async () => {
  const list = 'ID=alpine\nVERSION_ID=3.19.1\nmusl\t1.2.4-r2\n';
  await expect(readAll('host_packages', list)).rejects.toThrow('names no host');
  // one that was cut is not whole: nothing of the host is gone by it
  expect((await readAll('host_packages', list.trimEnd(), { artifact: 'edge-1' })).truncated).toHaveLength(1);
  const { items } = await readAll('host_packages', list, { artifact: 'edge-1' });
  expect(items.map((item) => (item.kind === 'component' ? item.component.purl : item.kind))).toEqual([
    'asset',
    'artifact',
    'pkg:apk/alpine/musl@1.2.4-r2?distro=alpine-3.19.1',
    'record',
  ]);
});
