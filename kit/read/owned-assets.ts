import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'inventory', engine: 'di' };

interface Batch {
  items: { resource_uid: string; owner: string }[];
  next: string | null;
  version: string | null;
}

const batch = defineReadOperation<{ after: string | null; limit: number }, Batch>(
  model,
  `query($after: String, $limit: Int!) {
    result: owned_assets_model(after: $after, limit: $limit) { items { resource_uid owner } next version }
  }`,
);

/** Assets read at a time. */
const AT_ONCE = 1_000;

/** The version of the tenant's assets: another one after each change of any of them; null where it has never had one. @throws as `readModel` */
export const readAssetsVersion = async (context: EngineContext): Promise<string | null> =>
  (await readModel(context, batch, { after: null, limit: 1 })).version;

/** The owners of the tenant's assets by resource_uid; those of nobody are left out. @throws as `readModel` */
export async function readOwners(context: EngineContext): Promise<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  let after: string | null = null;
  do {
    const found: Batch = await readModel(context, batch, { after, limit: AT_ONCE });
    for (const { resource_uid, owner } of found.items) owners.set(resource_uid, owner);
    after = found.next;
  } while (after !== null);
  return owners;
}
