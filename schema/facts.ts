/** What a scanner has told of a resource by a check. */
export interface Fact {
  readonly value: string | number | boolean;
  /** The scanner, and its check. */
  readonly source: string;
  readonly rule_id: string;
  /** When it looked. */
  readonly at: Date;
  /** Whether the check failed. */
  readonly failed: boolean;
}

/** What scanners have told of a resource: facet -> field -> fact. Of `exposure` the fields are openings: `tcp/22`, or `any`; of `data` they are classes. */
export type AssetFacts = Readonly<Record<string, Readonly<Record<string, Fact>>>>;

/** What counts of it for a view of a resource: `first` where it goes before what the inventory says, else it fills what that leaves open. */
export type WeighedFacts = Readonly<Record<string, Readonly<Record<string, Pick<Fact, 'value'> & { readonly first: boolean }>>>>;

/** Which of two facts about the same counts: the later; of one time the failure, as checks differ in what they look at. */
const outweighs = (one: Fact, other: Fact): boolean => {
  const [at, before] = [one.at.getTime(), other.at.getTime()];
  return at === before ? one.failed || !other.failed : at > before;
};

/** All that two tell; of what both tell, what counts. */
export function mergedFacts(known: AssetFacts, told: AssetFacts): AssetFacts {
  const merged: Record<string, Record<string, Fact>> = {};
  for (const facet of new Set([...Object.keys(known), ...Object.keys(told)])) {
    merged[facet] = { ...known[facet] };
    for (const [field, fact] of Object.entries(told[facet] ?? {})) {
      const before = known[facet]?.[field];
      if (!before || outweighs(fact, before)) merged[facet][field] = fact;
    }
  }
  return merged;
}
