import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAll } from '../importers/read-all.js';
import { runCommand, type Ran } from '../support/process.js';

const folder = mkdtempSync(join(tmpdir(), 'palisade-check-'));
const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const created = (type: string, name: string, after: object, sensitive: object = {}): object => ({
  address: `${type}.${name}`,
  mode: 'managed',
  type,
  name,
  provider_name: 'registry.terraform.io/hashicorp/aws',
  change: { actions: ['create'], before: null, after, after_unknown: { id: true }, after_sensitive: sensitive },
});
const PASSWORD = 'correct-horse-9-battery';
const KEY_ID = 'AKIAIOSFODNN7EXAMPLE';

const group = { from_port: 22, to_port: 22, protocol: 'tcp', cidr_blocks: ['0.0.0.0/0'] };
const plan = file('plan.json', {
  format_version: '1.2',
  terraform_version: '1.9.0',
  planned_values: { root_module: {} },
  resource_changes: [
    created('aws_security_group', 'web', { name: 'web', ingress: [group], egress: [] }),
    created('aws_security_group', 'inner', { name: 'inner', ingress: [{ ...group, cidr_blocks: ['10.0.0.0/8'] }], egress: [] }),
    created(
      'aws_db_instance',
      'orders',
      { identifier: 'orders', password: PASSWORD, master_note: PASSWORD, storage_encrypted: false, publicly_accessible: '${var.public}' },
      { master_note: true },
    ),
    created('aws_instance', 'vm', { ami: 'ami-1', user_data: `export AWS_ACCESS_KEY_ID=${KEY_ID}\nexport PASSWORD=${PASSWORD}` }),
    created('aws_lambda_function', 'fn', {
      function_name: 'fn',
      environment: [{ variables: { DB_PASSWORD: PASSWORD, TOKEN: KEY_ID } }],
    }),
  ],
});
const state = file('terraform.tfstate', {
  version: 4,
  terraform_version: '1.9.0',
  serial: 1,
  lineage: 'a',
  resources: [
    {
      mode: 'managed',
      type: 'aws_db_instance',
      name: 'orders',
      provider: 'provider["registry.terraform.io/hashicorp/aws"]',
      instances: [{ schema_version: 0, attributes: { id: 'db-1', password: PASSWORD, storage_encrypted: true }, sensitive_attributes: [] }],
    },
  ],
});
const manifest = file(
  'pod.yaml',
  `apiVersion: v1
kind: Pod
metadata: { name: web, namespace: shop }
spec:
  hostPID: true
  containers:
    - name: web
      image: nginx:1.27
      securityContext: { privileged: true }
      env: [{ name: DB_PASSWORD, value: ${PASSWORD} }]
`,
);
const clean = file('clean.json', { format_version: '1.2', terraform_version: '1.9.0', resource_changes: [], configuration: {} });

const SSH = 'aws.security.group.open_port.ssh';
const ENCRYPTED = 'aws.db.instance.encryption_at_rest';
interface Result {
  rule_id: string;
  family: string;
  address: string;
  resource_type: string;
  result: string;
  severity: string;
  message: string;
  implied?: string[];
  implied_by?: string;
}

const check = (...args: string[]): Promise<Ran> => runCommand(['check', ...args]);
async function results(...args: string[]): Promise<Result[]> {
  const { stdout } = await check(...args, '--format', 'json');
  return (JSON.parse(stdout) as { results: Result[] }).results;
}

// each check is a process of its own, some tests run seven
jest.setTimeout(600_000);

