import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import type { Contents, Row, SubjectKind } from '../../subgraphs/reporting/formats/format.js';
import { Fonts } from '../../subgraphs/reporting/formats/pdf/fonts.js';
import { LAYOUTS } from '../../subgraphs/reporting/formats/pdf/layouts.js';
import { pdf } from '../../subgraphs/reporting/formats/pdf/pdf.js';
import { needing } from '../support/shared.js';

const told = new Map<string, number>();

function contentsOf(rows: readonly Row[], more: Partial<Contents> = {}): Contents {
  async function* batches() {
    for (let at = 0; at < rows.length; at += 200) yield rows.slice(at, at + 200);
  }
  return {
    ...{ id: '7b0f2c1e-5b3a-4d57-8f0e-0d6d5a3f9b11', subject: 'findings', title: 'Findings', madeAt: new Date('2030-01-31T08:00:00Z') },
    ...{ columns: [], rows: batches(), framework: null, tell: (name: string, count: number) => void told.set(name, count) },
    ...more,
  };
}

async function bytesOf(rows: readonly Row[], more?: Partial<Contents>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of pdf.write(contentsOf(rows, more))) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

const finding = (n: number, more: Row = {}): Row => ({
  ...{ engine: 'check', severity: n % 2 ? 'high' : 'critical', status: 'OPEN', risk_score: n % 101, title: `Title of number ${n}` },
  ...{ resource_name: `bucket-${n}`, resource_uid: `arn:aws:s3:::bucket-${n}`, account_id: '123456789012', region: 'eu-central-1' },
  ...{ rule_id: 'a_rule', first_seen_at: '2030-01-30T00:00:00.000Z', ...more },
});

/** The objects of a document by number, each as text, with its stream unpacked: what the standard (ISO 32000-1, 7.3) says that there is, and no more. */
function objectsOf(bytes: Buffer): Map<number, string> {
  const objects = new Map<number, string>();
  const text = bytes.toString('latin1');
  for (const { 1: number, index, 0: head } of text.matchAll(/(?:^|\n)(\d+) 0 obj\n/g)) {
    const start = index + head.length;
    const dictionary = text.slice(start, text.indexOf('endobj', start));
    const [, length] = /\/Length (\d+)/.exec(dictionary) ?? [];
    const stream = dictionary.indexOf('stream\n');
    const isPacked = dictionary.slice(0, stream).includes('/FlateDecode');
    const content =
      stream === -1 || !isPacked
        ? ''
        : inflateSync(bytes.subarray(start + stream + 7, start + stream + 7 + Number(length))).toString('latin1');
    objects.set(Number(number), (stream === -1 ? dictionary : dictionary.slice(0, stream)) + content);
  }
  return objects;
}

/** What each code of a font stands for, as its ToUnicode map says (ISO 32000-1, 9.10.3), by the font's name in the pages. */
function lettersOf(objects: ReadonlyMap<number, string>): Map<string, string[]> {
  const fonts = [...objects.values()].flatMap((object) =>
    [...object.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name, number]) => [name!, Number(number)] as const),
  );
  return new Map(
    fonts.map(([name, number]) => {
      const map = objects.get(Number(/\/ToUnicode (\d+) 0 R/.exec(objects.get(number)!)![1]))!;
      const ranges = [...map.matchAll(/<[0-9a-f]{4}> <[0-9a-f]{4}> \[([^\]]*)\]/g)].map(([, listed]) => listed!);
      const texts = ranges.flatMap((listed) =>
        [...listed.matchAll(/<([0-9a-f]*)>/g)].map(([, hex]) => Buffer.from(hex!, 'hex').swap16().toString('utf16le')),
      );
      return [name, texts];
    }),
  );
}

/** The texts that pages show, in their order: each of one font. */
function textsOf(objects: ReadonlyMap<number, string>): string[] {
  const letters = lettersOf(objects);
  return [...objects.values()].flatMap((object) => {
    let font = '';
    return [...object.matchAll(/\/(F\d+) \d+(?:\.\d+)? Tf|\[((?:<[0-9a-f]*>|[\s\d.-])+)\] TJ/g)].flatMap(([, name, shown]) => {
      if (name) font = name;
      const codes = [...(shown ?? '').matchAll(/<([0-9a-f]*)>/g)].flatMap(([, hex]) => hex!.match(/.{4}/g) ?? []);
      return name ? [] : [codes.map((code) => letters.get(font)![parseInt(code, 16)]).join('')];
    });
  });
}
const partsOf = (objects: ReadonlyMap<number, string>, type: string) =>
  [...objects.values()].filter((one) => new RegExp(`/S /${type}\\b`).test(one));

