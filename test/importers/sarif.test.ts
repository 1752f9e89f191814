import { readAll } from './read-all.js';

const rule = (over: Record<string, unknown> = {}) => ({
  id: 'py/sql-injection',
  shortDescription: { text: 'SQL injection' },
  fullDescription: { text: 'Query built from user input.' },
  help: { text: 'Use parameters.' },
  helpUri: 'https://example.com/sql',
  defaultConfiguration: { level: 'error' },
  properties: { tags: ['security', 'external/cwe/cwe-089', 'A03:2021 - Injection'], 'security-severity': '9.3' },
  ...over,
});
const result = (over: Record<string, unknown> = {}) => ({
  ruleId: 'py/sql-injection',
  message: { text: 'Query depends on user input.' },
  locations: [
    { physicalLocation: { artifactLocation: { uri: 'src/db.py' }, region: { startLine: 12, snippet: { text: 'cursor.execute(q)' } } } },
  ],
  ...over,
});
const log = (results: unknown[], run: Record<string, unknown> = {}) => ({
  version: '2.1.0',
  runs: [{ results, tool: { driver: { name: 'CodeQL', version: '2.1', rules: [rule()] } }, ...run }],
});

describe('SARIF results', () => {
  it('become observations of secops on the repository', async () => {
    const { rules, observations } = await readAll(
      'sarif',
      log([result()], { versionControlProvenance: [{ repositoryUri: 'https://user:pw@example.com/org/app.git', revisionId: 'abc' }] }),
    );
    expect(rules).toMatchObject([
      { rule_id: 'py/sql-injection', engine: 'secops', source: 'codeql', remediation: { guidance: 'Use parameters.' } },
    ]);
    expect(observations).toMatchObject([
      {
        engine: 'secops',
        severity: 'critical',
        title: 'SQL injection',
        resource_uid: 'https://example.com/org/app',
        resource_type: 'code_repository',
        resource_name: 'src/db.py',
        provider: 'k8s',
        region: 'global',
        provider_metadata: { provider_inferred: true },
        evidence: { file: 'src/db.py', start_line: 12, cwes: ['CWE-89'], snippet: 'cursor.execute(q)' },
        position: 'runs[0].results[0]',
      },
    ]);
    expect(observations[0]?.controls).toEqual([
      { framework: 'CWE', control_id: 'CWE-89' },
      { framework: 'OWASP Top 10 2021', control_id: 'A03', control_name: 'Injection' },
    ]);
  });

  it('lie in what the caller names', async () => {
    const { observations } = await readAll('sarif', log([result()]), { artifact: 'shop', account_id: '42', region: 'eu' });
    expect(observations).toMatchObject([{ resource_uid: 'shop', artifact: 'shop', account_id: '42', region: 'eu' }]);
  });

  it('find their rule by id, index, reference, hierarchy and in extensions, whatever comes first', async () => {
    const extension = {
      name: 'pack',
      rules: [rule({ id: 'ext/a', shortDescription: { text: 'A' } }), rule({ id: 'ext/b', shortDescription: { text: 'B' } })],
    };
    const results = [
      result({ ruleId: undefined, ruleIndex: 0 }),
      result({ ruleId: 'ext/b' }),
      result({ ruleId: undefined, rule: { index: 1, toolComponent: { index: 0 } } }),
      result({ ruleId: 'py/sql-injection/1' }),
    ];
    const { observations } = await readAll(
      'sarif',
      log(results, { tool: { driver: { name: 'x', rules: [rule()] }, extensions: [extension] } }),
    );
    expect(observations.map((one) => [one.rule_id, one.title])).toEqual([
      ['py/sql-injection', 'SQL injection'],
      ['ext/b', 'B'],
      ['ext/b', 'B'],
      ['py/sql-injection/1', 'SQL injection'],
    ]);
  });

  it.each([
    [{}, { properties: undefined }, 'high'],
    [{ level: 'note' }, { properties: undefined }, 'low'],
    [{ level: 'note' }, {}, 'critical'],
    [{ properties: { 'security-severity': '5.0' } }, {}, 'medium'],
    [{}, { properties: undefined, defaultConfiguration: undefined }, 'medium'],
    [{ level: 'none' }, { properties: undefined }, 'info'],
    [{ kind: 'informational' }, { properties: undefined }, 'info'],
  ])('with %j under the rule %j are %s', async (over, ruleOver, severity) => {
    const { observations } = await readAll('sarif', log([result(over)], { tool: { driver: { name: 'x', rules: [rule(ruleOver)] } } }));
    expect(observations.map((one) => one.severity)).toEqual([severity]);
  });

  it.each([
    [{ kind: 'pass' }, 'PASS'],
    [{ kind: 'notApplicable' }, undefined],
    [{ kind: 'review' }, 'FAIL'],
    [{ baselineState: 'absent' }, 'PASS'],
    [{ suppressions: [{ kind: 'inSource' }] }, undefined],
    [{ suppressions: [{ kind: 'external', status: 'rejected' }] }, 'FAIL'],
    [{ suppressions: [] }, 'FAIL'],
  ])('with %j give %s and count as a record', async (over, expected) => {
    const { observations, records } = await readAll('sarif', log([result(over)]));
    expect(records).toBe(1);
    expect(observations.map((one) => one.result)).toEqual(expected === undefined ? [] : [expected]);
  });

  it('keep their identity when lines move, and stay apart from each other', async () => {
    const at = (line: number, over: Record<string, unknown> = {}) =>
      result({
        locations: [{ physicalLocation: { artifactLocation: { uri: 'a.py' }, region: { startLine: line, snippet: { text: 'x = 1' } } } }],
        ...over,
      });
    const before = await readAll('sarif', log([at(1), at(5), at(9, { partialFingerprints: { primaryLocationLineHash: 'h:1' } })]));
    const after = await readAll('sarif', log([at(2), at(6), at(10, { partialFingerprints: { primaryLocationLineHash: 'h:1' } })]));
    const ids = before.observations.map((one) => one.discriminator);
    expect(after.observations.map((one) => one.discriminator)).toEqual(ids);
    expect(new Set(ids).size).toBe(3);
  });

  it('fill the placeholders of messages and name files plainly', async () => {
    const messages = { messageStrings: { m: { text: 'Value {0} flows to {1}.' } } };
    const { observations } = await readAll(
      'sarif',
      log(
        [result({ message: { id: 'm', arguments: ['a', 'b'] }, locations: [{ physicalLocation: { artifactLocation: { index: 0 } } }] })],
        {
          tool: { driver: { name: 'x', rules: [rule(messages)] } },
          artifacts: [{ location: { uri: 'file:///work/app/my%20file.py' } }],
          originalUriBaseIds: { SRCROOT: { uri: 'file:///work/app/' } },
        },
      ),
    );
    expect(observations[0]?.evidence).toMatchObject({ message: 'Value a flows to b.', file: 'my file.py' });
  });

  it('of secret scanners never show the code', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
    const found = result({
      message: { text: `found ${secret}` },
      locations: [
        { physicalLocation: { artifactLocation: { uri: 'a' }, region: { startLine: 1, snippet: { text: 'plain-looking-secret' } } } },
      ],
    });
    const { items, observations } = await readAll('sarif', log([found], { tool: { driver: { name: 'gitleaks' } } }));
    expect(JSON.stringify(items)).not.toMatch(/ghp_a1B2|plain-looking-secret/);
    expect(observations).toHaveLength(1);
  });

  it('of several runs are all read; a wrong one is broken, by name', async () => {
    const report = {
      version: '2.1.0',
      runs: [...log([result()]).runs, ...log([result({ message: undefined, ruleId: undefined }), 'x', result()]).runs],
    };
    const { records, broken } = await readAll('sarif', report);
    expect(records).toBe(2);
    expect(broken.map(({ position, reason }) => `${position}: ${reason.replace(/ \(byte.*/, '')}`)).toEqual([
      'runs[1].results[0]: message is missing, and so is ruleId',
      'runs[1].results[1]: the record should be an object, found text',
    ]);
  });

  it('are of the format when there are none, and not when they are something else', async () => {
    for (const report of [{ runs: [] }, { version: '2.1.0', runs: [{ tool: { driver: { name: 'x' } }, results: [] }] }])
      expect((await readAll('sarif', report)).items.filter((item) => item.kind !== 'scope')).toEqual([]);
    for (const report of ['{}', '[]', '[{"runs":[]}]', 'text', '{"Results":[]}'])
      await expect(readAll('sarif', report)).rejects.toMatchObject({ name: 'NotOfFormat' });
  });

  it('leave the Markdown of their help with the rule, masked and bounded, and bring that of a fix of their own', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const help = { text: 'Use parameters.', markdown: `# Fix\n\n\`token = ${secret}\`\n${'x'.repeat(30_000)}` };
    const fixed = result({ ruleId: 'fixed', fixes: [{ description: { text: 'Bind it.', markdown: '**Bind** it.' } }] });
    const { rules, observations } = await readAll(
      'sarif',
      log([result(), fixed], { tool: { driver: { name: 'x', rules: [rule({ help }), rule({ id: 'fixed' })] } } }),
    );
    const markdown = rules[0]?.remediation?.markdown ?? '';
    expect(markdown).toMatch(/^# Fix\n/);
    expect(markdown).not.toContain(secret);
    expect(markdown.length).toBeLessThan(20_100);
    expect(observations.map(({ remediation }) => remediation)).toEqual([
      { guidance: 'Use parameters.' },
      { guidance: 'Bind it.', markdown: '**Bind** it.' },
    ]);
  });
});
