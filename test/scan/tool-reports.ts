/** A vulnerability of one package in one artifact, as tools tell it each in its own form. */
export interface Told {
  readonly cve: string;
  readonly ghsa: string;
  readonly type: 'npm' | 'pypi' | 'deb';
  readonly name: string;
  readonly version: string;
  /** The repository, or the image with its tag. */
  readonly artifact: string;
  readonly digest?: string;
}

const purlOf = ({ type, name, version }: Told): string =>
  `pkg:${type}/${type === 'deb' ? 'debian/' : ''}${name}@${version.replace('+', '%2B')}${type === 'deb' ? '?arch=amd64&distro=debian-11' : ''}`;
const repositoryOf = ({ artifact }: Told): string => artifact.replace(/:[^:/]*$/, '');
const ECOSYSTEMS = { npm: 'npm', pypi: 'PyPI', deb: 'Debian:11' } as const;

const trivy = (told: Told) => ({
  SchemaVersion: 2,
  ArtifactName: told.digest === undefined ? '.' : told.artifact,
  ArtifactType: told.digest === undefined ? 'filesystem' : 'container_image',
  ...(told.digest !== undefined && {
    Metadata: { OS: { Family: 'debian', Name: '11.6' }, RepoTags: [told.artifact], RepoDigests: [`${repositoryOf(told)}@${told.digest}`] },
  }),
  Results: [
    {
      Target: told.digest === undefined ? 'package-lock.json' : `${told.artifact} (debian 11.6)`,
      Class: told.digest === undefined ? 'lang-pkgs' : 'os-pkgs',
      Type: { npm: 'npm', pypi: 'pip', deb: 'debian' }[told.type],
      Vulnerabilities: [
        {
          VulnerabilityID: told.cve,
          VendorIDs: [told.type === 'deb' ? 'DSA-5417-1' : told.ghsa],
          PkgName: told.name,
          PkgIdentifier: { PURL: purlOf(told) },
          InstalledVersion: told.version,
          Severity: 'HIGH',
          Title: 'It is vulnerable',
        },
      ],
    },
  ],
});

const grype = (told: Told) => ({
  matches: [
    {
      vulnerability: {
        id: told.type === 'deb' ? told.cve : told.ghsa,
        severity: 'Medium',
        namespace: 'github:language:javascript',
        fix: { versions: [], state: 'unknown' },
      },
      relatedVulnerabilities: told.type === 'deb' ? [] : [{ id: told.cve, namespace: 'nvd:cpe' }],
      matchDetails: [{ type: 'exact-direct-match', matcher: 'javascript-matcher' }],
      artifact: {
        id: '1',
        name: told.name,
        version: told.version,
        type: { npm: 'npm', pypi: 'python', deb: 'deb' }[told.type],
        locations: [{ path: '/package-lock.json' }],
        purl: purlOf(told),
      },
    },
  ],
  source:
    told.digest === undefined
      ? { type: 'directory', target: '.' }
      : { type: 'image', target: { userInput: told.artifact, repoDigests: [`${repositoryOf(told)}@${told.digest}`] } },
  distro: { name: 'debian', version: '11' },
  descriptor: { name: 'grype', version: '0.100.0' },
});

const snyk = (told: Told) => ({
  ok: false,
  dependencyCount: 1,
  packageManager: { npm: 'npm', pypi: 'pip', deb: 'deb' }[told.type],
  projectName: told.type === 'deb' ? `docker-image|${repositoryOf(told)}` : told.artifact,
  path: told.type === 'deb' ? told.artifact : '/src/project',
  ...(told.type === 'deb' && { docker: { baseImage: 'debian:11' } }),
  vulnerabilities: [
    {
      id: 'SNYK-X-1040724',
      title: 'It is vulnerable',
      packageName: told.type === 'deb' ? `${told.name}/lib${told.name}` : told.name,
      name: told.type === 'deb' ? `source/${told.name}` : told.name,
      version: told.version,
      severity: 'critical',
      identifiers: { CVE: [told.cve], CWE: ['CWE-94'], GHSA: told.type === 'deb' ? [] : [told.ghsa] },
      from: ['project@1.0.0', `${told.name}@${told.version}`],
      semver: { vulnerable: ['<9'] },
    },
  ],
});

