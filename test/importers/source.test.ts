import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ReportTooLarge, bufferSource, fileSource, readHead } from '../../importers/readers/source.js';
import type { ReportSource } from '../../importers/types.js';
import { readAll } from './read-all.js';

async function textOf(source: ReportSource): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of source.open() as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const text = `{"name":"é 漢 😀","list":[${'1,'.repeat(400_000)}2]}`;
const utf16be = (value: string) => Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(value, 'utf16le').swap16()]);
const utf16le = (value: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(value, 'utf16le')]);

describe('the bytes of a report', () => {
  const folder = mkdtempSync(join(tmpdir(), 'palisade-source-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['plain', Buffer.from(text)],
    ['with a byte order mark', Buffer.from(`\uFEFF${text}`)],
    ['gzip', gzipSync(text)],
    ['gzip in two members', Buffer.concat([gzipSync(text.slice(0, 1000)), gzipSync(text.slice(1000))])],
    ['UTF-16 little endian', utf16le(text)],
    ['UTF-16 big endian', utf16be(text)],
    ['gzip of UTF-16', gzipSync(utf16le(text))],
  ])('are decoded when they are %s, from memory and from a file, more than once', async (_what, bytes) => {
    const path = join(folder, 'report.json');
    writeFileSync(path, bytes);
    for (const source of [bufferSource(bytes), fileSource(path)]) {
      expect(await textOf(source)).toBe(text);
      expect(await textOf(source)).toBe(text);
    }
    expect(fileSource(path).filename).toBe('report.json');
  });

  it('are refused past the limit, counted after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
    expect(bomb.length).toBeLessThan(100_000);
    await expect(textOf(bufferSource(bomb, { maxBytes: 1_000_000 }))).rejects.toThrow(ReportTooLarge);
    const late = gzipSync(`[${' '.repeat(50_000_000)}]`);
    await expect(readAll('ocsf', bufferSource(late, { maxBytes: 1_000_000 }))).rejects.toThrow(ReportTooLarge);
    await expect(textOf(bufferSource(Buffer.from(text), { maxBytes: 1000 }))).rejects.toThrow('larger than 1000 bytes');
  });

  it('give what a cut or damaged compression still holds', async () => {
    const results = Array.from({ length: 20_000 }, (_, i) => ({ ruleId: `r${i}`, message: { text: `m${Math.sin(i)}` } }));
    const packed = gzipSync(JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 't' } }, results }] }));
    const cut = await readAll('sarif', packed.subarray(0, packed.length / 2));
    expect(cut.records).toBeGreaterThan(500);
    expect(cut.truncated).toHaveLength(1);
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, packed.length >> 1, (packed.length >> 1) + 64);
    const rest = await readAll('sarif', damaged);
    expect(rest.records).toBeGreaterThan(0);
    expect(rest.truncated).toHaveLength(1);
  });

  it('show their head as text without half characters', async () => {
    const head = await readHead(bufferSource(Buffer.from('漢'.repeat(100))), 100);
    expect(head).toBe('漢'.repeat(33));
    expect(await readHead(bufferSource(utf16be('{"a":1}')))).toBe('{"a":1}');
  });

  it('fail at once when the file is missing', () => {
    expect(() => fileSource(join(folder, 'absent.json'))).toThrow('ENOENT');
  });
});