it('says what it is, in tags: title, language, headings, figures with words, and a table with a heading', async () => {
  const objects = objectsOf(await bytesOf([finding(1), finding(2)], { title: 'Findings of “prod”' }));
  const all = [...objects.values()].join('\n');
  expect(all).toMatch(/\/MarkInfo \d+ 0 R/);
  expect(all).toMatch(/\/Marked true/);
  expect(all).toMatch(/\/DisplayDocTitle true/);
  expect(all).toMatch(/\/Lang \(en\)/);
  expect(all).toMatch(/\/StructTreeRoot/);
  const count = (type: string) => partsOf(objects, type).length;
  expect([count('Document'), count('H1'), count('Table'), count('TR'), count('TH'), count('TD')]).toEqual([1, 1, 1, 3, 8, 16]);
  expect(partsOf(objects, 'TH').every((one) => one.includes('/Scope /Column'))).toBe(true);
  const figures = partsOf(objects, 'Figure');
  expect(figures).toHaveLength(4);
  expect(figures[0]).toMatch(/\/Alt \(By severity: critical 1, high 1, medium 0, low 0, info 0\)/);
});

it('shows every row, the numbers of all on its cover, and pages by number', async () => {
  const rows = Array.from({ length: 120 }, (_, n) => finding(n, n % 3 === 0 ? { status: 'RESOLVED' } : {}));
  const objects = objectsOf(await bytesOf(rows));
  const texts = textsOf(objects);
  for (let n = 0; n < 120; n++) expect(texts).toContain(`Title of number ${n}`);
  expect(texts.slice(0, 12)).toEqual(expect.arrayContaining(['Findings', '120', '80', '40']));
  const pages = [...objects.values()].filter((one) => /\/Type \/Page\b/.test(one)).length;
  expect(pages).toBeGreaterThan(3);
  expect(texts.filter((text) => /^Page \d+$/.test(text))).toEqual(Array.from({ length: pages }, (_, n) => `Page ${n + 1}`));
  // the heading is drawn again on each page of the table, and told once
  expect(texts.filter((text) => text === 'First seen')).toHaveLength(pages - 1);
  expect(partsOf(objects, 'TH')).toHaveLength(8);
});

it('draws charts as lines and areas, and holds no image', async () => {
  const framework = { score: 73.4, trend: [1, 2, 3].map((day) => ({ date: `2030-01-0${day}`, score: 70 + day })) };
  const rows = ['PASS', 'FAIL', 'MANUAL'].map((status) => ({ control_id: `A.${status}`, section: 'S', title: 'T', status, rule_count: 1 }));
  const objects = objectsOf(await bytesOf(rows, { subject: 'framework', title: 'ISO 27001 2022', framework }));
  expect([...objects.values()].filter((one) => one.includes('/Subtype /Image'))).toEqual([]);
  expect(textsOf(objects)).toEqual(expect.arrayContaining(['ISO 27001 2022', '73.4%', 'A.FAIL', '2030-01-03']));
  expect(partsOf(objects, 'Figure').map((one) => /\/Alt \((.*)\)/.exec(one)![1])).toEqual([
    'Score: 73.4 percent',
    'Score by day: from 71 on 2030-01-01 to 73 on 2030-01-03',
    'By status: FAIL 1, MANUAL 1, PASS 1',
    'Failed controls by section: S 1',
  ]);
});

it('of nothing says so, and is a document all the same', async () => {
  for (const subject of pdf.subjects) {
    const objects = objectsOf(await bytesOf([], { subject, framework: subject === 'framework' ? {} : null }));
    expect(textsOf(objects)).toContain('There are none.');
    expect(partsOf(objects, 'Table')).toEqual([]);
  }
});

