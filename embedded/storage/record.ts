/** One stored document: its BSON bytes and where it stands. */
export interface StoredRecord {
  /** The encoded _id. */
  readonly idKey: string;
  /** Rises with every insert; the order of a collection scan. */
  readonly number: number;
  bytes: Buffer;
  /** The store's write counter when the document was last committed: tells a transaction that it came too late. */
  version: number;
}
