import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAll } from '../importers/read-all.js';
import { runCommand, type Ran } from '../support/process.js';
import { folderOf } from './folder.js';

const SSH = 'aws.security.group.open_port.ssh';
const GROUP = `resource "aws_security_group" "web" {
  name = "web"
  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = [var.from]
  }
}
variable "from" { default = "0.0.0.0/0" }
`;
const check = (...args: string[]): Promise<Ran> => runCommand(['check', ...args]);
interface Report {
  results: { rule_id: string; file: string; line?: number; result: string; address: string }[];
  suppressed?: { rule_id: string; kind: string; reason: string }[];
  skipped?: { file: string; reason: string }[];
}

// each check is a process of its own
jest.setTimeout(600_000);

it('source code is judged as its plan would be, with file and line, and what it leaves open is neither passed nor failed', async () => {
  const blocks =
    'resource "aws_security_group" "many" {\n  dynamic "ingress" {\n    for_each = var.ports\n    content {}\n  }\n}\nvariable "ports" {}\n';
  const folder = folderOf({
    'main.tf': GROUP,
    'open/main.tf': GROUP.replace('{ default = "0.0.0.0/0" }', '{}'),
    'uncounted/main.tf': blocks,
  });
  const { code, stdout } = await check(folder, '--rule', SSH, '--all', '--format', 'json');
  const { results, skipped } = JSON.parse(stdout) as Report;
  expect(code).toBe(1);
  expect(results).toEqual([
    expect.objectContaining({ result: 'FAIL', address: 'aws_security_group.web', file: join(folder, 'main.tf'), line: 1 }),
    expect.objectContaining({ result: 'NOT_EVALUATED', file: join(folder, 'open/main.tf'), line: 1 }),
    expect.objectContaining({ result: 'NOT_EVALUATED', file: join(folder, 'uncounted/main.tf'), line: 1 }),
  ]);
  expect(skipped).toEqual([]);
});

it('what is skipped is told, and exits with 3 under --strict; a folder of nothing else exits with 3', async () => {
  const folder = folderOf({ 'main.tf': GROUP, 'main.bicep': 'param a string\n' });
  const lenient = await check(folder, '--rule', SSH, '--fail-on', 'none');
  expect([lenient.code, lenient.stderr]).toEqual([
    0,
    expect.stringContaining(`skipped ${join(folder, 'main.bicep')}: a Bicep file: compile it with bicep build`),
  ]);
  expect((await check(folder, '--rule', SSH, '--fail-on', 'none', '--strict')).code).toBe(3);
  const nothing = await check(folderOf({ 'main.bicep': 'param a string\n', 'README.md': '#' }));
  expect([nothing.code, nothing.stderr]).toEqual([
    3,
    expect.stringMatching(/nothing was evaluated: .* holds no resource, of its files 1 skipped and 1 of no kind/),
  ]);
});

it('comments and annotations ignore rules, with a reason and until their day', async () => {
  const pod = (note: string): string =>
    `apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  annotations: { palisade.dev/ignore: "${note}" }\nspec: { hostPID: true, containers: [{ name: a, image: a }] }\n`;
  const folder = folderOf({
    'a.tf': `# palisade:ignore ${SSH} the bastion of the office\n${GROUP}`,
    'b/b.tf': GROUP.replace('{\n', `{\n  # palisade:ignore open_port no longer until=2020-01-31\n`),
    'c/c.tf': `# palisade:ignore open_port\n${GROUP}`,
    'd/d.tf': GROUP.replace('{\n', `{\n  description = <<-EOT\n    # palisade:ignore ${SSH} only a text\n  EOT\n`),
    'e/e.tf': `# palisade:ignore open_prt the bastion\n${GROUP}`,
    'pod.yaml': pod('*host_pid* agent of the node'),
  });
  const { stdout, stderr } = await check(folder, '--rule', SSH, '--rule', '*host_pid*', '--format', 'json');
  const { results, suppressed } = JSON.parse(stdout) as Report;
  expect(results.map(({ file }) => file.slice(folder.length + 1)).sort()).toEqual(['b/b.tf', 'c/c.tf', 'd/d.tf', 'e/e.tf']);
  expect(suppressed).toContainEqual(expect.objectContaining({ rule_id: SSH, kind: 'source', reason: 'the bastion of the office' }));
  expect(suppressed!.length).toBeGreaterThan(1);
  expect(stderr).toContain(`c.tf:1: say why open_port is ignored`);
  expect(stderr).toContain(`e.tf:1: open_prt matches no rule; did you mean open_port?`);
});

