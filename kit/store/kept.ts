import { createHash } from 'node:crypto';

/** Answers kept at once, over all tenants; those that were not asked for longest go first. */
const MOST = 2_000;
const kept = new Map<string, unknown>();

/**
 * What `read` answers, kept in this process under `key`: the tenant, what is asked, and a version of the rows that is another one, and of no other
 * database, after each change of them.
 */
export async function keptUnder<T>(key: readonly unknown[], read: () => Promise<T>): Promise<T> {
  const digest = createHash('sha256').update(JSON.stringify(key)).digest('base64');
  if (kept.has(digest)) {
    const answer = kept.get(digest) as T;
    kept.delete(digest);
    kept.set(digest, answer);
    return answer;
  }
  const answer = await read();
  kept.set(digest, answer);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST) break;
    kept.delete(oldest);
  }
  return answer;
}
