import { fixedVersionsFor, isAffected } from './affected.js';
import { packageKey } from './ecosystems.js';
import type { Advisory, AdvisoryMatch, AffectedPackage, Component } from './types.js';

/** Advisories by the packages that they are about, so that a component is held against those of its own package alone. */
export class AdvisoryIndex<A extends Advisory> {
  private readonly packages = new Map<string, { readonly advisory: A; readonly affected: AffectedPackage }[]>();

  constructor(advisories: Iterable<A>) {
    for (const advisory of advisories) {
      for (const affected of advisory.affected) {
        const key = packageKey(affected);
        const known = this.packages.get(key);
        if (known) known.push({ advisory, affected });
        else this.packages.set(key, [{ advisory, affected }]);
      }
    }
  }

  /** The advisories that are about a component, each once, in the order in which they came. */
  match(component: Component): AdvisoryMatch<A>[] {
    const found = new Map<string, AdvisoryMatch<A>>();
    for (const { advisory, affected } of this.packages.get(packageKey(component)) ?? []) {
      if (!isAffected(component.version, affected)) continue;
      const known = found.get(advisory.id)?.fixedVersions ?? [];
      const fixedVersions = [...new Set([...known, ...fixedVersionsFor(component.version, affected)])];
      found.set(advisory.id, { advisory, fixedVersions });
    }
    return [...found.values()];
  }
}
