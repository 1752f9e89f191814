import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTerraform } from '../../sources/terraform/read.js';
import { folderOf, toldBy, type Told } from './folder.js';

async function read(files: Readonly<Record<string, string>>, at = '.'): Promise<Told & { skipped: string[]; modules: readonly string[] }> {
  const boundary = folderOf(files);
  const source = await readTerraform({ folder: join(boundary, at), boundary });
  const told = await toldBy(source);
  return { ...told, skipped: source.skipped!().map(({ reason }) => reason), modules: source.modules };
}
const one = async (body: string, more = ''): Promise<Readonly<Record<string, unknown>>> =>
  (await read({ 'main.tf': `resource "aws_x_thing" "t" {\n${body}\n}\n${more}` })).of('aws_x_thing.t');

describe('what an expression gives', () => {
  it.each([
    ['"a-${1 + 2 * 3}"', 'a-7'],
    ['"${true}"', true],
    ['"$${left} %%{alone}"', '${left} %{alone}'],
    ['"tab\\tquote\\"\\u00e9"', 'tab\tquote"é'],
    ['[for n in [1, 2, 3] : n * 2 if n > 1]', [4, 6]],
    ['{ for k, v in { a = 1, b = 2 } : upper(k) => v }', { A: 1, B: 2 }],
    ['{ for v in ["a1", "a2", "b1"] : substr(v, 0, 1) => v... }', { a: ['a1', 'a2'], b: ['b1'] }],
    ['1 == 1 && !(2 > 3) ? "yes" : "no"', 'yes'],
    ['[{ n = 1 }, { n = 2 }][*].n', [1, 2]],
    ['"%{ if true }on%{ else }off%{ endif }"', 'on'],
    ['"%{ for v in ["a", "b"] ~} ${v}%{ endfor }"', 'ab'],
    ['<<-EOT\n    one\n      two ${1 + 1}\n  EOT', 'one\n  two 2\n'],
    ['jsonencode({ a = [1, "x"], b = null })', '{"a":[1,"x"],"b":null}'],
    ['merge({ a = 1 }, { a = 2, b = 3 })', { a: 2, b: 3 }],
    ['lookup({ a = 1 }, "z", 9)', 9],
    ['try({ a = 1 }.missing, "otherwise")', 'otherwise'],
    ['can({ a = 1 }.missing)', false],
    ['[for value in [try([null][0], "other")] : value == null]', [true]],
    ['[for key, value in toset(["b", "a", "b"]) : "${key}=${value}"]', ['a=a', 'b=b']],
    ['[for key, value in tolist(toset(["b", "a"])) : "${key}=${value}"]', ['0=a', '1=b']],
    ['[for key, value in setunion(["b"], ["a"]) : key]', ['a', 'b']],
    ['[for key, value in setsubtract(["b", "a"], ["a"]) : key]', ['b']],
    ['[for key, value in setintersection(["b"]) : key]', ['b']],
    ['[for key, value in distinct(["b"]) : key]', [0]],
    ['[for key, value in setproduct(toset(["b"]), toset(["a"])) : key]', [['b', 'a']]],
    ['[for list in [["b", "a"]] : [for set in [toset(list)] : [for key, value in list : key]]]', [[[0, 1]]]],
    ['try(lookup({ a = 1 }, "b"), "otherwise")', 'otherwise'],
    ['lookup({ a = 1 }, "b", "fallback")', 'fallback'],
    ['[try(element([], 0), 1), try(one([1, 2]), 2), try(index(["a"], "b"), 3), try(length(null), 4)]', [1, 2, 3, 4]],
    [
      '[can(tonumber("x")), can(tobool("x")), can(jsondecode("{")), can(tolist("x")), can(tonumber("1"))]',
      [false, false, false, false, true],
    ],
    ['coalesce(null, "", "c")', 'c'],
    ['cidrsubnet("10.0.0.0/16", 8, 2)', '10.0.2.0/24'],
    ['cidrhost("10.0.0.0/24", 5)', '10.0.0.5'],
    ['format("%s-%03d", "a", 7)', 'a-007'],
    ['join(",", sort(distinct(["b", "a", "b"])))', 'a,b'],
    ['flatten([["a"], [["b"], "c"]])', ['a', 'b', 'c']],
    ['toset(["a", "a"])', ['a']],
    ['zipmap(["a"], [1])', { a: 1 }],
    ['max(1, [5, 2]...)', 5],
    ['base64decode(base64encode("x"))', 'x'],
    ['replace("a.b", ".", "-")', 'a-b'],
  ])('%s', async (expression, value) => {
    expect(await one(`value = ${expression}`)).toEqual({ value });
  });

  it.each([
    ['var.unset', '${var.unset}'],
    ['"x-${var.unset}"', 'x-${var.unset}'],
    ['lower(var.unset)', '${lower(var.unset)}'],
    ['var.unset ? 1 : 2', '${var.unset ? 1 : 2}'],
    ['var.unset == "a" || true', true],
    ['var.unset ? 3 : 3', 3],
    ['data.aws_vpc.main.id', '${data.aws_vpc.main.id}'],
    ['timestamp()', '${timestamp()}'],
    ['nosuch(1)', '${nosuch(1)}'],
    ['try(flatten([var.unset]), [])', '${flatten([var.unset])}'],
    ['can(flatten([var.unset]))', '${can(flatten([var.unset]))}'],
    ['try(replace("xtruex", "/x/", ""), "other")', '${replace("xtruex", "/x/", "")}'],
    ['local.none', '${local.none}'],
    ['jsonencode({ Resource = aws_x_thing.other.arn })', '{"Resource":"${aws_x_thing.other.arn}"}'],
  ])('is left open where it is not known: %s', async (expression, value) => {
    expect(await one(`value = ${expression}`, 'variable "unset" {}\nresource "aws_x_thing" "other" {}')).toEqual({ value });
  });
});

