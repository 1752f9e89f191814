import { BoundedCache } from '../../kit/base/bounded-cache.js';

const bytes = (key: string) => key.length;

test('the entries used last are kept, as many as there may be', () => {
  const cache = new BoundedCache<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual([1, undefined, 3, 2]);
});

test('a cache that is bounded by bytes gives way to a long text by as many short ones as it takes', () => {
  const cache = new BoundedCache<number>(10, bytes);
  for (const key of ['aaa', 'bbb', 'ccc']) cache.set(key, 1);
  cache.set('aaa', 2);
  cache.set('dddddd', 1);
  expect([cache.get('aaa'), cache.get('bbb'), cache.get('ccc'), cache.get('dddddd')]).toEqual([2, undefined, undefined, 1]);
  cache.set('x', 1);
  expect(cache.size).toBe(3);
});

test('what is longer than the whole cache is made each time, and takes nothing away', () => {
  const cache = new BoundedCache<number>(10, bytes);
  cache.set('short', 1);
  let made = 0;
  const long = () => cache.getOrMake('a text of more than ten', () => ++made);
  expect([long(), long(), cache.get('short'), cache.size]).toEqual([1, 2, 1, 1]);
});
