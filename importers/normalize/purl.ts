import { PackageURL } from 'packageurl-js';

/** A package as a scanner tells of it. */
export interface PackageName {
  name: string;
  version?: string | undefined;
  /** What the scanner calls the kind of package: `npm`, `PyPI`, `Debian:12`, `java-archive`. */
  ecosystem?: string | undefined;
  /** Its package URL, where the scanner gives one. */
  purl?: string | undefined;
}

/** The words that tools have for a kind of package -> its type in package URLs (purl specification, "Known purl types"). */
const TYPES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    npm: 'npm yarn pnpm node nodejs node-pkg js javascript nodejs-npm nodejs-yarn npm-package',
    pypi: 'pypi pip pipenv poetry python python-pkg setuptools uv',
    maven: 'maven gradle sbt java jar pom java-archive war ivy',
    golang: 'golang go gomod gomodules govendor golangdep go-module gobinary modules',
    nuget: 'nuget dotnet dotnet-core dotnet-deps paket',
    composer: 'composer packagist php php-composer',
    gem: 'gem rubygems bundler ruby gemspec',
    cargo: 'cargo crates.io crates rust rust-crate rust-binary',
    hex: 'hex mix erlang elixir',
    pub: 'pub dart',
    swift: 'swift swifturl swiftpm',
    cocoapods: 'cocoapods pod',
    conan: 'conan',
    conda: 'conda',
    cran: 'cran r',
    hackage: 'hackage haskell',
    githubactions: 'githubactions github-action github-actions-workflow',
    deb: 'deb dpkg debian ubuntu',
    apk: 'apk alpine wolfi chainguard',
    rpm: 'rpm redhat rhel centos rocky rockylinux alma almalinux fedora amzn amazon amazonlinux suse sles opensuse oracle ol photon mariner azurelinux linux',
  }).flatMap(([type, words]) => words.split(' ').map((word) => [word, type])),
);
/** Distributions of Linux as package URLs name them, by what tools write. */
const DISTRIBUTIONS: Readonly<Record<string, string>> = {
  debian: 'debian',
  ubuntu: 'ubuntu',
  alpine: 'alpine',
  wolfi: 'wolfi',
  chainguard: 'chainguard',
  redhat: 'redhat',
  rhel: 'redhat',
  centos: 'centos',
  rocky: 'rocky',
  almalinux: 'alma',
  fedora: 'fedora',
  amzn: 'amazon',
  amazon: 'amazon',
  opensuse: 'opensuse',
  sles: 'suse',
  suse: 'suse',
  oracle: 'oracle',
  ol: 'oracle',
};

const wordsOf = (ecosystem: string): string[] => ecosystem.toLowerCase().replaceAll(' ', '-').split(/[:/]/);

/** The type of package URLs that a tool's word for an ecosystem stands for: `PyPI` is `pypi`, `Debian:12` is `deb`. */
export function purlType(ecosystem: string | undefined): string | undefined {
  const [word = ''] = wordsOf(ecosystem ?? '');
  return Object.hasOwn(TYPES, word) ? TYPES[word] : undefined;
}

const MANAGERS: Readonly<Record<string, string>> = { PYTHONPKG: 'pypi', NODEPKG: 'npm', DOTNET_DEPS: 'nuget', OS: '', GENERIC: '' };

/**
 * The ecosystem of a package by the manager that Amazon Inspector names. It calls all distributions `OS`: which one it is, the platform tells or the
 * vendor who says that the package is vulnerable.
 * @param told words that begin with a distribution: `DEBIAN_CVE`, `AMAZON_LINUX_2`
 */
export function managedBy(manager: string | undefined, told: readonly (string | undefined)[]): string | undefined {
  const named = manager === undefined ? undefined : (MANAGERS[manager.toUpperCase()] ?? manager.toLowerCase()) || undefined;
  if (named !== undefined || manager?.toUpperCase() === 'GENERIC') return named;
  return told.map((word) => word?.toLowerCase().split('_')[0]).find((word) => word !== undefined && Object.hasOwn(DISTRIBUTIONS, word));
}

