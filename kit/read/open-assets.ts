import type { Provider, Severity } from '../../schema/model.js';
import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'inventory', engine: 'di' };

/** What other engines read of where open findings are. */
export interface ReadOpenAsset {
  provider: Provider;
  account_id: string | null;
  /** Of an object of Kubernetes that stands in one. */
  namespace: string | null;
  /** The value of the first tag that was asked for and that it has. */
  tag: string | null;
  /** Its open findings in the engines that the caller may read. */
  open: (Record<Severity, number> & { engine: string })[];
}

interface Batch {
  items: ReadOpenAsset[];
  next: string | null;
}

const batch = defineReadOperation<{ tag_names: readonly string[]; after: string | null; limit: number }, Batch>(
  model,
  `query($tag_names: [String!]!, $after: String, $limit: Int!) {
    result: open_assets_model(tag_names: $tag_names, after: $after, limit: $limit) {
      items { provider account_id namespace tag open { engine critical high medium low info } } next
    }
  }`,
);

/** Assets read at a time. */
const AT_ONCE = 1_000;

/**
 * The tenant's assets that have open findings, one after the other.
 * @param tagNames tags, in lower case, of which the first that an asset has is told
 * @throws as `readModel`
 */
export async function* readOpenAssets(context: EngineContext, tagNames: readonly string[]): AsyncGenerator<ReadOpenAsset> {
  let after: string | null = null;
  do {
    const found: Batch = await readModel(context, batch, { tag_names: tagNames, after, limit: AT_ONCE });
    yield* found.items;
    after = found.next;
  } while (after !== null);
}