describe('what a module is given', () => {
  it('values of variables come from their defaults, then from the files, by the order that Terraform reads them in', async () => {
    const { of } = await read({
      'main.tf':
        'variable "a" { default = 1 }\nvariable "b" { default = 1 }\nvariable "c" { default = 1 }\nresource "aws_x_thing" "t" { v = [var.a, var.b, var.c] }',
      'terraform.tfvars': 'b = 2\nc = 2',
      'z.auto.tfvars.json': '{"c": 3}',
    });
    expect(of('aws_x_thing.t')).toEqual({ v: [1, 2, 3] });
  });

  it('types convert, and fill in what an object leaves out', async () => {
    const more = `variable "port" {\n type = number\n default = "22"\n}
      variable "o" {\n type = object({ name = string, on = optional(bool, true) })\n default = { name = 5 }\n}`;
    expect(await one('port = var.port\n o = var.o', more)).toEqual({ port: 22, o: { name: '5', on: true } });
  });

  it('locals may speak of each other; a circle of them is not known', async () => {
    const more = 'locals {\n a = "${local.b}!"\n b = "b"\n c = local.d\n d = local.c\n}';
    expect(await one('v = local.a\n w = local.c', more)).toEqual({ v: 'b!', w: expect.stringMatching(/^\$\{local\.[cd]\}$/) });
  });

  it('a sensitive variable is masked', async () => {
    const told = await read({
      'main.tf': 'variable "s" {\n default = "correct-horse"\n sensitive = true\n}\nresource "aws_x_thing" "t" { v = var.s }',
    });
    expect(JSON.stringify(told.assets)).not.toContain('correct-horse');
    expect(told.assets[0]!.sensitive_paths).toEqual(['v']);
  });
});

