import { MongoClient } from 'mongodb';
import { openEmbeddedStore } from '../../embedded/index.js';
import { advisoryChange } from '../../feeds/advisory-changes.js';
import { advisories, componentMatches, feedStates } from '../../feeds/records.js';
import { cveIntelligence } from '../../kit/findings/cves/intelligence.js';
import { otherSources } from '../../kit/findings/other-sources.js';
import type { AnyCollection } from '../../kit/store/collection.js';
import type { Database } from '../../kit/store/database.js';
import { assets } from '../../subgraphs/di/records.js';
import { components } from '../../subgraphs/secops/components/records.js';
import { kev } from '../feeds/feed-files.js';
import { advisory, matchingWorld, npm, openMatchingDatabase } from './matching-world.js';

let database: Database;
beforeAll(async () => {
  database = await openMatchingDatabase();
});
afterEach(async () => {
  for (const collection of [cveIntelligence, advisories, feedStates]) await database.system<{ _id: string }>(collection).remove({});
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

const [CVE, OTHER] = ['CVE-2029-1000', 'CVE-2029-2000'];
const LODASH = advisory('GHSA-aaaa-bbbb-cccc', 'lodash', '4.17.21', { aliases: [CVE] });
/** The advisory as it was changed later. */
const later = (day: number, change: Record<string, unknown>) => ({ ...LODASH, modified: `2030-02-0${day}T00:00:00Z`, ...change });

describe('components of an upload', () => {
  it('that advisories are about become findings with what is to be known of them, scored as all vulnerabilities are', async () => {
    const world = await matchingWorld(database);
    await world.load('kev', kev(CVE!));
    const same = advisory('PYSEC-2029-1', 'lodash', '4.17.20', { aliases: ['GHSA-aaaa-bbbb-cccc', CVE] });
    await world.load('osv', [LODASH, same, advisory('GHSA-dddd-eeee-ffff', 'qs', '6.0.0')]);
    const run = await world.upload([npm('lodash', '4.17.19'), npm('qs', '6.0.1'), npm('react', '1.0.0')]);
    const [found, ...more] = await world.rows.find({});
    expect(more).toEqual([]);
    expect(found).toMatchObject({
      ...{
        rule_id: CVE,
        cve: CVE,
        status: 'OPEN',
        scan_run_id: run,
        opened_by: run,
        source: 'palisade-advisories',
        title: 'lodash is weak',
      },
      ...{ resource_uid: 'shop:1', resource_type: 'container_image', artifact: 'shop:1', provider: 'aws', fixable: true },
      // high by its score, one step up because it is exploited
      ...{ cvss: 7.5, severity: 'critical', known_exploited: true, discriminator: 'pkg:npm/lodash@4.17.19' },
      evidence: {
        ...{ package_name: 'lodash', installed_version: '4.17.19', purl: 'pkg:npm/lodash@4.17.19', artifact: 'shop:1' },
        ...{ fixed_version: '4.17.20', fixed_versions: ['4.17.20', '4.17.21'], advisories: ['GHSA-aaaa-bbbb-cccc', 'PYSEC-2029-1'] },
        aliases: ['GHSA-aaaa-bbbb-cccc', 'PYSEC-2029-1'],
      },
    });
    expect((await world.context.collection(assets).find({})).map(({ resource_uid }) => resource_uid)).toEqual(['shop:1']);
  });

  it('are judged again without a change, and are resolved by a version that fixes, and come back', async () => {
    const world = await matchingWorld(database);
    await world.load('osv', LODASH);
    await world.upload([npm('lodash', '4.17.19')]);
    await world.matched();
    expect(await world.rows.find({}, { fields: ['version', 'status'] })).toMatchObject([{ version: 1, status: 'OPEN' }]);
    await world.upload([npm('lodash', '4.17.21')]);
    expect(await world.told()).toEqual([`${CVE} RESOLVED`]);
    const run = await world.upload([npm('lodash', '4.17.19')]);
    expect(await world.rows.findOne({})).toMatchObject({ status: 'OPEN', regressed_by: run, version: 3 });
    // what another artifact has is its own
    await world.upload([npm('lodash', '4.17.19')], 'other');
    await world.upload([]);
    expect(await world.told()).toEqual([`${CVE} OPEN`, `${CVE} RESOLVED`]);
  });

  it('are no match and no error where nobody can tell: without a version, of an ecosystem or release that is not known, in no order', async () => {
    const world = await matchingWorld(database);
    const ranges = [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }] }];
    const about = (ecosystem: string, name: string) => ({ package: { ecosystem, name }, ranges });
    await world.load('osv', {
      ...LODASH,
      affected: [...LODASH.affected, about('Debian:12', 'openssl'), about('Debian', 'openssl'), about('Unheard-of', 'it')],
    });
    const openssl = (own: object) => npm('libssl3', '3.0', { ecosystem: 'deb', purl: 'pkg:deb/debian/libssl3@3.0', ...own });
    await world.upload([
      npm('lodash', 'main'),
      npm('lodash', '', { version: undefined, purl: 'pkg:npm/lodash' }),
      openssl({ source_name: 'openssl' }),
      openssl({ source_name: 'openssl', distribution: 'debian-13', purl: 'pkg:deb/debian/libssl3@3.0?distro=debian-13' }),
      openssl({ source_name: 'openssl', distribution: 'debian-sid', purl: 'pkg:deb/debian/libssl3@3.0?distro=sid' }),
      npm('it', '1', { ecosystem: 'unheard-of', purl: 'pkg:unheard-of/it@1' }),
      npm('it', '1', { ecosystem: undefined, purl: undefined }),
    ]);
    expect(await world.told()).toEqual([]);
    await world.upload([
      openssl({ source_name: 'openssl', distribution: 'debian-12', purl: 'pkg:deb/debian/libssl3@3.0?distro=debian-12' }),
    ]);
    expect(await world.told()).toEqual([`${CVE} OPEN`]);
  });

  it('are found whole after a run that was killed in the middle', async () => {
    const world = await matchingWorld(database);
    await world.load('osv', LODASH);
    await expect(world.upload([npm('lodash', '4.17.19')], 'shop:1', world.contextOf(AbortSignal.abort()))).rejects.toThrow();
    await world.upload([npm('lodash', '4.17.19')]);
    expect(await world.told()).toEqual([`${CVE} OPEN`]);
  });
});

