import { networksOf, observablesOf } from '../../schema/observables.js';
import { fixture } from './fixtures.js';
import { readAll } from './read-all.js';

const object = (pattern: string, more: object = {}) => ({
  ...{ type: 'indicator', spec_version: '2.1', id: 'indicator--8e2e2d2b-17d4-4cbf-938f-98ee46b3cd3f', pattern, pattern_type: 'stix' },
  ...{ valid_from: '2026-01-05T09:00:00Z', ...more },
});
const bundle = (...objects: unknown[]) => ({ type: 'bundle', id: 'bundle--5d0092c5-5f74-4287-9642-33f4c354e56d', objects });
const read = async (pattern: string, more: object = {}) => {
  const { items, broken } = await readAll('stix', bundle(object(pattern, more)));
  const values = items.flatMap((item) =>
    item.kind === 'indicator' ? item.indicator.values.map(({ kind, value }) => `${kind} ${value}`) : [],
  );
  return broken.length > 0 ? broken.map(({ reason }) => reason.replace(/ \(byte \d+\)$/, '')) : values;
};

it.each<[string, string[]]>([
  ["[ipv4-addr:value = '198.51.100.7']", ['address 198.51.100.7']],
  ["[ ( ipv4-addr:value = '198.51.100.7' OR ipv4-addr:value = '198.51.100.7' ) ]", ['address 198.51.100.7']],
  ["([ipv4-addr:value = '198.51.100.7'] OR [url:value = 'HTTP://A.example/x#y'])", ['address 198.51.100.7', 'url http://a.example/x']],
  ["[ipv4-addr:value ISSUBSET '198.51.100.7/24' OR ipv4-addr:value = '192.0.2.1/32']", ['network 198.51.100.0/24', 'address 192.0.2.1']],
  ["[ipv6-addr:value IN ('2001:DB8::7', '::ffff:192.0.2.1')]", ['address 2001:db8::7', 'address 192.0.2.1']],
  ["[domain-name:value = 'Evil.Example.NET.']", ['domain evil.example.net']],
  ["[file:hashes.MD5 = 'CEAD3F77F6CDA6EC00F57D76C9A6879F']", ['file_hash cead3f77f6cda6ec00f57d76c9a6879f']],
  ["[url:value = 'http://a.example/it\\'s']", ["url http://a.example/it's"]],
])('reads %s', async (pattern, values) => {
  expect(await read(pattern)).toEqual(values);
});

it.each<[string, string]>([
  ["[ipv4-addr:value = '198.51.100.7' AND domain-name:value = 'a.example']", 'at AND'],
  ["[ipv4-addr:value = '198.51.100.7'] FOLLOWEDBY [domain-name:value = 'a.example']", 'at FOLLOWEDBY'],
  ["[ipv4-addr:value = '198.51.100.7'] WITHIN 5 SECONDS", 'at WITHIN'],
  ["[ipv4-addr:value != '198.51.100.7']", 'at !='],
  ["[ipv4-addr:value NOT = '198.51.100.7']", 'at NOT'],
  ["[domain-name:value LIKE '%.example']", 'at LIKE'],
  ["[domain-name:value ISSUBSET '10.0.0.0/8']", 'at ISSUBSET of domain-name:value'],
  ["[file:name = 'a.exe' OR file:hashes.MD5 = 'cead3f77f6cda6ec00f57d76c9a6879f']", 'at file:name'],
  ["[network-traffic:dst_ref.value = '198.51.100.7']", 'at network-traffic:dst_ref.value'],
  ["[ipv4-addr:value = '198.51.100.7'", 'the pattern ends where "]" should stand'],
  ["[ipv4-addr:value = '198.51.100.999']", '"198.51.100.999" is no address'],
  ["[ipv4-addr:value = '198.51.100.0/7']", 'networks are compared from /8'],
  ["[file:hashes.MD5 = 'cead']", 'is no MD5'],
  ['[', 'the pattern is beyond what is read, at its end'],
  [`${'('.repeat(100_000)}`, 'nested too deeply'],
])('skips pattern %# and says why', async (pattern, reason) => {
  const found = await read(pattern);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(reason);
});

it.each<[string, object, string]>([
  ['a time that is none', { valid_from: 'yesterday' }, 'valid_from is no time'],
  ['no beginning', { valid_from: undefined }, 'valid_from is missing'],
  ['an end before the beginning', { valid_until: '2026-01-05T09:00:00Z' }, 'valid_until is not after valid_from'],
  ['a confidence that is none', { confidence: 101 }, 'confidence'],
  ['an id of another object', { id: 'malware--8e2e2d2b-17d4-4cbf-938f-98ee46b3cd3f' }, 'id is none of an indicator'],
  ['another language', { pattern_type: 'sigma' }, 'pattern_type is sigma'],
])('skips an indicator with %s and says why', async (_, more, reason) => {
  expect((await read("[ipv4-addr:value = '198.51.100.7']", more)).join()).toContain(reason);
});

it('reads what an indicator says beside its pattern', async () => {
  const { items } = await readAll('stix', fixture('stix', 'bundle.json'));
  const [first, second] = items.flatMap((item) => (item.kind === 'indicator' ? [item.indicator] : []));
  expect(first).toMatchObject({
    ...{
      indicator_id: 'indicator--8e2e2d2b-17d4-4cbf-938f-98ee46b3cd3f',
      labels: ['malicious-activity', 'stealer'],
      confidence: 85,
      revoked: false,
    },
    ...{ valid_until: new Date('2027-01-05T09:00:00Z'), modified: new Date('2026-01-06T09:00:00Z') },
  });
  expect(second).toMatchObject({ revoked: true });
});

it('looks at public addresses, at URLs with their hosts, and at digests, and at nothing that is a name or of the provider', () => {
  const record = JSON.stringify({
    'https://names.example/are/none': 1,
    endpoint: 'https://Evil.example.net:8443/hook#x',
    other: 'see https://in-a-text.example.net',
    own: 'https://management.azure.com/subscriptions',
    direct: 'http://198.51.100.9/x',
    digest: 'CEAD3F77F6CDA6EC00F57D76C9A6879F',
  });
  expect(observablesOf('203.0.113.7', record).map(({ kind, value }) => `${kind} ${value}`)).toEqual([
    'address 203.0.113.7',
    'url https://evil.example.net:8443/hook',
    'domain evil.example.net',
    'url http://198.51.100.9/x',
    'address 198.51.100.9',
    'file_hash cead3f77f6cda6ec00f57d76c9a6879f',
  ]);
  for (const source of ['10.0.0.1', '127.0.0.1', 'fe80::1', '169.254.169.254', 'ec2.amazonaws.com', undefined])
    expect(observablesOf(source, '{}')).toEqual([]);
  expect(networksOf('198.51.100.7')).toContainEqual({ kind: 'network', value: '198.51.100.0/24' });
  expect(networksOf('2001:db8::7')).toContainEqual({ kind: 'network', value: '2001:db8::/32' });
});