describe('how often something is made', () => {
  it('count and for_each make as many as they say, none for nothing, and one where nobody knows', async () => {
    const { assets, of } = await read({
      'main.tf': `variable "n" {}
resource "aws_x_thing" "two" {\n count = 2\n v = count.index\n}
resource "aws_x_thing" "none" { count = 0 }
resource "aws_x_thing" "flag" { count = true ? 1 : 0 }
resource "aws_x_thing" "each" {\n for_each = { a = "x", b = "y" }\n v = "\${each.key}-\${each.value}"\n}
resource "aws_x_thing" "set" { for_each = toset(["q"]) }
resource "aws_x_thing" "open" {\n for_each = var.n\n v = each.value.size\n}
resource "aws_x_thing" "opencount" { count = var.n }`,
    });
    expect(assets.map(({ source }) => source.address)).toEqual([
      'aws_x_thing.two[0]',
      'aws_x_thing.two[1]',
      'aws_x_thing.flag[0]',
      'aws_x_thing.each["a"]',
      'aws_x_thing.each["b"]',
      'aws_x_thing.set["q"]',
      'aws_x_thing.open',
      'aws_x_thing.opencount',
    ]);
    expect(of('aws_x_thing.each["b"]')).toEqual({ v: 'b-y' });
    expect(of('aws_x_thing.open')).toEqual({ v: '${each.value.size}' });
  });

  it('dynamic blocks are made out beside written ones; one that is open says so in their place', async () => {
    const more = 'variable "open" {}';
    expect(await one('rule { port = 1 }\n dynamic "rule" {\n for_each = [2, 3]\n content { port = rule.value }\n }', more)).toEqual({
      rule: [{ port: 1 }, { port: 2 }, { port: 3 }],
    });
    expect(await one('dynamic "rule" {\n for_each = var.open\n content { port = rule.value }\n }', more)).toEqual({
      rule: '${try(var.open, [])}',
    });
    expect(await one('dynamic "rule" {\n for_each = []\n content {}\n }')).toEqual({ rule: [] });
  });
});