/** The namespace and the name that a package URL has for a name in the ecosystem's own spelling. */
function split(type: string, name: string, ecosystem: string): [namespace: string | undefined, name: string] {
  const separator = type === 'maven' && name.includes(':') ? ':' : '/';
  if (type === 'maven' || type === 'golang' || type === 'npm' || type === 'composer' || type === 'swift' || type === 'githubactions') {
    const at = name.lastIndexOf(separator);
    return at > 0 ? [name.slice(0, at), name.slice(at + 1)] : [undefined, name];
  }
  const distribution = wordsOf(ecosystem).find((word) => Object.hasOwn(DISTRIBUTIONS, word));
  return [distribution === undefined ? undefined : DISTRIBUTIONS[distribution], name];
}

/** Go's own tools write v1.2.3, advisories 1.2.3. */
const withoutV = (purl: string): string => purl.replace(/^(pkg:golang\/[^@]*@)v(?=\d)/, '$1');

function build(type: string, namespace: string | null | undefined, name: string, version: string | null | undefined): string | undefined {
  try {
    const plain = type === 'golang' ? version?.replace(/^v(?=\d)/, '') : version;
    return new PackageURL(type, namespace ?? undefined, name, plain ?? undefined, undefined, undefined).toString();
  } catch {
    return undefined;
  }
}

/** The package that a package URL names, in the ecosystem's own spelling (`@scope/name`, `group:artifact`); undefined for what is no package URL. */
export function packageOfUrl(purl: string): PackageName | undefined {
  const facts = readPackageUrl(purl);
  return facts && { name: facts.name, version: facts.version, ecosystem: facts.ecosystem, purl };
}

/** What a package URL says of a component. */
export interface PackageUrlFacts extends PackageName {
  /** In canonical form, with its qualifiers (purl specification). */
  readonly purl: string;
  /** Without version, qualifiers and subpath. */
  readonly package: string;
  readonly ecosystem: string;
  readonly qualifiers: Readonly<Record<string, string>>;
}

/** What a package URL says; undefined for what is no package URL. */
export function readPackageUrl(purl: string): PackageUrlFacts | undefined {
  try {
    const parsed = PackageURL.fromString(purl);
    const { type, namespace, name, version, qualifiers } = parsed;
    if (type === undefined || name === undefined) return undefined;
    const isDistribution = type === 'deb' || type === 'apk' || type === 'rpm';
    return {
      name: namespace && !isDistribution ? `${namespace}${type === 'maven' ? ':' : '/'}${name}` : name,
      version: version ?? undefined,
      ecosystem: type,
      purl: parsed.toString(),
      package: new PackageURL(type, namespace, name, undefined, undefined, undefined).toString(),
      qualifiers: qualifiers ?? {},
    };
  } catch {
    return undefined;
  }
}

/**
 * What tells a package apart from the others of one artifact, alike from whichever tool it comes: `packageKey`, of a distribution's packages without
 * the distribution, of which an artifact has one and which tools name otherwise (`amzn`, `amazon`, not at all), and without the epoch, which stands in
 * the version, in a qualifier or nowhere.
 */
export const packageIdentity = (named: PackageName): string =>
  packageKey(named).replace(/^(pkg:(?:deb|apk|rpm)\/)(?:[^/@]+\/)?([^/@]+)(?:@(?:\d+(?::|%3A))?)?/i, (whole, type: string, name: string) =>
    whole.includes('@') ? `${type}${name}@` : `${type}${name}`,
  );

/**
 * What tells a package and its version apart from all others, alike from whichever tool it comes: its package URL without qualifiers
 * and subpath (purl specification), made of name and ecosystem where the tool gives none; `name@version` of an unknown ecosystem.
 */
export function packageKey({ name, version, ecosystem, purl }: PackageName): string {
  if (purl !== undefined) {
    try {
      const parsed = PackageURL.fromString(withoutV(purl));
      const key = build(parsed.type ?? '', parsed.namespace, parsed.name ?? '', parsed.version ?? version);
      if (key !== undefined) return key;
    } catch {
      // a tool's own idea of a package URL: name and ecosystem say the same
    }
  }
  const type = purlType(ecosystem);
  const key = type === undefined ? undefined : build(type, ...split(type, name, ecosystem ?? ''), version);
  return key ?? `${name}@${version ?? ''}`;
}
