import { PersistedQueries } from '../../gateway/persisted-queries.js';

const document = (size: number) => 'x'.repeat(size);

test('documents of a tenant are kept up to its share, those used last', () => {
  const queries = new PersistedQueries({ tenant: 100, all: 1_000 });
  queries.keep('a', 'one', document(40));
  queries.keep('a', 'two', document(40));
  expect(queries.find('a', 'one')).toBe(document(40));
  queries.keep('a', 'three', document(40));
  expect([queries.find('a', 'one'), queries.find('a', 'two'), queries.find('a', 'three')]).toEqual([document(40), null, document(40)]);
  queries.keep('a', 'too large', document(101));
  expect(queries.find('a', 'too large')).toBeNull();
  expect(queries.find('a', 'three')).toBe(document(40));
});

test('no tenant takes the share of another, and all together stay within theirs', () => {
  const queries = new PersistedQueries({ tenant: 100, all: 250 });
  for (const tenant of ['a', 'b']) queries.keep(tenant, 'one', document(100));
  for (let index = 0; index < 50; index += 1) queries.keep('c', String(index), document(50));
  expect([queries.find('a', 'one'), queries.find('b', 'one')]).toEqual([null, document(100)]);
  expect(queries.find('c', '49')).toBe(document(50));
  expect(queries.find('b', '49')).toBeNull();
});

test('keeping a document again counts it once', () => {
  const queries = new PersistedQueries({ tenant: 100, all: 100 });
  for (let index = 0; index < 10; index += 1) queries.keep('a', 'one', document(60));
  queries.keep('a', 'two', document(40));
  expect(queries.find('a', 'one')).not.toBeNull();
});
