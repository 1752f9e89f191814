import { packageKey } from '../catalog/advisories/ecosystems.js';
import { advisoryPackages, type NamedComponent } from '../catalog/advisories/packages.js';
import type { Component } from '../catalog/advisories/types.js';
import { createTimeSlice } from '../kit/base/time-slice.js';
import type { AdvisoriesByPackage, StoredAdvisory } from './advisories-by-package.js';
import type { AdvisoryRow } from './records.js';

/** What of an advisory findings tell. */
export type AdvisoryFacts = Pick<AdvisoryRow, '_id' | 'aliases' | 'summary' | 'severity' | 'cvss' | 'modified'>;

/** A component that advisories are about, by the name that findings of them have. */
export interface VulnerableComponent<C extends NamedComponent> {
  readonly component: C;
  readonly rule_id: string;
  /** In the order of their ids. */
  readonly advisories: readonly AdvisoryFacts[];
  readonly fixedVersions: readonly string[];
}

/**
 * Holds components against the advisories of their packages. What has no version, or one that its ecosystem cannot order, is in no range.
 * @param components some hundreds
 */
export async function findVulnerable<C extends NamedComponent>(
  advisories: AdvisoriesByPackage,
  components: readonly C[],
  signal: AbortSignal,
): Promise<VulnerableComponent<C>[]> {
  const named = new Map<string, { readonly component: C; readonly as: Component }[]>();
  for (const component of components) {
    for (const as of advisoryPackages(component)) {
      const key = packageKey(as);
      named.set(key, [...(named.get(key) ?? []), { component, as }]);
    }
  }
  if (named.size === 0) return [];
  const found = new Map<C, Map<string, Found<C>>>();
  const pause = createTimeSlice();
  for await (const { key, index } of advisories.of(named.keys())) {
    signal.throwIfAborted();
    await pause();
    for (const { component, as } of named.get(key) ?? [])
      for (const { advisory, fixedVersions } of index.matchVersion(key, as.version)) note(found, component, advisory.facts, fixedVersions);
  }
  return [...found.values()].flatMap((rules) => [...rules.values()].map(toldOf));
}

interface Found<C> {
  readonly component: C;
  readonly rule_id: string;
  readonly advisories: Map<string, AdvisoryFacts>;
  readonly fixedVersions: Set<string>;
}

function note<C>(
  found: Map<C, Map<string, Found<C>>>,
  component: C,
  { rule_ids, ...facts }: StoredAdvisory['facts'],
  fixedVersions: readonly string[],
): void {
  const rules = found.get(component) ?? new Map<string, Found<C>>();
  found.set(component, rules);
  // what an earlier release stored has no name for findings until its feed is loaded again
  for (const rule_id of rule_ids ?? []) {
    const known = rules.get(rule_id) ?? { component, rule_id, advisories: new Map(), fixedVersions: new Set<string>() };
    rules.set(rule_id, known);
    known.advisories.set(facts._id, facts);
    for (const version of fixedVersions) known.fixedVersions.add(version);
  }
}

const toldOf = <C extends NamedComponent>({ advisories: told, fixedVersions, ...found }: Found<C>): VulnerableComponent<C> => ({
  ...found,
  advisories: [...told.values()].sort((one, other) => (one._id < other._id ? -1 : 1)),
  // in an order that does not depend on which advisory was read first
  fixedVersions: [...fixedVersions].sort(),
});