it('a baseline leaves out what it names, and nothing that is new', async () => {
  const folder = folderOf({ 'main.tf': GROUP });
  const baseline = join(folder, 'baseline.json');
  const scope = [folder, '--rule', SSH, '--baseline', baseline];
  expect(await check(...scope)).toMatchObject({ code: 2, stderr: expect.stringContaining('--write-baseline makes it') });
  expect(await check(...scope, '--write-baseline')).toMatchObject({ code: 0, stdout: '' });
  expect(JSON.parse(readFileSync(baseline, 'utf8'))).toEqual({
    version: 1,
    findings: [{ rule_id: SSH, file: join(folder, 'main.tf'), address: 'aws_security_group.web' }],
  });
  expect(await check(...scope)).toMatchObject({ code: 0, stdout: expect.stringContaining('1 in the baseline') });
  writeFileSync(join(folder, 'more.tf'), GROUP.replace('"web"', '"more"').split('variable')[0]!);
  expect(await check(...scope)).toMatchObject({ code: 1, stdout: expect.stringContaining('aws_security_group.more') });
});

it('several formats are written at once, each where it belongs', async () => {
  const folder = folderOf({ 'main.tf': GROUP });
  const out = (name: string): string => join(folder, name);
  const formats = ['sarif', 'junit', 'github', 'gitlab', 'markdown'];
  const given = formats.flatMap((format) => ['--format', format, '--output', out(`out.${format}`)]);
  const { code, stdout } = await check(join(folder, 'main.tf'), '--rule', SSH, ...given, '--format', 'table');
  const written = Object.fromEntries(formats.map((format) => [format, readFileSync(out(`out.${format}`), 'utf8')]));
  expect([code, stdout]).toEqual([1, expect.stringContaining(`${join(folder, 'main.tf')}:1`)]);
  expect((await readAll('sarif', written['sarif']!)).observations).toHaveLength(1);
  expect(written['junit']).toContain(`<testcase classname="aws_security_group.web" name="${SSH}"`);
  expect(written['github']).toMatch(new RegExp(`^::error file=.*main\\.tf,line=1,title=${SSH}::aws_security_group\\.web: `));
  expect(JSON.parse(written['gitlab']!)).toEqual([
    expect.objectContaining({ check_name: SSH, severity: 'critical', location: { path: join(folder, 'main.tf'), lines: { begin: 1 } } }),
  ]);
  expect(written['markdown']).toContain(`| high | aws_security_group.web |`);
  expect(await check(folder, '--format', 'json', '--format', 'sarif')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--output FILE'),
  });
});

it('templates of CloudFormation are judged by the rules of the types that they become', async () => {
  const folder = folderOf({
    'stack.yaml': `Resources:
  Web:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: web
      SecurityGroupIngress: [{ IpProtocol: tcp, FromPort: 22, ToPort: 22, CidrIp: 0.0.0.0/0 }]
`,
  });
  const { stdout } = await check(folder, '--rule', SSH, '--format', 'json');
  expect((JSON.parse(stdout) as Report).results).toEqual([
    expect.objectContaining({ rule_id: SSH, result: 'FAIL', file: join(folder, 'stack.yaml'), line: 2, address: 'aws_security_group.Web' }),
  ]);
});

it('a rule explains itself, and one that nobody has is told', async () => {
  expect(await runCommand(['rule', 'show', SSH])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/SSH[^]*severity +high[^]*To mend it:/),
  });
  expect(await runCommand(['rule', 'show', `${SSH}x`])).toMatchObject({ code: 3, stderr: expect.stringContaining(`did you mean ${SSH}?`) });
});
