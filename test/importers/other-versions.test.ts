import { detectFormat } from '../../importers/index.js';
import { fixture } from './fixtures.js';
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
