import { gzipSync } from 'node:zlib';
import {
  bufferSource,
  DETECT_BYTES,
  fileSource,
  importers,
  NotOfFormat,
  readHead,
  type ImportItem,
  type ReportFormat,
} from '../../importers/index.js';
import { observationSchema, ruleSchema } from '../../schema/observations.js';
import { findSecretPaths } from '../../redaction/secret-keys.js';
import { expectedOf, fixture, fixtureFormats, otherCounts, sampleFolders } from './fixtures.js';
import { listSamples, SAMPLES } from './read-all.js';
import { needing } from '../support/shared.js';

/** Places at which a report is cut or changed; bench/mutations changes each format at thousands. */
const PLACES = 16;
const MIB = 1024 ** 2;

type Counts = Partial<Record<ImportItem['kind'], number>>;

async function read(format: ReportFormat, bytes: Uint8Array): Promise<ImportItem[]> {
  const items: ImportItem[] = [];
  for await (const item of format.read(bufferSource(bytes), { account_id: 'a', artifact: 'b', provider: 'aws' })) items.push(item);
  return items;
}

/** As `read`; null for a report that is refused as not of the format. Anything else that is thrown fails the test. */
const tryRead = (format: ReportFormat, bytes: Uint8Array): Promise<ImportItem[] | null> =>
  read(format, bytes).catch((error: unknown) => {
    if (error instanceof NotOfFormat) return null;
    throw error;
  });