describe('references', () => {
  const pair = `resource "aws_s3_bucket" "logs" { bucket = "logs" }
resource "aws_s3_bucket_policy" "p" {\n bucket = aws_s3_bucket.logs.id\n policy = aws_s3_bucket.logs.bucket\n}`;

  it('to what the folder says are that, others stay references, and both are edges with their attribute', async () => {
    const { of, edges } = await read({ 'main.tf': pair });
    expect(of('aws_s3_bucket_policy.p')).toEqual({ bucket: '${aws_s3_bucket.logs.id}', policy: 'logs' });
    expect(edges.map(({ via }) => via).sort()).toEqual(['bucket', 'policy']);
  });

  it('to counted ones lead to each', async () => {
    const { of } = await read({
      'main.tf':
        'resource "aws_x_thing" "n" {\n count = 2\n name = "n${count.index}"\n}\nresource "aws_x_thing" "t" {\n one = aws_x_thing.n[1].name\n all = aws_x_thing.n[*].id\n}',
    });
    expect(of('aws_x_thing.t')).toEqual({ one: 'n1', all: ['${aws_x_thing.n[0].id}', '${aws_x_thing.n[1].id}'] });
  });

  it('go through modules, in by variables and out by outputs', async () => {
    const { of, edges, skipped, modules } = await read({
      'main.tf': `module "m" {\n source = "./mod"\n for_each = toset(["a"])\n name = "x-\${each.key}"\n key = aws_kms_key.k.arn\n}
resource "aws_kms_key" "k" {}
resource "aws_x_thing" "t" { v = module.m["a"].bucket }`,
      'mod/main.tf': `variable "name" {}\nvariable "key" {}\noutput "bucket" { value = aws_s3_bucket.b.bucket }
resource "aws_s3_bucket" "b" {\n bucket = var.name\n key = var.key\n}`,
    });
    expect(of('aws_x_thing.t')).toEqual({ v: 'x-a' });
    expect(of('module.m["a"].aws_s3_bucket.b')).toEqual({ bucket: 'x-a', key: '${aws_kms_key.k.arn}' });
    expect(edges).toContainEqual(expect.objectContaining({ to: 'terraform:aws_kms_key.k', via: 'key' }));
    expect([skipped, modules.length]).toEqual([[], 1]);
  });

  it('a policy document is written out', async () => {
    const { of } = await read({
      'main.tf': `data "aws_iam_policy_document" "d" {
  statement {
    actions = ["s3:*"]
    resources = [aws_s3_bucket.b.arn]
    principals {\n type = "AWS"\n identifiers = ["*"]\n }
    condition {\n test = "Bool"\n variable = "aws:SecureTransport"\n values = ["true"]\n }
  }
}
resource "aws_s3_bucket" "b" {}
resource "aws_s3_bucket_policy" "p" { policy = data.aws_iam_policy_document.d.json }`,
    });
    expect(JSON.parse(of('aws_s3_bucket_policy.p')['policy'] as string)).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Action: 's3:*',
          Resource: '${aws_s3_bucket.b.arn}',
          Principal: { AWS: '*' },
          Condition: { Bool: { 'aws:SecureTransport': 'true' } },
        },
      ],
    });
  });

  it.each(['source_json', 'override_json', 'source_policy_documents'])(
    'a policy document that takes statements by %s is open',
    async (name) => {
      const value = name.endsWith('json') ? '"{}"' : '["{}"]';
      const { of } = await read({
        'main.tf': `data "aws_iam_policy_document" "d" {\n ${name} = ${value}\n}\nresource "aws_x_thing" "t" { v = data.aws_iam_policy_document.d.json }`,
      });
      expect(of('aws_x_thing.t')['v']).toBe('${data.aws_iam_policy_document}');
    },
  );

  it('elements of sets are their own keys in dynamic blocks, and in variables that are sets', async () => {
    const { of } = await read({
      'main.tf': `variable "ports" {\n type = set(string)\n default = ["443", "22"]\n}
resource "aws_security_group" "g" {
  dynamic "ingress" {
    for_each = toset(["22"])
    content { from_port = ingress.key }
  }
  dynamic "egress" {
    for_each = var.ports
    content { from_port = egress.key }
  }
}`,
    });
    expect(of('aws_security_group.g')).toEqual({ ingress: [{ from_port: '22' }], egress: [{ from_port: '22' }, { from_port: '443' }] });
  });

  it('resources of providers that nobody knows are told, those of helpers are not', async () => {
    const folder = folderOf({
      'main.tf': 'resource "hcloud_server" "s" {}\nresource "random_id" "r" {}\nresource "aws_s3_bucket" "b" {}\n',
    });
    const source = await readTerraform({ folder, boundary: folder });
    expect((await toldBy(source)).assets).toHaveLength(1);
    expect(source.skipped!()).toEqual([
      { file: join(folder, 'main.tf'), line: 1, reason: 'hcloud_server.s: resources of the provider hcloud are not evaluated' },
    ]);
  });

  it('conditions of the same test and variable are one with the values of both, and those that are not known are open', async () => {
    const condition = (variable: string, value: string): string =>
      `condition {\n test = "StringLike"\n variable = ${variable}\n values = [${value}]\n }\n`;
    const document = (name: string, more: string): string =>
      `data "aws_iam_policy_document" "${name}" {\n statement {\n actions = ["a:b"]\n ${more} }\n}\n`;
    const { of } = await read({
      'main.tf': `variable "open" {}
${document('d', condition('"aws:arn"', '"a"') + condition('"aws:arn"', '"b"') + condition('"x"', '"c"'))}
${document('o', condition('var.open', '"a"'))}
resource "aws_x_thing" "t" {\n d = data.aws_iam_policy_document.d.json\n o = data.aws_iam_policy_document.o.json\n}`,
    });
    const { d, o } = of('aws_x_thing.t') as { d: string; o: string };
    expect(JSON.parse(d)).toMatchObject({ Statement: [{ Condition: { StringLike: { 'aws:arn': ['a', 'b'], x: 'c' } } }] });
    expect(JSON.parse(o)).toMatchObject({ Statement: [{ Condition: '${data.aws_iam_policy_document}' }] });
  });

  it('files and templates of the folder are read, no others', async () => {
    const { of } = await read(
      {
        'app/main.tf': `resource "aws_x_thing" "t" {\n a = file("\${path.module}/a.txt")\n b = templatefile("b.tpl", { n = "N" })\n c = file("../secret.txt")\n d = file("/etc/passwd")\n}`,
        'app/a.txt': 'A',
        'app/b.tpl': 'hello ${n}',
        'secret.txt': 'inside',
      },
      'app',
    );
    expect(of('aws_x_thing.t')).toEqual({ a: 'A', b: 'hello N', c: 'inside', d: '${file("/etc/passwd")}' });
  });
});

