import type { ResourceIdentity } from '../../schema/model.js';
import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'crown_jewels', engine: 'risk' };

/** How bad the loss of a crown jewel is, the worst first. */
export const JEWEL_TIERS = ['critical', 'high', 'medium', 'low'] as const;
export type JewelTier = (typeof JEWEL_TIERS)[number];

/** What a resource is that can be a crown jewel. */
export const JEWEL_KINDS = ['database', 'data_store', 'key', 'secret', 'model', 'other'] as const;
export type JewelKind = (typeof JEWEL_KINDS)[number];

/** Who says that a resource is a crown jewel: facts alone, or people, who may also say that it is none. */
export const JEWEL_STATES = ['accepted', 'proposed', 'refused'] as const;
export type JewelState = (typeof JEWEL_STATES)[number];

/** What other engines read of a crown jewel. */
export interface ReadCrownJewel extends ResourceIdentity {
  kind: JewelKind;
  state: JewelState;
  tier: JewelTier;
  /** What its loss costs beyond response, downtime, records and fines, in the tenant's currency; null where nobody has said. */
  value: number | null;
  /** Why people or facts say so. */
  reason: string;
}

interface Batch {
  items: ReadCrownJewel[];
  next: string | null;
}

const JEWEL = 'resource_uid resource_type resource_name provider account_id region kind state tier value reason';

const batch = defineReadOperation<{ uids: readonly string[] | null; after: string | null; limit: number }, Batch>(
  model,
  `query($uids: [ID!], $after: String, $limit: Int!) { result: crown_jewels_model(resource_uids: $uids, after: $after, limit: $limit) { items { ${JEWEL} } next } }`,
);

/** Crown jewels read at a time. */
const AT_ONCE = 1_000;

/**
 * The tenant's crown jewels by resource_uid, one after the other: accepted, proposed, and those that people have refused.
 * @param uids only these resources, at most 2,000; all when null
 * @throws as `readModel`
 */
export async function* readCrownJewels(context: EngineContext, uids: readonly string[] | null = null): AsyncGenerator<ReadCrownJewel> {
  let after: string | null = null;
  do {
    const found: Batch = await readModel(context, batch, { uids, after, limit: AT_ONCE });
    yield* found.items;
    after = found.next;
  } while (after !== null);
}
