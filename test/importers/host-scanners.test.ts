import { NotOfFormat } from '../../importers/index.js';
import { shortHash } from '../../importers/normalize/identity.js';
import { fixture } from './fixtures.js';
import { readAll, type Gathered } from './read-all.js';

/** Engine, result, severity, rule and discriminator of each observation, in order. */
const told = ({ observations }: Gathered): string[] =>
  observations.map(({ engine, result, severity, rule_id, discriminator = '-' }) =>
    [engine, result, severity, rule_id, discriminator].join(' '),
  );
const scopesOf = ({ items }: Gathered): string[] =>
  items.flatMap((item) => (item.kind === 'scope' ? [`${item.scope.engine} ${item.scope.artifact}`] : []));
const text = (format: string, report: string): string => fixture(format, report).toString('utf8');

it.each<[string, string, string, string[]]>([
  [
    'nessus',
    'network.nessus',
    '192.0.2.10',
    [
      'vulnerability FAIL critical CVE-2025-10001 Ubuntu 22.04 LTS : examplelib vulnerabilities (USN-0001-1)@',
      'vulnerability FAIL critical CVE-2025-10002 Ubuntu 22.04 LTS : examplelib vulnerabilities (USN-0001-1)@',
      'encryption FAIL medium nessus-990002 443/tcp',
      'technology FAIL info nessus-990003 22/tcp',
      'dbsec FAIL high nessus-990004 5432/tcp',
      'agent FAIL medium 0a1b2c3d CIS_Example_v1.audit',
      'agent PASS high V-900001 -',
    ],
  ],
  [
    'nmap',
    'scripts.xml',
    '192.0.2.20',
    [
      'technology FAIL info open-port 22/tcp',
      'vulnerability FAIL medium CVE-2019-6111 openbsd:openssh@7.4',
      'technology FAIL info open-port 80/tcp',
      'vulnerability FAIL high CVE-2021-41773 apache:http_server@2.4.49',
      'technology PASS info open-port 445/tcp',
      'vulnerability FAIL high CVE-2017-0143 smb-vuln-ms17-010',
    ],
  ],
  [
    'openvas',
    'report.xml',
    '192.0.2.30',
    [
      'vulnerability FAIL critical CVE-2025-20001 example:server@',
      'vulnerability FAIL critical CVE-2025-20002 example:server@',
      'encryption FAIL medium 1.3.6.1.4.1.25623.1.0.900002 443/tcp',
      'technology FAIL info 1.3.6.1.4.1.25623.1.0.900003 -',
      'vulnerability PASS medium 1.3.6.1.4.1.25623.1.0.900004 21/tcp',
    ],
  ],
  [
    'xccdf',
    'benchmark.xml',
    'web1.example.com',
    [
      'agent FAIL high V-900001 -',
      'agent PASS medium xccdf_org.ssgproject.content_rule_package_aide_installed -',
      'agent FAIL medium xccdf_org.ssgproject.content_rule_sshd_disable_root_login /etc/ssh/sshd_config',
    ],
  ],
  [
    'xccdf',
    'advisories.xml',
    'app1.example.com',
    [
      'vulnerability FAIL high CVE-2025-30001 RHSA-2025:0001',
      'vulnerability FAIL high CVE-2025-30002 RHSA-2025:0001',
      'vulnerability PASS low RHSA-2025:0002 RHSA-2025:0002',
    ],
  ],
  ['xccdf', 'arf.xml', 'db1.example.com', ['agent FAIL low xccdf_org.example_rule_1.1.1 -', 'agent PASS low xccdf_org.example_rule_2 -']],
  [
    'stig',
    'host.ckl',
    'app1',
    ['agent FAIL high V-900001 ORCL', 'agent PASS medium V-900002 ORCL', 'agent FAIL low V-900003 ORCL', 'agent PASS low V-900004 ORCL'],
  ],
  ['stig', 'host.cklb', 'app2', ['agent FAIL high V-900001 -', 'agent PASS medium V-900002 -', 'agent FAIL high V-900006 -']],
  [
    'rkhunter',
    'rkhunter.log',
    'web1',
    [
      'cwpp PASS medium rkhunter-properties /usr/bin/awk',
      'cwpp FAIL medium rkhunter-properties /usr/bin/egrep',
      "cwpp PASS high rkhunter-rootkits file '/sbin/initsk12'",
      'cwpp PASS high rkhunter-rootkits Suckit Rootkit',
      'cwpp FAIL medium rkhunter-filesystem hidden files and directories',
    ],
  ],
])('%s: %s tells what its tool found, on which host', async (format, report, host, expected) => {
  const gathered = await readAll(format, fixture(format, report));
  expect(told(gathered)).toEqual(expected);
  expect(new Set(gathered.observations.map(({ resource_uid }) => resource_uid))).toEqual(new Set([host]));
  expect(new Set(gathered.observations.map(({ resource_type }) => resource_type))).toEqual(new Set(['host']));
});

