import type { Component } from './types.js';

/** What of a component tells which package it is; `ecosystem` is the type of its package URL. */
export interface NamedComponent {
  readonly name: string;
  readonly version: string | null;
  readonly ecosystem: string | null;
  /** Its package URL, with qualifiers. */
  readonly purl: string | null;
  /** The distribution that it is built for, as its package URL says: `debian-12`. */
  readonly distribution: string | null;
  /** The source package that its distribution builds it of. */
  readonly source_name: string | null;
  readonly source_version: string | null;
}

/** Types of package URLs whose packages OSV knows by the same names -> what OSV calls their ecosystem. */
const LANGUAGES: Readonly<Record<string, string>> = {
  npm: 'npm',
  pypi: 'PyPI',
  maven: 'Maven',
  golang: 'Go',
  nuget: 'NuGet',
  composer: 'Packagist',
  gem: 'RubyGems',
  cargo: 'crates.io',
  hex: 'Hex',
  pub: 'Pub',
  swift: 'SwiftURL',
};

const major = (release: string): string => release.split('.', 1)[0]!;
const minor = (release: string): string => release.split('.').slice(0, 2).join('.');
/** Ecosystems that have a release in their names: none where it is not told. */
const ofRelease = (named: (release: string) => readonly string[]) => (release: string) => (release === '' ? [] : named(release));

/**
 * Distributions by their id in os-release, with what OSV calls their ecosystems. Those whose advisories name products or service packs that a
 * package URL does not tell (Red Hat, SUSE, openEuler) are not here: a guess would find what is not there.
 */
const DISTRIBUTIONS: Readonly<
  Record<string, { readonly type: 'deb' | 'apk' | 'rpm'; readonly ecosystems: (release: string) => readonly string[] }>
> = {
  debian: { type: 'deb', ecosystems: ofRelease((release) => [`Debian:${major(release)}`]) },
  ubuntu: { type: 'deb', ecosystems: ofRelease((release) => [`Ubuntu:${minor(release)}:LTS`, `Ubuntu:${minor(release)}`]) },
  alpine: { type: 'apk', ecosystems: ofRelease((release) => [`Alpine:v${minor(release)}`]) },
  wolfi: { type: 'apk', ecosystems: () => ['Wolfi'] },
  chainguard: { type: 'apk', ecosystems: () => ['Chainguard'] },
  rocky: { type: 'rpm', ecosystems: ofRelease((release) => [`Rocky Linux:${major(release)}`]) },
  almalinux: { type: 'rpm', ecosystems: ofRelease((release) => [`AlmaLinux:${major(release)}`]) },
  'opensuse-leap': { type: 'rpm', ecosystems: ofRelease((release) => [`openSUSE:Leap ${minor(release)}`]) },
  'opensuse-tumbleweed': { type: 'rpm', ecosystems: () => ['openSUSE:Tumbleweed'] },
  mageia: { type: 'rpm', ecosystems: ofRelease((release) => [`Mageia:${major(release)}`]) },
  azurelinux: { type: 'rpm', ecosystems: ofRelease((release) => [`Azure Linux:${major(release)}`]) },
};

/** What OSV calls the ecosystems of a distribution's package: none where it is not known which release it is of. */
function ecosystemsOf({ ecosystem, purl, distribution }: NamedComponent): readonly string[] {
  const namespace = /^pkg:[^/]+\/([^/@?#]+)\//.exec(purl ?? '')?.[1];
  const [, id = '', release = ''] = /^([a-z][a-z-]*?)-?(\d[\d.]*)?$/.exec((distribution ?? namespace ?? '').trim().toLowerCase()) ?? [];
  const known = Object.hasOwn(DISTRIBUTIONS, id) ? DISTRIBUTIONS[id]! : undefined;
  return known !== undefined && known.type === ecosystem ? known.ecosystems(release) : [];
}

/** A version of an rpm with its epoch, which package URLs tell in a qualifier. */
function withEpoch(version: string, purl: string | null): string {
  const epoch = /[?&]epoch=(\d+)/.exec(purl ?? '')?.[1];
  return epoch === undefined || epoch === '0' || /^\d+:/.test(version) ? version : `${epoch}:${version}`;
}

/**
 * The packages of OSV that a component may be, each with its version: none for what has no version, or is of an ecosystem or release that is not
 * known here. Debian, Ubuntu and those of apk publish advisories of source packages, those of rpm of one or the other.
 */
export function advisoryPackages(component: NamedComponent): Component[] {
  const { name, version, ecosystem, purl, source_name, source_version } = component;
  if (ecosystem === null || version === null) return [];
  if (Object.hasOwn(LANGUAGES, ecosystem)) return [{ ecosystem: LANGUAGES[ecosystem]!, name, version }];
  const source = source_name === null ? null : { name: source_name, version: source_version ?? version };
  const binary = { name, version };
  const meant = ecosystem === 'rpm' ? [binary, ...(source && source.name !== name ? [source] : [])] : [source ?? binary];
  return ecosystemsOf(component).flatMap((of) =>
    meant.map((one) => ({ ...one, ecosystem: of, version: ecosystem === 'rpm' ? withEpoch(one.version, purl) : one.version })),
  );
}
