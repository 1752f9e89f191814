import { gzipSync } from 'node:zlib';
import { NotOfFormat } from '../../importers/types.js';
import { bufferSource } from '../../importers/readers/source.js';
import { columnName, findCsvHeader } from '../../importers/readers/csv/header.js';
import { readCsv, type CsvRules } from '../../importers/readers/csv/records.js';
import type { CsvItem } from '../../importers/readers/csv/row.js';
import { numberAt, requireText, textAt } from '../../importers/readers/json/fields.js';
import { all, inPieces } from './pieces.js';

const MIB = 1024 ** 2;
const RULES: CsvRules = { columns: ['ID', 'Name'] };

const read = (text: string | Buffer, rules = RULES, size = 0): Promise<CsvItem[]> => all(readCsv(inPieces(text, size), rules));
const kinds = (items: CsvItem[]) => items.map(({ kind }) => kind);
const values = (items: CsvItem[]) => items.flatMap((item) => (item.kind === 'value' ? [item.value] : []));
const ids = (items: CsvItem[]) => values(items).map(({ id }) => id);
const positions = (items: CsvItem[]) => items.map(({ position }) => position);
const reasons = (items: CsvItem[]) => items.flatMap((item) => (item.kind === 'value' ? [] : [item.reason.replace(/^the record /, '')]));
const table = (...rows: string[]) => `ID,Name,Note\n${rows.join('\n')}\n`;
const SIZES = [0, 1, 7];

describe('reading rows out of CSV', () => {
  const text =
    '\r\nID , "Name",NOTE\r\n1,"a ""quoted"", é 漢 😀",x\r\n\r\n2,"two\r\nlines\n\nof text",\r\n3, plain , y z \r\n,,\r\n4,"","last"';
  const rows = [
    { id: '1', name: 'a "quoted", é 漢 😀', note: 'x' },
    { id: '2', name: 'two\r\nlines\n\nof text', note: '' },
    { id: '3', name: 'plain', note: 'y z' },
    { id: '4', name: '', note: 'last' },
  ];

  it('gives the same rows for every size of the pieces, with their lines', async () => {
    for (const size of [1, 2, 3, 7, 64, 0]) {
      const items = await read(text, RULES, size);
      expect(values(items)).toEqual(rows);
      expect(positions(items)).toEqual(['line 3', 'line 5', 'line 9', 'line 11']);
    }
    const offsets = (await read(text)).flatMap((item) =>
      item.kind === 'value' ? [Buffer.from(text).indexOf(`${item.value['id']},`) - item.offset!] : [],
    );
    expect(offsets).toEqual([0, 0, 0, 0]);
  });

  it.each([
    ['semicolons', 'ID;Name\n1;a,b\n'],
    ['tabs', 'ID\tName\n1\ta,b\n'],
    ['bars', 'ID|Name\n1|a,b\n'],
    ['commas', 'ID,Name\n1,"a,b"\n'],
    ['old line ends', 'ID,Name\r1,"a,b"\r'],
    ['a line that names the separator', 'sep=;\nID;Name\n1;a,b\n'],
    ['a mark in the file', '\uFEFF"ID","Name"\n1,"a,b"\n'],
    ['other columns around', 'x,Name,y,ID\n9,"a,b",8,1\n'],
    ['blank lines before', '\n\n  \nID,Name\n1,"a,b"\n'],
  ])('takes %s', async (_case, given) => {
    expect(values(await read(given)).map(({ id, name }) => ({ id, name }))).toEqual([{ id: '1', name: 'a,b' }]);
  });

  it('takes names of columns as they are meant', async () => {
    expect(columnName(' \uFEFF CVE   ID\n')).toBe('cve id');
    const [row] = values(await read('  iD ,NAME,Name,__proto__,"Long\nname"\n1,a,b,p,l\n'));
    expect(Object.entries(row!)).toEqual([
      ['id', '1'],
      ['name', 'a'],
      ['name 2', 'b'],
      ['long name', 'l'],
    ]);
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
    expect([textAt(row, 'name'), numberAt(row, 'id'), textAt(row, 'toString')]).toEqual(['a', 1, undefined]);
    expect(() => requireText(row, 'cve id')).toThrow('cve id is missing');
  });

  it('looks for the header behind a preamble where the format has one', async () => {
    const given = '#model: x, date: y\nReport of "today\n\nID,Name\n1,a\n';
    await expect(read(given)).rejects.toThrow(NotOfFormat);
    const items = await read(given, { ...RULES, preamble: 3 });
    expect(ids(items)).toEqual(['1']);
    expect(positions(items)).toEqual(['line 5']);
  });

  it.each([
    ['nothing', '', 'found nothing'],
    ['blank lines', '\n \n', 'found nothing'],
    ['another header', 'Host;Port\n1;2\n', 'found host, port'],
    ['JSON', '{"ID": 1}', 'found {"id": 1}'],
    ['a header of 2,001 columns', `ID,Name${',x'.repeat(1_999)}\n`, 'found'],
  ])('%s is not of the format', async (_case, given, message) => {
    for (const size of SIZES) await expect(read(given, RULES, size)).rejects.toThrow(NotOfFormat);
    await expect(read(given)).rejects.toThrow(message);
    await expect(read(given)).rejects.toThrow('expected a CSV report with the columns ID, Name');
  });
});

