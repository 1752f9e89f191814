import { randomUUID } from 'node:crypto';
import { AuditLog, auditHeads, auditLog } from '../../kit/audit/audit.js';
import type { IngestRun } from '../../kit/engine/finding-sink.js';
import { findingCveResources, findingCves } from '../../kit/findings/cves/records.js';
import { findingCounters } from '../../kit/findings/counters.js';
import { FEED_COLLECTIONS } from '../../kit/findings/feed/records.js';
import { otherSources } from '../../kit/findings/other-sources.js';
import { vulnerabilitySeverity } from '../../kit/findings/risk-score.js';
import { findings } from '../../kit/findings/row.js';
import { FindingStore } from '../../kit/findings/store.js';
import { findingTexts } from '../../kit/findings/texts.js';
import { readVulnerabilitiesIn } from '../../kit/read/path-findings.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { Database } from '../../kit/store/database.js';
import { outbox } from '../../kit/work/outbox.js';
import { engines } from '../../subgraphs/index.js';
import type { Observation } from '../../schema/observations.js';
import { readAll } from '../importers/read-all.js';
import { storeServices } from '../support/store-services.js';
import { SECRET_TOOLS, snykContainer, VULNERABILITY_TOOLS, type Told } from './tool-reports.js';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const IMAGE = '123456789012.dkr.ecr.eu-central-1.amazonaws.com/app:1.0';
const TOLD = {
  npm: { cve: 'CVE-2021-23337', ghsa: 'GHSA-35jh-r3h4-6jhm', type: 'npm', name: 'lodash', version: '4.17.20', artifact: 'shop' },
  pypi: { cve: 'CVE-2019-10906', ghsa: 'GHSA-462w-v97r-4m45', type: 'pypi', name: 'jinja2', version: '2.10', artifact: 'shop' },
  deb: { cve: 'CVE-2023-2650', ghsa: '', type: 'deb', name: 'openssl', version: '1.1.1n-0+deb11u4', artifact: IMAGE, digest: DIGEST },
} as const satisfies Record<string, Told>;
type Kind = keyof typeof TOLD;