const npmAudit = ({ name, version, ghsa, cve }: Told) => ({
  actions: [],
  advisories: {
    1523: {
      id: 1523,
      findings: [{ version, paths: [name] }],
      module_name: name,
      severity: 'moderate',
      title: 'It is vulnerable',
      url: `https://github.com/advisories/${ghsa}`,
      github_advisory_id: ghsa,
      cves: [cve],
      vulnerable_versions: '<9',
    },
  },
  muted: [],
  metadata: {},
});

const pipAudit = ({ name, version, cve, ghsa }: Told) => ({
  dependencies: [{ name, version, vulns: [{ id: 'PYSEC-2019-217', aliases: [cve, ghsa], fix_versions: [] }] }],
  fixes: [],
});

const osvScanner = ({ name, version, type, cve, ghsa }: Told) => ({
  results: [
    {
      source: { path: '/src/package-lock.json', type: 'lockfile' },
      packages: [
        {
          package: { name, version, ecosystem: ECOSYSTEMS[type] },
          vulnerabilities: [{ id: ghsa, aliases: [cve], summary: 'It is vulnerable' }],
          groups: [{ ids: [ghsa], aliases: [cve, ghsa], max_severity: '9.8' }],
        },
      ],
    },
  ],
});

const dependencyCheck = (told: Told) => ({
  reportSchema: '1.1',
  scanInfo: { engineVersion: '10.0.0' },
  projectInfo: { name: told.artifact, reportDate: '2026-01-01T00:00:00Z' },
  dependencies: [
    {
      fileName: `${told.name}:${told.version}`,
      filePath: '/src/package-lock.json',
      packages: [{ id: purlOf(told), confidence: 'HIGHEST' }],
      vulnerabilities: [{ source: 'NVD', name: told.cve, severity: 'HIGH', cwes: ['CWE-94'] }],
    },
  ],
});

const dependencyTrack = (told: Told) => ({
  version: '1.2',
  meta: { application: 'Dependency-Track', timestamp: '2026-01-01T00:00:00Z' },
  project: { name: told.artifact, version: '1.0' },
  findings: [
    {
      component: { name: told.name, version: told.version, purl: purlOf(told) },
      vulnerability: { source: 'GITHUB', vulnId: told.ghsa, aliases: [{ cveId: told.cve, ghsaId: told.ghsa }], severity: 'LOW' },
      analysis: { isSuppressed: false },
      matrix: 'a:b:c',
    },
  ],
});

const cyclonedx = (told: Told) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  metadata: {
    component:
      told.digest === undefined
        ? { type: 'application', name: told.artifact }
        : { type: 'container', name: told.artifact, version: told.digest },
  },
  components: [{ type: 'library', 'bom-ref': 'c1', name: told.name, version: told.version, purl: purlOf(told) }],
  vulnerabilities: [
    {
      id: told.type === 'deb' ? told.cve : told.ghsa,
      references: [{ id: told.cve, source: { name: 'NVD' } }],
      ratings: [{ severity: 'high' }],
      affects: [{ ref: 'c1' }],
    },
  ],
});

const ACCOUNT = '123456789012';
const arnOf = (told: Told): string => `arn:aws:ecr:eu-central-1:${ACCOUNT}:repository/app/${told.digest}`;
const [upstream, release] = [({ version }: Told) => version.split('-')[0], ({ version }: Told) => version.split('-')[1]];

const inspector2 = (told: Told) => ({
  findings: [
    {
      findingArn: `arn:aws:inspector2:eu-central-1:${ACCOUNT}:finding/1`,
      awsAccountId: ACCOUNT,
      type: 'PACKAGE_VULNERABILITY',
      status: 'ACTIVE',
      severity: 'HIGH',
      title: `${told.cve} - ${told.name}`,
      packageVulnerabilityDetails: {
        vulnerabilityId: told.cve,
        source: 'DEBIAN_CVE',
        vulnerablePackages: [
          { name: told.name, version: upstream(told), release: release(told), epoch: 0, arch: 'AMD64', packageManager: 'OS' },
        ],
      },
      resources: [
        {
          id: arnOf(told),
          type: 'AWS_ECR_CONTAINER_IMAGE',
          region: 'eu-central-1',
          details: { awsEcrContainerImage: { imageHash: told.digest, repositoryName: 'app', platform: 'DEBIAN_11' } },
        },
      ],
    },
  ],
});

