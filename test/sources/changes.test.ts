import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCatalog } from '../../catalog/catalog.js';
import { findProfile } from '../../catalog/profiles.js';
import { Changes, NoChanges } from '../../cli/check/changes.js';
import type { CheckReport } from '../../cli/check/report.js';
import { checkAll } from '../../cli/check/run.js';
import { findSources } from '../../sources/find.js';
import { runCommand } from '../support/process.js';
import { folderOf } from './folder.js';

jest.setTimeout(600_000);

const group = (name: string, from = '"0.0.0.0/0"'): string =>
  `resource "aws_security_group" "${name}" {\n  ingress {\n    from_port = 22\n    to_port = 22\n    protocol = "tcp"\n    cidr_blocks = [${from}]\n  }\n}\n`;
const pod = (name: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name} }\nspec: { hostPID: true, containers: [{ name: a, image: a }] }\n`;

function git(folder: string, ...args: string[]): void {
  const settings = ['user.email=a@example.com', 'user.name=a', 'commit.gpgsign=false', 'init.defaultBranch=main'];
  execFileSync('git', ['-C', folder, ...settings.flatMap((one) => ['-c', one]), ...args], { stdio: 'pipe' });
}

function committed(files: Readonly<Record<string, string>>): string {
  const folder = folderOf(files);
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'first');
  return folder;
}

async function changedSince(ref: string, ...paths: string[]): Promise<CheckReport> {
  const catalog = loadCatalog();
  const rules = catalog.rules.filter(({ rule_id }) => rule_id === 'aws.security.group.open_port.ssh' || rule_id.includes('host_pid'));
  const changes = await Changes.since(ref, paths);
  const found = await findSources(paths, { readInput: () => Promise.resolve(Buffer.from('')) });
  return (await checkAll(found, catalog, { rules, profile: findProfile('all')!, all: false, baseline: undefined, changes })).report;
}
const failing = ({ results }: CheckReport): string[] => results.map(({ address }) => address).sort();

const FILES = {
  'one/main.tf': `module "m" { source = "../shared" }\n${group('one', 'var.from')}`,
  'one/v.tf': 'variable "from" {}\n',
  'one/terraform.tfvars': 'from = "10.0.0.0/8"\n',
  'two/main.tf': group('two'),
  'two/gone.tf': 'locals { a = 1 }\n',
  'three/main.tf': `${group('three')}resource "aws_s3_bucket_policy" "p" { policy = file("p.json") }\n`,
  'three/p.json': '{}',
  'shared/main.tf': group('shared'),
  'k8s/a.yaml': pod('a'),
  'k8s/b.yaml': pod('b'),
  'four/main.bicep': 'param a string\n',
};

it.each<[what: string, change: (folder: string) => void, failing: string[]]>([
  ['nothing', () => undefined, []],
  [
    'a file of values',
    (folder) => writeFileSync(join(folder, 'one/terraform.tfvars'), 'from = "0.0.0.0/0"\n'),
    ['aws_security_group.one', 'module.m.aws_security_group.shared'],
  ],
  ['a file that is gone', (folder) => rmSync(join(folder, 'two/gone.tf')), ['aws_security_group.two']],
  ['a file that an expression reads', (folder) => writeFileSync(join(folder, 'three/p.json'), '{ }'), ['aws_security_group.three']],
  ['a called module', (folder) => writeFileSync(join(folder, 'shared/new.tf'), ''), ['module.m.aws_security_group.shared']],
  ['a manifest', (folder) => writeFileSync(join(folder, 'k8s/b.yaml'), `${pod('b')}# more\n`), ['Pod/default/b']],
  [
    'a manifest that is staged',
    (folder) => (writeFileSync(join(folder, 'k8s/c.yaml'), pod('c')), git(folder, 'add', '--all')),
    ['Pod/default/c'],
  ],
  ['a document beside a module', (folder) => writeFileSync(join(folder, 'two/README.md'), ''), []],
])('after a change of %s, what it touches is reported and no more', async (_what, change, expected) => {
  const folder = committed(FILES);
  change(folder);
  const report = await changedSince('HEAD', folder);
  expect(failing(report)).toEqual(expected);
  expect(report.unchanged!.resources + report.files.reduce((sum, { resources }) => sum + resources, 0)).toBe(
    expected.includes('Pod/default/c') ? 8 : 7,
  );
  expect([report.skipped, report.unchanged!.skipped]).toEqual([[], 1]);
});

it('what others committed meanwhile is no change of here, and paths through links are those behind them', async () => {
  const folder = committed(FILES);
  git(folder, 'checkout', '--quiet', '-b', 'mine');
  writeFileSync(join(folder, 'two/main.tf'), group('mine'));
  writeFileSync(join(folder, 'k8s/b.yaml'), pod('mine'));
  git(folder, 'commit', '--quiet', '--all', '--message', 'mine');
  git(folder, 'checkout', '--quiet', 'main');
  writeFileSync(join(folder, 'k8s/a.yaml'), pod('changed'));
  git(folder, 'commit', '--quiet', '--all', '--message', 'theirs');
  git(folder, 'checkout', '--quiet', 'mine');
  const mine = ['Pod/default/mine', 'aws_security_group.mine'];
  const link = join(folderOf({}), 'link');
  symlinkSync(folder, link);
  expect(failing(await changedSince('main', link))).toEqual(mine);
  expect(failing(await changedSince('main', join(link, '**/*.yaml'), join(link, 'two/main.tf')))).toEqual(mine);
});

it('without a working tree, or the commit, nobody can say what has changed', async () => {
  const folder = folderOf({ 'main.tf': group('g') });
  await expect(Changes.since('HEAD', [folder])).rejects.toThrow(NoChanges);
  await expect(Changes.since('nothing', [committed(FILES)])).rejects.toThrow(/nothing is no commit of .* \(a shallow clone/);
  const { code, stdout, stderr } = await runCommand(['check', folder, '--changed-since', 'HEAD']);
  expect([code, stdout, stderr]).toEqual([3, '', expect.stringContaining(`--changed-since HEAD: ${folder} is in no working tree of git`)]);
});

it('where nothing has changed there is nothing to act on, and it says what it left out', async () => {
  const folder = committed(FILES);
  const { code, stdout, stderr } = await runCommand(['check', join(folder, 'two/main.tf'), '--changed-since', 'HEAD', '--format', 'json']);
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({ results: [], unchanged: { since: 'HEAD', resources: 1, files: 1, skipped: 0 } }),
  ]);
  expect(stderr).toContain('left out as unchanged since HEAD: 1 resources of 1 files');
});
