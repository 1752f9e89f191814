/** An open transaction, as those see it who wait for the documents and unique values that it holds. */
export interface LockHolder {
  /** Settles when it has ended, either way. */
  readonly ended: Promise<void>;
}
