import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { bufferSource, detectFormat, importers, NotOfFormat, openReport } from '../../importers/index.js';
import { lookalikeOf, lookalikes, lookOfArchive, type Lookalike } from '../../importers/lookalikes.js';
import { outlineJson } from '../../importers/readers/json/outline.js';
import { readTopLevel } from '../../importers/readers/json/top-level.js';
import { listSamples } from './read-all.js';

const TEXTS = z.record(z.string(), z.string()).parse(load(readFileSync(join(__dirname, 'lookalikes.yaml'), 'utf8')));

/** JSON that has all of these paths, none of which leads through a list. */
function jsonWith(paths: readonly string[]): string {
  const [plain, deep] = [paths.filter((path) => !path.includes('.')), paths.filter((path) => path.includes('.'))];
  const inner = new Set(deep.map((path) => path.slice(0, path.indexOf('.'))));
  const below = (name: string) => deep.flatMap((path) => (path.startsWith(`${name}.`) ? [path.slice(name.length + 1)] : []));
  const members = [...inner].map((name) => `"${name}":${jsonWith(below(name))}`);
  return `{${[...plain.map((name) => `"${name}":[]`), ...members].join(',')}}`;
}

/** Small files of the kind that an entry tells: those that can be made of it, and what is recorded of it. */
function examplesOf({ what, magic = [], root = [], keys, columns, text }: Lookalike): Buffer[] {
  return [
    ...magic.map((hex) => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from([0, 1, 2, 3])])),
    ...root.map((name) => Buffer.from(`<?xml version="1.0"?>\n<${name}><a/></${name}>`)),
    ...(keys === undefined ? [] : [Buffer.from(jsonWith(keys))]),
    ...(columns === undefined ? [] : [Buffer.from(`${columns.join(',')}\n${columns.map(() => 'x').join(',')}\n`)]),
    ...(text === undefined ? [] : [Buffer.from(TEXTS[what] ?? '')]),
  ];
}
const told = async (bytes: string | Buffer) =>
  openReport(bufferSource(Buffer.from(bytes))).then(
    ({ format }) => `a report of ${format}`,
    (error: unknown) => (error instanceof NotOfFormat ? error.message : Promise.reject(error as Error)),
  );

describe('what is no report', () => {
  it.each(lookalikes().map((one) => [one.what, one] as const))('is told: %s', async (what, one) => {
    const examples = examplesOf(one);
    expect(examples.length > 0 || one.entries !== undefined).toBe(true);
    for (const example of examples) {
      expect(lookalikeOf(example)).toMatch(`this looks like ${what}: `);
      // a container that is opened is refused as one; everything else as what it looks like
      expect(await told(example)).toMatch(/^the report is of no format that is read: |archive/);
      expect(detectFormat(example.toString())).toBeUndefined();
    }
  });

  it('is told ways of formats that there are', () => {
    const names = new Set(importers.map(({ name }) => name));
    const ways = lookalikes().flatMap(({ what, ways: all = [] }) => all.map(({ format }) => `${what}: ${format}`));
    expect(ways.filter((way) => !names.has(way.slice(way.lastIndexOf(': ') + 2)))).toEqual([]);
  });

  it('is told by patterns that look at a line from its beginning alone', () => {
    const patterns = lookalikes().flatMap(({ text = [], entries = [] }) => [text, entries].flat().map(({ source }) => source));
    expect(patterns.filter((source) => /\^\\s|\.\*\\n\.\*/.test(source))).toEqual([]);
  });

  it('has no recorded text of something that is not in the table', () => {
    const known = lookalikes().flatMap(({ what, text }) => (text === undefined ? [] : [what]));
    expect(Object.keys(TEXTS).filter((what) => !known.includes(what))).toEqual([]);
  });

  it.each([
    [['[Content_Types].xml', 'xl/workbook.xml'], 'an Excel workbook'],
    [['word/document.xml'], 'a Word document'],
    [['ppt/presentation.xml'], 'a PowerPoint presentation'],
    [['mimetype', 'content.xml', 'META-INF/manifest.xml'], 'an OpenDocument file'],
    [['META-INF/MANIFEST.MF', 'a/B.class'], 'a Java archive'],
    [['abc/layer.tar', 'manifest.json'], 'a container image'],
    [['tfplan', 'tfstate'], 'a Terraform plan'],
    [['chart/Chart.yaml', 'chart/templates/a.yaml'], 'a Helm chart'],
  ])('is told by the names in it: %s', (names, what) => {
    expect(lookOfArchive(names)).toContain(`this looks like ${what}`);
  });

  it('is told how its tool writes what is read, and of formats that there are alone', () => {
    const { produce, label } = importers.find(({ name }) => name === 'trivy')!;
    expect(lookalikeOf(Buffer.from(TEXTS["Trivy's table"]!))).toBe(
      `this looks like Trivy's table: what is read comes from ${produce} (${label})`,
    );
    expect(lookalikeOf(Buffer.from(TEXTS["Hadolint's text output"]!))).toContain('hadolint -f sarif FILE (SARIF 2.1.0)');
    expect(lookalikeOf(Buffer.from('%PDF-1.7\n'))).toContain('export the findings');
  });
});

