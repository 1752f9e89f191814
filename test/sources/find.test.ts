import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ignored } from '../../sources/ignored.js';
import { findSources } from '../../sources/find.js';
import type { Found } from '../../sources/types.js';
import { folderOf, toldBy } from './folder.js';

const find = (...paths: string[]): Promise<Found> => findSources(paths, { readInput: () => Promise.resolve(Buffer.from('')) });
const pod = (name: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name} }\nspec: { containers: [{ name: a, image: a }] }\n`;
const RESOURCE = 'resource "aws_s3_bucket" "b" {}\n';
const PLAN = JSON.stringify({ format_version: '1.2', terraform_version: '1.9.0', resource_changes: [], configuration: {} });

async function addresses({ sources }: Found): Promise<string[]> {
  const all = await Promise.all(sources.map(toldBy));
  return all.flatMap(({ assets }) => assets.map(({ source }) => source.address)).sort();
}

it('a folder is searched, with what ignore files name left out', async () => {
  const folder = folderOf({
    '.gitignore': 'build/\n*.plan.json\n',
    '.palisadeignore': 'old/**\n',
    'a.yaml': pod('a'),
    'deep/er/b.yml': pod('b'),
    'deep/.gitignore': 'left.yaml\n',
    'deep/left.yaml': pod('left'),
    'build/c.yaml': pod('c'),
    'old/d.yaml': pod('d'),
    'node_modules/e.yaml': pod('e'),
    'x.plan.json': PLAN,
    'infra/main.tf': RESOURCE,
    'README.md': '# no',
    'package.json': '{"name":"x"}',
  });
  const found = await find(folder);
  expect(await addresses(found)).toEqual(['Pod/default/a', 'Pod/default/b', 'aws_s3_bucket.b']);
  expect(found).toMatchObject({ skipped: [], unreadable: [], isSearch: true });
  // the two ignore files of the root, the one of deep, README.md and package.json; build, old, node_modules, left.yaml, x.plan.json
  expect([found.others, found.ignored]).toEqual([5, 5]);
});

it('what describes infrastructure and is not evaluated is told', async () => {
  const folder = folderOf({
    'chart/Chart.yaml': 'name: c\nversion: 1.0.0\n',
    'chart/templates/pod.yaml': 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n',
    'k/kustomization.yaml': 'resources: [https://example.com/base]\n',
    'main.bicep': "param location string = 'westeurope'",
    '.gitlab-ci.yml': 'build: { script: [make] }\n',
  });
  const { skipped, sources } = await find(folder);
  expect(sources).toEqual([]);
  expect(skipped.map(({ file }) => file.slice(folder.length + 1)).sort()).toEqual([
    '.gitlab-ci.yml',
    'chart/Chart.yaml',
    'k/kustomization.yaml',
    'main.bicep',
  ]);
});

it('a chart hides its templates and its charts, not what else lies below it', async () => {
  const folder = folderOf({
    'Chart.yaml': 'name: c\nversion: 1.0.0\n',
    'templates/pod.yaml': pod('templated'),
    'charts/inner/templates/pod.yaml': pod('inner'),
    'k8s/pod.yaml': pod('a'),
    'infra/main.tf': RESOURCE,
  });
  expect(await addresses(await find(folder))).toEqual(['Pod/default/a', 'aws_s3_bucket.b']);
});

it('modules that call each other are judged, once', async () => {
  const call = (name: string): string => `module "${name}" { source = "../${name}" }\n`;
  const folder = folderOf({
    'a/main.tf': call('b') + RESOURCE,
    'b/main.tf': call('a') + RESOURCE,
    'none/main.tf': 'module "c" {\n source = "../c"\n count = 0\n}\n',
    'c/main.tf': RESOURCE.replace('"b"', '"c"'),
  });
  expect(await addresses(await find(folder))).toEqual(['aws_s3_bucket.b', 'aws_s3_bucket.c', 'module.b.aws_s3_bucket.b']);
});

it('ignore files speak of source code, too, with the case that names have, the deepest first', async () => {
  const folder = folderOf({
    '.gitignore': 'Infra/\nlocal.tf\n',
    'infra/main.tf': `module "m" { source = "./m" }\n${RESOURCE}`,
    'infra/local.tf': RESOURCE.replace('"b"', '"local"'),
    'infra/m/main.tf': RESOURCE,
    'infra/m/local.tf': RESOURCE.replace('"b"', '"local"'),
    'kept/.gitignore': '!local.tf\n',
    'kept/local.tf': RESOURCE.replace('"b"', '"kept"'),
    '.git/HEAD': '',
  });
  const { sources, ignored } = await find(folder);
  const told = await Promise.all(sources.map(async (source) => (await toldBy(source)).assets.filter((asset) => source.wants!(asset))));
  expect(told.flatMap((assets) => assets.map(({ source }) => source.address)).sort()).toEqual([
    'aws_s3_bucket.b',
    'aws_s3_bucket.kept',
    'module.m.aws_s3_bucket.b',
  ]);
  // .git and two files
  expect(ignored).toBe(3);
});

it('ignore files of many folders cost what they are asked for', () => {
  const folder = folderOf(Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`d${n}/.gitignore`, '*.log\nbuild/\n'])));
  const ignored = new Ignored(folder);
  for (let n = 0; n < 600; n++) ignored.enter(join(folder, `d${n}`));
  const read = jest.spyOn(Map.prototype, 'get');
  expect(ignored.has(join(folder, 'd1', 'x.log'), false)).toBe(true);
  expect(read.mock.calls.length).toBeLessThan(50);
  read.mockRestore();
});

it('what is named twice is read once, with what lies around it', async () => {
  const folder = folderOf({ 't.yaml': pod('t'), 'u.yaml': pod('u'), 'alone/v.yaml': pod('v') });
  symlinkSync(folder, join(folder, '..', `${basename(folder)}-link`));
  const found = await find(join(folder, 't.yaml'), folder, join(folder, 'alone'), join(folder, 'alone', 'v.yaml'));
  expect(await addresses(found)).toEqual(['Pod/default/t', 'Pod/default/u', 'Pod/default/v']);
  expect([found.sources.length, found.empty]).toEqual([2, []]);
  const linked = await find(folder, join(folder, '..', `${basename(folder)}-link`, 't.yaml'));
  expect(await addresses(linked)).toEqual(['Pod/default/t', 'Pod/default/u', 'Pod/default/v']);
});

it('globs and files of Terraform that hold nothing are told, and what globs passed over', async () => {
  const folder = folderOf({
    'a.yaml': pod('a'),
    'n.txt': '',
    'v.tf': 'variable "v" {}\n',
    'b.tf': RESOURCE,
    '.palisadeignore': 'out.txt\n',
    'out.txt': '',
  });
  symlinkSync(join(folder, 'nothing'), join(folder, 'gone.txt'));
  const found = await find(join(folder, '*.txt'), join(folder, 'v.tf'), join(folder, 'b.tf'));
  expect(found.empty).toEqual([join(folder, '*.txt'), join(folder, 'v.tf')]);
  expect(found).toMatchObject({ ignored: 1, skipped: [{ reason: 'the link leads nowhere' }] });
});

it('manifests in UTF-16 find those beside them', async () => {
  const folder = folderOf({ 'a.yaml': pod('a') });
  writeFileSync(join(folder, 'b.yaml'), Buffer.from(`\ufeff${pod('b')}`, 'utf16le'));
  const found = await find(folder);
  expect([await addresses(found), found.sources.length]).toEqual([['Pod/default/a', 'Pod/default/b'], 1]);
});

it('a module that another one calls is judged as it is called, and once', async () => {
  const folder = folderOf({
    'main.tf': 'module "m" { source = "./mod" }\n',
    'mod/main.tf': RESOURCE,
    'alone/main.tf': RESOURCE.replace('"b"', '"alone"'),
  });
  expect(await addresses(await find(folder))).toEqual(['aws_s3_bucket.alone', 'module.m.aws_s3_bucket.b']);
});

it('of a file that was named its own resources are wanted, the others of its folder surround them', async () => {
  const folder = folderOf({ 'a.tf': RESOURCE, 'b.tf': RESOURCE.replace('"b"', '"other"') });
  const { sources } = await find(join(folder, 'a.tf'));
  const { assets } = await toldBy(sources[0]!);
  expect(assets.map((asset) => [asset.source.address, sources[0]!.wants!(asset)])).toEqual([
    ['aws_s3_bucket.b', true],
    ['aws_s3_bucket.other', false],
  ]);
});

it('globs take what they match, and one that matches nothing is told', async () => {
  const folder = folderOf({ 'a.yaml': pod('a'), 'x/b.yaml': pod('b'), 'x/c.yml': pod('c') });
  expect(await addresses(await find(join(folder, '**/*.yaml')))).toEqual(['Pod/default/a', 'Pod/default/b']);
  expect(await addresses(await find(join(folder, 'x/*')))).toEqual(['Pod/default/b', 'Pod/default/c']);
  expect((await find(join(folder, '*.json'))).unreadable).toEqual([
    expect.objectContaining({ reason: expect.stringContaining('matches no file') }),
  ]);
});

it('manifests of a folder find each other, and stand in their own lines', async () => {
  const policy =
    'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: n }\nspec: { podSelector: {}, policyTypes: [Ingress] }\n';
  const folder = folderOf({ 'a.yaml': `# first\n${pod('a')}`, 'b.yaml': `${policy}---\n${pod('b')}` });
  const { sources } = await find(folder);
  expect(sources).toHaveLength(1);
  const { assets, edges } = await toldBy(sources[0]!);
  expect(edges).toContainEqual(expect.objectContaining({ kind: 'guarded_by' }));
  expect(assets.map((asset) => sources[0]!.placeOf(asset))).toEqual([
    { file: join(folder, 'a.yaml'), line: 2 },
    { file: join(folder, 'b.yaml'), line: 1 },
    { file: join(folder, 'b.yaml'), line: 6 },
  ]);
});

