import type { EngineContext } from '../../kit/engine/context.js';
import { random } from '../contract/list-model.js';
import { findInAnyOrder } from '../../subgraphs/findings/search/any-order.js';
import { catalogWords } from '../../subgraphs/findings/search/catalogued.js';
import { correctedText } from '../../subgraphs/findings/search/correct.js';
import type { SearchHit } from '../../subgraphs/findings/search/hit.js';
import type { SearchSource } from '../../subgraphs/findings/search/sources.js';

const context = {} as EngineContext;

/** A list of titles that finds what holds a text as it stands, as the lists of engines do, and says what it was asked for. */
function listOf(titles: readonly string[]) {
  const asked: { q: string; rows: number }[] = [];
  const hits = titles.map((title, n): SearchHit => ({ kind: 'rule', id: `r${n}`, title, detail: null, engine: 'check', severity: null }));
  const source: SearchSource = {
    requires: 'check:read',
    engine: 'rules',
    async find(_context, q, page, size) {
      const found = hits.filter(({ title }) => title.toLowerCase().includes(q.toLowerCase()));
      const items = found.slice((page - 1) * size, page * size);
      asked.push({ q, rows: items.length });
      return { items, total: found.length };
    },
  };
  return { source, asked };
}
const titlesOf = async (source: SearchSource, text: string, page = 1, size = 50) => {
  const { items, total } = await findInAnyOrder(source, context, text, page, size);
  return { titles: items.map(({ title }) => title), total };
};

describe('several words', () => {
  it('are found as they stand first, then in any order, of that first what begins with one', async () => {
    const titles = ['no bucket is public', 'Bucket that is public', 'a public bucket', 'public key', 'bucket'];
    const { source } = listOf(titles);
    const whole = { titles: ['a public bucket', 'Bucket that is public', 'no bucket is public'], total: 3 };
    expect(await titlesOf(source, 'public bucket')).toEqual(whole);
    expect(await titlesOf(source, 'public bucket', 2, 2)).toEqual({ titles: ['no bucket is public'], total: 3 });
    expect(await titlesOf(source, 'public is bucket')).toEqual({ titles: ['Bucket that is public', 'no bucket is public'], total: 2 });
    expect((await titlesOf(source, 'public absent')).total).toBe(0);
  });

  it('are found by all that have them, whatever the texts, while one of them is rare', async () => {
    const next = random(11);
    const word = () => ['red', 'green', 'blue', 'grey', 'pink'][Math.floor(next() * 5)]!;
    const titles = Array.from({ length: 150 }, () => Array.from({ length: 1 + Math.floor(next() * 4) }, word).join(' '));
    const { source } = listOf(titles);
    for (let n = 0; n < 50; n++) {
      const words = [...new Set(['red', 'blue', ...Array.from({ length: Math.floor(next() * 3) }, word)])].sort(() => next() - 0.5);
      const held = titles.filter((title) => words.every((one) => title.includes(one)));
      const { titles: found, total } = await titlesOf(source, words.join(' '), 1, 200);
      expect({ words, total, found: found.sort() }).toEqual({ words, total: held.length, found: held.sort() });
    }
  });

  it('are found in what is searched beside what is shown', async () => {
    const hit: SearchHit = {
      kind: 'rule',
      id: 'r',
      title: 'A balancer',
      detail: null,
      engine: 'check',
      severity: null,
      searched: 'Open to the internet',
    };
    const find: SearchSource['find'] = async (_context, q) => {
      const items = `${hit.title}\n${hit.searched}`.toLowerCase().includes(q) ? [hit] : [];
      return { items, total: items.length };
    };
    const source: SearchSource = { requires: 'check:read', engine: 'rules', find };
    expect(await titlesOf(source, 'internet balancer')).toEqual({ titles: ['A balancer'], total: 1 });
  });

  it('read a page of each word, however much there is', async () => {
    const { source, asked } = listOf(Array.from({ length: 5_000 }, (_, n) => `bucket ${n} is public`));
    expect(await titlesOf(source, 'is public', 1, 10)).toMatchObject({ total: 5_000 });
    expect((await titlesOf(source, 'public bucket', 1, 10)).total).toBe(0);
    expect((await titlesOf(source, 'public 4711', 1, 10)).titles).toEqual(['bucket 4711 is public']);
    expect(Math.max(...asked.map(({ rows }) => rows))).toBeLessThanOrEqual(200);
    expect(asked.length).toBeLessThanOrEqual(10);
  });
});

const nothingCommon = async () => new Map<string, number>();

describe('a slip', () => {
  const { source } = listOf(['The other queue', 'admin role', 'Disks are encrypted', 'Port open']);
  const find = async (text: string, count: number) => (await source.find(context, text, 1, count)).items;

  it.each([
    ['ohter', 'other'],
    ['adimn', 'admin'],
    ['oepn', 'open'],
    ['disck', null],
    ['queeu', 'queue'],
    ['encyrptde', 'encrypted'],
    ['other', null],
  ])('%s is meant as %s', async (text, meant) => {
    expect(await correctedText(text, find, nothingCommon)).toBe(meant);
  });

  const common = new Map([
    ['admin', 3],
    ['open', 2],
    ['oxen', 1],
    ['user', 9],
    ['port', 5],
  ]);
  it.each([
    ['adxin', 'admin'],
    ['adin', 'admin'],
    ['opxen', 'open'],
    ['oqen', 'open'],
    ['pxrt oqen', 'port open'],
    ['usxr', null],
    ['open', null],
  ])('in the middle of the short word %s, it is meant as %s, where that is a common word that finds something', async (text, meant) => {
    expect(await correctedText(text, find, async () => common)).toBe(meant);
  });

  it('is looked for in words of the catalog: those of its frameworks and controls', async () => {
    const words = await catalogWords();
    for (const word of ['access', 'admin', 'audit', 'user', 'port', 'disk'])
      expect([word, words.get(word)]).toEqual([word, expect.any(Number)]);
    expect([...words.keys()].filter((word) => /\d/.test(word) || word.length < 4)).toEqual([]);
  });

  it('costs a bounded number of searches', async () => {
    let asked = 0;
    const counting = async (text: string, count: number) => (asked++, find(text, count));
    const many = new Map(Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => [`zz${letter}zz`, 1] as const));
    expect(await correctedText('zz-zzz', counting, async () => many)).toBeNull();
    expect(await correctedText('zzqzz zzäzz zzözz', counting, async () => many)).toBeNull();
    expect(asked).toBeLessThan(60);
  });
});
