import { Refusal, send } from './api.js';

/** What the graph answers over HTTP. */
interface GraphAnswer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string; readonly detail?: unknown } }[];
}

const hashes = new Map<string, Promise<string | null>>();

/** SHA-256 of a document in hex; null where the browser has none to offer, as on a plain HTTP address of another machine. */
function hashOf(document: string): Promise<string | null> {
  const known = hashes.get(document);
  if (known) return known;
  const made = (async () => {
    // not every page may use it, whatever its type says
    const subtle = (crypto as Partial<Crypto>).subtle;
    if (!subtle) return null;
    const digest = new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(document)));
    return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  })();
  hashes.set(document, made);
  return made;
}

/**
 * Asks the graph by the hash of a document, and sends the document itself where the server does not know it yet.
 * @throws Refusal for any error in the answer
 */
export async function askGraph<Data>(document: string, variables: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Data> {
  const sha256Hash = await hashOf(document);
  const named = sha256Hash === null ? {} : { extensions: { persistedQuery: { version: 1, sha256Hash } } };
  const post = (query: object) => send<GraphAnswer>('POST', '/graphql', { ...query, ...named, variables }, undefined, signal);
  let answer = await post(sha256Hash === null ? { query: document } : {});
  if (answer.errors?.[0]?.extensions?.code === 'PERSISTED_QUERY_NOT_FOUND') answer = await post({ query: document });
  const [error] = answer.errors ?? [];
  // an answer of the graph that has errors is refused as a whole: what is shown is never half of what it says
  if (error) throw new Refusal(500, error.extensions?.code ?? 'INTERNAL', error.message, error.extensions?.detail ?? null);
  return answer.data as Data;
}
