import { ALICLOUD_SERVICES } from '../../collectors/alicloud/services.js';
import { IBM_SERVICES } from '../../collectors/ibm/services.js';
import { callsOf, linesBelow, type Service } from '../../collectors/listing/line.js';
import { filled, onlyAt, thingsAt, without } from '../../collectors/listing/thing.js';
import { OCI_SERVICES } from '../../collectors/oci/services.js';
import { readListedCall } from '../../importers/cloud/listed.js';
import { cloudTable } from '../../importers/cloud/table.js';

describe.each([
  ['oci', OCI_SERVICES],
  ['alicloud', ALICLOUD_SERVICES],
  ['ibm', IBM_SERVICES],
] as const)('what is asked of %s', (provider, services: readonly Service<string>[]) => {
  const lines = services.flatMap((of) => linesBelow(of.lines).map((line) => ({ ...line, name: `${of.service}/${line.call}` })));

  it('is what its table reads, call by call, and the table reads no other', () => {
    const read = cloudTable(provider).things.flatMap(({ config, calls }) => [...config, ...calls.flatMap(({ call }) => call)]);
    // lists that only name what other calls tell of
    const names = lines.filter(({ then }) => then === undefined).map(({ name }) => name);
    const asked = lines.map(({ name }) => name);
    expect([...new Set(read)].filter((name) => !asked.includes(name))).toEqual([]);
    expect(names.filter((name) => !read.includes(name))).toEqual([]);
  });

  it('has a name of its own for each call, and reads alone', () => {
    expect(lines.filter(({ name, path }) => lines.some((other) => other.name === name && other.path !== path))).toEqual([]);
    expect(lines.filter(({ call, name }) => readListedCall(`${provider}/${name}`)?.call.call !== call)).toEqual([]);
    expect(lines.filter(({ call }) => !/^(?:list|get|describe)-/.test(call))).toEqual([]);
  });

  it('is granted service by service, each permission once', () => {
    for (const { permissions } of callsOf(services)) expect(new Set(permissions).size).toBe(permissions.length);
    expect(new Set(callsOf(services).flatMap(({ permissions }) => permissions))).toEqual(
      new Set(lines.map(({ permission }) => permission)),
    );
  });
});

describe('a path', () => {
  const holder = { item: { id: 'a/b', inner: { n: 1 } }, within: { item: { id: 'holder', region: 'r' } } };

  it('names what is asked about, what that was found under, and the place', () => {
    expect(filled('/x/{id}/{inner.n}?of={^id}&in={region}', holder, encodeURIComponent)).toBe('/x/a%2Fb/1?of=holder&in=r');
  });

  it('is none while something of it is missing', () => {
    expect(filled('/x/{none}', holder)).toBeUndefined();
    expect(filled('/x/{^^id}', holder)).toBeUndefined();
  });
});

describe('an answer', () => {
  it('is told without what is secret, wherever lists hold it', () => {
    expect(without({ list: [{ key: 1, name: 'a', deep: { key: 2, kept: 3 } }], key: 4 }, ['list.key', 'list.deep.key'])).toEqual({
      ...{ list: [{ name: 'a', deep: { kept: 3 } }], key: 4 },
    });
  });

  it('is told with those things alone that are asked for, also where the only one is no list', () => {
    const isKept = ({ n }: Readonly<Record<string, unknown>>) => n === 1;
    expect(onlyAt({ a: { b: [{ n: 1 }, { n: 2 }] }, c: 1 }, 'a.b', isKept)).toEqual({ a: { b: [{ n: 1 }] }, c: 1 });
    expect(onlyAt({ a: { b: { n: 2 } } }, 'a.b', isKept)).toEqual({ a: { b: [] } });
    expect(thingsAt({ a: { b: { n: 2 } } }, 'a.b')).toEqual([{ n: 2 }]);
    expect(thingsAt({ a: ['x'] }, 'a')).toEqual([{ id: 'x', name: 'x' }]);
  });
});
