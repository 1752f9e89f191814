import { readAll } from './read-all.js';

interface Case {
  tool: string;
  rule?: Record<string, unknown>;
  result: Record<string, unknown>;
}

const text = (words: string) => ({ text: words });

async function read({ tool, rule, result }: Case) {
  const driver = { name: tool, rules: rule === undefined ? [] : [rule] };
  const results = [{ message: text('Something is wrong here. More about it follows.'), ...(rule && { ruleId: rule['id'] }), ...result }];
  const { observations } = await readAll('sarif', { version: '2.1.0', runs: [{ tool: { driver }, results }] });
  return observations[0]!;
}

/** How tools write their results (their own output, shortened), and what their users call it. */
const TOOLS: [string, Case, { severity: string; title: string }][] = [
  [
    'CodeQL: the security severity',
    {
      tool: 'CodeQL',
      rule: {
        id: 'js/xss',
        name: 'js/xss',
        shortDescription: text('Client-side cross-site scripting'),
        defaultConfiguration: { level: 'error' },
        properties: { 'problem.severity': 'error', 'security-severity': '6.1', tags: ['security', 'external/cwe/cwe-079'] },
      },
      result: {},
    },
    { severity: 'medium', title: 'Client-side cross-site scripting' },
  ],
  [
    'CodeQL: the level of what is not about security',
    {
      tool: 'CodeQL',
      rule: { id: 'py/unused-import', shortDescription: text('Unused import'), defaultConfiguration: { level: 'note' } },
      result: {},
    },
    { severity: 'low', title: 'Unused import' },
  ],
  [
    'Semgrep: the message',
    {
      tool: 'Semgrep OSS',
      rule: { id: 'python.eval', shortDescription: text('Semgrep Finding: python.eval'), defaultConfiguration: { level: 'error' } },
      result: { message: text('Detected the use of eval(). It can\nrun anything.') },
    },
    { severity: 'high', title: 'Detected the use of eval()' },
  ],
  [
    'Trivy: its own severity, not the score of another',
    {
      tool: 'Trivy',
      rule: {
        id: 'CVE-2023-0464',
        shortDescription: text('openssl: Denial of service'),
        help: text('Package: openssl\nFixed Version: 1.1.1t-r1'),
        properties: { 'security-severity': '7.5', tags: ['vulnerability', 'security', 'LOW'] },
      },
      result: { message: text('Package: openssl\nInstalled Version: 1.1.1t-r0\nSeverity: LOW\nFixed Version: 1.1.1t-r1') },
    },
    { severity: 'low', title: 'openssl: Denial of service' },
  ],
  [
    'Grype: the severity in words, id and package',
    {
      tool: 'Grype',
      rule: {
        id: 'CVE-2023-0464-openssl',
        shortDescription: text('CVE-2023-0464 negligible vulnerability for openssl package'),
        properties: { 'security-severity': '7.5' },
      },
      result: { message: text('A negligible vulnerability in deb package: openssl, version 1.1.1n was found at: /var/lib/dpkg/status') },
    },
    { severity: 'info', title: 'CVE-2023-0464 in openssl 1.1.1n' },
  ],
  [
    'Snyk Open Source: the severity that stands before the title',
    {
      tool: 'Snyk Open Source',
      rule: {
        id: 'SNYK-JS-LODASH-567746',
        shortDescription: text('High severity - Prototype Pollution vulnerability in lodash'),
        fullDescription: text('(CVE-2020-8203) lodash@4.17.15'),
        properties: { tags: ['security', 'CWE-1321', 'npm'], 'security-severity': '6.3' },
      },
      result: { level: 'error' },
    },
    { severity: 'high', title: 'Prototype Pollution vulnerability in lodash' },
  ],
  [
    'Snyk Code: the level',
    { tool: 'SnykCode', rule: { id: 'javascript/Sqli', shortDescription: text('SQL Injection') }, result: { level: 'error' } },
    { severity: 'high', title: 'SQL Injection' },
  ],
  [
    'Checkov: no error for each failed check',
    {
      tool: 'Checkov',
      rule: { id: 'CKV_AWS_20', shortDescription: text('S3 Bucket has an ACL defined which allows public READ access.') },
      result: { level: 'error' },
    },
    { severity: 'medium', title: 'S3 Bucket has an ACL defined which allows public READ access.' },
  ],
  [
    'Checkov with a platform: its rating',
    {
      tool: 'Checkov',
      rule: { id: 'CKV_AWS_20', shortDescription: text('Public bucket'), properties: { 'security-severity': '8.9' } },
      result: { level: 'error' },
    },
    { severity: 'high', title: 'Public bucket' },
  ],
  [
    'KICS: the level',
    {
      tool: 'KICS',
      rule: { id: 'd6e10477', name: 'Sensitive Port Is Exposed', shortDescription: text('Sensitive Port Is Exposed') },
      result: { level: 'note' },
    },
    { severity: 'low', title: 'Sensitive Port Is Exposed' },
  ],
  [
    'tfsec: the level',
    {
      tool: 'tfsec',
      rule: { id: 'aws-s3-enable-versioning', shortDescription: text('S3 Data should be versioned') },
      result: { level: 'warning' },
    },
    { severity: 'medium', title: 'S3 Data should be versioned' },
  ],
  [
    'Terrascan: the severity among the properties of the rule',
    {
      tool: 'terrascan',
      rule: { id: 'AC_AWS_0214', shortDescription: text('Ensure versioning is enabled'), properties: { severity: 'LOW' } },
      result: { level: 'warning' },
    },
    { severity: 'low', title: 'Ensure versioning is enabled' },
  ],
  [
    'gitleaks: the class of the secret',
    {
      tool: 'gitleaks',
      rule: { id: 'aws-access-token', shortDescription: text('Identified a pattern that may indicate AWS credentials.') },
      result: { message: text('aws-access-token has detected secret for file a.py.') },
    },
    { severity: 'high', title: 'AWS access key in code' },
  ],
  [
    'gitleaks: what may be a secret',
    { tool: 'gitleaks', rule: { id: 'generic-api-key' }, result: {} },
    { severity: 'medium', title: 'Secret assigned to a name in code' },
  ],
  [
    'ESLint: errors of style are no vulnerabilities',
    { tool: 'ESLint', rule: { id: 'no-unused-vars', shortDescription: text('Disallow unused variables') }, result: { level: 'error' } },
    { severity: 'low', title: 'Disallow unused variables' },
  ],
  [
    'ESLint: errors of security are',
    { tool: 'ESLint', rule: { id: 'no-eval', shortDescription: text('Disallow the use of eval()') }, result: { level: 'error' } },
    { severity: 'high', title: 'Disallow the use of eval()' },
  ],
  [
    'Bandit: the severity of the issue, and the message for a rule without a title',
    {
      tool: 'Bandit',
      rule: { id: 'B101', name: 'assert_used' },
      result: { level: 'error', properties: { issue_severity: 'LOW', issue_confidence: 'HIGH' }, message: text('Use of assert detected.') },
    },
    { severity: 'low', title: 'Use of assert detected' },
  ],
  [
    'gosec: the severity among the tags',
    {
      tool: 'gosec',
      rule: {
        id: 'G304',
        shortDescription: text('Potential file inclusion via variable'),
        properties: { tags: ['security', 'MEDIUM'], precision: 'high' },
      },
      result: { level: 'error' },
    },
    { severity: 'medium', title: 'Potential file inclusion via variable' },
  ],
  [
    'Dependency-Check: the band of its score, whatever level',
    {
      tool: 'dependency-check',
      result: { ruleId: 'CVE-2015-9251', level: 'error', properties: { cvssv3_baseSeverity: 'MEDIUM', cvssv3_baseScore: 6.1 } },
    },
    { severity: 'medium', title: 'Something is wrong here' },
  ],
  [
    'SonarQube: its own five severities',
    {
      tool: 'SonarQube',
      rule: { id: 'S1', shortDescription: text('A rule') },
      result: { level: 'error', properties: { severity: 'MAJOR' } },
    },
    { severity: 'medium', title: 'A rule' },
  ],
  [
    'Ruff: a linter',
    { tool: 'ruff', rule: { id: 'F401', shortDescription: text('Unused import') }, result: { level: 'error' } },
    { severity: 'low', title: 'Unused import' },
  ],
  [
    'any other: the level, and a title of one sentence',
    {
      tool: 'Some tool',
      rule: { id: 'R1', shortDescription: text(`${'A long description of what the rule looks for and why. '.repeat(4)}`) },
      result: { level: 'warning' },
    },
    { severity: 'medium', title: 'A long description of what the rule looks for and why' },
  ],
];

