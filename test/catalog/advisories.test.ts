import { isAffected, prepare } from '../../catalog/advisories/affected.js';
import { orderOf, packageKey } from '../../catalog/advisories/ecosystems.js';
import { AdvisoryIndex } from '../../catalog/advisories/match.js';
import { advisoryPackages, type NamedComponent } from '../../catalog/advisories/packages.js';
import type { AffectedPackage, RangeEvent } from '../../catalog/advisories/types.js';

/** Versions in ascending order, as the ecosystems' own documents give them; those in one list are equal. */
const DOCUMENTED: Readonly<Record<string, readonly (string | readonly string[])[]>> = {
  // semver.org, section 11
  npm: [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    ['1.0.0', '1.0.0+build.1'],
    '2.0.0',
    '2.1.0',
    '2.1.1',
    '99999999999999999999.0.0',
  ],
  // go.dev/ref/mod, "Versions" and "Pseudo-versions"
  Go: [
    'v1.2.3-pre',
    'v1.2.3-pre.0.20191109021931-daa7c04131f5',
    ['v1.2.3', '1.2.3', 'v1.2.3+incompatible'],
    'v1.2.4-0.20191109021931-daa7c04131f5',
    'v1.10.0',
  ],
  // PEP 440, "Summary of permitted suffixes and relative ordering", and the normal forms
  PyPI: [
    '1.dev0',
    '1.0.dev456',
    '1.0a1',
    '1.0a2.dev456',
    '1.0a12.dev456',
    ['1.0a12', '1.0-alpha.12', '1.0ALPHA12'],
    '1.0b1.dev456',
    '1.0b2',
    '1.0b2.post345.dev456',
    ['1.0b2.post345', '1.0b2-345'],
    ['1.0rc1', '1.0c1', '1.0-pre1'],
    ['1.0', '1', 'v1.0.0'],
    '1.0+abc.5',
    '1.0+abc.7',
    '1.0+5',
    '1.0.post456.dev34',
    ['1.0.post456', '1.0-456', '1.0.rev456'],
    '1.0.15',
    '1.1.dev1',
    '1!0.1',
  ],
  // maven.apache.org, "Version Order Specification"
  Maven: [
    ['1-alpha-1', '1-a1', '1.0alpha1'],
    '1-beta',
    '1-milestone',
    ['1-rc', '1-cr'],
    '1-snapshot',
    ['1', '1-ga', '1.ga', '1.0', '1-0', '1.0.0', '1.final', '1-release'],
    '1-sp',
    ['1-foo', '1.0.0-foo.0.0'],
    '1-foo2',
    '1-foo10',
    ['1-1', '1-ga-1'],
    '1.1',
    '1.2.10',
    ['2-1.foo-bar1baz-.1', '2-1.foo-bar-1-baz-0.1'],
  ],
  // deb-version(7)
  Debian: [
    '1.0~~',
    '1.0~~a',
    '1.0~',
    ['1.0', '1.0-0', '0:1.0'],
    '1.0-1~bpo12+1',
    '1.0-1',
    // letters before all that is none
    '1.0-1ubuntu1',
    '1.0-1+deb12u1',
    '1.0a',
    '1.0+dfsg-1',
    '1.0.1',
    '1.10',
    '1:0.5',
  ],
  // rpm.org, "Dependencies" and the cases of rpmvercmp
  'Red Hat': [
    '1.0~rc1-1',
    '1.0~rc2-1',
    '1.0-1',
    '1.0-1.el9',
    '1.0-2.el9',
    '1.0^git1-1',
    '1.0a-1',
    ['1.0.1-1', '1.0.01-1'],
    '1.0.10-1',
    '2.0-1',
    '1:0.1-1',
  ],
  // apk's own list of test cases
  Alpine: [
    '1.2_alpha',
    '1.2_alpha2',
    '1.2_beta',
    '1.2_pre1',
    '1.2_rc1',
    '1.2',
    '1.2-r1',
    '1.2_p1',
    '1.2_p1-r3',
    '1.2a',
    '1.2b',
    '1.2.1',
    '1.10',
  ],
  // Gem::Version
  RubyGems: ['1.0.a.1', '1.0.a.2', '1.0.b1', '1.0.pre', '1.0.rc1', ['1.0', '1', '1.0.0'], '1.0.1', '1.10', '2.0'],
  // php.net, version_compare
  Packagist: [
    '1.0.0-dev',
    ['1.0.0-alpha1', '1.0.0a1'],
    ['1.0.0-beta2', 'v1.0.0-b2'],
    '1.0.0-RC1',
    ['1.0.0', '1.0', 'v1.0.0', '1.0.0.0'],
    ['1.0.0-patch1', '1.0.0-p1', '1.0.0pl1'],
    '1.0.1',
    '1.10',
  ],
  // learn.microsoft.com, "Package versioning"
  NuGet: ['1.0.1-alpha', ['1.0.1-beta', '1.0.1-BETA'], '1.0.1-open', '1.0.1-rc', ['1.0.1', '1.0.1.0', '1.0.1+meta'], '1.0.1.1', '1.2'],
};

