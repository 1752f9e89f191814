import { join } from 'node:path';
import { readCloudFormation } from '../../sources/cloudformation/read.js';
import { NoTemplate } from '../../sources/no-template.js';
import { readTerraform } from '../../sources/terraform/read.js';
import { folderOf, toldBy, type Told } from './folder.js';

async function read(files: Readonly<Record<string, string>>): Promise<Told> {
  const folder = folderOf(files);
  return toldBy(await readTerraform({ folder, boundary: folder }));
}
const RESOURCE = 'resource "aws_x_thing" "first" {}\n';
const doublings = (first: string, next: (n: number) => string): string =>
  `locals {\n a0 = ${first}\n${Array.from({ length: 30 }, (_, n) => ` a${n + 1} = ${next(n)}\n`).join('')}}\n`;
const many = (times: number, source: string): string => `module "m" {\n source = "${source}"\n count = ${times}\n}\n`;

it.each([
  [
    'a template that asks for itself',
    { 'main.tf': `${RESOURCE}resource "aws_x_thing" "t" { v = templatefile("a.tpl", {}) }`, 'a.tpl': '${templatefile("a.tpl", {})}' },
    'its expressions go too deep',
  ],
  [
    'locals in a chain',
    {
      'main.tf': `${RESOURCE}locals {\n a0 = 1\n${Array.from({ length: 20_000 }, (_, n) => ` a${n + 1} = local.a${n}\n`).join('')}}\nresource "aws_x_thing" "t" { v = local.a20000 }`,
    },
    'its expressions go too deep',
  ],
  [
    'the region of a provider',
    { 'main.tf': `${RESOURCE}provider "aws" { region = templatefile("a.tpl", {}) }`, 'a.tpl': '${templatefile("a.tpl", {})}' },
    'its expressions go too deep',
  ],
  [
    'modules in modules without resources',
    { 'main.tf': RESOURCE + many(1_000, './a'), 'a/main.tf': many(1_000, '../b'), 'b/main.tf': many(1_000, '../c'), 'c/main.tf': '' },
    'it makes more than 100000 modules',
  ],
])('%s that have no end are told, and what was found before is judged', async (_what, files, reason) => {
  const { assets, broken } = await read(files);
  expect(assets.map(({ source }) => source.address)).toContain('aws_x_thing.first');
  expect(broken).toEqual([expect.stringContaining(reason)]);
});

it('the limit of work ends evaluation also where modules are looked for', async () => {
  const names = Array.from({ length: 3 }, (_, n) => `x${n}`);
  const loops = `[for a in range(10000) : [for b in range(1000) : a + b]]`;
  const { broken } = await read({
    'main.tf': `resource "aws_x_thing" "t" { v = ${loops} }\n${names.map((name) => `module "${name}" {\n source = "./mod"\n count = length(${loops})\n}\n`).join('')}`,
    'mod/main.tf': '',
  });
  expect(broken).toEqual([expect.stringContaining('evaluating it takes more than')]);
});

it.each([
  ['join', '"0123456789"', (n: number): string => `join("", [local.a${n}, local.a${n}])`],
  ['concat', '[1, 2]', (n: number): string => `concat(local.a${n}, local.a${n})`],
])('texts and lists that %s makes longer and longer are not known', async (_name, first, next) => {
  const { of, broken } = await read({ 'main.tf': `${doublings(first, next)}resource "aws_x_thing" "t" { v = local.a30 }` });
  expect([broken, of('aws_x_thing.t')['v']]).toEqual([[], expect.stringMatching(/^\$\{/)]);
});

it('a value that holds itself twice, again and again, is not known, and what takes more of it than there is to give is not made', async () => {
  const lists = doublings('"x"', (n) => `[local.a${n}, local.a${n}]`);
  const { of, broken } = await read({
    'main.tf': `${lists}resource "aws_x_thing" "t" {\n v = local.a30\n w = jsonencode(local.a30)\n x = contains(local.a30, "x")\n}`,
  });
  expect([broken, of('aws_x_thing.t')['x']]).toEqual([[], expect.stringMatching(/^\$\{/)]);
  const text = JSON.stringify(of('aws_x_thing.t'));
  expect([text.includes('a value that is too large'), text.length < 300_000]).toEqual([true, true]);
  const many = await read({
    'main.tf': `${lists}resource "aws_x_thing" "t" {\n count = 1000\n v = local.a17\n}`,
  });
  expect(many.broken).toEqual([expect.stringContaining('evaluating it takes more than')]);
});

it('files of JSON that are nested too deep are told, and end nothing', async () => {
  const deep = '['.repeat(50_000) + ']'.repeat(50_000);
  const { of, broken } = await read({
    'main.tf': 'variable "v" {}\nresource "aws_x_thing" "t" { n = 1 }',
    'deep.tf.json': `{ "resource": ${deep} }`,
    'terraform.tfvars.json': `{ "v": ${deep} }`,
  });
  expect(of('aws_x_thing.t')).toEqual({ n: 1 });
  expect(broken).toEqual([expect.stringContaining('it is nested too deep'), expect.stringContaining('its expressions go too deep')]);
});

it('conditions of a template that ask for each other without an end make it one that cannot be read', () => {
  const conditions = Array.from({ length: 20_000 }, (_, n) => `  C${n}: !Condition C${n + 1}`).join('\n');
  const text = `Conditions:\n${conditions}\nResources:\n  B:\n    Type: AWS::S3::Bucket\n    Condition: C0\n`;
  expect(() => readCloudFormation('a.yaml', text)).toThrow(NoTemplate);
});

it('an expression that is too deep is not known, the rest of its file is', async () => {
  const chain = (terms: number): string => Array.from({ length: terms }, (_, n) => `1 == ${n + 2}`).join(' || ');
  const nested = `${'['.repeat(400)}${']'.repeat(400)}`;
  const { of, broken } = await read({
    'main.tf': `resource "aws_x_thing" "t" {\n n = ${chain(60)}\n far = ${chain(400)}\n yes = ${chain(400)} || true\n list = length(${nested})\n}`,
    'j.tf.json': `{ "resource": { "aws_x_thing": { "j": { "n": 1, "far": ${nested} } } } }`,
  });
  expect([broken, of('aws_x_thing.t')]).toEqual([[], { n: false, far: expect.stringMatching(/^\$\{/), yes: true, list: 1 }]);
  expect(of('aws_x_thing.j')).toMatchObject({ n: 1 });
});

it('folders of modules that were met are known even where evaluation ended', async () => {
  const folder = folderOf({
    'main.tf': `${many(1, './a')}resource "aws_x_thing" "t" { v = templatefile("a.tpl", {}) }`,
    'a/main.tf': RESOURCE,
    'a.tpl': '${templatefile("a.tpl", {})}',
  });
  expect((await readTerraform({ folder, boundary: folder })).modules).toEqual([join(folder, 'a')]);
});
