import { fixedVersionsFor, isAffected, prepare, type PreparedPackage } from './affected.js';
import { packageKey } from './ecosystems.js';
import type { Advisory, AdvisoryMatch, AffectedPackage, Component } from './types.js';

/** Versions of one package whose advisories are remembered: many artifacts have the same. */
const MOST_VERSIONS = 32;
const NONE: readonly never[] = [];

interface Entry<A extends Advisory> {
  readonly advisory: A;
  readonly affected: AffectedPackage;
  prepared?: PreparedPackage;
}

/** Advisories by the packages that they are about, so that a component is held against those of its own package alone. */
export class AdvisoryIndex<A extends Advisory> {
  private readonly packages = new Map<string, { readonly entries: Entry<A>[]; readonly known: Map<string, readonly AdvisoryMatch<A>[]> }>();

  constructor(advisories: Iterable<A>) {
    for (const advisory of advisories) {
      for (const affected of advisory.affected) {
        const key = packageKey(affected);
        let about = this.packages.get(key);
        if (!about) this.packages.set(key, (about = { entries: [], known: new Map() }));
        about.entries.push({ advisory, affected });
      }
    }
  }

  /** The advisories that are about a component, each once, in the order in which they came. */
  match(component: Component): readonly AdvisoryMatch<A>[] {
    return this.matchVersion(packageKey(component), component.version);
  }

  /** As `match`, where the key of the component's package is known (`packageKey`). */
  matchVersion(key: string, version: string): readonly AdvisoryMatch<A>[] {
    const about = this.packages.get(key);
    if (!about) return NONE;
    const { entries, known } = about;
    const before = known.get(version);
    if (before) return before;
    const matches = matchesOf(version, entries);
    if (known.size >= MOST_VERSIONS) known.clear();
    known.set(version, matches);
    return matches;
  }
}

function matchesOf<A extends Advisory>(version: string, entries: readonly Entry<A>[]): readonly AdvisoryMatch<A>[] {
  const found = new Map<string, AdvisoryMatch<A>>();
  for (const entry of entries) {
    const { advisory, affected } = entry;
    const prepared = (entry.prepared ??= prepare(affected));
    if (!isAffected(version, prepared)) continue;
    const fixes = found.get(advisory.id)?.fixedVersions ?? [];
    found.set(advisory.id, { advisory, fixedVersions: [...new Set([...fixes, ...fixedVersionsFor(version, prepared)])] });
  }
  return found.size === 0 ? NONE : [...found.values()];
}