describe('a plan, a state and a manifest', () => {
  it('are checked in one go, and named in the summary', async () => {
    const found = await results(plan, state, manifest);
    expect(found).toContainEqual(expect.objectContaining({ rule_id: SSH, address: 'aws_security_group.web', result: 'FAIL' }));
    expect(found).toContainEqual(expect.objectContaining({ rule_id: ENCRYPTED, address: 'aws_db_instance.orders', file: plan }));
    expect(found).not.toContainEqual(expect.objectContaining({ rule_id: ENCRYPTED, file: state }));
    expect(found).not.toContainEqual(expect.objectContaining({ rule_id: SSH, address: 'aws_security_group.inner' }));
    expect(found.filter(({ resource_type }) => resource_type === 'kubernetes_pod')).not.toEqual([]);
    expect(new Set(found.map(({ result }) => result))).toEqual(new Set(['FAIL']));
  });

  it('give more with --all: what passes and what could not be evaluated', async () => {
    const found = await results(plan, state, '--all');
    expect(found).toContainEqual(expect.objectContaining({ rule_id: SSH, address: 'aws_security_group.inner', result: 'PASS' }));
    expect(found).toContainEqual(
      expect.objectContaining({
        address: 'aws_db_instance.orders',
        result: 'NOT_EVALUATED',
        message: expect.stringContaining('${var.public}'),
      }),
    );
    expect(found.map(({ result }) => result)).not.toContain('NOT_APPLICABLE');
  });
});

describe('the formats', () => {
  it('json holds the members that tools read, every time', async () => {
    const { stdout } = await check(plan, '--format', 'json');
    const report = JSON.parse(stdout) as {
      results: Result[];
      counts: Record<string, number>;
      implied: number;
      files: { format: string; resources: number }[];
    };
    const members = ['rule_id', 'family', 'address', 'resource_type', 'result', 'severity', 'message'] as const;
    for (const result of report.results) for (const member of members) expect(result[member]).toEqual(expect.stringMatching(/./));
    expect(report.results.find(({ rule_id }) => rule_id === SSH)).toMatchObject({
      family: 'open_port',
      address: 'aws_security_group.web',
      resource_type: 'aws_security_group',
      result: 'FAIL',
      severity: 'high',
    });
    expect(report.counts['FAIL']).toBe(report.results.length + report.implied);
    expect(report.files).toEqual([{ file: plan, format: 'terraform_plan', resources: 5, broken: [], truncated: false }]);
  });

  it('table groups by resource, the worst first, and ends with a summary', async () => {
    const { stdout } = await check(plan);
    const lines = stdout.trimEnd().split('\n');
    const order = ['critical', 'high', 'medium', 'low', 'info'];
    const ranks = stdout
      .split('\n\n')
      .slice(0, -1)
      .map((group) =>
        group
          .split('\n')
          .slice(1)
          .map((line) => order.indexOf(line.trim().split(' ')[0]!)),
      );
    for (const group of ranks) expect(group).toEqual([...group].sort((a, b) => a - b));
    expect(ranks.map(([worst]) => worst)).toEqual(ranks.map(([worst]) => worst!).sort((a, b) => a - b));
    expect(stdout).toMatch(
      new RegExp(`^aws_security_group\\.web  .*plan\\.json\\n(?: .*\\n)*  high +${SSH.replaceAll('.', '\\.')} +`, 'm'),
    );
    expect(stdout).not.toContain('\u001b');
    expect(lines.at(-1)).toMatch(/^5 resources: \d+ failed \(.*\d+ high.*\), \d+ passed, \d+ not evaluated$/);
  });

  it('table names results where there are several kinds', async () => {
    const { stdout } = await check(plan, '--all', '--rule', 'open_port');
    expect(stdout).toMatch(/^aws_security_group\.web {2}.*\n(?: .*\n)* {2}high +FAIL +aws\.security\.group\.open_port\.ssh/m);
    expect(stdout).toMatch(/^aws_security_group\.inner {2}.*\n(?: .*\n)* {2}high +PASS +aws\.security\.group\.open_port\.ssh/m);
  });

  it('sarif is SARIF 2.1.0 that our importer reads', async () => {
    const { stdout } = await check(plan, manifest, '--format', 'sarif', '--all');
    const log = JSON.parse(stdout) as {
      version: string;
      runs: { tool: { driver: { rules: { id: string }[] } }; results: SarifResult[] }[];
    };
    expect(log).toMatchObject({ version: '2.1.0', $schema: expect.stringContaining('sarif-2.1.0') });
    const [run] = log.runs;
    const { rules } = run!.tool.driver;
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    for (const { ruleId, ruleIndex, kind = 'fail', level, message, locations } of run!.results) {
      expect(rules[ruleIndex]!.id).toBe(ruleId);
      // section 3.27.10: only what fails has a level
      expect([kind, kind === 'fail' ? ['error', 'warning', 'note'].includes(level) : level === 'none']).toEqual([kind, true]);
      expect(message.text).not.toBe('');
      expect(locations[0].physicalLocation.region.startLine).toBeGreaterThan(0);
    }
    const { observations, broken } = await readAll('sarif', stdout);
    expect(broken).toEqual([]);
    expect(observations).toContainEqual(
      expect.objectContaining({ rule_id: SSH, result: 'FAIL', severity: 'high', title: expect.stringContaining('SSH') }),
    );
  });

  it('ocsf is read by our importer', async () => {
    const { stdout } = await check(plan, '--format', 'ocsf');
    const { observations, broken } = await readAll('ocsf', stdout);
    expect(broken).toEqual([]);
    expect(observations).toHaveLength((JSON.parse(stdout) as unknown[]).length);
    expect(observations).toContainEqual(
      expect.objectContaining({ rule_id: SSH, result: 'FAIL', severity: 'high', provider: 'aws', resource_type: 'aws_security_group' }),
    );
  });

  it.each(['json', 'sarif', 'ocsf'])('%s is a document where nothing is found, too', async (format) => {
    const { code, stdout } = await check(clean, '--format', format, '--allow-empty');
    expect([code, typeof JSON.parse(stdout)]).toEqual([0, 'object']);
  });
});