function count(items: readonly ImportItem[]): Counts {
  const counts: Counts = {};
  for (const { kind } of items) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Offsets spread over `length` bytes, the first and the last ones included. */
const places = (length: number): number[] => [
  ...new Set(Array.from({ length: PLACES }, (_, n) => Math.round((n * (length - 1)) / (PLACES - 1)))),
];

const claims = (text: string): string[] => importers.filter((format) => format.detect(text)).map(({ name }) => name);

const cases = importers.flatMap((format) =>
  Object.entries(expectedOf(format.name).reports).map(([report, counts]) => ({ name: format.name, report, format, counts })),
);

it('every format of the registry has fixtures, and no fixture is without its format', () => {
  expect([...fixtureFormats].sort()).toEqual(importers.map(({ name }) => name).sort());
});

describe.each(cases)('$name: $report', ({ format, report, counts }) => {
  const bytes = fixture(format.name, report);
  const text = bytes.toString('utf8');

  it('is claimed by its own format and by no other, marked, spaced, or cut', () => {
    for (const head of [text, `\uFEFF \n${text}`]) expect(claims(head)).toEqual([format.name]);
    for (const at of places(text.length)) expect([[], [format.name]]).toContainEqual(claims(text.slice(0, at)));
  });

  it('gives what stands beside it, the same each time, as declared and without secrets', async () => {
    const items = await read(format, bytes);
    expect(count(items)).toEqual(counts);
    expect(await read(format, bytes)).toEqual(items);
    expect(findSecretPaths(items)).toEqual([]);
    for (const item of items) {
      if (item.kind === 'observation') observationSchema.parse(item.observation);
      if (item.kind === 'rule') ruleSchema.parse(item.rule);
    }
  });

  it('cut anywhere, gives no more records than it has, and says that it was cut', async () => {
    for (const at of places(bytes.length)) {
      const part = await tryRead(format, bytes.subarray(0, at));
      if (part === null) continue;
      const { record = 0, truncated = 0 } = count(part);
      expect(record).toBeLessThanOrEqual(counts.record ?? 0);
      expect(truncated).toBeLessThanOrEqual(1);
      if (record < (counts.record ?? 0) && /^[[{]/.test(text) && !report.endsWith('.jsonl')) expect(truncated).toBe(1);
    }
  });

  it('with one byte that is wrong, is read or refused, and counts what is broken', async () => {
    for (const at of places(bytes.length)) {
      const garbled = Buffer.from(bytes);
      garbled[at] = 0x78;
      const items = await tryRead(format, garbled);
      // what is broken may be read with another byte
      if (items !== null) expect(count(items).record ?? 0).toBeLessThanOrEqual((counts.record ?? 0) + (counts.broken ?? 0));
    }
  });

  it('compressed and damaged, is refused or says that it is damaged', async () => {
    const packed = gzipSync(Buffer.concat([bytes, Buffer.from(' '.repeat(1_000))]));
    expect(count(await read(format, packed))).toEqual(counts);
    for (const at of places(packed.length).filter((place) => place > 10 && place < packed.length - 4)) {
      const garbled = Buffer.from(packed);
      garbled.fill(garbled[at]! ^ 0xff, at, at + 4);
      const items = await tryRead(format, garbled);
      if (items !== null && count(items).truncated === undefined) expect(count(items).record).toBe(counts.record);
      const cut = await tryRead(format, packed.subarray(0, at));
      if (cut !== null) expect(count(cut).truncated).toBe(1);
    }
  });
});

const spoilable = importers.flatMap((format) => {
  const { record, reports } = expectedOf(format.name);
  return record === null ? [] : [{ name: format.name, format, record, reports }];
});

describe.each(spoilable)('$name: a record that', ({ format, record, reports }) => {
  const whole = reports[record.report]!.record!;

  function spoilt(change: (target: Record<string, unknown>) => void): Buffer {
    const report: unknown = JSON.parse(fixture(format.name, record.report).toString('utf8'));
    let target = report;
    for (const step of record.path) target = (target as Record<string | number, unknown>)[step];
    change(target as Record<string, unknown>);
    return Buffer.from(JSON.stringify(report));
  }
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { x: nested(levels - 1) });

  it.each<[string, (target: Record<string, unknown>) => void]>([
    ['holds a text of more than 1 MiB', (target) => (target['tags'] = { note: 'x'.repeat(MIB + 1) })],
    ['holds a text that is so long only once it is decoded', (target) => (target['note'] = 'ü'.repeat(MIB / 2 + 1))],
    ['is larger than 4 MiB', (target) => (target['notes'] = Array.from({ length: 60 }, () => 'x'.repeat(80_000)))],
    ['is nested deeper than 200 levels', (target) => (target['notes'] = nested(220))],
    ['has a member name with a NUL', (target) => (target['tags'] = { 'x\u0000y': '1' })],
  ])('%s is broken, and the others are read', async (_case, change) => {
    const counts = count(await read(format, spoilt(change)));
    expect({ record: counts.record ?? 0, broken: counts.broken, truncated: counts.truncated }).toEqual({ record: whole - 1, broken: 1 });
  });

  it('keeps to the limits is read, however it is written', async () => {
    const counts = count(
      await read(
        format,
        spoilt((target) => (target['notes'] = { text: '\n'.repeat(MIB - 1), deep: nested(150), 'no\\u0000nul': '\u0000' })),
      ),
    );
    expect(counts).toMatchObject({ record: whole });
    expect(counts.broken).toBeUndefined();
  });
});

needing(SAMPLES).describe('the samples of the wild', () => {
  if (SAMPLES === undefined) process.stdout.write('The samples are absent: their tests are skipped.\n');
  const folders = sampleFolders();
  const samples = listSamples().filter(({ file }) => !file.endsWith('.labels.tsv'));

  it('are each claimed by their own format alone', async () => {
    for (const { file, path } of samples) {
      const own = folders[file.split('/')[0]!];
      expect([file, claims((await readHead(fileSource(path))).slice(0, DETECT_BYTES))]).toEqual([file, own === undefined ? [] : [own]]);
    }
  });

  it.each(samples.filter(({ format }) => format in folders).map((sample) => [sample.file, sample] as const))(
    '%s has as many records as the manifest says',
    async (file, { path, format, records }) => {
      const own = importers.find(({ name }) => name === folders[format])!;
      const counts: Counts = {};
      for await (const { kind } of own.read(fileSource(path), {})) counts[kind] = (counts[kind] ?? 0) + 1;
      expect(counts.record ?? 0).toBe(otherCounts()[file]?.records ?? records);
      expect([counts.broken, counts.truncated]).toEqual([undefined, undefined]);
    },
    600_000,
  );
});
