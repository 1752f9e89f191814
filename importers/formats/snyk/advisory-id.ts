/** Languages as Snyk's ids of advisories name them: `SNYK-JS-LODASH-567746`. */
const LANGUAGES: Readonly<Record<string, string>> = {
  JS: 'npm',
  JAVA: 'maven',
  PYTHON: 'pip',
  GOLANG: 'golang',
  DOTNET: 'nuget',
  RUBY: 'rubygems',
  PHP: 'composer',
  RUST: 'cargo',
  HEX: 'hex',
  PUB: 'pub',
  SWIFT: 'swift',
  COCOAPODS: 'cocoapods',
};
const DISTRIBUTION = /^(?:DEBIAN|UBUNTU|ALPINE|RHEL|CENTOS|AMZN|ORACLE|SLES|ROCKY|WOLFI|CHAINGUARD)/;

/** The ecosystem of the packages that an advisory of Snyk is about, in words that `purlType` knows; undefined where its id does not tell. */
export function ecosystemOf(id: string): string | undefined {
  const word = /^SNYK-([A-Z]+)\d*-/.exec(id)?.[1];
  if (word !== undefined) return LANGUAGES[word] ?? (DISTRIBUTION.test(word) ? word.toLowerCase() : undefined);
  // the ids of early advisories
  return /^(npm|pip|rubygems|maven|golang|composer|nuget):/.exec(id)?.[1];
}

/** A package by Snyk's name: one of a distribution is named `source/binary`. */
export function packageNamed(name: string, ecosystem: string | undefined): { name: string; ecosystem: string | undefined } {
  const isOfDistribution = ecosystem !== undefined && DISTRIBUTION.test(ecosystem.toUpperCase());
  return { name: isOfDistribution ? (name.split('/').at(-1) ?? name) : name, ecosystem };
}