const asff = (told: Told) => ({
  Findings: [
    {
      SchemaVersion: '2018-10-08',
      Id: `arn:aws:inspector2:eu-central-1:${ACCOUNT}:finding/1`,
      ProductArn: 'arn:aws:securityhub:eu-central-1::product/aws/inspector',
      ProductName: 'Inspector',
      GeneratorId: 'AWSInspector',
      AwsAccountId: ACCOUNT,
      Types: ['Software and Configuration Checks/Vulnerabilities/CVE'],
      Severity: { Label: 'MEDIUM' },
      Title: `${told.cve} - ${told.name}`,
      RecordState: 'ACTIVE',
      Resources: [
        {
          Id: arnOf(told),
          Type: 'AwsEcrContainerImage',
          Region: 'eu-central-1',
          Details: { AwsEcrContainerImage: { ImageDigest: told.digest } },
        },
      ],
      Vulnerabilities: [
        {
          Id: told.cve,
          VulnerablePackages: [{ Name: told.name, Version: upstream(told), Epoch: '0', Release: release(told), PackageManager: 'OS' }],
          Vendor: { Name: 'DEBIAN_CVE' },
        },
      ],
    },
  ],
});

const ocsf = (told: Told) => [
  {
    class_uid: 2002,
    category_uid: 2,
    metadata: { product: { name: 'Prowler', vendor_name: 'Prowler' }, version: '1.5.0' },
    finding_info: { uid: 'finding-1', title: `${told.cve} in ${told.name}` },
    severity: 'High',
    status: 'New',
    status_id: 1,
    cloud: { provider: 'aws', account: { uid: ACCOUNT }, region: 'eu-central-1' },
    resources: [{ uid: arnOf(told), type: 'AwsEcrContainerImage', region: 'eu-central-1' }],
    vulnerabilities: [{ cve: { uid: told.cve }, affected_packages: [{ name: told.name, version: told.version, purl: purlOf(told) }] }],
  },
];

/** Formats that report what is in code or in an image, by what they can report. */
export const VULNERABILITY_TOOLS = {
  npm: {
    trivy,
    grype,
    snyk,
    npm_audit: npmAudit,
    osv_scanner: osvScanner,
    dependency_check: dependencyCheck,
    dependency_track: dependencyTrack,
    cyclonedx,
  },
  pypi: {
    trivy,
    grype,
    snyk,
    pip_audit: pipAudit,
    osv_scanner: osvScanner,
    dependency_check: dependencyCheck,
    dependency_track: dependencyTrack,
    cyclonedx,
  },
  deb: { trivy, grype, cyclonedx, inspector2, asff, ocsf },
} satisfies Record<Told['type'], Record<string, (told: Told) => unknown>>;

/** A container's report that knows no digest: by its name alone. */
export const snykContainer = snyk;

/** A secret at a place, as tools tell it: a GitHub token, which no report here holds. */
export interface Secret {
  readonly file: string;
  readonly line: number;
}

export const SECRET_TOOLS = {
  gitleaks: ({ file, line }: Secret) => [
    {
      RuleID: 'github-pat',
      Description: 'GitHub token',
      StartLine: line,
      EndLine: line,
      Match: 'k=REDACTED',
      Secret: 'REDACTED',
      File: file,
      Commit: '',
    },
  ],
  trufflehog: ({ file, line }: Secret) => [
    {
      SourceMetadata: { Data: { Filesystem: { file, line } } },
      SourceName: 'trufflehog - filesystem',
      DetectorName: 'Github',
      Verified: false,
      Raw: 'REDACTED',
      Redacted: '',
    },
  ],
  detect_secrets: ({ file, line }: Secret) => ({
    version: '1.5.0',
    plugins_used: [],
    filters_used: [],
    results: { [file]: [{ type: 'GitHub Token', filename: file, hashed_secret: '0'.repeat(40), is_verified: false, line_number: line }] },
    generated_at: '2026-01-01T00:00:00Z',
  }),
  trivy: ({ file, line }: Secret) => ({
    SchemaVersion: 2,
    ArtifactName: '.',
    ArtifactType: 'filesystem',
    Results: [
      {
        Target: file,
        Class: 'secret',
        Secrets: [
          {
            RuleID: 'github-pat',
            Category: 'GitHub',
            Severity: 'CRITICAL',
            Title: 'GitHub token',
            StartLine: line,
            EndLine: line,
            Match: 'k=*****',
          },
        ],
      },
    ],
  }),
} satisfies Record<string, (secret: Secret) => unknown>;