it('What a terminal was told of colours hides nothing', async () => {
  const text = '\u001b[1mResult #1\u001b[0m \u001b[31mHIGH\u001b[0m Bucket without encryption\n';
  expect(await told(text)).toContain("this looks like tfsec's text output: ");
});

it('A report in which nothing is found is of the format that is named', async () => {
  for (const [name, text] of [
    ['gitleaks', '[]'],
    ['nuclei', '[]'],
    ['guardduty', '{"Findings": []}'],
    ['tfsec', '{"results": []}'],
  ] as const) {
    const report = await openReport(bufferSource(Buffer.from(text)), name);
    const kinds: string[] = [];
    for await (const { kind } of report.read({})) kinds.push(kind);
    expect(kinds.filter((kind) => kind !== 'scope')).toEqual([]);
  }
});

describe('what nothing is known of', () => {
  it.each([
    ['', 'the file is empty'],
    [' \n\n', 'the file holds nothing but white space'],
    [Buffer.from([1, 0, 2]), 'this is no text but bytes of an unknown kind'],
    ['<!doctype html><title>My  page</title>', 'this is an HTML page, “My page”'],
    ['<a xmlns="urn:b"/>', 'this is XML with the root <a> of the namespace urn:b'],
    ['{"own": 1, "members": {"a": 2}}', 'this is a JSON object with the members own, members, which'],
    ['[{"a": 1}, {"b": 2}]', 'this is a JSON list of objects with the members a, b, which'],
    ['[1, 2]', 'this is a JSON list without objects'],
    ['[]', 'this is a JSON list in which nothing is found, as many tools write it: say by format of which one it is'],
    ['{"Findings": [ ]}', 'this is a JSON object in which nothing is found'],
    ['{"Findings": [], "more": 1}', 'this is a JSON object with the members Findings, more, which'],
    ['[08:00:00] Running the checks\n', 'this is text of an unknown kind'],
    ['own: 1\nmembers:\n  - a\n', 'this is YAML with the members own, members'],
    ['one,two,three\n1,2,3\n', 'this is CSV with the columns one, two, three'],
    ['Nothing that is known.', 'this is text of an unknown kind'],
  ])('is told by what it is made of: %j', async (bytes, shape) => {
    expect(await told(bytes)).toContain(shape);
  });

  it('is told without the secrets in it', async () => {
    const secret = 'AKIA' + 'QWERTYUIOPASDFGH';
    for (const text of [`<title>${secret}</title><html>`, `{"${secret}": 1}`, `a,${secret},c\n1,2,3`, `<html><title>key ${secret}</title>`])
      expect(await told(text)).not.toContain(secret);
  });
});

it('A head that is cut in a string has nothing of what stands in it', () => {
  const head = String.raw`{"a": {"b": 1}, "note": "x \"own\": [ { \"c\": 2, y`;
  expect([...outlineJson(head).keys()]).toEqual(['', 'a', 'a.b', 'a!']);
  expect([...readTopLevel(head).keys()]).toEqual(['a', 'note']);
});

it('No report of a format, and none of the samples, is taken for one of these', async () => {
  const wrong: string[] = [];
  // what feeds take is no report, and a file of expectations is none
  for (const { file, path } of listSamples().filter((sample) => !/^(?:kev_json|epss_csv)\//.test(sample.file))) {
    const answer = await told(readFileSync(path));
    if (/this looks like/.test(answer)) wrong.push(`${file}: ${answer}`);
  }
  expect(wrong).toEqual([]);
});