it('links to folders are not followed, so that circles end, and a link that leads nowhere is told', async () => {
  const folder = folderOf({ 'a.yaml': pod('a') });
  mkdirSync(join(folder, 'inner'));
  symlinkSync(folder, join(folder, 'inner', 'loop'));
  symlinkSync(join(folder, 'nothing'), join(folder, 'gone.yaml'));
  symlinkSync(join(folder, 'a.yaml'), join(folder, 'z.yaml'));
  const found = await find(folder);
  expect(found.skipped.map(({ reason }) => reason).sort()).toEqual(['a link to a folder is not followed', 'the link leads nowhere']);
});

it.each([
  ['a plan', PLAN, 'terraform_plan'],
  ['manifests', pod('a'), 'kubernetes'],
  ['source code', RESOURCE, 'terraform_hcl'],
  ['a template', 'Resources:\n  B:\n    Type: AWS::S3::Bucket\n', 'cloudformation'],
])('standard input may be %s', async (_kind, text, format) => {
  const { sources } = await findSources(['-'], { readInput: () => Promise.resolve(Buffer.from(text)) });
  expect(sources.map((source) => source.format)).toEqual([format]);
});

it('standard input of no kind is told', async () => {
  expect((await find('-')).unreadable).toEqual([expect.objectContaining({ file: 'standard input' })]);
});

it('many files are found without reading those of other kinds', async () => {
  const folder = folderOf({ 'main.tf': RESOURCE });
  for (let n = 0; n < 10_000; n++) writeFileSync(join(folder, `n${n}.txt`), '');
  const found = await find(folder);
  expect([found.others, found.sources.length]).toEqual([10_000, 1]);
});
