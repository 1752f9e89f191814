import { Readable } from 'node:stream';
import { readJson, type JsonLimits } from '../../importers/readers/json/records.js';
import type { JsonItem } from '../../importers/readers/json/item.js';
import { bufferSource } from '../../importers/readers/source.js';

async function read(text: string | Buffer, paths: string[], chunk = 0, limits: JsonLimits = {}): Promise<JsonItem[]> {
  const bytes = Buffer.from(text);
  const size = chunk === 0 ? bytes.length : chunk;
  function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const items: JsonItem[] = [];
  for await (const item of readJson({ open: () => Readable.from(pieces()) }, paths, limits)) items.push(item);
  return items;
}

const values = (items: JsonItem[]) => items.flatMap((item) => (item.kind === 'value' ? [item.value] : []));
const kinds = (items: JsonItem[]) => items.map((item) => item.kind).filter((kind) => kind !== 'array');
const records = Array.from({ length: 40 }, (_, id) => ({ id, name: `n${id} "q" \\ é 漢 😀 ]}[{`, nested: { list: [1, [id]], '': null } }));

describe('reading records out of JSON', () => {
  it('gives the same values for every chunk size, layout and path', async () => {
    for (const text of [JSON.stringify(records), JSON.stringify(records, null, 2), ` \n${JSON.stringify(records)}\n `]) {
      for (const chunk of [1, 2, 3, 7, 64, 1000, 0]) expect(values(await read(text, ['$[*]'], chunk))).toEqual(records);
    }
    const report = {
      before: [{ deep: records }],
      Results: [{ Target: 'a', V: records.slice(0, 2) }, { V: [] }, { V: records.slice(2), Type: 'b' }],
      after: 1,
    };
    for (const chunk of [1, 5, 0]) {
      const items = await read(JSON.stringify(report), ['Results[*].V[*]', 'Results[*].Target', 'after'], chunk);
      expect(values(items)).toEqual(['a', ...records, 1]);
      expect(items.filter((item) => item.kind === 'value').at(3)).toMatchObject({
        path: 'Results[*].V[*]',
        position: 'Results[2].V[0]',
        indices: [2, 0],
      });
    }
  });

  it('gives members of any name, with the name', async () => {
    const report = { results: { 'src/a.py': [{ n: 1 }], 'b[0]': [{ n: 2 }, { n: 3 }], none: [] }, version: '1' };
    for (const chunk of [1, 5, 0]) {
      const items = await read(JSON.stringify(report), ['results.*[*]', 'version'], chunk);
      expect(items.flatMap((item) => (item.kind === 'value' ? [[item.names, item.indices, item.position, item.value]] : []))).toEqual([
        [['src/a.py'], [0], 'results.src/a.py[0]', { n: 1 }],
        [['b[0]'], [0], 'results.b[0][0]', { n: 2 }],
        [['b[0]'], [1], 'results.b[0][1]', { n: 3 }],
        [[], [], 'version', '1'],
      ]);
    }
    const members = await read('{"a":{"x":{"y":1,"z":2}},"b":3}', ['a.*.y', 'a.*.z', '*']);
    expect(members.map((item) => item.kind === 'value' && [item.path, item.names])).toEqual([
      ['a.*.y', ['x']],
      ['a.*.z', ['x']],
      ['*', ['b']],
    ]);
  });

  it('says where a value begins', async () => {
    const [, , second] = await read('[{"a":1}, {"a":2}]', ['$[*]']);
    expect(second).toMatchObject({ position: '[1]', offset: 10 });
  });

  it('reads JSON lines, texts one after another and a single object', async () => {
    const lines = records.map((record) => JSON.stringify(record)).join('\n');
    expect(values(await read(lines, ['$', '$[*]'], 11))).toEqual(records);
    expect(values(await read(records.map((record) => JSON.stringify(record, null, 1)).join(''), ['$'], 13))).toEqual(records);
    expect(values(await read('\x1e{"a":1}\n\x1e{"a":2}\n', ['$']))).toEqual([{ a: 1 }, { a: 2 }]);
    const [first, third] = (await read('{"a":1}\n\n{"a":\n2}', ['$'])).map((item) => ('position' in item ? item.position : ''));
    expect([first, third]).toEqual(['line 1', 'line 3']);
  });

  it.each([
    ['a bare word', '{"id":1,"name":x,"nested":{}}'],
    ['a missing quote', '{"id":1,"name:"x","nested":{}}'],
    ['an unclosed text', '{"id":1,"name":"x,"nested":{}}'],
    ['a missing bracket', '{"id":1,"name":"x","nested":{}'],
    ['a lost inner bracket', '{"id":1,"name":"x","nested":[1,2}'],
    ['a lost opening bracket', '"id":1,"name":"x","nested":{}}'],
    ['a lost nested opening bracket', '{"id":1,"nested":"a":{"b":1}},"name":"x"}'],
    ['a doubled comma', '{"id":1,,"name":"x","nested":{}}'],
    ['another kind of bracket', '{"id":1,"name":"x","nested":{}]'],
  ])('loses only the record that has %s', async (_what, damaged) => {
    const whole = (id: number) => ({ id, name: 'whole', nested: {} });
    for (const joint of [',', ',\n  ']) {
      const text = `{"R":[${[JSON.stringify(whole(0)), damaged, JSON.stringify(whole(2)), JSON.stringify(whole(3))].join(joint)}]}`;
      for (const chunk of [1, 0]) {
        const items = await read(text, ['R[*]'], chunk);
        expect(kinds(items)).toEqual(['value', 'broken', 'value', 'value']);
        expect(values(items)).toEqual([whole(0), whole(2), whole(3)]);
        expect(items.filter((item) => item.kind !== 'array').map((item) => item.position)).toEqual(['R[0]', 'R[1]', 'R[2]', 'R[3]']);
      }
    }
  });

  it('goes on behind a bracket too many', async () => {
    for (const chunk of [1, 0]) {
      const items = await read('{"R":[{"id":0,"a":1},{"id":1,"a":1}},{"id":2,"a":1}]}', ['R[*]'], chunk);
      expect(kinds(items)).toEqual(['value', 'value', 'broken', 'value']);
      expect(items.at(-1)).toMatchObject({ position: 'R[2]', value: { id: 2 } });
    }
  });

  it('loses only the damaged one of ten thousand', async () => {
    const many = Array.from({ length: 10_000 }, (_, id) => JSON.stringify({ id, name: 'x' }));
    many[7000] = '{"id":7000,"name":"x""}';
    const items = await read(`[${many.join(',')}]`, ['$[*]'], 4096);
    expect(items.filter((item) => item.kind === 'value')).toHaveLength(9_999);
    expect(items.filter((item) => item.kind === 'broken')).toMatchObject([{ position: '[7000]', reason: 'the record is not valid JSON' }]);
  });

  it('goes on behind a damaged line', async () => {
    const items = await read('{"a":1,"b":2}\n{"a":1,"b":"x\nINFO done, really\n{"a":3,"b":4}\n', ['$']);
    expect(kinds(items)).toEqual(['value', 'broken', 'value']);
    expect(items.map((item) => item.position)).toEqual(['line 1', 'line 2', 'line 4']);
  });

  it('ends a cut report with what was whole and one truncated item', async () => {
    const text = JSON.stringify({ R: records });
    for (let cut = 8; cut < text.length; cut += 37) {
      const items = await read(text.slice(0, cut), ['R[*]'], 19);
      expect(items.at(-1)?.kind).toBe('truncated');
      expect(kinds(items).slice(0, -1)).toEqual(values(items).map(() => 'value'));
      expect(values(items)).toEqual(records.slice(0, values(items).length));
    }
  });

  it('refuses values that are too deep or too large, and reads the rest', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const text = `[{"a":1},{"a":${deep}},{"a":"${'x'.repeat(5000)}"},{"a":2}]`;
    const items = await read(text, ['$[*]'], 777, { maxRecordBytes: 4000 });
    expect(kinds(items)).toEqual(['value', 'broken', 'broken', 'value']);
    const [, , deepItem] = await read(`[1,${'['.repeat(300)}${']'.repeat(300)}]`, ['$[*]']);
    expect(deepItem).toMatchObject({ kind: 'broken', reason: 'the record is nested deeper than 200 levels' });
  });

  it('names what has the wrong type where records are expected', async () => {
    expect(await read('{"R":{"a":[1]},"S":null}', ['R[*]', 'S[*]'])).toMatchObject([
      { kind: 'broken', position: 'R', reason: 'expected an array' },
    ]);
  });

  it('keeps keys of the prototype harmless', async () => {
    const [value] = values(await read('[{"__proto__":{"polluted":true},"constructor":1}]', ['$[*]'])) as [object];
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['only space', ' \n '],
    ['other text', 'hello'],
    ['a number', '12'],
  ])('refuses %s', async (_what, text) => {
    await expect(read(text, ['$[*]'])).rejects.toThrow('expected a JSON report');
  });

  it('takes nothing from an empty list', async () => {
    for await (const item of readJson(bufferSource(Buffer.from('[]')), ['$[*]'])) expect(item.kind).toBe('array');
  });
});