interface SarifResult {
  ruleId: string;
  ruleIndex: number;
  kind?: string;
  level: string;
  message: { text: string };
  locations: [{ physicalLocation: { region: { startLine: number } } }];
}

describe('a failure that others follow from', () => {
  const ALL = 'aws.security.group.open_all_ports';
  const TELNET = 'aws.security.group.open_port.telnet';
  const wide = file('wide.json', {
    format_version: '1.2',
    terraform_version: '1.9.0',
    resource_changes: [
      created('aws_security_group', 'web', { name: 'web', ingress: [{ ...group, from_port: 0, to_port: 0, protocol: '-1' }], egress: [] }),
    ],
  });

  it('is shown alone, with the number of those; --all shows them with the rule that stands for them', async () => {
    const shown = await results(wide, '--rule', ALL, '--rule', 'open_port');
    expect(shown).toMatchObject([{ rule_id: ALL, severity: 'critical', implied: expect.arrayContaining([SSH, TELNET]) as string[] }]);
    const all = await results(wide, '--rule', ALL, '--rule', 'open_port', '--all');
    expect(all.filter(({ result }) => result === 'FAIL').length).toBe(shown.length + shown[0]!.implied!.length);
    expect(all.filter(({ implied_by }) => implied_by !== ALL).map(({ rule_id }) => rule_id)).toEqual([ALL]);
    expect(all.find(({ rule_id }) => rule_id === SSH)).toMatchObject({ severity: 'high', result: 'FAIL' });
    const { stdout } = await check(wide, '--rule', ALL, '--rule', 'open_port');
    expect(stdout).toMatch(/^1 resource: 1 failed \(1 critical\), \d+ more are implied \(--all\), 0 passed, 0 not evaluated$/m);
  });

  it('is not shown where it was not asked for: the worst of the rest stands for the others', async () => {
    const shown = await results(wide, '--rule', SSH, '--rule', TELNET);
    expect(shown).toMatchObject([{ rule_id: TELNET, severity: 'critical', implied: [SSH] }]);
  });
});

