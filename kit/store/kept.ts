import { createHash } from 'node:crypto';
import { BoundedCache } from '../base/bounded-cache.js';

/** Answers kept at once, over all tenants; those that were not asked for longest go first. */
const MOST = 2_000;
const small = new BoundedCache<{ readonly answer: unknown }>(MOST);

/**
 * What `read` answers, kept in this process under `key`: the tenant, what is asked, and a version of the rows that is another one, and of no other
 * database, after each change of them.
 */
export async function keptUnder<T>(key: readonly unknown[], read: () => Promise<T>, kept = small): Promise<T> {
  const digest = createHash('sha256').update(JSON.stringify(key)).digest('base64');
  const known = kept.get(digest) ?? kept.set(digest, { answer: await read() });
  return known.answer as T;
}
