import { readAll } from './read-all.js';

const vulnerability = (over: Record<string, unknown> = {}) => ({
  VulnerabilityID: 'CVE-2024-1',
  PkgName: 'openssl',
  InstalledVersion: '1.1',
  FixedVersion: '1.2',
  Severity: 'HIGH',
  Title: 'openssl: overflow',
  CVSS: { redhat: { V3Vector: 'CVSS:3.1/AV:L', V3Score: 5.5 }, nvd: { V2Score: 10, V3Vector: 'CVSS:3.1/AV:N', V3Score: 7.5 } },
  CweIDs: ['CWE-787'],
  References: ['https://example.com/a'],
  ...over,
});
const misconfiguration = (over: Record<string, unknown> = {}) => ({
  ID: 'DS002',
  Title: 'No root',
  Message: 'Add USER',
  Resolution: 'Add USER',
  Severity: 'HIGH',
  Status: 'FAIL',
  CauseMetadata: { Provider: 'Dockerfile' },
  ...over,
});
const image = (results: unknown[], over: Record<string, unknown> = {}) => ({
  SchemaVersion: 2,
  ArtifactName: '123456789012.dkr.ecr.eu-west-1.amazonaws.com/app:1',
  ArtifactType: 'container_image',
  Results: results,
  ...over,
});