describe('the profile', () => {
  const OUTSIDE = 'aws.db.instance.deletion_protection';
  const ids = async (...args: string[]): Promise<string[]> => (await results(plan, ...args)).map(({ rule_id }) => rule_id);

  it('is the recommended one where none is named, and one line tells what it leaves out', async () => {
    const recommended = await ids();
    expect(recommended).toEqual(expect.arrayContaining([SSH, ENCRYPTED]));
    const all = await ids('--profile', 'all');
    expect(all.length).toBeGreaterThan(2 * recommended.length);
    expect(all).toContain(OUTSIDE);
    expect(recommended).not.toContain(OUTSIDE);
    const { stdout } = await check(plan);
    expect(stdout).toMatch(/^not shown: \d+ failures of \d+ rules outside of the profile recommended \(--profile all\)$/m);
    expect((await check(plan, '--profile', 'all')).stdout).not.toContain('not shown');
  });

  it('all is what --all tells of, whose members know no profile; who names rules is told of them', async () => {
    const { stdout } = await check(plan, '--format', 'json', '--all');
    const report = JSON.parse(stdout) as { results: Result[]; counts: Record<string, number> };
    expect(Object.keys(report).sort()).toEqual(['counts', 'files', 'results']);
    expect(report.results.length).toBe(report.counts['PASS']! + report.counts['FAIL']! + report.counts['NOT_EVALUATED']!);
    expect(report.results.map(({ rule_id }) => rule_id)).toContain(OUTSIDE);
    expect(await ids('--rule', OUTSIDE)).toEqual([OUTSIDE]);
    expect(await ids('--rule', OUTSIDE, '--profile', 'recommended')).toEqual([]);
  });

  it('that there is not ends with 3, and with those that there are', async () => {
    const { code, stdout, stderr } = await check(plan, '--profile', 'recomended');
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('there is no profile recomended');
    expect(stderr).toContain('did you mean recommended?');
    expect(stderr).toContain('recommended, cis-1, cis-2, all');
    expect((await check(plan, '--all', '--profile', 'cis-1')).code).toBe(2);
  });
});