describe('a row that is broken', () => {
  const unclosed = 'has a quote that is not closed';
  const behind = 'has text behind a closing quote';
  const stray = 'has a quote inside of a field that is not quoted';
  it.each([
    ['too few fields', '2,b', 'has 2 fields, and the header has 3'],
    ['too many fields', '2,b,c,d', 'has 4 fields, and the header has 3'],
    ['a quote in a field', '2,5" disk,c', stray],
    ['text behind a quote', '2,"b" c,d', behind],
    ['a quote that is not closed', '2,"b,c', behind],
    ['a quote that is not opened', '2,b",c', stray],
    ['a quote that is not closed, and quotes behind', '2,"b,"c"', behind],
  ])('by %s is named, and the others are read', async (_case, bad, reason) => {
    for (const size of SIZES) {
      const items = await read(table('1,"a",x', bad, '3,"c",z', '4,"d, e",z'), RULES, size);
      expect(kinds(items)).toEqual(['value', 'broken', 'value', 'value']);
      expect(ids(items)).toEqual(['1', '3', '4']);
      expect(positions(items)).toEqual(['line 2', 'line 3', 'line 4', 'line 5']);
      expect(reasons(items)).toEqual([reason]);
    }
  });

  it('does not take the rows behind it with it when no other has quotes', async () => {
    for (const size of SIZES) {
      const items = await read(table('1,a,x', '2,"b,y', '3,c,z', '4,d,z'), RULES, size);
      expect([ids(items), reasons(items), positions(items)]).toEqual([
        ['1', '3', '4'],
        [unclosed],
        ['line 2', 'line 3', 'line 4', 'line 5'],
      ]);
    }
  });

  it('is one, whatever lines are left of it', async () => {
    for (const size of SIZES) {
      const items = await read(table('1,a,x', '2,"text\nof "many"\nlines, with commas, and more, here",y', '3,c,z'), RULES, size);
      expect([ids(items), kinds(items)]).toEqual([
        ['1', '3'],
        ['value', 'broken', 'value'],
      ]);
    }
  });

  it('may be any, or all', async () => {
    const items = await read(table('1,a', '2,"b"c,d', 'the rest of it'));
    expect(kinds(items)).toEqual(['broken', 'broken']);
    expect(kinds(await read(table(...Array.from({ length: 1_000 }, (_, n) => `${n},"x`))))).toContain('broken');
  });

  it('may lack cells at its end where the format allows it', async () => {
    const items = await read(table('1,a', '2', '3,c,z,,', '4,d,z,x'), { ...RULES, isRagged: true });
    expect(values(items)).toEqual([
      { id: '1', name: 'a', note: '' },
      { id: '2', name: '', note: '' },
      { id: '3', name: 'c', note: 'z' },
    ]);
    expect(kinds(items)).toEqual(['value', 'value', 'value', 'broken']);
  });

  it.each([
    ['a field of more than 1 MiB', `2,${'x'.repeat(MIB + 1)},y`],
    ['a quoted field of more than 1 MiB', `2,"${'x\n'.repeat(MIB / 2 + 1)}",y`],
    ['a field that is so long only in UTF-8', `2,${'ü'.repeat(MIB / 2 + 1)},y`],
    ['a row of more than 4 MiB', `2,${'x'.repeat(5 * MIB)},y`],
    ['a quoted field of 5 MiB', `2,"${`${'x'.repeat(99)}\n`.repeat(MIB / 20)}",y`],
    ['a row of more fields than there may be columns', `2${',x'.repeat(3_000)}`],
  ])('by its size (%s) leaves the others', async (_case, bad) => {
    for (const size of [0, 100_003]) {
      const items = await read(table('1,a,x', bad, '3,c,z'), RULES, size);
      expect([ids(items), kinds(items)]).toEqual([
        ['1', '3'],
        ['value', 'broken', 'value'],
      ]);
    }
  });

  it('keeps to the limits with a field of 1 MiB', async () => {
    expect(ids(await read(table(`1,${'x'.repeat(MIB)},y`, `2,"${'""'.repeat(MIB - 1)}",y`)))).toEqual(['1', '2']);
  });
});