let database: Database;
beforeAll(async () => {
  const definitions = [
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
  const name = `one_finding_${randomUUID().slice(0, 8)}`;
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, name, [...FEED_COLLECTIONS, ...definitions]);
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

/** What one report says to an engine: in our tests one thing. */
async function only(format: string, report: unknown, engine: string): Promise<Observation> {
  const { observations, broken } = await readAll(format, report, engine === 'secops' || format !== 'snyk' ? { artifact: 'shop' } : {});
  expect(broken).toEqual([]);
  const own = observations.filter((one) => one.engine === engine);
  expect(own).toHaveLength(1);
  return own[0]!;
}

/** A tenant of its own, with runs that come one after the other. */
function estate(engine: string) {
  const tenant = randomUUID();
  const auditing = new AuditLog(database, openMasterKey({ PALISADE_SECRET: 'x'.repeat(40), dataDir: null }));
  const facts = engines.find(({ name }) => name === engine)!.findings!;
  const store = new FindingStore(storeServices(database), auditing, facts, tenant);
  const rows = database.tenant(tenant).engine(engine).collection(findings);
  let hour = 0;
  const nextRun = (): IngestRun => ({ scan_run_id: `run-${++hour}`, at: new Date(Date.UTC(2026, 0, 1, hour)), format: 'x' });
  const close = (run: IngestRun, { source, account_id, artifact }: Observation) =>
    store.closeUnseen(run, { source: source!, account_id: account_id ?? null, artifact: artifact ?? null });
  return {
    async sees(...told: Observation[]) {
      const run = nextRun();
      await store.ingest(
        run,
        told.map((one) => store.prepare(run, one)),
      );
      for (const one of told) await close(run, one);
    },
    /** The names under which vulnerabilities of an artifact are read. */
    async inArtifact(name: string) {
      const auth = { tenant_id: tenant, permissions: ['vulnerability:read'] };
      const context = { services: { database, findingEngines: [facts] }, auth, signal: new AbortController().signal };
      const names: string[] = [];
      for await (const { resource_uid } of readVulnerabilitiesIn(context as never, [name])) names.push(resource_uid);
      return names;
    },
    misses: (one: Observation) => close(nextRun(), one),
    all: () => rows.find({}),
    async told() {
      const found = await rows.find({}, { sort: { first_seen_at: 1 } });
      return found.map(({ status, source, other_sources = [] }) => `${status} by ${[source, ...other_sources].join(', ')}`);
    },
    idsOf(one: Observation): string[] {
      const { id, artifactIds } = store.prepare(nextRun(), one);
      return [id, ...artifactIds];
    },
  };
}

/** Every two of some things, in both orders. */
const pairsOf = <T>(all: readonly T[]): [T, T][] =>
  all.flatMap((one) => all.filter((other) => other !== one).map((other): [T, T] => [one, other]));

describe.each(Object.keys(TOLD) as Kind[])('a vulnerability of a package of %s', (kind) => {
  const told: Told = TOLD[kind];
  const tools: Record<string, (told: Told) => unknown> = VULNERABILITY_TOOLS[kind];
  const formats = Object.keys(tools);
  const observe = (format: string, change: Partial<Told> = {}) => only(format, tools[format]!({ ...told, ...change }), 'vulnerability');

  it.each(pairsOf(formats))('that %s reports and then %s is one finding of both, open until neither reports it', async (one, other) => {
    const { sees, misses, told: status, all } = estate('vulnerability');
    const [first, second] = [await observe(one), await observe(other)];
    await sees(first);
    await sees(second);
    expect(await status()).toEqual([`OPEN by ${first.source}, ${second.source}`]);
    expect((await all())[0]).toMatchObject({ cve: told.cve, severity: vulnerabilitySeverity(first) });
    await misses(first);
    expect(await status()).toEqual([`OPEN by ${second.source}`]);
    await sees(second);
    expect((await all())[0]!.severity).toBe(vulnerabilitySeverity(second));
    await misses(second);
    expect(await status()).toEqual([`RESOLVED by ${second.source}`]);
  });

  it('is another in another version, package or artifact, and by another CVE, whichever tool reports it', async () => {
    const { idsOf } = estate('vulnerability');
    const here = new Set((await Promise.all(formats.map((format) => observe(format)))).flatMap(idsOf));
    const elsewhere: Partial<Told>[] = [
      { version: kind === 'deb' ? '1.1.1n-0+deb11u5' : '4.17.21' },
      { name: 'libother' },
      { cve: 'CVE-2024-0001', ghsa: 'GHSA-aaaa-bbbb-cccc' },
      kind === 'deb' ? { artifact: IMAGE.replace('1.0', '1.1'), digest: `sha256:${'b'.repeat(64)}` } : { artifact: 'another' },
    ];
    for (const change of elsewhere)
      for (const format of formats) {
        const options = { artifact: change.artifact ?? told.artifact };
        const { observations } = await readAll(format, tools[format]!({ ...told, ...change }), options);
        for (const one of observations) expect([format, change, idsOf(one).filter((id) => here.has(id))]).toEqual([format, change, []]);
      }
  });
});

describe('an image', () => {
  const observe = (format: keyof typeof VULNERABILITY_TOOLS.deb, change: Partial<Told> = {}) =>
    only(format, VULNERABILITY_TOOLS.deb[format]({ ...TOLD.deb, ...change }), 'vulnerability');

  it.each(['trivy', 'grype'] as const)('that Snyk knows by its name is that of %s', async (format) => {
    for (const reports of [[await observe(format), await only('snyk', snykContainer(TOLD.deb), 'vulnerability')]])
      for (const [first, second] of [reports, [...reports].reverse()] as [Observation, Observation][]) {
        const { sees, told } = estate('vulnerability');
        await sees(first);
        await sees(second);
        expect(await told()).toEqual([`OPEN by ${first.source}, ${second.source}`]);
      }
  });

  it('that was built anew under its name keeps its finding, and is no longer what its former digest is', async () => {
    const { sees, told } = estate('vulnerability');
    await sees(await observe('trivy'));
    await sees(await observe('trivy', { digest: `sha256:${'c'.repeat(64)}` }));
    await sees(await observe('inspector2'));
    expect(await told()).toEqual(['OPEN by trivy', 'OPEN by inspector2']);
  });

  it('under two names is told of twice by one tool, and each keeps its own name', async () => {
    const { sees, told, all } = estate('vulnerability');
    await sees(await observe('trivy'));
    await sees(await observe('trivy', { artifact: IMAGE.replace('1.0', 'latest') }));
    await sees(await observe('trivy'));
    expect(await told()).toEqual(['OPEN by trivy', 'OPEN by trivy']);
    expect((await all()).map(({ resource_uid }) => resource_uid).sort()).toEqual([IMAGE, IMAGE.replace('1.0', 'latest')].sort());
  });

  it('is found by each name that a scanner has for it, for as long as it stands', async () => {
    const { sees, misses, inArtifact } = estate('vulnerability');
    const [inspector, trivy] = [await observe('inspector2'), await observe('trivy')];
    expect(inspector.resource_uid).not.toBe(IMAGE);
    await sees(inspector);
    expect(await inArtifact(IMAGE)).toEqual([]);
    await sees(trivy);
    for (const name of [IMAGE, inspector.resource_uid]) expect(await inArtifact(name)).toEqual([name]);
    expect(await inArtifact(IMAGE.replace('1.0', '1.1'))).toEqual([]);
    await misses(trivy);
    expect(await inArtifact(IMAGE)).toEqual([]);
    expect(await inArtifact(inspector.resource_uid)).toEqual([inspector.resource_uid]);
  });

  it('that another tool leads keeps the name by which its finding was first seen', async () => {
    const { sees, misses, all } = estate('vulnerability');
    const [inspector, trivy] = [await observe('inspector2'), await observe('trivy')];
    await sees(inspector);
    await sees(trivy);
    await misses(inspector);
    await sees(trivy);
    expect(await all()).toMatchObject([{ source: 'trivy', resource_uid: inspector.resource_uid, artifact: IMAGE }]);
  });

  it('of which one report has findings of several products has them as sources of one', async () => {
    const { sees, told } = estate('vulnerability');
    const [asff, ocsf] = [await observe('asff'), await observe('ocsf')];
    await sees(asff, ocsf);
    expect(await told()).toEqual(['OPEN by inspector, prowler']);
  });
});

describe('a vulnerability by another name', () => {
  const named = async (id: string, related: readonly string[]) => {
    const report = VULNERABILITY_TOOLS.deb.grype(TOLD.deb);
    const [match] = report.matches;
    const matches = [
      { ...match, vulnerability: { ...match!.vulnerability, id }, relatedVulnerabilities: related.map((one) => ({ id: one })) },
    ];
    return only('grype', { ...report, matches }, 'vulnerability');
  };

  it.each(['ALAS-2023-2049', 'DSA-5417-1', 'RHSA-2023:3722', 'USN-6119-1', 'GHSA-35jh-r3h4-6jhm', 'DEBIAN-CVE-2023-2650'])(
    '%s is its CVE where it names one',
    async (id) => {
      expect((await named(id, ['CVE-2023-2650'])).rule_id).toBe('CVE-2023-2650');
    },
  );

  it('is none of several CVEs that an erratum names, and a CVE is itself whatever is related to it', async () => {
    expect((await named('ALAS-2024-2595', ['CVE-2024-37370', 'CVE-2024-37371'])).rule_id).toBe('ALAS-2024-2595');
    expect((await named('CVE-2023-2650', ['CVE-2020-0001'])).rule_id).toBe('CVE-2023-2650');
  });
});

describe('a secret', () => {
  const tools: Record<string, (secret: { file: string; line: number }) => unknown> = SECRET_TOOLS;
  const observe = (format: string, file = 'deploy/config.env', line = 3) => only(format, tools[format]!({ file, line }), 'secops');

  it.each(pairsOf(Object.keys(tools)))(
    'that %s reports and then %s is one finding of both, open until neither reports it',
    async (one, other) => {
      const { sees, misses, told } = estate('secops');
      const [first, second] = [await observe(one), await observe(other)];
      await sees(first);
      await sees(second);
      expect(await told()).toEqual([`OPEN by ${one}, ${other}`]);
      await misses(first);
      expect(await told()).toEqual([`OPEN by ${other}`]);
      await misses(second);
      expect(await told()).toEqual([`RESOLVED by ${other}`]);
    },
  );

  it('in another file is another', async () => {
    const { sees, told } = estate('secops');
    await sees(await observe('gitleaks'));
    await sees(await observe('trivy', 'deploy/other.env'));
    expect(await told()).toEqual(['OPEN by gitleaks', 'OPEN by trivy']);
  });
});