describe('severity and title of a SARIF result are those that the users of its tool know', () => {
  it.each(TOOLS)('%s', async (_name, report, expected) => {
    expect(await read(report)).toMatchObject(expected);
  });
});

describe('a SARIF result of a vulnerability names the package', () => {
  const fixed = { package_name: 'openssl', installed_version: '1.1.1t-r0', fixed_version: '1.1.1t-r1' };

  it.each<[string, Case, Record<string, unknown>]>([
    ['in lines of the message', TOOLS.find(([name]) => name.startsWith('Trivy'))![1], fixed],
    [
      'in a sentence of the message',
      TOOLS.find(([name]) => name.startsWith('Grype'))![1],
      { package_name: 'openssl', installed_version: '1.1.1n', package_type: 'deb' },
    ],
    [
      'in the description of the rule',
      TOOLS.find(([name]) => name.startsWith('Snyk Open'))![1],
      { package_name: 'lodash', installed_version: '4.17.15' },
    ],
    [
      'by a package URL',
      {
        tool: 'docker scout',
        rule: { id: 'CVE-2024-1', properties: { purls: ['pkg:npm/%40a/b@1.0.0'], fixed_version: '1.0.1' } },
        result: {},
      },
      { purl: 'pkg:npm/%40a/b@1.0.0', package_name: '@a/b', installed_version: '1.0.0', package_type: 'npm', fixed_version: '1.0.1' },
    ],
  ])('%s', async (_name, report, expected) => {
    expect(await read(report)).toMatchObject({ engine: 'secops', evidence: expected });
  });

  it('and says to which version to update', async () => {
    const { remediation, cvss } = await read(TOOLS.find(([name]) => name.startsWith('Trivy'))![1]);
    expect([remediation?.guidance, cvss]).toEqual(['Update openssl 1.1.1t-r0 to 1.1.1t-r1.', 7.5]);
  });
});