it('puts what people write into text, whatever it is', async () => {
  const title = ') Tj ET /JavaScript (app.alert(1)) \\ <script> \u202e\u0000\n' + 'x'.repeat(3_000);
  const objects = objectsOf(await bytesOf([finding(1, { title, rule_id: ')>>', resource_name: null })], { title: 'a (title) \\' }));
  const texts = textsOf(objects);
  expect(texts.some((text) => text.startsWith(') Tj ET /JavaScript'))).toBe(true);
  expect(texts.some((text) => text.endsWith('…'))).toBe(true);
  expect([...objects.values()].filter((one) => /\/S \/JavaScript|\/JS\b|\/OpenAction/.test(one))).toEqual([]);
});

it('shows Latin, Greek, Cyrillic, Chinese, Japanese and Korean, and tells how many letters it replaced', async () => {
  const titles = [
    'Öffentlich – „naïve“ €5',
    'ąęőžŁ Việt',
    'Ο κάδος είναι δημόσιος',
    'Хранилище открыто',
    '对象存储桶',
    'バケットが公開',
    '버킷이 공개',
  ];
  told.clear();
  const objects = objectsOf(
    await bytesOf(
      [...titles, 'עברית'].map((title, n) => finding(n, { title })),
      { title: 'Отчёт 東京' },
    ),
  );
  const texts = textsOf(objects);
  // spaces between Korean words are of the first font
  expect([...texts, texts.join('')].filter((text) => text.length < 30)).toEqual(expect.arrayContaining(titles.slice(0, 6)));
  expect(texts.join('')).toContain('버킷이 공개');
  expect(texts).toContain('\uFFFD'.repeat(5));
  expect([...told]).toEqual([['characters_replaced', 5]]);
  // all are in the file, so that no reader's own fonts stand in for them
  const fonts = [...objects.values()].filter((one) => one.includes('/Type /FontDescriptor'));
  expect(fonts).toHaveLength(4);
  expect(fonts.every((one) => /\/FontFile[23] \d+ 0 R/.test(one))).toBe(true);
});

it('replaces what no font has and what has no form, one by one, and opens no font that it does not need', async () => {
  const fonts = await Fonts.load();
  let replaced = 0;
  const note = (count: number) => (replaced += count);
  expect(fonts.shown('plain\ttext', note)).toBe('plain text');
  expect(fonts.shown('e\u0301 ｆ №', note)).toBe('é ｆ №');
  expect(replaced).toBe(0);
  expect(fonts.shown('a\u202eb\u200bc 😀', note)).toBe('a\uFFFDb\uFFFDc \uFFFD');
  expect(replaced).toBe(3);
  expect(fonts.runs('S3バケット')).toMatchObject([{ text: 'S3' }, { text: 'バケット' }]);
  expect(fonts.runs('Отчёт')).toHaveLength(1);
});

it('has columns as wide as the page together', () => {
  for (const [subject, { columns }] of Object.entries(LAYOUTS) as [SubjectKind, (typeof LAYOUTS)['findings'] & object][])
    expect([subject, columns.reduce((sum, { width }) => sum + width, 0)]).toEqual([subject, 770]);
});

it('of many rows is handed on while it is made', async () => {
  const rows = Array.from({ length: 600 }, (_, n) => finding(n));
  let [parts, most] = [0, 0];
  for await (const part of pdf.write(contentsOf(rows))) {
    parts += 1;
    most = Math.max(most, part.length);
  }
  expect(parts).toBeGreaterThan(100);
  expect(most).toBeLessThan(300_000);
});

const poppler = spawnSync('pdftotext', ['-v']).error === undefined ? 'pdftotext' : undefined;
needing(poppler).it('is read by another program (pdftotext, pdfinfo of poppler)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pdf-'));
  try {
    const file = join(folder, 'findings.pdf');
    writeFileSync(file, await bytesOf([finding(1), finding(2)]));
    const run = (program: string, ...args: string[]) =>
      spawnSync(program, [...args, file, ...(program === 'pdftotext' ? ['-'] : [])], { encoding: 'utf8' });
    const text = run('pdftotext', '-layout');
    expect([text.stderr, text.stdout.includes('Title of number 2')]).toEqual(['', true]);
    const facts = run('pdfinfo');
    expect(facts.stdout).toMatch(/Title:\s+Findings\n[^]*Tagged:\s+yes\n[^]*Pages:\s+2\n/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
