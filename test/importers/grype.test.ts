import { readAll } from './read-all.js';

const match = (over: Record<string, unknown> = {}, artifact: Record<string, unknown> = {}) => ({
  vulnerability: {
    id: 'GHSA-1',
    severity: 'High',
    dataSource: 'https://example.com/ghsa',
    description: 'Overflow.',
    cvss: [
      { source: 'nvd@nist.gov', version: '3.1', vector: 'CVSS:3.1/AV:N', metrics: { baseScore: 8.1 } },
      { source: 'vendor', version: '3.1', metrics: { baseScore: 9.9 } },
    ],
    epss: [{ cve: 'CVE-2024-1', epss: 0.91, percentile: 0.99 }],
    knownExploited: [{ cve: 'CVE-2024-1', dateAdded: '2024-01-01' }],
    fix: { versions: ['2.0'], state: 'fixed' },
    ...over,
  },
  relatedVulnerabilities: [{ id: 'CVE-2024-1' }],
  artifact: {
    id: 'a1',
    name: 'lib',
    version: '1.0',
    type: 'npm',
    locations: [{ path: '/app/package.json' }],
    purl: 'pkg:npm/lib@1.0',
    ...artifact,
  },
});
const report = (matches: unknown[]) => ({
  matches,
  source: { type: 'image', target: { userInput: 'gcr.io/p/app:1', repoDigests: ['gcr.io/p/app@sha256:1'] } },
  distro: { name: 'debian', version: '12' },
  descriptor: { name: 'grype', version: '0.90' },
});

describe('Grype reports', () => {
  it('give vulnerabilities on the image that stands behind the matches', async () => {
    const { rules, observations } = await readAll('grype', report([match()]));
    expect(rules).toMatchObject([{ rule_id: 'GHSA-1', source: 'grype' }]);
    expect(observations).toMatchObject([
      {
        engine: 'vulnerability',
        rule_id: 'GHSA-1',
        severity: 'high',
        cvss: 8.1,
        epss: 0.91,
        known_exploited: true,
        resource_uid: 'gcr.io/p/app:1',
        resource_type: 'container_image',
        provider: 'gcp',
        discriminator: 'pkg:npm/lib@1.0',
        remediation: { guidance: 'Update lib from 1.0 to 2.0.' },
        evidence: { related_vulnerabilities: ['CVE-2024-1'], distro: 'debian 12' },
      },
    ]);
  });

  it('of old versions and of directories are read too', async () => {
    const old = {
      vulnerability: { id: 'CVE-1', severity: 'Negligible', links: ['https://example.com'], cvssV3: { baseScore: 4.2 } },
      matchDetails: { matcher: 'x' },
      artifact: { name: 'p', version: '1' },
    };
    const { observations } = await readAll('grype', {
      matches: [old],
      source: { type: 'directory', target: '/src/shop' },
      descriptor: { name: 'grype' },
    });
    expect(observations).toMatchObject([
      {
        severity: 'info',
        cvss: 4.2,
        resource_uid: '/src/shop',
        resource_type: 'code_repository',
        provider_metadata: { provider_inferred: true },
      },
    ]);
  });

  it('take an unknown severity from the score', async () => {
    expect((await readAll('grype', report([match({ severity: 'Unknown' })]))).observations[0]?.severity).toBe('high');
    expect((await readAll('grype', report([match({ severity: 'Unknown', cvss: [] })]))).observations[0]?.severity).toBe('info');
  });

  it('tell one package once, with all of its places, and its versions apart', async () => {
    const elsewhere = { id: 'a2', locations: [{ path: '/web/package.json' }] };
    const { observations } = await readAll(
      'grype',
      report([match(), match({}, elsewhere), match({}, { version: '1.1', purl: undefined })]),
    );
    expect(observations.map(({ discriminator, evidence }) => [discriminator, evidence['paths']])).toEqual([
      ['pkg:npm/lib@1.0', ['/app/package.json', '/web/package.json']],
      ['pkg:npm/lib@1.1', ['/app/package.json']],
    ]);
  });

  it('without required facts have broken records, by name', async () => {
    const { broken, records } = await readAll(
      'grype',
      report([match({ id: null }), { artifact: {} }, { vulnerability: [], artifact: {} }, match({}, { name: undefined }), match()]),
    );
    expect(records).toBe(1);
    expect(broken.map(({ reason }) => reason.replace(/ \(byte.*/, ''))).toEqual([
      'vulnerability.id is missing',
      'vulnerability is missing',
      'vulnerability should be an object, found an array',
      'artifact.name is missing',
    ]);
  });

  it('are of the format when there is nothing in them, and not when they are something else', async () => {
    for (const empty of [report([]), { matches: [] }])
      expect((await readAll('grype', empty)).items.filter(({ kind }) => kind !== 'scope' && kind !== 'asset')).toEqual([]);
    for (const other of [{}, [], { runs: [] }, 'x']) await expect(readAll('grype', other)).rejects.toMatchObject({ name: 'NotOfFormat' });
  });
});