describe('what cannot be read', () => {
  it('modules that are remote, outside, missing or call themselves are told', async () => {
    const { skipped, assets } = await read(
      {
        'app/main.tf': `module "r" { source = "terraform-aws-modules/vpc/aws" }
module "o" { source = "../../outside" }
module "n" { source = "./nowhere" }
module "c" { source = "./circle" }
resource "aws_x_thing" "t" {\n v = module.r.id\n w = module.c.id\n}`,
        'app/circle/main.tf': 'module "again" { source = "../circle" }\noutput "id" { value = module.again.id }',
      },
      'app',
    );
    expect([...skipped].sort()).toEqual([
      expect.stringContaining('module again: it calls itself'),
      expect.stringContaining('module n: its source ./nowhere is no folder'),
      expect.stringMatching(/module o: its source ..\/..\/outside (?:is no folder|lies outside)/),
      expect.stringContaining('module r: its source terraform-aws-modules/vpc/aws is not local'),
    ]);
    expect(assets).toHaveLength(1);
  });

  it('a module that a link leads out to is not read', async () => {
    const outside = folderOf({ 'main.tf': 'resource "aws_x_thing" "secret" {}' });
    const boundary = folderOf({ 'main.tf': 'module "m" { source = "./link" }\nresource "aws_x_thing" "t" {}' });
    symlinkSync(outside, join(boundary, 'link'));
    const source = await readTerraform({ folder: boundary, boundary });
    expect((await toldBy(source)).assets).toHaveLength(1);
    expect(source.skipped!()).toEqual([expect.objectContaining({ reason: expect.stringContaining('lies outside') })]);
  });

  it('a mistake is told with its line, and the rest is read', async () => {
    const { broken, assets } = await read({
      'a.tf': 'resource "aws_x_thing" "t" {}\n\nresource "aws_x_thing" {{{\n',
      'b.tf': 'resource "aws_x_thing" "u" {}',
    });
    expect(broken[0]).toMatch(/a\.tf line \d+: /);
    expect(assets.map(({ source }) => source.address)).toContain('aws_x_thing.u');
  });

  it('a file that is no UTF-8 is told', async () => {
    const boundary = folderOf({ 'a.tf': 'resource "aws_x_thing" "t" {}' });
    writeFileSync(join(boundary, 'b.tf'), Buffer.from([0x61, 0xff, 0xfe, 0x62]));
    const { broken, assets } = await toldBy(await readTerraform({ folder: boundary, boundary }));
    expect([broken, assets.length]).toEqual([[expect.stringContaining('it is no UTF-8 text')], 1]);
  });

  it('nesting without end, lists without end and a folder that only looks like a file end', async () => {
    const { broken } = await read({ 'a.tf': `resource "aws_x_thing" "t" { ${'v {\n'.repeat(500)}${'}\n'.repeat(500)} }` });
    expect(broken).toEqual([expect.stringContaining('nested deeper')]);
    expect(await one('v = range(1000000000)')).toEqual({ v: '${range(1000000000)}' });
    const boundary = folderOf({ 'a.tf': 'resource "aws_x_thing" "t" {}' });
    mkdirSync(join(boundary, 'b.tf'));
    expect((await toldBy(await readTerraform({ folder: boundary, boundary }))).broken).toHaveLength(1);
  });
});

it('JSON syntax says the same', async () => {
  const { of } = await read({
    'main.tf.json': JSON.stringify({
      variable: { n: { default: 'x', type: 'string' } },
      locals: { l: '${var.n}-l' },
      resource: { aws_x_thing: { t: { v: '${local.l}', list: ['${upper(var.n)}', 'plain'], type: 'ingress' } } },
    }),
  });
  expect(of('aws_x_thing.t')).toEqual({ v: 'x-l', list: ['X', 'plain'], type: 'ingress' });
});

it('resources stand in the lines of their blocks, and in the region of their provider', async () => {
  const boundary = folderOf({
    'main.tf':
      'provider "aws" { region = "eu-west-1" }\nprovider "aws" {\n alias = "us"\n region = "us-east-1"\n}\n\nresource "aws_instance" "a" {\n}\nresource "aws_instance" "b" {\n provider = aws.us\n}\n',
  });
  const source = await readTerraform({ folder: boundary, boundary });
  const { assets } = await toldBy(source);
  expect(assets.map(({ region }) => region)).toEqual(['eu-west-1', 'us-east-1']);
  expect(source.placeOf(assets[0]!)).toEqual({ file: join(boundary, 'main.tf'), line: 7, endLine: 8 });
});

it('an override takes the place of what it names', async () => {
  const { of } = await read({
    'main.tf': 'resource "aws_x_thing" "t" {\n a = 1\n b = 1\n}',
    'main_override.tf': 'resource "aws_x_thing" "t" { b = 2 }',
  });
  expect(of('aws_x_thing.t')).toEqual({ a: 1, b: 2 });
});