describe('a CSV report that is cut or garbled', () => {
  const whole = table('1,"a, b",x', '2,"two\nlines",y', '3,c,z');

  it('cut anywhere, gives what is whole before the cut, and says so where it shows', async () => {
    for (let at = 0; at < whole.length; at++) {
      const cut = whole.slice(0, at);
      const items = await read(cut).catch((error: unknown) => {
        if (error instanceof NotOfFormat) return null;
        throw error;
      });
      // a header that is cut behind the names that it must have cannot be told from a whole one
      if (items === null || !cut.includes('\n')) continue;
      const complete = ['1', '2', '3'].filter((id) => whole.indexOf('\n', whole.indexOf(`\n${id},`) + (id === '2' ? 10 : 1)) < at);
      expect(ids(items).slice(0, complete.length)).toEqual(complete);
      expect(kinds(items)).not.toContain('broken');
      const rest = cut.slice(complete.length === 0 ? 13 : whole.indexOf(['2,', '3,', ''][complete.length - 1]!));
      const isInside = complete.length < 3 && rest !== '' && !/^\d,("[^"]*"|[^",]*),[^,]*$/.test(rest);
      expect([at, items.at(-1)?.kind === 'truncated']).toEqual([at, isInside]);
    }
  });

  it('with any byte changed, is read, broken, cut or refused, and never more than it is', async () => {
    for (const byte of ['x', '"', ',', '\n', '\u0000', '\r'])
      for (let at = 0; at < whole.length; at++) {
        const items = await read(whole.slice(0, at) + byte + whole.slice(at + 1)).catch((error: unknown) => {
          if (error instanceof NotOfFormat) return [];
          throw error;
        });
        expect(values(items).length).toBeLessThanOrEqual(4);
      }
  });

  it('damaged in its compression, gives what stands before', async () => {
    const packed = gzipSync(table(...Array.from({ length: 20_000 }, (_, n) => `${n},"n${Math.sin(n)}",x`)));
    const items = await all(readCsv(bufferSource(packed.subarray(0, packed.length / 2)), RULES));
    expect(values(items).length).toBeGreaterThan(1_000);
    expect(items.filter(({ kind }) => kind !== 'value')).toMatchObject([{ kind: 'truncated' }]);
    expect(reasons(items)[0]).toContain('compressed');
    await expect(all(readCsv(bufferSource(packed.subarray(0, 12)), RULES))).rejects.toThrow('compressed');
  });

  it('made to be read again and again, is given up within its budget', async () => {
    // each line opens a quote that nothing closes for megabytes
    const hostile = table(...Array.from({ length: 40_000 }, () => '"""x, ""y"",""'));
    const items = await read(hostile);
    expect(items.length).toBeLessThan(40_001);
  });
});

describe('the header of a CSV head', () => {
  it('is found by its columns, cut anywhere', () => {
    const text = 'ID,"Name",Note\n1,a,x\n';
    for (let at = 0; at <= text.length; at++) {
      const found = findCsvHeader(text.slice(0, at), RULES);
      expect([at, found !== undefined]).toEqual([at, at >= '"ID,"Name'.length]);
    }
    expect(findCsvHeader(text, RULES)).toMatchObject({ columns: ['id', 'name', 'note'], delimiter: ',', nextLine: 2, end: 15 });
  });

  it.each(['', '{"ID": "Name"}', '<ID,Name>', 'ID', 'ID Name', 'text of ID, and more'])('is not found in %j', (head) => {
    expect(findCsvHeader(head, RULES)).toBeUndefined();
  });
});
