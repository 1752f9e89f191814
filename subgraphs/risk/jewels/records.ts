import { RESOURCE_FIELDS } from '../../../kit/engine/resource-fields.js';
import { JEWEL_TIERS, type JewelKind, type JewelState, type JewelTier } from '../../../kit/read/crown-jewels.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { nullable, number, object, textOf } from '../../../kit/store/fields.js';

/** What facts say of a resource. */
export interface Proposal {
  readonly tier: JewelTier;
  readonly reasons: readonly string[];
}

/** What the loss of a crown jewel costs, as people say; null where nobody has. */
export interface JewelFigures {
  readonly value: number | null;
  readonly value_per_hour: number | null;
  readonly records: number | null;
  /** The class of data that the records are of, which says what one costs. */
  readonly record_class: string | null;
  readonly fines: number | null;
}

/** What people say of a resource. */
export interface Decision extends JewelFigures {
  readonly state: 'accepted' | 'refused';
  readonly tier: JewelTier | null;
  readonly reason: string;
  readonly by: string;
  readonly at: Date;
}

const WORST_FIRST = { rank: -1, resource_uid: 1 } as const;

/** A resource that facts or people call a crown jewel, or that people say is none; `_id` is `<tenant_id>|<digest of resource_uid>`. */
export const crownJewels = defineCollection(
  'crown_jewels',
  {
    ...RESOURCE_FIELDS,
    kind: textOf<JewelKind>(),
    /** What facts say now; null where they say nothing. */
    proposal: nullable(object<Proposal>()),
    /** What people say; null where they have not. */
    decision: nullable(object<Decision>()),
    /** What comes of both. */
    state: textOf<JewelState>(),
    tier: textOf<JewelTier>(),
    rank: number,
  },
  [
    { key: { tenant_id: 1, ...WORST_FIRST } },
    { key: { tenant_id: 1, resource_uid: 1 } },
    { key: { tenant_id: 1, state: 1, ...WORST_FIRST } },
  ],
);
export type CrownJewelRow = RowOf<typeof crownJewels>;

/** What comes of what facts and people say of a resource; null where neither says anything. */
export function standingOf({
  proposal,
  decision,
}: Pick<CrownJewelRow, 'proposal' | 'decision'>): Pick<CrownJewelRow, 'state' | 'tier' | 'rank'> | null {
  if (!proposal && !decision) return null;
  // who names no tier leaves it to the facts, and where these are silent calls the loss bad
  const tier = decision?.tier ?? proposal?.tier ?? 'high';
  return { state: decision?.state ?? 'proposed', tier, rank: JEWEL_TIERS.length - JEWEL_TIERS.indexOf(tier) };
}