describe('Trivy reports', () => {
  it('of images give vulnerabilities on the image, in the registry of its cloud', async () => {
    const { rules, observations } = await readAll(
      'trivy',
      image([{ Vulnerabilities: [vulnerability()], Target: 'app (debian 12)', Class: 'os-pkgs', Type: 'debian' }], {
        Metadata: { RepoDigests: ['app@sha256:1'] },
      }),
    );
    expect(rules).toMatchObject([{ rule_id: 'CVE-2024-1', engine: 'vulnerability', source: 'trivy' }]);
    expect(observations).toMatchObject([
      {
        engine: 'vulnerability',
        severity: 'high',
        cvss: 7.5,
        resource_type: 'container_image',
        resource_uid: '123456789012.dkr.ecr.eu-west-1.amazonaws.com/app:1',
        provider: 'aws',
        discriminator: 'pkg:deb/openssl@1.1',
        remediation: { guidance: 'Update openssl from 1.1 to 1.2.' },
        controls: [{ framework: 'CWE', control_id: 'CWE-787' }],
        provider_metadata: { image_digests: ['app@sha256:1'] },
        position: 'Results[0].Vulnerabilities[0]',
      },
    ]);
  });

  it('find the target of a result also behind its records, and tell a package once with all of its places', async () => {
    const inFile = (Target: string) => ({ Vulnerabilities: [vulnerability()], Class: 'lang-pkgs', Target });
    const { observations, records } = await readAll('trivy', image([inFile('web/package-lock.json'), inFile('app/package-lock.json')]));
    expect(records).toBe(2);
    expect(observations.map(({ evidence }) => evidence['paths'])).toEqual([['app/package-lock.json', 'web/package-lock.json']]);
  });

  it('send each kind of record to its engine', async () => {
    const results = [
      {
        Target: 'Dockerfile',
        Class: 'config',
        Type: 'dockerfile',
        Misconfigurations: [
          misconfiguration(),
          misconfiguration({ ID: 'DS001', Status: 'PASS' }),
          misconfiguration({ Status: 'EXCEPTION' }),
        ],
      },
      {
        Target: 'main.tf',
        Class: 'config',
        Type: 'terraform',
        Misconfigurations: [
          misconfiguration({ ID: 'AVD-1', CauseMetadata: { Provider: 'AWS', Service: 's3', Resource: 'module.a.aws_s3_bucket.b' } }),
        ],
      },
      {
        Target: 'a.env',
        Class: 'secret',
        Secrets: [
          {
            RuleID: 'github-pat',
            Severity: 'CRITICAL',
            Title: 'PAT',
            StartLine: 3,
            Match: 'TOKEN=visible-value',
            Code: { Lines: [{ Content: 'TOKEN=visible-value' }] },
          },
        ],
      },
      { Target: 'pip', Class: 'license', Licenses: [{ Name: 'GPL-3.0', PkgName: 'x', Severity: 'HIGH', Category: 'restricted' }] },
    ];
    const { items, observations, records } = await readAll(
      'trivy',
      { SchemaVersion: 2, ArtifactName: '.', ArtifactType: 'filesystem', Results: results },
      { artifact: 'shop' },
    );
    expect(records).toBe(6);
    expect(observations.map((one) => [one.engine, one.result, one.rule_id, one.resource_uid, one.resource_type, one.provider])).toEqual([
      ['container-security', 'FAIL', 'DS002', 'shop', 'code_repository', 'k8s'],
      ['container-security', 'PASS', 'DS001', 'shop', 'code_repository', 'k8s'],
      ['check', 'FAIL', 'AVD-1', 'shop#module.a.aws_s3_bucket.b', 'aws_s3_bucket', 'aws'],
      ['secops', 'FAIL', 'github-token', 'shop', 'code_repository', 'k8s'],
      ['secops', 'FAIL', 'license/GPL-3.0', 'shop', 'code_repository', 'k8s'],
    ]);
    expect(JSON.stringify(items)).not.toContain('visible-value');
  });

  it.each(['Resources', 'Findings', 'Misconfigurations'])('of clusters are read from %s', async (list) => {
    const report = {
      ClusterName: 'arn:aws:eks:eu-west-1:123456789012:cluster/prod',
      [list]: [
        {
          Namespace: 'shop',
          Kind: 'StatefulSet',
          Name: 'db',
          Results: [
            { Target: 'StatefulSet/db', Class: 'config', Type: 'kubernetes', Misconfigurations: [misconfiguration({ ID: 'KSV001' })] },
          ],
        },
        {
          Results: [{ Target: 'app/lib.jar', Class: 'lang-pkgs', Vulnerabilities: [vulnerability()] }],
          Metadata: [{ RepoTags: ['redis:6'] }],
          Kind: 'Deployment',
          Name: 'cache',
        },
      ],
    };
    const { observations } = await readAll('trivy', report);
    expect(observations.map((one) => [one.engine, one.resource_type, one.resource_name, one.account_id])).toEqual([
      ['container-security', 'kubernetes_stateful_set', 'db', '123456789012'],
      ['vulnerability', 'container_image', 'redis:6', '123456789012'],
    ]);
  });

  it('of old versions are arrays of results', async () => {
    const { observations } = await readAll('trivy', [
      { Target: 'redis:6 (debian 10)', Type: 'debian', Vulnerabilities: [vulnerability()] },
      { Target: 'x', Vulnerabilities: null },
    ]);
    expect(observations).toMatchObject([{ resource_uid: 'redis:6', resource_type: 'container_image' }]);
  });

  it('without required facts have broken records, by name', async () => {
    const { broken, records } = await readAll(
      'trivy',
      image([
        {
          Target: 't',
          Vulnerabilities: [
            vulnerability({ VulnerabilityID: undefined }),
            vulnerability({ PkgName: 7 }),
            [],
            vulnerability({ PkgName: '' }),
          ],
        },
        { Vulnerabilities: {} },
      ]),
    );
    expect(records).toBe(1);
    expect(broken.map(({ position, reason }) => `${position}: ${reason.replace(/ \(byte.*/, '')}`)).toEqual([
      'Results[0].Vulnerabilities[0]: VulnerabilityID is missing',
      'Results[0].Vulnerabilities[2]: the record should be an object, found an array',
      'Results[0].Vulnerabilities[3]: PkgName is empty',
      'Results[1].Vulnerabilities: expected an array',
    ]);
  });

  it('are of the format when there is nothing in them, and not when they are something else', async () => {
    for (const report of [[], image([]), { SchemaVersion: 2, ArtifactName: 'x', ArtifactType: 'repository' }, { ClusterName: 'c' }])
      expect((await readAll('trivy', report)).items.filter((item) => item.kind !== 'scope')).toEqual([]);
    for (const report of [{}, { runs: [] }, [{ Id: 1 }], 'x'])
      await expect(readAll('trivy', report)).rejects.toMatchObject({ name: 'NotOfFormat' });
  });
});
