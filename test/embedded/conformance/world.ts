import { MongoClient, type Collection, type Db, type Document } from 'mongodb';
import { openEmbeddedStore, type EmbeddedStore } from '../../../embedded/index.js';
import { REAL_SERVER_SKIPS, REAL_SERVER_DIFFERS } from './differences.js';

/** The server under test: CONFORMANCE_URI names a real one, otherwise an embedded store is opened. */
const realServer = process.env['CONFORMANCE_URI'];

/** A connection to the server under test, with a database of its own. */
export class World {
  client!: MongoClient;
  db!: Db;
  uri = '';
  #store: EmbeddedStore | undefined;
  #nextCollection = 1;

  async open(): Promise<void> {
    if (realServer === undefined) this.#store = await openEmbeddedStore({ dir: null });
    this.uri = this.#store?.uri ?? realServer ?? '';
    this.client = await new MongoClient(this.uri).connect();
    this.db = this.client.db(`conformance_${process.pid}_${Date.now() % 100_000}`);
  }

  async close(): Promise<void> {
    await this.db.dropDatabase();
    await this.client.close();
    await this.#store?.close();
  }

  /** A fresh collection that holds the documents. */
  async collection(documents: Document[] = []): Promise<Collection> {
    const collection = this.db.collection(`c${this.#nextCollection++}`);
    if (documents.length > 0) await collection.insertMany(documents.map((d) => ({ ...d })));
    return collection;
  }
}

/**
 * A test that holds on every server. Where the real server of this environment differs from MongoDB, differences.ts says how;
 * the test must then fail there, so that the table stays true.
 */
export function conforms(name: string, run: () => Promise<void>): void {
  const reason = realServer === undefined ? undefined : REAL_SERVER_DIFFERS[name];
  const skipped = realServer === undefined ? undefined : REAL_SERVER_SKIPS[name];
  if (skipped !== undefined) test.skip(`${name} (not asked of the real server: ${skipped})`, run);
  else if (reason === undefined) test(name, run);
  else test.failing(`${name} (the real server differs: ${reason})`, run);
}

/** A test of what only the embedded store does or refuses. */
export const embeddedOnly: typeof test | typeof test.skip = realServer === undefined ? test : test.skip;

/** The code of the error that a promise is rejected with. */
export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'no error',
    (error: { code?: unknown }) => error.code,
  );
}

/** The _id values of documents. */
export function ids(documents: readonly Document[]): unknown[] {
  return documents.map((d) => d['_id'] as unknown);
}