describe('the orders of versions', () => {
  it.each(Object.entries(DOCUMENTED))('%s: as documented', (ecosystem, documented) => {
    const order = orderOf(ecosystem)!;
    const all = documented.flatMap((one, rank) => [one].flat().map((version) => ({ version, rank })));
    const wrong = all.flatMap((one) =>
      all.flatMap((other) => {
        const by = order(one.version, other.version);
        return by !== null && Math.sign(by) === Math.sign(one.rank - other.rank) ? [] : [`${one.version} and ${other.version}: ${by}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('tell nothing of what is no version', () => {
    for (const ecosystem of ['npm', 'PyPI', 'RubyGems', 'Packagist', 'NuGet', 'Alpine'])
      expect([ecosystem, orderOf(ecosystem)!('main', '1.0')]).toEqual([ecosystem, null]);
    expect(orderOf('GitHub Actions')).toBeUndefined();
    expect(orderOf('constructor')).toBeUndefined();
  });
});

type Event = readonly [kind: RangeEvent['kind'], version: string];
const events = (...told: Event[]): RangeEvent[] => told.map(([kind, version]) => ({ kind, version }));
const inRange = (...told: Event[]): AffectedPackage => ({
  ecosystem: 'npm',
  name: 'lodash',
  ranges: [{ type: 'SEMVER', events: events(...told) }],
  versions: [],
});
const which = (affected: AffectedPackage, ...versions: string[]) => versions.filter((version) => isAffected(version, prepare(affected)));

describe('whether a version is affected', () => {
  it('goes by ranges, in whatever order their events stand', () => {
    const twice = inRange(['fixed', '1.2.0'], ['introduced', '2.0.0'], ['introduced', '0'], ['fixed', '2.3.1']);
    expect(which(twice, '0.0.1', '1.1.9', '1.2.0-rc.1', '1.2.0', '1.9.9', '2.0.0', '2.3.0', '2.3.1', '3.0.0')).toEqual([
      ...['0.0.1', '1.1.9', '1.2.0-rc.1', '2.0.0', '2.3.0'],
    ]);
    expect(which(inRange(['introduced', '1.0.0'], ['last_affected', '1.5.0']), '0.9.0', '1.0.0', '1.5.0', '1.5.1')).toEqual([
      '1.0.0',
      '1.5.0',
    ]);
    expect(which(inRange(['introduced', '1.0.0']), '0.9.9', '1.0.0', '99.0.0', 'main')).toEqual(['1.0.0', '99.0.0']);
    expect(which(inRange(['introduced', '0'], ['limit', '*']), '1.0.0')).toEqual(['1.0.0']);
    expect(which(inRange(['introduced', '0'], ['limit', '2.0.0']), '1.0.0', '2.0.0')).toEqual(['1.0.0']);
    expect(which(inRange(['fixed', '2.0.0']), '1.0.0')).toEqual([]);
  });

  it('goes by versions that are listed, where there is no order, too', () => {
    const listed = {
      ecosystem: 'Unheard-of',
      name: 'x',
      versions: ['one', 'two'],
      ranges: [{ type: 'ECOSYSTEM', events: events(['introduced', '0']) }],
    } as const;
    expect(which(listed, 'one', 'three')).toEqual(['one']);
  });
});

describe('the advisories of a component', () => {
  const advisory = (id: string, ...affected: AffectedPackage[]) => ({ id, affected });
  const index = new AdvisoryIndex([
    advisory(
      'A',
      inRange(['introduced', '0'], ['fixed', '1.2.0']),
      inRange(['introduced', '2.0.0'], ['fixed', '2.0.5'], ['introduced', '3.0.0'], ['fixed', '3.1.0']),
    ),
    advisory('B', { ...inRange(['introduced', '0']), name: 'underscore' }),
    advisory('C', {
      ecosystem: 'PyPI',
      name: 'Zope.Interface',
      versions: [],
      ranges: [{ type: 'ECOSYSTEM', events: events(['introduced', '0'], ['fixed', '5.0rc1']) }],
    }),
    advisory('D', {
      ecosystem: 'Debian:12',
      name: 'openssl',
      versions: [],
      ranges: [{ type: 'ECOSYSTEM', events: events(['introduced', '0'], ['fixed', '3.0.11-1~deb12u2']) }],
    }),
  ]);
  const ids = (ecosystem: string, name: string, version: string) =>
    index.match({ ecosystem, name, version }).map(({ advisory: { id }, fixedVersions }) => [id, ...fixedVersions]);

  it('are those of its own package that take its version in, with the versions behind it that fix it', () => {
    expect(ids('npm', 'lodash', '1.0.0')).toEqual([['A', '1.2.0']]);
    expect(ids('npm', 'lodash', '2.0.4')).toEqual([['A', '2.0.5', '3.1.0']]);
    expect(ids('npm', 'lodash', '1.2.0')).toEqual([]);
    expect(ids('npm', 'underscore', '9.9.9')).toEqual([['B']]);
    expect(ids('npm', 'toString', '1.0.0')).toEqual([]);
  });

  it('find its package by the ecosystem’s own names and release', () => {
    expect(ids('PyPI', 'zope_interface', '4.7.2')).toEqual([['C', '5.0rc1']]);
    expect(ids('PyPI', 'zope-interface', '5.0')).toEqual([]);
    expect(ids('Debian:12', 'openssl', '3.0.11-1~deb12u1')).toEqual([['D', '3.0.11-1~deb12u2']]);
    expect(ids('Debian:11', 'openssl', '1.1.1n-0')).toEqual([]);
    expect(packageKey({ ecosystem: 'NuGet', name: 'Newtonsoft.Json' })).toBe('NuGet|newtonsoft.json');
  });
});

describe('the packages that a component may be', () => {
  const none = { purl: null, distribution: null, source_name: null, source_version: null };
  const packages = (ecosystem: string, name: string, version: string | null, own: Partial<NamedComponent> = {}) =>
    advisoryPackages({ ...none, ecosystem, name, version, ...own }).map((one) => `${one.ecosystem} ${one.name} ${one.version}`);

  it('are those of its language, by the names that advisories have for them', () => {
    expect(packages('maven', 'org.apache.logging.log4j:log4j-core', '2.0')).toEqual(['Maven org.apache.logging.log4j:log4j-core 2.0']);
    expect(packages('golang', 'stdlib', 'v1.20')).toEqual(['Go stdlib v1.20']);
    expect(packages('npm', 'lodash', null)).toEqual([]);
    expect(packages('conan', 'zlib', '1.0')).toEqual([]);
    expect(packages('toString', 'x', '1.0')).toEqual([]);
  });

  it('are source packages of the release that it is built for, with the version of the source and the epoch', () => {
    const source = { source_name: 'openssl', source_version: '3.0.11-1' };
    const of = (distribution: string, own: Partial<NamedComponent> = source) =>
      packages('deb', 'libssl3', '3.0.11-1+b1', { distribution, ...own });
    expect(of('debian-12.5')).toEqual(['Debian:12 openssl 3.0.11-1']);
    expect(of('ubuntu-22.04', {})).toEqual(['Ubuntu:22.04:LTS libssl3 3.0.11-1+b1', 'Ubuntu:22.04 libssl3 3.0.11-1+b1']);
    expect([of('debian-sid'), of('debian'), of('alpine-3.20.1'), of('')]).toEqual([[], [], [], []]);
    expect(packages('apk', 'libcrypto3', '3.1-r0', { distribution: 'alpine-3.20.1', source_name: 'openssl' })).toEqual([
      'Alpine:v3.20 openssl 3.1-r0',
    ]);
    expect(packages('apk', 'curl', '8-r0', { purl: 'pkg:apk/wolfi/curl@8-r0' })).toEqual(['Wolfi curl 8-r0']);
    const rpm = {
      distribution: 'rocky-9.3',
      purl: 'pkg:rpm/rocky/openssl-libs@3.0.7-24.el9?distro=rocky-9.3&epoch=1',
      source_name: 'openssl',
    };
    expect(packages('rpm', 'openssl-libs', '3.0.7-24.el9', rpm)).toEqual([
      'Rocky Linux:9 openssl-libs 1:3.0.7-24.el9',
      'Rocky Linux:9 openssl 1:3.0.7-24.el9',
    ]);
    expect(packages('rpm', 'bash', '5', { distribution: 'rhel-9.2' })).toEqual([]);
    expect(packages('rpm', 'bash', '5', { distribution: 'opensuse-leap-15.5' })).toEqual(['openSUSE:Leap 15.5 bash 5']);
  });
});