it('a plugin of Nessus keeps its score for the CVE that it is of, its output and its way out', async () => {
  const [first, scored, tls] = (await readAll('nessus', fixture('nessus', 'network.nessus'))).observations;
  expect([first?.cvss, scored?.cvss]).toEqual([undefined, 9.8]);
  expect(scored).toMatchObject({
    known_exploited: true,
    remediation: { guidance: 'Update the affected examplelib package.' },
    controls: [{ framework: 'CWE', control_id: 'CWE-787' }],
    evidence: { plugin_id: '990001', host: '192.0.2.10' },
  });
  expect(tls).toMatchObject({ evidence: { host: '192.0.2.10', port: 443, transport: 'tcp' } });
  expect(tls?.evidence).not.toHaveProperty('protocol');
});

it('a scan covers what its policy, its task or its ports had it look at, and no more', async () => {
  const nessus = text('nessus', 'network.nessus');
  expect(scopesOf(await readAll('nessus', nessus))).toContain('vulnerability 192.0.2.10 (Weekly scan, with credentials)');
  expect(scopesOf(await readAll('nessus', nessus.replace('>true</tag>', '>false</tag>')))).toContain(
    'vulnerability 192.0.2.10 (Weekly scan)',
  );
  expect(scopesOf(await readAll('nessus', nessus)).filter((scope) => scope.startsWith('agent'))).toEqual([]);

  const nmap = text('nmap', 'scripts.xml');
  const ofRange = scopesOf(await readAll('nmap', nmap.replace('22,80,445,8080', '22')));
  expect(ofRange).toContain('technology 192.0.2.20 (tcp 22, scripts vulners,smb-vuln-ms17-010)');
  const plain = await readAll('nmap', nmap.replace(/--script \S+/, ''));
  expect(scopesOf(plain)).toEqual(['technology 192.0.2.20 (tcp 22,80,445,8080)', 'technology 192.0.2.21 (tcp 22,80,445,8080)']);
  expect(scopesOf(await readAll('nmap', fixture('nmap', 'ping.xml')))).toEqual([]);

  expect(scopesOf(await readAll('openvas', fixture('openvas', 'report.xml')))).toContain('vulnerability 192.0.2.31 (Office network)');
});

it('a report that shows a part, a page or a choice of tests covers nothing', async () => {
  const states = text('wazuh', 'states.json');
  expect(scopesOf(await readAll('wazuh', states))).toEqual(['vulnerability web1', 'vulnerability web2']);
  expect(scopesOf(await readAll('wazuh', states.replace('"value": 2', '"value": 20000')))).toEqual([]);
  const lynis = text('lynis', 'report.dat');
  expect(scopesOf(await readAll('lynis', lynis))).toEqual(['agent mail1', 'vulnerability mail1']);
  expect(scopesOf(await readAll('lynis', lynis.replace('test_group=all', 'test_group=ssh')))).toEqual([]);
  const cut = await readAll('lynis', lynis.slice(0, lynis.indexOf('report_datetime_end')));
  expect([scopesOf(cut), cut.truncated.length]).toEqual([[], 1]);
  const rkhunter = text('rkhunter', 'rkhunter.log');
  expect(scopesOf(await readAll('rkhunter', rkhunter))).toEqual(['cwpp web1']);
  expect(scopesOf(await readAll('rkhunter', rkhunter.replace('tests are: all', 'tests are: rootkits')))).toEqual([]);
  // a server of which a check could not be made keeps its findings
  expect(scopesOf(await readAll('testssl', fixture('testssl', 'flat.json')))).toEqual(['encryption shop.example.com:443']);
});

