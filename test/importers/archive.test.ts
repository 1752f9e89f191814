import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bufferSource, fileSource, NotOfFormat, openReport, ReportTooLarge, type ImportItem } from '../../importers/index.js';
import { ARCHIVE_LIMITS } from '../../importers/readers/archive/entry.js';
import { makeTree } from './file-tree.js';
import { all } from './pieces.js';
import { tarOf, zipOf, type Packed } from './make-archive.js';

const MEBIBYTE = 1024 ** 2;
const fixture = (path: string) => readFileSync(join(__dirname, 'fixtures', path));
const TRIVY = fixture('trivy/image.json');
const SARIF = fixture('sarif/one-run.sarif');

/** What stands in a report, the items that tell of an archive left out. */
const itemsAlone = async (bytes: Buffer) => all((await openReport(bufferSource(bytes))).read({}));
const open = (bytes: Buffer, maxBytes?: number, format: string | null = null) => openReport(bufferSource(bytes, { maxBytes }), format);
const read = async (bytes: Buffer, maxBytes?: number) => all((await open(bytes, maxBytes)).read({}));
const faults = (items: readonly ImportItem[]) =>
  items.flatMap((item) => (item.kind === 'broken' || item.kind === 'truncated' ? [`${item.kind} ${item.position}: ${item.reason}`] : []));
const partsIn = (items: readonly ImportItem[]) => items.flatMap((item) => (item.kind === 'part' ? [`${item.name} ${item.format}`] : []));
const isPart = ({ kind }: ImportItem) => kind === 'part';
/** As if it had come alone: positions without the name of the entry. */
const withoutName = (item: ImportItem, name: string): ImportItem =>
  item.kind === 'observation'
    ? { ...item, observation: { ...item.observation, position: item.observation.position.replace(`${name}: `, '') } }
    : item;

const PACKERS: readonly (readonly [string, (entries: readonly Packed[]) => Buffer])[] = [
  ['zip', zipOf],
  ['tar', tarOf],
  ['tar.gz', (entries) => gzipSync(tarOf(entries))],
];

