import { detectFormat } from '../../importers/index.js';
import { fixture } from './fixtures.js';
import { NotOfFormat } from '../../importers/types.js';
import { readAll } from './read-all.js';

/** Reports of other versions and products than the ones by which a format is known best: what each of its findings says. */
const REPORTS: readonly (readonly [format: string, report: string, findings: readonly string[]])[] = [
  [
    'nessus',
    'hosts.csv',
    [
      'technology info nessus-19506 10.1.1.1',
      'encryption medium nessus-57582 10.1.1.1',
      'vulnerability high CVE-2016-2183 10.1.1.1',
      'vulnerability critical CVE-2017-0143 win-1.example.com',
      'vulnerability critical CVE-2017-0144 win-1.example.com',
    ],
  ],
  [
    'nessus',
    'security-center.csv',
    [
      'vulnerability high CVE-2016-2183 10.1.1.2',
      'vulnerability critical CVE-2021-44228 app.example.com',
      'vulnerability critical CVE-2021-45046 app.example.com',
      'technology info nessus-19506 10.1.1.2',
    ],
  ],
  [
    'cyclonedx',
    'extension.xml',
    [
      'vulnerability critical CVE-2018-7489 urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79 (com.fasterxml.jackson.core/jackson-databind 2.9.9)',
      'vulnerability high CVE-2021-23337 urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79 (lodash 4.17.20)',
    ],
  ],
  [
    'openvas',
    'results.csv',
    [
      'vulnerability medium CVE-2013-2566 10.0.0.1',
      'technology info 1.3.6.1.4.1.25623.1.0.105937 10.0.0.1',
      'vulnerability critical CVE-2021-26691 10.0.0.2 (apache:http_server)',
    ],
  ],
  ['dependency_check', 'report.xml', ['vulnerability critical CVE-2021-44228 shop (org.apache.logging.log4j:log4j-core 2.12.1)']],
  ['dependency_check', 'version-3.xml', ['vulnerability high CVE-2017-5638 shop (org.apache.struts:struts2-core 2.3.30)']],
  [
    'powerpipe',
    'snapshot.json',
    ['check high cis_v150_1_4 arn:aws:iam::123456789012:root', 'check high passed cis_v150_1_4 arn:aws:iam::123456789012:user/a'],
  ],
  ['gitlab', 'file-alone.json', ['vulnerability high CVE-2022-0001 code']],
  ['prowler', 'github.csv', ['check critical repository_default_branch_protection_enabled 77']],
  ['gosec', 'version-1.json', ['secops high G402 code']],
  [
    'prisma_csv',
    'ci-images.csv',
    [
      'vulnerability high CVE-2023-0286 registry.example.com/shop/web:1.1 (libssl3 3.0.11-1)',
      'vulnerability high CVE-2023-0286 registry.example.com/shop/web:1.1 (openssl 3.0.11-1)',
      'vulnerability critical CVE-2025-48913 registry.example.com/shop/web:1.1 (org.apache.cxf:cxf-core 3.5.11)',
    ],
  ],
  [
    'twistlock',
    'source-packages.json',
    [
      'vulnerability high CVE-2018-6485 registry.example.com/shop/web:1.1 (libc6 2.36-9)',
      'vulnerability high CVE-2018-6485 registry.example.com/shop/web:1.1 (libc-bin 2.36-9)',
      'vulnerability critical CVE-2013-7459 registry.example.com/shop/web:1.1 (pycrypto 2.6.1)',
      'vulnerability critical CVE-2025-48913 registry.example.com/shop/web:1.1 (org.apache.cxf:cxf-core 3.5.11)',
    ],
  ],
  [
    'yarn_audit',
    'version-1.jsonl',
    ['vulnerability high CVE-2022-24999 code (qs 6.5.1)', 'vulnerability high NPM-1325 code (handlebars 4.5.2)'],
  ],
  [
    'yarn_audit',
    'version-4.jsonl',
    [
      'vulnerability high GHSA-hrpp-h998-j3pp code (qs 6.5.1)',
      'vulnerability high GHSA-hrpp-h998-j3pp code (qs 6.5.2)',
      'vulnerability medium request (deprecation) code (request 2.88.2)',
    ],
  ],
  [
    'wizcli',
    'image.json',
    [
      'vulnerability low CVE-2024-5535 registry.example.com/shop/web:1.1 (libcrypto3 3.3.1-r0)',
      'vulnerability high CVE-2023-44487 registry.example.com/shop/web:1.1 (golang.org/x/net 0.14.0)',
      'vulnerability info GHSA-4v7x-pqxf-cx7m registry.example.com/shop/web:1.1 (golang.org/x/net 0.14.0)',
      'secops high basic-auth registry.example.com/shop/web:1.1',
    ],
  ],
  [
    'wizcli',
    'code.json',
    [
      'check high 00a275c9-6307-4212-b5d9-e2596571edbc code',
      'check info 5855db58-e570-404d-8fb1-4c85a015d073 terraform:aws_s3_bucket.logs',
      'secops high basic-auth code',
      'secops high basic-auth code',
    ],
  ],
  ['burp', 'rest.json', ['secops high burp-1049088 https://shop.example.com', 'secops info burp-6292992 https://shop.example.com']],
  [
    'kubescape',
    'version-1.json',
    [
      'container-security low C-0017 cluster/shop/Deployment/web',
      'container-security low C-0017 cluster/kube-system/Pod/etcd',
      'container-security medium C-0035 cluster/tools/ServiceAccount/ci',
      'container-security medium C-0035 cluster/-/ClusterRoleBinding/cluster-admin',
    ],
  ],
  [
    'sslyze',
    'version-1.xml',
    [
      'encryption high passed ssl-2.0-offered shop.example.com',
      'encryption medium tls-1.0-offered shop.example.com',
      'encryption high passed no-modern-tls shop.example.com',
      'encryption medium weak-cipher-suites shop.example.com',
      'encryption critical heartbleed shop.example.com',
      'encryption high passed openssl-ccs-injection shop.example.com',
      'encryption high passed robot shop.example.com',
      'encryption medium passed insecure-renegotiation shop.example.com',
      'encryption low passed client-renegotiation shop.example.com',
      'encryption medium passed tls-compression shop.example.com',
      'encryption low passed no-fallback-scsv shop.example.com',
      'encryption high certificate-name-mismatch shop.example.com',
      'encryption high passed certificate-untrusted shop.example.com',
      'encryption medium certificate-short-key shop.example.com',
      'encryption medium passed certificate-sha1 shop.example.com',
      'encryption low passed certificate-chain-order shop.example.com',
    ],
  ],
  ['wiz_csv', 'unresolved.csv', ['vulnerability high CVE-2024-1111 arn:aws:ec2:eu-west-1:123456789012:instance/i-1 (zlib 1.0)']],
  ['trivy', 'several.json', ['vulnerability high CVE-2024-1111 a:1 (zlib 1)', 'vulnerability high CVE-2024-2222 b:1 (zlib 1)']],
  ['trivy', 'lines.jsonl', ['vulnerability high CVE-2024-1111 a:1 (zlib 1)']],
  ['grype', 'several.json', ['vulnerability medium CVE-2024-29041 registry.example.com/web:1 (express 4.18.0)']],
  ['inspector2', 'event.json', ['vulnerability high CVE-2024-1111 arn:aws:ec2:eu-west-1:123456789012:instance/i-1 (zlib 1)']],
  [
    'kube_bench',
    'lines.jsonl',
    [
      'container-security medium kube-bench-cis-1.6-1.1.1 cluster/-/Cluster/cluster',
      'container-security medium passed kube-bench-cis-1.6-1.1.2 cluster/-/Cluster/cluster',
      'container-security info kube-bench-cis-1.6-4.1.1 cluster/-/Cluster/cluster',
    ],
  ],
  ['zap', 'alerts.json', ['secops medium zap-10038-1 https://shop.example.com', 'secops info zap-10036 http://api.example.com:8080']],
  [
    'snyk',
    'issues-rest.json',
    [
      'vulnerability high CVE-2020-8203 b4d1c1a0-1111-4a57-9d36-0d6d2b0a1a01 (lodash 4.17.15)',
      'secops medium javascript/sqli b4d1c1a0-2222-4a57-9d36-0d6d2b0a1a01',
      'secops high license/GPL-3.0 b4d1c1a0-1111-4a57-9d36-0d6d2b0a1a01 (readline 1.3.0)',
      'check medium SNYK-CC-TF-1 b4d1c1a0-3333-4a57-9d36-0d6d2b0a1a01',
    ],
  ],
  [
    'snyk',
    'issues-version-1.json',
    ['vulnerability low CVE-2017-20162 code (ms 0.7.1)', 'secops high license/GPL-3.0 code (readline 1.3.0)'],
  ],
  [
    'snyk',
    'issues-aggregated.json',
    [
      'vulnerability low CVE-2017-20162 code (ms 0.7.1)',
      'vulnerability low CVE-2017-20162 code (ms 0.6.2)',
      'secops high license/GPL-3.0 code (readline 1.3.0)',
    ],
  ],
  [
    'ocsf',
    'wiz.jsonl',
    [
      'check low Unused VM /subscriptions/fee3535b-9616-486f-a476-6a500a08a02b/resourcegroups/shop/providers/microsoft.compute/virtualmachines/app',
      'check high passed Accounts that create pods daemon-set-controller',
    ],
  ],
];