describe('a SARIF result that shows a secret', () => {
  const secret = 'Tr0ub4dor&3-correct-horse';
  const result = (line: number, quoted: string, over: Record<string, unknown> = {}) => ({
    message: text(`Hard-coded password: '${quoted}'`),
    locations: [{ physicalLocation: { artifactLocation: { uri: 'a.py' }, region: { startLine: line, snippet: text(`p = '${quoted}'`) } } }],
    ...over,
  });
  const rule = { id: 'B105', name: 'hardcoded_password_string', properties: { tags: ['security', 'external/cwe/cwe-798'] } };

  it('keeps neither the code nor what the message quotes, nor a digest by which it could be guessed', async () => {
    const one = await read({ tool: 'Bandit', rule, result: result(3, secret) });
    const other = await read({ tool: 'Bandit', rule, result: result(3, 'another') });
    expect(JSON.stringify(one)).not.toContain(secret);
    expect([one.discriminator, other.discriminator]).toEqual(['a.py', 'a.py']);
    expect(one.former_discriminator).not.toBe(other.former_discriminator);
  });

  it('of a history is known by commit and line', async () => {
    const found = result(3, secret, { partialFingerprints: { commitSha: 'abc', email: 'a@example.com', date: '2024-01-01' } });
    expect(await read({ tool: 'gitleaks', rule: { id: 'generic-api-key' }, result: found })).toMatchObject({ discriminator: 'a.py@abc:3' });
  });
});