describe('advisories that change', () => {
  it('open what they are about now, and resolve what they are not, in the tenants that have it', async () => {
    const [world, other] = [await matchingWorld(database), await matchingWorld(database)];
    await world.upload([npm('lodash', '4.17.19'), npm('qs', '6.0.1')]);
    await other.upload([npm('lodash', '4.17.21'), npm('react', '1.0.0')]);
    const work = async () => [await world.workOff(), await other.workOff()].map((turns) => turns > 0);
    expect(await work()).toEqual([false, false]);

    await world.load('osv', LODASH);
    expect(await work()).toEqual([true, true]);
    expect([await world.told(), await other.told()]).toEqual([[`${CVE} OPEN`], []]);

    await world.load('osv', later(1, { affected: [{ ...LODASH.affected[0], ranges: [], versions: ['4.17.21'] }] }));
    await work();
    expect([await world.told(), await other.told()]).toEqual([[`${CVE} RESOLVED`], [`${CVE} OPEN`]]);

    await world.load('osv', later(2, {}));
    await work();
    expect([await world.told(), await other.told()]).toEqual([[`${CVE} OPEN`], [`${CVE} RESOLVED`]]);

    await world.load('osv', later(3, { withdrawn: '2030-02-03T00:00:00Z' }));
    await work();
    expect([await world.told(), await other.told()]).toEqual([[`${CVE} RESOLVED`], [`${CVE} RESOLVED`]]);
    // nothing new: nobody is asked
    await world.load('osv', later(3, { withdrawn: '2030-02-03T00:00:00Z' }));
    expect(await work()).toEqual([false, false]);
  });

  it('touch nothing of the findings of other advisories, and go by the name that they have now', async () => {
    const world = await matchingWorld(database);
    const second = advisory('GHSA-second', 'lodash', '5.0.0');
    await world.load('osv', [LODASH, second]);
    const run = await world.upload([npm('lodash', '4.17.19')]);
    await world.load('osv', { ...second, modified: '2030-02-01T00:00:00Z', aliases: [OTHER] });
    await world.workOff();
    expect(await world.told()).toEqual([`${CVE} OPEN`, `${OTHER} OPEN`, 'GHSA-second RESOLVED']);
    expect(await world.rows.findOne({ rule_id: CVE })).toMatchObject({ scan_run_id: run, version: 1 });
  });

  it('resolve what an earlier release told apart by the distribution, and leave what is in other packages', async () => {
    const world = await matchingWorld(database);
    const of = (id: string, name: string) =>
      advisory(id, name, '3', {
        affected: [
          { package: { ecosystem: 'Debian:12', name }, ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '3' }] }] },
        ],
      });
    const deb = (name: string) =>
      npm(name, '2', {
        ecosystem: 'deb',
        package: `pkg:deb/debian/${name}`,
        purl: `pkg:deb/debian/${name}@2?distro=debian-12`,
        distribution: 'debian-12',
      });
    await world.load('osv', [of('GHSA-zlib', 'zlib'), of('GHSA-curl', 'curl')]);
    await world.upload([deb('zlib'), deb('curl')]);
    expect(await world.told()).toEqual(['GHSA-curl OPEN', 'GHSA-zlib OPEN']);
    await world.rows.updateMany({ rule_id: 'GHSA-zlib' }, { $set: { discriminator: 'pkg:deb/debian/zlib@2' } });
    await world.load('osv', { ...of('GHSA-zlib', 'zlib'), modified: '2030-02-01T00:00:00Z', withdrawn: '2030-02-01T00:00:00Z' });
    await world.workOff();
    expect(await world.told()).toEqual(['GHSA-curl OPEN', 'GHSA-zlib RESOLVED']);
  });

  it('are followed to the end by the next worker where one was killed', async () => {
    const world = await matchingWorld(database);
    await world.upload([npm('lodash', '4.17.19')]);
    await world.load('osv', LODASH);
    await expect(world.workOff(AbortSignal.abort(new Error('killed')))).rejects.toThrow('killed');
    await world.workOff();
    expect(await world.told()).toEqual([`${CVE} OPEN`]);
    const row = await world.context.collection(componentMatches).findOne({});
    expect(row).toMatchObject({ due_at: null });
  });
});

