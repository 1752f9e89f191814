import { diffDescriptions, type Described } from '../../subgraphs/di/changes/diff.js';

const described = (configuration: Record<string, unknown>, more: Partial<Described> = {}): Described => ({
  configuration,
  tags: {},
  unknown_paths: [],
  sensitive_paths: [],
  ...more,
});
const paths = (before: Record<string, unknown>, after: Record<string, unknown>) =>
  diffDescriptions(described(before), described(after)).paths.map(({ path, kind, before, after }) => [path, kind, before, after]);

it('names each path that differs, what became of it, and both values', () => {
  const before = { acl: 'private', versioning: [{ enabled: true }], rule: { days: 30 }, gone: 1, same: [1, 2] };
  const after = { acl: 'public-read', versioning: [{ enabled: false }], rule: { days: 30, prefix: 'a' }, same: [1, 2, 3] };
  expect(paths(before, after)).toEqual([
    ['acl', 'changed', 'private', 'public-read'],
    ['versioning[0].enabled', 'changed', true, false],
    ['rule.prefix', 'added', null, 'a'],
    ['same[2]', 'added', null, 3],
    ['gone', 'removed', 1, null],
  ]);
});

it('takes null, nothing and the order of keys for no change', () => {
  expect(paths({ a: null, b: { x: 1, y: 2 }, c: [] }, { b: { y: 2, x: 1 }, c: [], d: null })).toEqual([]);
});

it('says nothing of paths that either side does not know or keeps out', () => {
  const [before, after] = [
    { arn: 'known', key: 'a', nested: { id: 1 } },
    { arn: null, key: 'b', nested: { id: 2 } },
  ];
  const open = { unknown_paths: ['arn', 'nested.id'], sensitive_paths: ['key'] };
  expect(diffDescriptions(described(before), described(after, open))).toEqual({ paths: [], more: 0 });
  expect(diffDescriptions(described(before, open), described(after))).toEqual({ paths: [], more: 0 });
});

it('tells tags once, whether the configuration has them or not', () => {
  const both = diffDescriptions(
    described({ tags: { a: '1' } }, { tags: { a: '1' } }),
    described({ tags: { a: '2' } }, { tags: { a: '2' } }),
  );
  const beside = diffDescriptions(described({}, { tags: { a: '1' } }), described({}, { tags: { a: '2' } }));
  for (const { paths } of [both, beside]) expect(paths).toEqual([{ path: 'tags.a', kind: 'changed', before: '1', after: '2' }]);
});

it('names 200 paths and counts the others; cuts long values; compares what lies deep as a whole', () => {
  const many = (value: number) => Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`p${n}`, value]));
  const { paths: named, more } = diffDescriptions(described(many(1)), described(many(2)));
  expect([named.length, more]).toEqual([200, 800]);
  const [long] = diffDescriptions(described({ policy: 'short' }), described({ policy: '🪣'.repeat(2_000) })).paths;
  expect(String(long!.after)).toMatch(/^"🪣+�?…$/u);
  expect(String(long!.after).length).toBeLessThanOrEqual(501);
  let [deep, other]: [unknown, unknown] = [1, 2];
  for (let n = 0; n < 150; n++) [deep, other] = [{ d: deep }, { d: other }];
  expect(diffDescriptions(described({ deep }), described({ deep: other })).paths).toHaveLength(1);
});
