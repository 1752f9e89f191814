import { createHash } from 'node:crypto';
import { badRequest } from '../kit/base/errors.js';

/** Characters of documents that are kept for one tenant, and for all of them, at most. */
export const PERSISTED_LIMITS = { tenant: 1_048_576, all: 33_554_432 } as const;

interface Shelf {
  readonly documents: Map<string, string>;
  size: number;
}

/** Drops what was used longest ago. */
const oldest = <K, V>(map: Map<K, V>): [K, V] => map.entries().next().value!;

/**
 * The documents of a process that clients name by their hash (Apollo's automatic persisted queries), each for the tenant alone whose caller
 * has sent it. A document grants nothing: each call of it is checked as if its text had come. What is forgotten, or known to
 * another process only, the client sends once more.
 */
export class PersistedQueries {
  readonly #tenants = new Map<string, Shelf>();
  #size = 0;

  constructor(readonly limits: { readonly tenant: number; readonly all: number } = PERSISTED_LIMITS) {}

  /** The document with this hash; null when it is not here. */
  find(tenantId: string, hash: string): string | null {
    const shelf = this.#tenants.get(tenantId);
    const document = shelf?.documents.get(hash);
    if (!shelf || document === undefined) return null;
    this.#touch(tenantId, shelf);
    shelf.documents.delete(hash);
    shelf.documents.set(hash, document);
    return document;
  }

  /** Keeps a document that `assertHash` has passed, in place of those that were used longest ago. */
  keep(tenantId: string, hash: string, document: string): void {
    const shelf = this.#tenants.get(tenantId) ?? { documents: new Map<string, string>(), size: 0 };
    if (document.length > this.limits.tenant || shelf.documents.has(hash)) return;
    this.#touch(tenantId, shelf);
    shelf.documents.set(hash, document);
    this.#resize(shelf, document.length);
    while (shelf.size > this.limits.tenant) {
      const [first, { length }] = oldest(shelf.documents);
      shelf.documents.delete(first);
      this.#resize(shelf, -length);
    }
    while (this.#size > this.limits.all) {
      const [first, { size }] = oldest(this.#tenants);
      this.#tenants.delete(first);
      this.#size -= size;
    }
  }

  #touch(tenantId: string, shelf: Shelf): void {
    this.#tenants.delete(tenantId);
    this.#tenants.set(tenantId, shelf);
  }

  #resize(shelf: Shelf, by: number): void {
    shelf.size += by;
    this.#size += by;
  }
}

/** @throws PalisadeError BAD_REQUEST when `hash` is not that of `document` */
export function assertHash(document: string, hash: string): void {
  if (createHash('sha256').update(document).digest('hex') !== hash)
    throw badRequest('extensions.persistedQuery.sha256Hash is not the hash of the query');
}