describe.each(PACKERS)('reports in a %s archive', (_kind, pack) => {
  it('are read as if each had come alone, in their order, compressed by themselves or not', async () => {
    const archive = pack([
      { name: 'scans/image.json', bytes: TRIVY },
      { name: 'code.sarif.gz', bytes: gzipSync(SARIF) },
    ]);
    const report = await open(archive);
    expect([report.format, report.formats.map(({ name }) => name)]).toEqual(['archive', ['trivy', 'sarif']]);
    await report.probe();
    const items = await all(report.read({}));
    const second = items.findLastIndex(isPart);
    expect(partsIn(items)).toEqual(['scans/image.json trivy', 'code.sarif.gz sarif']);
    expect(items.slice(1, second).map((item) => withoutName(item, 'scans/image.json'))).toEqual(await itemsAlone(TRIVY));
    expect(items.slice(second + 1).map((item) => withoutName(item, 'code.sarif.gz'))).toEqual(await itemsAlone(SARIF));
  });

  it('of one format are a report of that format; entries of others are left out where it is named', async () => {
    const two = [
      { name: 'a.json', bytes: TRIVY },
      { name: 'b.sarif', bytes: SARIF },
    ];
    expect((await open(pack(two.slice(0, 1)))).format).toBe('trivy');
    const report = await open(pack(two), undefined, 'sarif');
    expect(report.format).toBe('sarif');
    expect(faults(await all(report.read({})))).toEqual(['broken a.json: is of the format trivy, not sarif']);
  });

  it('beside what is none: that is a broken record by its name, and folders and leftovers of systems are nothing', async () => {
    const items = await read(
      pack([
        { name: 'scans/', bytes: '', type: '5' },
        { name: '__MACOSX/._a.json', bytes: 'x' },
        { name: '.DS_Store', bytes: 'x' },
        { name: 'a.json', bytes: TRIVY },
        { name: 'page.html', bytes: '<html><title>Trivy Report</title>' },
        { name: 'inner.zip', bytes: zipOf([{ name: 'a.json', bytes: SARIF }]) },
        { name: 'inner.tgz', bytes: gzipSync(tarOf([{ name: 'a.json', bytes: SARIF }])) },
        { name: 'a.json', bytes: SARIF },
      ]),
    );
    expect(partsIn(items)).toEqual(['a.json trivy']);
    expect(faults(items)).toEqual([
      expect.stringContaining('broken page.html: is of no format that is read: this looks like an HTML report of Trivy'),
      'broken inner.zip: is an archive in the archive, which is not opened',
      'broken inner.tgz: is an archive in the archive, which is not opened',
      'broken a.json: stands in the archive more than once: the first one is read',
    ]);
  });

  it('are refused with what they are when none of them is a report, or there is none', async () => {
    await expect(open(pack([{ name: 'notes.txt', bytes: 'Read me first.' }]))).rejects.toThrow(/holds no report.*notes\.txt/);
    await expect(open(pack([{ name: 'META-INF/MANIFEST.MF', bytes: 'Manifest-Version: 1.0' }]))).rejects.toThrow('a Java archive');
    await expect(open(pack([{ name: 'empty/', bytes: '', type: '5' }]))).rejects.toThrow(NotOfFormat);
  });

  it('write nothing wherever their names lead, and show names on one line', async () => {
    const tree = makeTree();
    const names = [
      '../../outside.json',
      '/etc/outside.json',
      'C:\\outside.json',
      'a/../../b.json',
      `${'d/'.repeat(80)}long.json`,
      'a\n\u202eb.json',
    ];
    try {
      const path = join(tree.inner, 'reports.archive');
      writeFileSync(path, pack(names.map((name) => ({ name, bytes: SARIF }))));
      const before = tree.list();
      const items = await all((await openReport(fileSource(path))).read({}));
      expect(partsIn(items).map((part) => part.replace(/ sarif$/, ''))).toEqual([
        '../../outside.json',
        '/etc/outside.json',
        expect.stringMatching(/^C:[/\\]outside\.json$/),
        'a/../../b.json',
        `${'d/'.repeat(80)}long.json`,
        'a\uFFFD\uFFFDb.json',
      ]);
      expect(tree.list()).toEqual(before);
    } finally {
      tree.remove();
    }
  });

  it('are too large when they unpack to more than a report may be, one of them or all together', async () => {
    const padded = Buffer.concat([SARIF, Buffer.alloc(MEBIBYTE, ' ')]);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const large = (bytes: Buffer) => pack(names.map((name) => ({ name, bytes })));
    await expect(read(large(padded), 5 * MEBIBYTE)).rejects.toThrow(ReportTooLarge);
    await expect(read(large(padded), 8 * MEBIBYTE)).resolves.toBeDefined();
    // what is compressed once more shows its size only while it is read
    await expect(read(large(gzipSync(padded)), 5 * MEBIBYTE)).rejects.toThrow(ReportTooLarge);
    await expect(read(pack([{ name: 'a', bytes: gzipSync(padded) }]), MEBIBYTE)).rejects.toThrow(ReportTooLarge);
  });

  it('are at most as many as are read', async () => {
    const entries = Array.from({ length: ARCHIVE_LIMITS.maxEntries + 1 }, (_, n) => ({ name: `${n}.txt`, bytes: 'x' }));
    await expect(open(pack(entries))).rejects.toThrow(`${ARCHIVE_LIMITS.maxEntries}`);
    await expect(open(pack([{ name: 'a.json', bytes: SARIF }, ...entries.slice(2)]))).resolves.toBeDefined();
  });

  it('that are cut at any byte, or garbled, are refused or read as far as they go, and end', async () => {
    const archive = pack([
      { name: 'a.json', bytes: TRIVY },
      { name: 'b.sarif', bytes: SARIF },
    ]);
    const found = (items: readonly ImportItem[]) => items.filter(({ kind }) => kind === 'observation').length;
    const whole = found(await read(archive));
    for (let n = 1; n < 120; n++) {
      const cut = archive.subarray(0, Math.floor((archive.length * n) / 120));
      const garbled = Buffer.from(archive);
      for (let k = 0; k < 5; k++) garbled.writeUInt8((n * 37 + k * 91) % 256, (n * 7919 + k * 104_729) % archive.length);
      for (const bytes of [cut, garbled]) {
        const items = await read(bytes).catch((error: unknown) => {
          expect(error).toBeInstanceOf(NotOfFormat);
          return [];
        });
        expect(found(items)).toBeLessThanOrEqual(whole);
      }
    }
  });
});