describe('what a scanner reports, too', () => {
  const shared = { rule_id: CVE!, discriminator: 'pkg:npm/lodash@4.17.19', is_shared: true } as const;
  /** As Trivy and Grype tell findings apart: with a file. */
  const filed = (rule_id: string) => ({
    rule_id,
    discriminator: 'lodash@4.17.19@/app/package-lock.json',
    evidence: { package_name: 'lodash', installed_version: '4.17.19', purl: 'pkg:npm/lodash@4.17.19' },
  });

  it('is one finding, with what the scanner says of it, whoever comes first; advisories go on with it when the scanner does not', async () => {
    const world = await matchingWorld(database);
    const sources = async () => {
      const [row, ...more] = await world.rows.find({});
      expect(more).toEqual([]);
      return [row!.status, row!.source, row!.other_sources ?? [], row!.title];
    };
    await world.load('osv', LODASH);
    await world.upload([npm('lodash', '4.17.19')]);
    await world.scan('pip_audit', [shared]);
    expect(await sources()).toEqual(['OPEN', 'pip_audit', ['palisade-advisories'], 'It']);
    await world.matched();
    expect(await sources()).toEqual(['OPEN', 'pip_audit', ['palisade-advisories'], 'It']);
    await world.scan('pip_audit', []);
    expect(await sources()).toEqual(['OPEN', 'palisade-advisories', [], 'lodash is weak']);
    await world.scan('pip_audit', [shared]);
    await world.load('osv', later(1, { withdrawn: '2030-02-01T00:00:00Z' }));
    await world.workOff();
    expect(await sources()).toEqual(['OPEN', 'pip_audit', [], 'It']);
    expect(await database.tenant(world.tenant_id).engine('vulnerability').collection(otherSources).count({})).toBe(0);
  });

  it.each([[CVE!], ['GHSA-aaaa-bbbb-cccc']])(
    'is no second finding where the scanner tells it apart in its own way, as %s',
    async (rule) => {
      const world = await matchingWorld(database);
      await world.load('osv', LODASH);
      await world.scan('grype', [filed(rule)]);
      await world.upload([npm('lodash', '4.17.19')]);
      expect(await world.told()).toEqual([`${rule} OPEN`]);
      // of another version it says nothing
      await world.upload([npm('lodash', '4.17.19'), npm('lodash', '4.17.18')]);
      expect((await world.rows.find({ status: 'OPEN' })).map(({ source }) => source).sort()).toEqual(['grype', 'palisade-advisories']);
      await world.upload([npm('lodash', '4.17.19')]);
      await world.scan('grype', []);
      expect((await world.rows.find({ status: 'OPEN' })).map(({ source }) => source)).toEqual(['palisade-advisories']);
      await world.scan('grype', [filed(rule)]);
      expect((await world.rows.find({ status: 'OPEN' })).map(({ source }) => source)).toEqual(['grype']);
    },
  );

  it('stays a false positive that a statement has made of it', async () => {
    const world = await matchingWorld(database);
    await world.load('osv', LODASH);
    await world.upload([npm('lodash', '4.17.19', { purl: 'pkg:npm/lodash@4.17.19?x=y' })]);
    const statement = { engine: 'vulnerability', rule_ids: [CVE!], package: 'pkg:npm/lodash@4.17.19', note: 'not reached', position: 'x' };
    await world.store.assess({ scan_run_id: 'vex', at: world.clock.now(), format: 'openvex' }, [statement]);
    await world.matched();
    expect(await world.told()).toEqual([`${CVE} FALSE_POSITIVE`]);
    await world.load('osv', later(1, { summary: 'It is weaker' }));
    await world.workOff();
    expect(await world.told()).toEqual([`${CVE} FALSE_POSITIVE`]);
  });
});