it.each(REPORTS)('%s: %s says what the same tool says in its other reports', async (format, report, findings) => {
  const bytes = fixture(format, report);
  expect(detectFormat(bytes.toString('utf8'))?.name).toBe(format);
  const { observations, broken } = await readAll(format, bytes);
  expect(broken).toEqual([]);
  expect(
    observations.map(({ engine, severity, result, rule_id, resource_uid, evidence = {} }) => {
      const { package_name: name, installed_version: version } = evidence as { package_name?: string; installed_version?: string };
      // a scanner of hosts has the name of its test where no package is known
      const affected = version !== undefined || name?.includes(':http_server') ? ` (${[name, version].filter(Boolean).join(' ')})` : '';
      return `${engine} ${severity}${result === 'PASS' ? ' passed' : ''} ${rule_id} ${resource_uid}${affected}`;
    }),
  ).toEqual(findings);
});

it('a report a line: a line of something else is broken, and the file is refused where the first is', async () => {
  const [first, second] = fixture('kube_bench', 'lines.jsonl').toString('utf8').trim().split('\n');
  const read = await readAll('kube_bench', `${first}\n{"results":[{}]}\n${second}\n`);
  expect([read.records, read.broken.map(({ position }) => position)]).toEqual([3, ['line 2']]);
  await expect(readAll('kube_bench', `{"results":[{}]}\n${first}\n`)).rejects.toThrow(NotOfFormat);
});

