import { compareAlpine } from './orders/alpine.js';
import { compareDebian } from './orders/debian.js';
import { compareMaven } from './orders/maven.js';
import { compareNuGet } from './orders/nuget.js';
import { comparePackagist } from './orders/packagist.js';
import { comparePep440 } from './orders/pep440.js';
import { compareRpm } from './orders/rpm.js';
import { compareRubyGems } from './orders/rubygems.js';
import { compareSemver } from './orders/semver.js';
import type { VersionOrder } from './types.js';

interface Ecosystem {
  readonly order: VersionOrder;
  /** The form of a name in which two of one package are equal; as it is written when absent. */
  readonly nameOf?: (name: string) => string;
}

const lowerCase = (name: string): string => name.toLowerCase();

/** The ecosystems of OSV whose versions are ordered here, by name without a release. */
const ECOSYSTEMS: Readonly<Record<string, Ecosystem>> = {
  npm: { order: compareSemver },
  'crates.io': { order: compareSemver },
  // tools write modules of Go as they are, or in small letters
  Go: { order: compareSemver, nameOf: lowerCase },
  Hex: { order: compareSemver },
  Pub: { order: compareSemver },
  SwiftURL: { order: compareSemver },
  // PEP 503
  PyPI: { order: comparePep440, nameOf: (name) => name.toLowerCase().replace(/[-_.]+/g, '-') },
  Maven: { order: compareMaven },
  RubyGems: { order: compareRubyGems },
  Packagist: { order: comparePackagist, nameOf: lowerCase },
  NuGet: { order: compareNuGet, nameOf: lowerCase },
  Debian: { order: compareDebian },
  Ubuntu: { order: compareDebian },
  Alpine: { order: compareAlpine },
  Chainguard: { order: compareAlpine },
  Wolfi: { order: compareAlpine },
  'Red Hat': { order: compareRpm },
  'Rocky Linux': { order: compareRpm },
  AlmaLinux: { order: compareRpm },
  SUSE: { order: compareRpm },
  openSUSE: { order: compareRpm },
  openEuler: { order: compareRpm },
  Mageia: { order: compareRpm },
  'Azure Linux': { order: compareRpm },
};

/** `Debian:12` -> `Debian`. */
const baseOf = (ecosystem: string): string => ecosystem.split(':', 1)[0]!;

/** The order of an ecosystem's versions; undefined for one that is not ordered here: what its advisories list is matched alone. */
export const orderOf = (ecosystem: string): VersionOrder | undefined =>
  Object.hasOwn(ECOSYSTEMS, baseOf(ecosystem)) ? ECOSYSTEMS[baseOf(ecosystem)]!.order : undefined;

/** Whether an ecosystem is that of a distribution: its versions go by the order of a package manager of Linux. */
export const isDistribution = (ecosystem: string): boolean =>
  ([compareDebian, compareAlpine, compareRpm] as (VersionOrder | undefined)[]).includes(orderOf(ecosystem));

/** What packages are looked up by: ecosystem with its release, and name. */
export function packageKey({ ecosystem, name }: { readonly ecosystem: string; readonly name: string }): string {
  const base = baseOf(ecosystem);
  const nameOf = Object.hasOwn(ECOSYSTEMS, base) ? ECOSYSTEMS[base]!.nameOf : undefined;
  return `${ecosystem}|${nameOf ? nameOf(name) : name}`;
}
