import { packageOfUrl, type PackageName } from '../../normalize/purl.js';
import { textAt, textsAt } from '../../readers/json/fields.js';
import type { SarifPlace } from './location.js';
import type { SarifFacts } from './profiles.js';
import type { SarifRule } from './rule.js';

/** `Package: openssl`, `Installed Version: 1.1.1` of Trivy and Grype, `Affected range : <2` of Docker Scout: a line each. */
function line(texts: readonly string[], label: string): string | undefined {
  const pattern = new RegExp(String.raw`^\s*${label}\s*:\s*(\S.*?)\s*$`, 'im');
  for (const text of texts) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Sentences that name a package and its version, of Grype, OSV-Scanner, and those who write `name@version`. */
const SENTENCES: readonly RegExp[] = [
  /in (?<ecosystem>[\w-]+) package: (?<name>\S+?), version (?<version>\S+?) (?:was|is) found/i,
  /Package '(?<name>[^'\s]+)@(?<version>[^'@\s]+)' is vulnerable/i,
  /^\s*\((?:CVE-[\d-]+)\)\s+(?<name>\S+)@(?<version>[^@\s]+)\s*$/im,
];

/** The package of a vulnerability, out of where its tool puts it: SARIF has no place for it. Undefined where nothing names one. */
export function packageOf({ rule, message = '', properties }: SarifFacts, place: SarifPlace): PackageName | undefined {
  const purl = textsAt(properties, 'purls')[0] ?? rule?.facts.purls[0] ?? /\bpkg:[a-z][\w.+-]*\/[^\s'",)]+/i.exec(message)?.[0];
  const named = purl === undefined ? undefined : packageOfUrl(purl);
  if (named !== undefined) return named;
  const texts = [message, rule?.guidance ?? ''];
  const name = line(texts, 'Package');
  if (name !== undefined) return { name, version: line(texts, '(?:Installed )?Version'), ecosystem: line(texts, 'Type') };
  for (const text of [message, rule?.description ?? '']) {
    for (const pattern of SENTENCES) {
      const groups = pattern.exec(text)?.groups;
      if (groups !== undefined) return { name: groups['name'] as string, version: groups['version'], ecosystem: groups['ecosystem'] };
    }
  }
  const [, logical, version] = /^(@?[^@\s]+)@([^@\s]+)$/.exec(place.logical ?? '') ?? [];
  return logical === undefined ? undefined : { name: logical, version, ecosystem: ecosystemOf(rule) };
}

/** The versions that fix a vulnerability. */
export function fixesOf({ rule, message = '', properties }: SarifFacts): string[] {
  const texts = [message, rule?.guidance ?? ''];
  const fixed = textAt(properties, 'fixed_version') ?? rule?.facts.fixedVersion ?? line(texts, 'Fix(?:ed)? Version');
  return (fixed ?? '').split(/\s*,\s*/).filter((version) => /\d/.test(version));
}

/** Snyk tags its rules with the package manager. */
const ecosystemOf = (rule: SarifRule | undefined): string | undefined =>
  rule?.tags.find((tag) =>
    /^(?:npm|pip|poetry|maven|gradle|golang|gomodules|nuget|composer|rubygems|cargo|hex|cocoapods|deb|rpm|apk)$/i.test(tag),
  );