it('a check of DbProtect covers what it found before where it has looked, and keeps no password', async () => {
  const read = await readAll('dbprotect', fixture('dbprotect', 'details.xml'));
  expect(scopesOf(read)).toEqual([2986, 2800, 3000, 2500].map((check) => `dbsec db1:1433/MSSQLSERVER (check ${check})`));
  expect(read.observations.map(({ result, evidence }) => [result, evidence['database']])).toEqual([
    ['FAIL', 'shop'],
    ['FAIL', 'shop'],
    ['PASS', 'MSSQLSERVER'],
    ['FAIL', 'MSSQLSERVER'],
  ]);
  const kept = JSON.stringify(read.items);
  // a digest of it could be tried words against
  for (const shown of ['letmein1', shortHash('Login=sa;Password=letmein1')]) expect(kept).not.toContain(shown);
});

it('a host without a name of its own goes by the import, else by its address', async () => {
  const report = text('xccdf', 'benchmark.xml').replace('web1.example.com', 'localhost.localdomain');
  const host = async (options: Parameters<typeof readAll>[2]) => (await readAll('xccdf', report, options)).observations[0]?.resource_uid;
  expect(await host({})).toBe('192.0.2.40');
  expect(await host({ artifact: 'web9' })).toBe('web9');
});

it('Wazuh: states, checks and alerts go to the engines that they are of, and an alert that fires again is no other finding', async () => {
  const alerts = await readAll('wazuh', fixture('wazuh', 'alerts.jsonl'));
  expect(told(alerts)).toEqual([
    'cwpp FAIL medium wazuh-rule-5712 -',
    'vulnerability FAIL critical CVE-2025-40003 examplelib@1.0',
    'agent FAIL medium wazuh-sca-19002 -',
  ]);
  expect([alerts.records, alerts.observations[0]?.mitre_techniques]).toEqual([4, ['T1110']]);
  expect(JSON.stringify(alerts.items)).not.toContain('Failed password');
  const [check] = (await readAll('wazuh', fixture('wazuh', 'checks.json'), { artifact: 'web1' })).observations;
  expect(check).toMatchObject({
    resource_uid: 'web1',
    controls: [
      { framework: 'CIS Benchmark', control_id: '1.1.1.1' },
      { framework: 'NIST 800-53', control_id: 'CM-7' },
      { framework: 'NIST 800-53', control_id: 'CM-6' },
    ],
  });
  expect(told(await readAll('wazuh', fixture('wazuh', 'vulnerabilities.json')))).toEqual([
    'vulnerability FAIL medium CVE-2023-50001 examplelib@1.0',
    'vulnerability PASS low CVE-2023-50002 examplelib@1.0',
  ]);
});

it('testssl.sh: results by sections and in rows are told alike', async () => {
  const [sections, rows] = [
    await readAll('testssl', fixture('testssl', 'sections.json')),
    await readAll('testssl', fixture('testssl', 'report.csv')),
  ];
  expect([told(sections), told(rows)]).toEqual([
    [
      'encryption FAIL high SSLv3 443 192.0.2.60',
      'encryption PASS info TLS1_2 443 192.0.2.60',
      'encryption FAIL medium BREACH 443 192.0.2.60',
    ],
    ['encryption PASS info SSLv2 443 192.0.2.60', 'encryption FAIL high RC4 443 192.0.2.60'],
  ]);
  expect(sections.observations[0]).toMatchObject({ resource_uid: 'shop.example.com', evidence: { port: 443, protocol: 'SSLv3' } });
});

it('SSLyze: what fails of a server, by the time of the scan, in all releases', async () => {
  const failing = ({ observations }: Gathered) => observations.filter(({ result }) => result === 'FAIL').map(({ rule_id }) => rule_id);
  const report = text('sslyze', 'two-servers.json');
  expect(failing(await readAll('sslyze', report))).toEqual([
    'tls-1.0-offered',
    'weak-cipher-suites',
    'heartbleed',
    'robot',
    'no-hsts',
    'certificate-name-mismatch',
    'certificate-untrusted',
    'certificate-expired',
    'certificate-short-key',
  ]);
  const earlier = report.replace('"date_scans_completed": "2026', '"date_scans_completed": "2025');
  expect(failing(await readAll('sslyze', earlier))).not.toContain('certificate-expired');
  expect(failing(await readAll('sslyze', fixture('sslyze', 'version-2.json')))).toEqual([
    'ssl-3.0-offered',
    'weak-cipher-suites',
    'client-renegotiation',
  ]);
});

it('a benchmark without results is refused as none', async () => {
  const report = text('xccdf', 'benchmark.xml').replace(/<TestResult[\s\S]*<\/TestResult>/, '');
  await expect(readAll('xccdf', report)).rejects.toThrow(NotOfFormat);
});