describe('a zip archive', () => {
  it('is not followed where its directory lies of sizes and sums, or hides what a method or a password hides', async () => {
    const zeros = Buffer.alloc(64 * MEBIBYTE);
    const items = await read(
      zipOf([
        { name: 'good.json', bytes: TRIVY },
        { name: 'longer.json', bytes: SARIF, stated: { size: SARIF.length - 100 } },
        { name: 'shorter.json', bytes: SARIF, stated: { size: SARIF.length + 100 } },
        { name: 'sum.json', bytes: SARIF, stated: { crc: 1 } },
        { name: 'secret.json', bytes: SARIF, encrypted: true },
        { name: 'xz.json', bytes: SARIF, method: 95 },
        { name: 'bomb.json', bytes: zeros },
      ]),
    );
    expect(partsIn(items)).toContain('good.json trivy');
    expect(faults(items)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('broken longer.json: the compressed data is damaged'),
        expect.stringContaining('truncated shorter.json: '),
        expect.stringContaining('truncated sum.json: '),
        'broken secret.json: is encrypted: pack it without a password',
        'broken xz.json: is packed by a method that is not read (XZ): pack it by Deflate',
        'broken bomb.json: unpacks to more than 500 times its size',
      ]),
    );
  });

  it('is refused before anything is unpacked when its directory states more than a report may be', async () => {
    const entries = ['a', 'b'].map((name) => ({ name, bytes: SARIF, stated: { size: 15 * MEBIBYTE } }));
    await expect(open(zipOf(entries), 20 * MEBIBYTE)).rejects.toThrow(ReportTooLarge);
  });

  it('lets go of its file when it is left before its end', async () => {
    const tree = makeTree();
    const opened = () => readdirSync('/proc/self/fd').length;
    try {
      const path = join(tree.inner, 'a.zip');
      writeFileSync(
        path,
        zipOf([
          { name: 'a.json', bytes: TRIVY },
          { name: 'b.json', bytes: Buffer.alloc(8 * MEBIBYTE, ' ') },
        ]),
      );
      const before = opened();
      for (let n = 0; n < 20; n++) for await (const item of (await openReport(fileSource(path))).read({})) if (item.kind === 'part') break;
      await new Promise((done) => setTimeout(done, 50));
      expect(opened()).toBeLessThan(before + 5);
    } finally {
      tree.remove();
    }
  });

  it('compressed by gzip is refused with what to send', async () => {
    await expect(open(gzipSync(zipOf([{ name: 'a.json', bytes: SARIF }])))).rejects.toThrow('send the zip archive');
  });
});

describe('a tar archive', () => {
  it('has links and devices, which are not followed', async () => {
    const items = await read(
      tarOf([
        { name: 'a.json', bytes: SARIF },
        ...['1', '2', '3', '4', '6'].map((type) => ({ name: `link-${type}`, bytes: '', type })),
        { name: '././@LongLink', bytes: 'x'.repeat(300), type: 'K' },
      ]),
    );
    expect(faults(items)).toEqual(['1', '2', '3', '4', '6'].map((type) => `broken link-${type}: is a link or a device, not a file`));
  });

  describe('with entries that are too large to be kept', () => {
    const large = Buffer.concat([SARIF, Buffer.alloc(300_000, ' ')]);
    const names = (count: number) => Array.from({ length: count }, (_, n) => `${n}.json`);
    const archive = (count: number) => tarOf(names(count).map((name) => ({ name, bytes: large })));
    beforeAll(() => jest.replaceProperty(ARCHIVE_LIMITS as { keptBytes: number }, 'keptBytes', 100_000));
    afterAll(() => jest.restoreAllMocks());

    it.each([
      ['plain', (bytes: Buffer) => bytes],
      ['compressed', gzipSync],
    ])('gives the first and a later one, %s', async (_how, packed) => {
      const items = await read(packed(archive(2)));
      expect(partsIn(items)).toEqual(['0.json sarif', '1.json sarif']);
      expect(faults(items)).toEqual([]);
      expect(items).toHaveLength(2 * (1 + (await itemsAlone(SARIF)).length));
    });

    it('is read up to where it is cut', async () => {
      const items = await read(archive(1).subarray(0, 200_000));
      expect(items.filter(({ kind }) => kind === 'observation').length).toBeGreaterThan(0);
      expect(faults(items)).toEqual([expect.stringContaining('truncated 0.json'), expect.stringContaining('truncated the tar archive')]);
    });

    it('is decompressed up to them again and again only within bounds', async () => {
      const bytes = archive(12);
      const items = await read(gzipSync(bytes), bytes.length);
      expect(partsIn(items)).toHaveLength(10);
      expect(faults(items)).toContainEqual(expect.stringContaining('broken 10.json: is large and stands behind many large ones'));
    });
  });
});
