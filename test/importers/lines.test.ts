import { gzipSync } from 'node:zlib';
import { NotOfFormat } from '../../importers/types.js';
import { bufferSource } from '../../importers/readers/source.js';
import { readJsonLines, type JsonLineItem } from '../../importers/readers/lines/json-lines.js';
import { parseKeyValue } from '../../importers/readers/lines/key-value.js';
import { readTextLines } from '../../importers/readers/lines/text-lines.js';
import { all, inPieces } from './pieces.js';

const MIB = 1024 ** 2;
const SIZES = [0, 1, 7, 100];
const read = (text: string, size = 0): Promise<JsonLineItem[]> => all(readJsonLines(inPieces(text, size)));
const kinds = (items: { kind: string }[]) => items.map(({ kind }) => kind);
const values = (items: JsonLineItem[]) => items.flatMap((item) => (item.kind === 'value' ? [item.value] : []));

describe('reading JSON lines', () => {
  it('gives a value a line, with its place', async () => {
    const text = '\n{"id":1,"t":"é 漢 😀"}\r\n \n\x1e{"id":2}\n[3]\n"four"\n5';
    for (const size of SIZES) {
      const items = await read(text, size);
      expect(values(items)).toEqual([{ id: 1, t: 'é 漢 😀' }, { id: 2 }, [3], 'four', 5]);
      expect(items.map(({ position }) => position)).toEqual(['line 2', 'line 4', 'line 5', 'line 6', 'line 7']);
    }
  });

  it.each([
    ['other text', 'level=info msg="scanning"'],
    ['half a value', '{"id":'],
    ['two values', '{"id":2} {"id":3}'],
    ['a comma behind it', '{"id":2},'],
    ['a text of more than 1 MiB', `{"id":2,"t":"${'x'.repeat(MIB + 1)}"}`],
    ['a text that is so long only in UTF-8', `{"id":2,"t":"${'ü'.repeat(MIB / 2 + 1)}"}`],
    ['more than 4 MiB', `{"id":2,"t":[${'"xxxxxxxx",'.repeat(400_000)}1]}`],
    ['201 levels', `{"id":2,"t":${'['.repeat(200)}${']'.repeat(200)}}`],
    ['201 levels of objects', `${'{"t":'.repeat(201)}1${'}'.repeat(201)}`],
    ['a member name with a NUL', '{"\\u0000":1}'],
    ['a line without an end for 9 MiB', 'x'.repeat(9 * MIB)],
  ])('a line with %s is broken, and the others go on', async (_case, bad) => {
    for (const size of [0, 10_007]) {
      const items = await read(`{"id":1}\n${bad}\n{"id":3}\n`, size);
      expect(kinds(items)).toEqual(['value', 'broken', 'value']);
      expect(items[1]?.position).toBe('line 2');
    }
  });

  it.each([
    ['a text of 1 MiB', `{"id":2,"t":"${'x'.repeat(MIB)}"}`],
    ['200 levels', `{"id":2,"t":${'['.repeat(199)}${']'.repeat(199)}}`],
    ['brackets in texts', `{"id":2,"t":"${'[{'.repeat(1_000)}"}`],
    ['a name that only looks like a NUL', '{"\\\\u0000":1}'],
  ])('a line with %s is within the limits', async (_case, good) => {
    expect(kinds(await read(`${good}\n`))).toEqual(['value']);
  });

  it.each(['', '\n\n', 'text', '<xml/>', '5\n', '"a"\n', 'a,b\n1,2\n'])('%j is not of the format', async (text) => {
    for (const size of SIZES) await expect(read(text, size)).rejects.toThrow(NotOfFormat);
  });

  it('cut anywhere, gives what is whole, and says that it is cut', async () => {
    const text = '{"id":1}\n{"id":2}\n{"id":3}\n';
    for (let at = 1; at < text.length; at++) {
      const items = await read(text.slice(0, at));
      const whole = Math.floor((at + 1) / 9);
      expect(kinds(items)).toEqual([...Array.from({ length: whole }, () => 'value'), ...((at + 1) % 9 < 2 ? [] : ['truncated'])]);
    }
  });

  it('damaged in its compression, gives what stands before', async () => {
    const packed = gzipSync(Array.from({ length: 20_000 }, (_, id) => JSON.stringify({ id, t: Math.sin(id) })).join('\n'));
    const items = await all(readJsonLines(bufferSource(packed.subarray(0, packed.length / 2))));
    expect(values(items).length).toBeGreaterThan(1_000);
    expect(items.filter(({ kind }) => kind !== 'value')).toMatchObject([{ kind: 'truncated' }]);
    await expect(all(readJsonLines(bufferSource(packed.subarray(0, 12))))).rejects.toThrow('compressed');
  });
});

describe('reading lines of text', () => {
  it('gives each with its number, blank ones too', async () => {
    for (const size of SIZES) {
      const items = await all(readTextLines(inPieces('one\r\n\n  é 漢\nlast', size)));
      expect(items.map((item) => item.kind === 'value' && [item.value.number, item.value.text, item.offset])).toEqual([
        [1, 'one', 0],
        [2, '', 5],
        [3, '  é 漢', 6],
        [4, 'last', 15],
      ]);
    }
    expect(await all(readTextLines(inPieces('', 0)))).toEqual([]);
  });

  it('breaks one that is too long, and goes on', async () => {
    expect(kinds(await all(readTextLines(inPieces(`a\n${'x'.repeat(MIB + 1)}\nb\n${'y'.repeat(MIB)}`, 0))))).toEqual([
      'value',
      'broken',
      'value',
      'value',
    ]);
  });

  it('reads settings', () => {
    expect(parseKeyValue('os_name=Debian = 13 ')).toEqual({ key: 'os_name', value: 'Debian = 13', isList: false });
    expect(parseKeyValue('warning[]=AUTH-1|text|-|')).toEqual({ key: 'warning', value: 'AUTH-1|text|-|', isList: true });
    expect([parseKeyValue('# Lynis Report'), parseKeyValue(''), parseKeyValue('a b=c'), parseKeyValue('=x')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
