import { gzipSync } from 'node:zlib';
import { auditLog } from '../../kit/audit/audit.js';
import { entriesOf } from '../../kit/audit/entries.js';
import { cveIntelligence } from '../../kit/findings/cves/intelligence.js';
import { findings } from '../../kit/findings/row.js';
import { advisories, feedStates } from '../../feeds/records.js';
import { readOsv } from '../../feeds/osv.js';
import { feedStatus } from '../../feeds/status.js';
import { updateFeed } from '../../feeds/task.js';
import { bufferSource } from '../../importers/readers/source.js';
import type { EngineServices } from '../../kit/engine/context.js';
import type { Database } from '../../kit/store/database.js';
import { Response } from 'undici';
import { epss, kev, kevCsv } from './feed-files.js';
import { feedWorld, openFeedDatabase, type Reported } from './feed-world.js';

let database: Database;
beforeAll(async () => {
  database = await openFeedDatabase();
});
afterEach(async () => {
  for (const collection of [cveIntelligence, advisories, feedStates]) await database.system<{ _id: string }>(collection).remove({});
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

const [A, B, C] = ['CVE-2026-0001', 'CVE-2026-0002', 'CVE-2026-0003'];
const byCve = async (world: ReturnType<typeof feedWorld>) =>
  Object.fromEntries(
    (await world.own.collection(findings).find({}, { sort: { rule_id: 1 } })).map(
      ({ cve, severity, risk_score, epss, known_exploited, version }) => [cve, [severity, risk_score, epss, known_exploited, version]],
    ),
  );

describe('feeds', () => {
  it('score open vulnerabilities anew, in one entry a batch, and once', async () => {
    const world = feedWorld(database);
    await world.report([
      { rule_id: A!, resource_uid: 'one', severity: 'low', cvss: 7.5 },
      { rule_id: B!, resource_uid: 'one', severity: 'medium', epss: 0.02 },
      { rule_id: C!, resource_uid: 'one', severity: 'critical', cvss: 9.8 },
    ]);
    expect(await byCve(world)).toEqual({
      [A!]: ['high', 55, null, null, 1],
      [B!]: ['medium', 35, 0.02, null, 1],
      [C!]: ['critical', 75, null, null, 1],
    });
    expect(await world.load('kev', kev(A!, C!))).toEqual({ version: '2026.02.10', records: 2, changed: 2 });
    expect(await world.load('epss', gzipSync(epss({ [A!]: 0.2, [B!]: 0.6 })))).toEqual({
      version: '2026-02-10T12:55:00Z',
      records: 2,
      changed: 2,
    });
    await world.workOff();
    const scored = { [A!]: ['critical', 90, 0.2, true, 2], [B!]: ['high', 65, 0.6, null, 2], [C!]: ['critical', 90, null, true, 2] };
    expect(await byCve(world)).toEqual(scored);
    const rescored = async () =>
      (
        await database
          .tenant(world.tenant_id)
          .collection(auditLog)
          .find({ action: 'finding.rescore' }, { sort: { seq: 1 } })
      ).map((row) => entriesOf(row).length);
    expect(await rescored()).toEqual([3]);
    // the due date goes by the new severity
    const [row] = await world.own.collection(findings).find({ rule_id: B! });
    expect(row!.due_at!.getTime() - row!.first_seen_at.getTime()).toBe(30 * 86_400_000);

    expect(await world.load('kev', kev(A!, C!))).toMatchObject({ changed: 0 });
    await world.workOff();
    expect(await byCve(world)).toEqual(scored);
    expect(await rescored()).toEqual([3]);

    // what the catalog does not name any more is not known to be exploited
    await world.load('kev', kevCsv(C!));
    await world.workOff();
    expect(await byCve(world)).toEqual({ ...scored, [A!]: ['high', 60, 0.2, null, 3] });
  });

  it('are applied to what is imported later, and a rescan of the same changes nothing', async () => {
    const world = feedWorld(database);
    await world.load('kev', kev(A!));
    await world.load('epss', epss({ [B!]: 0.5 }));
    const report: Reported[] = [
      { rule_id: A!.toLowerCase(), resource_uid: 'one', severity: 'high' },
      { rule_id: B!, resource_uid: 'one', severity: 'low', epss: 0.001 },
    ];
    await world.report(report);
    const scored = { [A!]: ['critical', 90, null, true, 1], [B!]: ['medium', 45, 0.5, null, 1] };
    expect(await byCve(world)).toEqual(scored);
    await world.workOff();
    await world.report(report);
    expect(await byCve(world)).toEqual(scored);
  });

  it('that are damaged, or none, change nothing', async () => {
    const world = feedWorld(database);
    await world.load('kev', kev(A!));
    await world.load('epss', epss({ [A!]: 0.5 }));
    await world.load('osv', JSON.stringify({ id: 'GHSA-1', modified: '2026-01-01T00:00:00Z' }));
    const before = await database.system(cveIntelligence).find({});
    for (const [kind, file] of [
      ['kev', kev(A!, B!).slice(0, -60)],
      ['kev', '{"vulnerabilities": []}'],
      ['kev', kev('no CVE')],
      ['kev', epss({ [B!]: 0.1 })],
      ['kev', ''],
      ['epss', `${epss({ [A!]: 0.9 })}${B!},1.5,0.1\n`],
      ['epss', gzipSync(epss({ [A!]: 0.9, [B!]: 0.9 })).subarray(0, -20)],
      ['epss', kevCsv(B!)],
      ['osv', '{"id": "GHSA-2", "modified": "2026-01-01T00:00:00Z"}\n{"id": 1}'],
      ['osv', kev(B!)],
      ['osv', 'text'],
    ] as const)
      await expect([
        kind,
        await world.load(kind, file).then(
          () => 'loaded',
          (error: Error) => error.name,
        ),
      ]).toEqual([kind, 'NotOfFeed']);
    expect(await database.system(cveIntelligence).find({})).toEqual(before);
    expect(await database.system(advisories).find({}, { fields: ['_id'] })).toEqual([{ _id: 'GHSA-1' }]);
  });

  it('of OSV keep an advisory as it was changed last, by the packages and CVEs that it is about', async () => {
    const world = feedWorld(database);
    const advisory = (modified: string, fixed: string, more = {}) => ({
      ...{
        id: 'GHSA-x',
        modified,
        aliases: [A!],
        summary: 'S',
        severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
      },
      affected: [
        {
          package: { ecosystem: 'PyPI', name: 'Zope.Interface' },
          ranges: [
            { type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] },
            { type: 'GIT', repo: 'r', events: [{ introduced: '0' }] },
          ],
        },
      ],
      ...more,
    });
    expect(await world.load('osv', JSON.stringify([advisory('2026-01-02T00:00:00Z', '5.1')]))).toMatchObject({ records: 1, changed: 1 });
    expect(await world.load('osv', JSON.stringify(advisory('2026-01-01T00:00:00Z', '5.0')))).toMatchObject({ records: 1, changed: 0 });
    const [row] = await database.system(advisories).find({ cves: A! });
    expect(row).toMatchObject({
      packages: ['PyPI|zope-interface'],
      cvss: 9.8,
      affected: [
        {
          ranges: [
            {
              type: 'ECOSYSTEM',
              events: [
                { kind: 'introduced', version: '0' },
                { kind: 'fixed', version: '5.1' },
              ],
            },
          ],
        },
      ],
    });
    await world.load('osv', `${JSON.stringify(advisory('2026-01-03T00:00:00Z', '5.1', { withdrawn: '2026-01-03T00:00:00Z' }))}\n`);
    expect(await database.system(advisories).find({ packages: 'PyPI|zope-interface' })).toEqual([]);
  });
});

describe('findings by an advisory of OSV', () => {
  const about = (ecosystem: string) => ({ affected: [{ package: { ecosystem, name: 'x' }, versions: ['1'] }] });
  const read = async (advisory: object) => {
    const rows = [];
    for await (const row of readOsv(bufferSource(Buffer.from(JSON.stringify({ modified: '2026-01-01T00:00:00Z', ...advisory })))))
      rows.push(row);
    return rows[0]!;
  };

  it.each<[string, object, string[]]>([
    ['the CVE among its names', { id: 'GHSA-aaaa-bbbb-cccc', aliases: ['PYSEC-1', B, A] }, [A!]],
    ['the advisory of GitHub where there is no CVE', { id: 'PYSEC-1', aliases: ['GHSA-aaaa-bbbb-cccc'] }, ['GHSA-aaaa-bbbb-cccc']],
    ['its own name where there is nothing else', { id: 'MAL-2026-1', related: [A] }, ['MAL-2026-1']],
    ['the CVE that it names itself after', { id: `DEBIAN-${A}`, ...about('Debian:12') }, [A!]],
    ['each CVE that an erratum fixes', { id: 'DSA-1-1', upstream: [B, A], related: [C], ...about('Debian:12') }, [A!, B!]],
    ['each CVE that an older erratum is related to', { id: 'ALSA-2026:1', related: [A], ...about('AlmaLinux:9') }, [A!]],
    ['no CVE that another advisory is related to', { id: 'GO-2026-1', related: [A], ...about('Go') }, ['GO-2026-1']],
  ])('are called by %s', async (_, advisory, names) => {
    expect((await read(advisory)).rule_ids).toEqual(names);
  });

  it('are as bad as its publisher says, where it tells no score', async () => {
    const severityOf = async (advisory: object) => (await read({ id: 'X-1', ...advisory })).severity;
    expect(await severityOf({ database_specific: { severity: 'MODERATE' } })).toBe('medium');
    expect(await severityOf({ severity: [{ type: 'Ubuntu', score: 'low' }], database_specific: 'none' })).toBe('low');
    expect(await severityOf({ id: 'MAL-2026-1' })).toBe('critical');
    expect(await severityOf({ database_specific: { severity: 7 } })).toBeNull();
  });
});

describe('the daily update', () => {
  it('asks for what has changed, keeps the last good copy, and tells how old it is', async () => {
    const world = feedWorld(database);
    const asked: (string | undefined)[] = [];
    const answers = [
      () => new Response(null, { status: 302, headers: { location: '/current' } }),
      () => new Response(kev(A!), { headers: { etag: '"1"' } }),
      () => new Response(null, { status: 304 }),
      () => new Response('<html>', { status: 200 }),
      () => new Response('', { status: 500 }),
    ];
    const outbound = {
      fetch(url: string, { headers }: { headers: Record<string, string> }) {
        asked.push(`${url} ${headers['if-none-match'] ?? ''}`.trim());
        return Promise.resolve(answers.shift()!());
      },
    };
    const services = { ...world.services, outbound } as unknown as EngineServices;
    const update = () => updateFeed(services, 'kev', 'https://feeds.test/kev', new AbortController().signal);
    const status = async () => (await feedStatus(world.services)).kev;
    await update();
    await update();
    expect(asked).toEqual(['https://feeds.test/kev', 'https://feeds.test/current']);
    expect(await status()).toMatchObject({ version: '2026.02.10', records: 1, age_seconds: 0, error: null });
    world.clock.advance(24 * 3_600_000);
    await update();
    world.clock.advance(24 * 3_600_000);
    await update();
    expect(asked.slice(2)).toEqual(['https://feeds.test/kev "1"', 'https://feeds.test/kev "1"']);
    expect(await status()).toMatchObject({
      version: '2026.02.10',
      age_seconds: 2 * 86_400,
      error: expect.stringContaining('found <html>') as string,
    });
    world.clock.advance(3_600_000);
    await update();
    expect(await status()).toMatchObject({ records: 1, error: 'the server answers 500' });
    expect(await database.system(cveIntelligence).count({})).toBe(1);
  });
});
