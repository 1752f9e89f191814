import { join } from 'node:path';
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

it('folders of modules that were met are known even where evaluation ended', async () => {
  const folder = folderOf({
    'main.tf': `${many(1, './a')}resource "aws_x_thing" "t" { v = templatefile("a.tpl", {}) }`,
    'a/main.tf': RESOURCE,
    'a.tpl': '${templatefile("a.tpl", {})}',
  });
  expect((await readTerraform({ folder, boundary: folder })).modules).toEqual([join(folder, 'a')]);
});
