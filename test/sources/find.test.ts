import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findSources, type Found } from '../../sources/find.js';
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
    Dockerfile: 'FROM scratch\n',
    'k/kustomization.yaml': 'resources: []\n',
    'arm.json': '{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "resources": []}',
    '.github/workflows/ci.yml': 'on: push\njobs: {}\n',
  });
  const { skipped, sources } = await find(folder);
  expect(sources).toEqual([]);
  expect(skipped.map(({ file }) => file.slice(folder.length + 1)).sort()).toEqual([
    '.github/workflows/ci.yml',
    'Dockerfile',
    'arm.json',
    'chart/Chart.yaml',
    'k/kustomization.yaml',
  ]);
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