describe('the exit code', () => {
  it('is 0 where nothing fails, 1 where something does', async () => {
    expect(await check(plan, '--rule', SSH, '--fail-on', 'none')).toMatchObject({ code: 0, stderr: '' });
    expect(await check(plan)).toMatchObject({ code: 1, stderr: '' });
  });

  it('counts what fails with at least the severity of --fail-on', async () => {
    const codes = await Promise.all(
      ['critical', 'high', 'medium', 'low', 'info', 'none'].map(async (severity) => {
        const { code } = await check(plan, '--rule', SSH, '--fail-on', severity);
        return [severity, code];
      }),
    );
    expect(codes).toEqual([
      ['critical', 0],
      ['high', 1],
      ['medium', 1],
      ['low', 1],
      ['info', 1],
      ['none', 0],
    ]);
  });

  it('counts what fails only: neither what passes nor what is open', async () => {
    expect(await check(state, '--rule', ENCRYPTED, '--all', '--fail-on', 'info')).toMatchObject({ code: 0 });
    expect(await check(plan, '--rule', 'aws.db.instance.public*', '--all', '--fail-on', 'info')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('NOT_EVALUATED'),
    });
  });

  it.each([
    ['an unknown format', ['--format', 'xml'], /--format is one of table, json, sarif, ocsf/],
    ['an unknown severity', ['--fail-on', 'awful'], /--fail-on is one of/],
    ['an unknown option', ['--colour'], /colour/],
  ])('is 2 for %s', async (_, args, message) => {
    const { code, stdout, stderr } = await check(plan, ...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('is 2 without a file, and 0 for --help', async () => {
    expect(await check()).toMatchObject({ code: 2, stderr: expect.stringContaining('name a FILE') });
    expect(await check('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('palisade check FILE') });
  });

  it('is 3 where a file cannot be read; the others are checked all the same', async () => {
    const directory = join(folder, 'directory');
    mkdirSync(directory);
    const wrong = [join(folder, 'missing.json'), directory, file('empty.json', ''), file('note.txt', 'hello'), file('list.json', [1, 2])];
    for (const path of wrong) {
      const { code, stdout, stderr } = await check(path, plan, '--rule', SSH, '--fail-on', 'none');
      expect([path, code]).toEqual([path, 3]);
      expect(stderr).toMatch(/^palisade check: /);
      expect(stderr).toContain(path);
      expect(stderr).not.toMatch(/^\s+at /m);
      expect(stdout).toContain(SSH);
    }
    expect(await check(join(folder, 'no', 'such.json'), '--fail-on', 'none')).toMatchObject({ code: 3 });
    expect(await check(join(plan, 'below-a-file'), '--fail-on', 'none')).toMatchObject({ code: 3 });
  });

  const template = file('template.yaml', 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n');
  const half = file('half.yaml', `${readFileSync(manifest, 'utf8')}---\n${readFileSync(template, 'utf8')}`);
  const widget = file('widget.yaml', 'apiVersion: example.com/v1\nkind: Widget\nmetadata: { name: a }\n');

  it.each([
    ['a template', [template], `${template} could not be read whole`],
    ['one among documents', [half, '--fail-on', 'none'], `${half} could not be read whole: 1 of its parts`],
    ['a kind without rules', [widget], 'nothing was evaluated: none of the'],
    ['no resource', [clean], `${clean} holds no resource`],
    ['a mistyped rule', [plan, '--rule', 'open_prt'], '--rule open_prt matches no rule; did you mean open_port?'],
    ['one of two rules', [plan, '--rule', SSH, '--rule', 'nothing.*', '--fail-on', 'none'], '--rule nothing.* matches no rule'],
    ['no rule left', [plan, '--rule', SSH, '--skip', '*'], 'leave no rule to evaluate'],
    ['rules of others', [manifest, '--rule', SSH], 'nothing was evaluated: none of the 1 rules looks at any of the 1 resources'],
  ])('is 3 where something was not evaluated, and says why: %s', async (_case, args, reason) => {
    const { code, stderr } = await check(...args);
    expect([code, stderr]).toEqual([3, expect.stringContaining(reason)]);
  });

  it('is 0 for a file without resources with --allow-empty', async () => {
    expect(await check(clean, '--allow-empty')).toMatchObject({ code: 0, stderr: '' });
  });

  it('is 3 for a plan that is cut off', async () => {
    const cut = file('cut.json', '{"format_version":"1.2","resource_changes":[{"address":"aws_s3_bucket.a","mode":"managed","ty');
    expect(await check(cut)).toMatchObject({ code: 3, stderr: expect.stringContaining(cut) });
  });
});

describe('the choice of rules', () => {
  const ids = async (...args: string[]): Promise<string[]> => [...new Set((await results(plan, ...args)).map(({ rule_id }) => rule_id))];

  it('is by id or family, with globs', async () => {
    expect(await ids('--rule', SSH)).toEqual([SSH]);
    expect(await ids('--rule', 'aws.security.group.open_port.*')).toEqual([SSH]);
    const both = await ids('--rule', 'open_port', '--rule', 'encryption_at_rest');
    expect(both).toEqual(expect.arrayContaining([SSH, ENCRYPTED]));
    expect(both.every((id) => /open_port|encryption_at_rest/.test(id))).toBe(true);
  });

  it('leaves out what --skip names', async () => {
    expect(await ids('--rule', 'open_port', '--skip', '*.ssh')).toEqual([]);
    const rest = await ids('--skip', 'aws.db.*', '--skip', 'open_port');
    expect(rest.filter((id) => id.startsWith('aws.db.') || id === SSH)).toEqual([]);
    expect(rest).not.toEqual([]);
  });

  it('takes a dot for a dot', async () => {
    expect(await ids('--rule', SSH.replaceAll('.', '_'))).toEqual([]);
    expect(await ids('--rule', 'aws.security.group.open.port.ssh')).toEqual([]);
  });
});

it.each(['table', 'json', 'sarif', 'ocsf'])('secrets are never printed: %s', async (format) => {
  const { stdout, stderr } = await check(plan, state, manifest, '--all', '--format', format);
  expect(stdout.length).toBeGreaterThan(1_000);
  for (const text of [stdout, stderr]) {
    expect(text).not.toContain(PASSWORD);
    expect(text).not.toContain(KEY_ID);
  }
});
