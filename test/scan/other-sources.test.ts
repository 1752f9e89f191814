import { countRun } from '../../kit/findings/run-counts.js';
import { randomUUID } from 'node:crypto';
import type { Observation } from '../../schema/observations.js';
import { AuditLog, auditHeads, auditLog } from '../../kit/audit/audit.js';
import { Database } from '../../kit/store/database.js';
import { findingCveResources, findingCves } from '../../kit/findings/cves/records.js';
import { findingCounters } from '../../kit/findings/counters.js';
import type { IngestRun } from '../../kit/engine/finding-sink.js';
import { otherSources } from '../../kit/findings/other-sources.js';
import { FEED_COLLECTIONS } from '../../kit/findings/feed/records.js';
import { findings, type FindingRow } from '../../kit/findings/row.js';
import { findingTexts } from '../../kit/findings/texts.js';
import { FindingStore } from '../../kit/findings/store.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { outbox } from '../../kit/work/outbox.js';
import { engines } from '../../subgraphs/index.js';
import { readAll } from '../importers/read-all.js';
import { storeServices } from '../support/store-services.js';
import { openWorld, type Client, type World } from '../support/world.js';

const facts = engines.find(({ name }) => name === 'vulnerability')!.findings!;

let database: Database;
beforeAll(async () => {
  const definitions = [
    ...FEED_COLLECTIONS,
    findings,
    otherSources,
    findingCounters,
    findingTexts,
    findingCves,
    findingCveResources,
    auditLog,
    auditHeads,
    outbox,
  ];
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `sources_${randomUUID().slice(0, 8)}`, definitions);
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

const names = { name: 'jinja2', version: '2.4.1' };
/** How two tools tell of one vulnerability in one package. */
const REPORTS = {
  pip_audit: [
    'pip_audit',
    { dependencies: [{ ...names, vulns: [{ id: 'PYSEC-2019-217', aliases: ['CVE-2019-10906'], fix_versions: [] }] }] },
  ],
  osv_scanner: [
    'osv_scanner',
    {
      results: [
        {
          source: { path: '/src/requirements.txt', type: 'lockfile' },
          packages: [
            {
              package: { ...names, ecosystem: 'PyPI' },
              vulnerabilities: [{ id: 'GHSA-462w-v97r-4m45', aliases: ['CVE-2019-10906'], summary: 'Sandbox escape' }],
              groups: [{ ids: ['GHSA-462w-v97r-4m45'], aliases: ['CVE-2019-10906', 'GHSA-462w-v97r-4m45'] }],
            },
          ],
        },
      ],
    },
  ],
} as const;
type Tool = keyof typeof REPORTS;

let reported: Record<Tool, Observation>;
beforeAll(async () => {
  const read = async (tool: Tool) => (await readAll(REPORTS[tool][0], REPORTS[tool][1], { artifact: 'shop' })).observations[0]!;
  reported = { pip_audit: await read('pip_audit'), osv_scanner: await read('osv_scanner') };
});

/** A tenant of its own, with runs of two tools, each later than the one before. */
function estate() {
  const tenant = randomUUID();
  const auditing = new AuditLog(database, openMasterKey({ PALISADE_SECRET: 'x'.repeat(40), dataDir: null }));
  const store = new FindingStore(storeServices(database), auditing, facts, tenant);
  const rows = database.tenant(tenant).engine('vulnerability').collection(findings);
  let hour = 0;
  const runOf = (tool: Tool): IngestRun => ({ scan_run_id: `${tool}-${++hour}`, at: new Date(Date.UTC(2026, 0, 1, hour)), format: tool });
  return {
    /** A completed run of a tool that sees the vulnerability, sees that it is none, or does not see it. */
    async runs(tool: Tool, sees: 'FAIL' | 'PASS' | 'nothing' = 'FAIL') {
      const run = runOf(tool);
      const source = reported[tool].source!;
      if (sees !== 'nothing') {
        const passed = await store.ingest(run, [store.prepare(run, { ...reported[tool], result: sees })]);
        await store.closePassed(run, passed);
      }
      await store.closeUnseen(run, { source, account_id: null, artifact: 'shop' });
      return countRun(database.tenant(tenant), ['vulnerability'], run.scan_run_id);
    },
    async told() {
      const [row, ...more] = await rows.find({});
      expect(more).toEqual([]);
      return `${row!.status} by ${[row!.source, ...(row!.other_sources ?? [])].join(', ')}`;
    },
    set: (change: Partial<FindingRow>) => rows.update({}, { $set: change }),
    row: async () => (await rows.findOne({}))!,
    others: () => database.tenant(tenant).engine('vulnerability').collection(otherSources).count({}),
  };
}

describe('a vulnerability that two tools report', () => {
  it('is one finding with two sources, by whatever name each of them has for it', async () => {
    const { runs, told } = estate();
    await runs('pip_audit');
    expect(await runs('osv_scanner')).toMatchObject({ new: 0, updated: 1 });
    expect(await told()).toBe('OPEN by pip_audit, osv_scanner');
  });

  it('keeps the content of the source that leads, and its version, from one run to the next', async () => {
    const { runs, row } = estate();
    await runs('pip_audit');
    const { title } = await row();
    await runs('osv_scanner');
    const both = await row();
    expect(both.title).toBe(title);
    await runs('pip_audit');
    await runs('osv_scanner');
    expect(await row()).toMatchObject({ title, version: both.version, source: 'pip_audit' });
  });

  it('stays open while one of them reports it, and closes when none does', async () => {
    const { runs, told, row, others } = estate();
    await runs('pip_audit');
    await runs('osv_scanner');
    expect(await runs('osv_scanner', 'nothing')).toMatchObject({ resolved: 0 });
    expect(await told()).toBe('OPEN by pip_audit');
    await runs('osv_scanner');
    expect(await runs('pip_audit', 'nothing')).toMatchObject({ resolved: 0 });
    expect(await told()).toBe('OPEN by osv_scanner');
    await runs('osv_scanner');
    expect((await row()).evidence).toMatchObject({ advisory: 'GHSA-462w-v97r-4m45' });
    expect(await runs('osv_scanner', 'nothing')).toMatchObject({ resolved: 1 });
    expect([await told(), await others()]).toEqual(['RESOLVED by osv_scanner', 0]);
  });

  it('stays open where one of them says that it is none', async () => {
    const { runs, told } = estate();
    await runs('pip_audit');
    await runs('osv_scanner');
    await runs('osv_scanner', 'PASS');
    expect(await told()).toBe('OPEN by pip_audit');
    await runs('pip_audit', 'PASS');
    expect(await told()).toBe('RESOLVED by pip_audit');
  });

  it('comes back by whichever sees it first', async () => {
    const { runs, told } = estate();
    await runs('pip_audit');
    await runs('pip_audit', 'nothing');
    expect(await runs('osv_scanner')).toMatchObject({ regressed: 1 });
    expect(await told()).toBe('OPEN by osv_scanner');
  });

  it('that a person has closed is led by who sees it again, and is not its own other source', async () => {
    const { runs, told, set, others } = estate();
    await runs('pip_audit');
    await runs('osv_scanner');
    await set({ status: 'RESOLVED' });
    await runs('osv_scanner');
    expect([await told(), await others()]).toEqual(['OPEN by osv_scanner', 0]);
    await runs('osv_scanner', 'nothing');
    expect(await told()).toBe('RESOLVED by osv_scanner');
  });

  it('is noted as absent, while a person has it suppressed, when none reports it', async () => {
    const { runs, row, set } = estate();
    await runs('pip_audit');
    await runs('osv_scanner');
    await set({ status: 'SUPPRESSED' });
    await runs('pip_audit', 'nothing');
    expect(await row()).toMatchObject({ status: 'SUPPRESSED', absent_since: null, source: 'osv_scanner' });
    await runs('osv_scanner', 'nothing');
    expect((await row()).absent_since).not.toBeNull();
  });
});

it('what tools tell apart each in its own way goes on as it did: the last report is the content', async () => {
  const tenant = randomUUID();
  const auditing = new AuditLog(database, openMasterKey({ PALISADE_SECRET: 'x'.repeat(40), dataDir: null }));
  const store = new FindingStore(storeServices(database), auditing, facts, tenant);
  const run = (n: number): IngestRun => ({ scan_run_id: `r${n}`, at: new Date(Date.UTC(2026, 0, n)), format: 'x' });
  for (const [n, source] of ['one', 'other'].entries())
    await store.ingest(run(n), [store.prepare(run(n), { ...reported['pip_audit'], is_shared: undefined, source })]);
  const row = await database.tenant(tenant).engine('vulnerability').collection(findings).findOne({});
  expect([row!.source, row!.other_sources]).toEqual(['other', undefined]);
});

describe('over REST', () => {
  let world: World;
  beforeAll(async () => (world = await openWorld()));
  afterAll(() => world.close());

  const findingsOf = async (client: Client, engine: string) =>
    (await client.call<{ items: { finding_id: string; title: string }[] }>(`/api/v1/${engine}/findings`)).body.items;
  const dataOf = async (client: Client, engine: string, id: string) =>
    (await client.call<{ finding: { findingData: unknown } }>(`/api/v1/views/finding/${engine}/${id}`)).body.finding.findingData;

  it('a secret that two scanners found at one place, and a vulnerability, are one finding each that names both', async () => {
    const client = await (await world.tenant()).as('tenant_admin');
    const gitleaks = [
      { RuleID: 'aws-access-token', StartLine: 3, EndLine: 3, Match: 'k=1', Secret: 'one-that-is-none', File: 'a.py', Commit: '' },
    ];
    // the second scanner looked before the first: it is named all the same
    const place = { type: 'AWS Access Key', filename: 'a.py', hashed_secret: '0'.repeat(40), is_verified: false, line_number: 3 };
    const baseline = {
      version: '1.5.0',
      plugins_used: [],
      filters_used: [],
      results: { 'a.py': [place] },
      generated_at: '2026-01-01T00:00:00Z',
    };
    for (const report of [gitleaks, baseline, REPORTS.pip_audit[1], REPORTS.osv_scanner[1]])
      expect((await client.import(report, { artifact: 'shop' })).state).toBe('COMPLETED');
    for (const [engine, names] of [
      ['secops', ['gitleaks', 'detect_secrets']],
      ['vulnerability', ['pip_audit', 'osv_scanner']],
    ] as const) {
      const items = await findingsOf(client, engine);
      expect(items).toHaveLength(1);
      expect(await dataOf(client, engine, items[0]!.finding_id)).toMatchObject({ reported_by: names });
    }
  });
});