describe('what is asked of the store', () => {
  it('is found along an index, whatever else is stored', async () => {
    const store = await openEmbeddedStore({ dir: null });
    const client = await new MongoClient(store.uri).connect();
    try {
      const examined = async (definition: AnyCollection, row: (n: number) => object, filter: object) => {
        const collection = client.db('test').collection<{ _id: string }>(definition.name);
        await collection.createIndexes(definition.indexes.map(({ key, options }) => ({ key, ...options })));
        await collection.insertMany(Array.from({ length: 3_000 }, (_, n) => ({ _id: String(n), tenant_id: 't', ...row(n) })));
        const plan = (await collection.find(filter).explain('executionStats')) as {
          executionStats: { totalDocsExamined: number; nReturned: number };
        };
        return [plan.executionStats.totalDocsExamined, plan.executionStats.nReturned];
      };
      const few = { $in: ['npm|package-7', 'npm|package-8', 'npm|none'] };
      expect(await examined(advisories, (n) => ({ packages: [`npm|package-${n}`] }), { packages: few })).toEqual([2, 2]);
      const changes = { change: { $gt: advisoryChange(2_990, ''), $lt: advisoryChange(2_995, '') } };
      expect(await examined(advisories, (n) => ({ _id: `c${n}`, change: advisoryChange(n, 'GHSA') }), changes)).toEqual([5, 5]);
      const named = { tenant_id: 't', package_keys: few };
      expect(await examined(components, (n) => ({ package_keys: [`npm|package-${n}`] }), named)).toEqual([2, 2]);
    } finally {
      await client.close();
      await store.close();
    }
  });
});
