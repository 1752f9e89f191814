import type { EdgeKind, Provider } from '../../schema/model.js';
import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'inventory', engine: 'di' };

/** An edge that tells who has every right, or may come to more than was given. */
export interface ReadRisingEdge {
  from: string;
  to: string;
  kind: EdgeKind;
  access: {
    privilege: 'read' | 'write' | 'manage_access' | 'admin' | null;
    conditional: boolean;
    way: string | null;
    by: { resource_uid: string }[];
  };
}

interface Batch {
  items: ReadRisingEdge[];
  next: string | null;
}

const batch = defineReadOperation<{ provider: Provider; after: string | null; limit: number }, Batch>(
  model,
  `query($provider: Provider!, $after: String, $limit: Int!) {
    result: rising_edges_model(provider: $provider, after: $after, limit: $limit) {
      items { from to kind access { privilege conditional way by { resource_uid } } } next
    }
  }`,
);

/** Edges read at a time. */
const AT_ONCE = 1_000;

/** The edges of a provider that tell who has every right or may come to more than was given, one after the other. @throws as `readModel` */
export async function* readRisingEdges(context: EngineContext, provider: Provider): AsyncGenerator<ReadRisingEdge> {
  let after: string | null = null;
  do {
    const found: Batch = await readModel(context, batch, { provider, after, limit: AT_ONCE });
    yield* found.items;
    after = found.next;
  } while (after !== null);
}