it.each([
  ['vex.json', ['assessment CVE-2020-25649 pkg:maven/com.fasterxml.jackson.core/jackson-databind', 'observation CVE-2021-1000 shop']],
  ['vex.xml', ['assessment CVE-2020-25649 pkg:maven/com.fasterxml.jackson.core/jackson-databind']],
  ['vulnerabilities.json', ['scope shop', 'observation CVE-2021-1000 shop']],
] as const)('cyclonedx: %s tells no components, and replaces no list of them', async (report, told) => {
  const { items } = await readAll('cyclonedx', fixture('cyclonedx', report));
  expect(
    items.flatMap((item) => {
      if (item.kind === 'assessment') return `assessment ${item.assessment.rule_ids.join()} ${item.assessment.package?.replace(/@.*/, '')}`;
      if (item.kind === 'observation') return `observation ${item.observation.rule_id} ${item.observation.resource_uid}`;
      if (item.kind === 'scope') return `scope ${item.scope.artifact}`;
      return item.kind === 'record' || item.kind === 'rule' ? [] : item.kind;
    }),
  ).toEqual(told);
});

it('trivy_operator: a report of components covers no vulnerabilities, and is the bill of its image', async () => {
  const { items } = await readAll('trivy_operator', fixture('trivy_operator', 'sbom.json'));
  const named = items.flatMap((item) =>
    item.kind === 'artifact'
      ? item.artifact.artifact_id
      : item.kind === 'component'
        ? item.component.name
        : item.kind === 'scope'
          ? 'scope'
          : [],
  );
  expect(named).toEqual(['nginx:1', 'libssl3', 'zlib']);
});

it.each([
  ['trivy_operator', 'list'],
  ['polaris', 'audit'],
  ['popeye', 'sections'],
  ['terrascan', 'report'],
  ['bandit', 'report'],
  ['spdx', 'shop.spdx'],
])('%s: %s says in YAML what it says in JSON, and a document that is none is broken', async (format, report) => {
  const [json, yaml] = [fixture(format, `${report}.json`), fixture(format, `${report}.yaml`)];
  expect(detectFormat(yaml.toString('utf8'))?.name).toBe(format);
  expect((await readAll(format, yaml)).items).toEqual((await readAll(format, json)).items);
  const { broken } = await readAll(format, `${yaml.toString('utf8')}---\n"no: end\n`);
  expect(broken).toHaveLength(1);
});

it('zap: what its interface tells of an alert on a site is the finding that its report tells', async () => {
  const [alerts, report] = [await readAll('zap', fixture('zap', 'alerts.json')), await readAll('zap', fixture('zap', 'report.json'))];
  const identities = ({ observations }: typeof alerts) =>
    observations.map(({ rule_id, resource_uid, discriminator }) => [rule_id, resource_uid, discriminator]);
  expect(identities(alerts)).toEqual(expect.arrayContaining(identities(report)));
  expect(alerts.observations[0]!.evidence).toMatchObject({ count: 2, instances: [{ path: '/cart' }, { path: '/' }] });
});

it('snyk: a page behind which there is another one is not the whole list', async () => {
  const page = JSON.parse(fixture('snyk', 'issues-rest.json').toString('utf8')) as { links: object };
  const { items } = await readAll('snyk', { ...page, links: { next: '/orgs/1/issues?starting_after=v1' } });
  expect(items.filter(({ kind }) => kind === 'truncated')).toHaveLength(1);
});

it('sysdig: a result by the interface says what the command line writes of it', async () => {
  const written = JSON.parse(fixture('sysdig', 'scanner.json').toString('utf8')) as { result: object };
  const answer = { result: { ...written.result, vulnTotalBySeverity: { critical: 1 } } };
  expect(detectFormat(JSON.stringify(answer))?.name).toBe('sysdig');
  expect((await readAll('sysdig', answer)).items).toEqual((await readAll('sysdig', written)).items);
});
