import DataLoader from 'dataloader';
import type { EngineContext } from './context.js';

/**
 * A DataLoader for each context: the loads of one request become one `batch`, and nothing is kept for the next.
 * @param batch values for keys, in the order of the keys
 */
export function loaderOf<K, V>(
  batch: (context: EngineContext, keys: readonly K[]) => Promise<readonly V[]>,
): (context: EngineContext) => DataLoader<K, V> {
  const loaders = new WeakMap<EngineContext, DataLoader<K, V>>();
  return (context) => {
    const known = loaders.get(context) ?? new DataLoader<K, V>((keys) => batch(context, keys), { maxBatchSize: 200 });
    loaders.set(context, known);
    return known;
  };
}
