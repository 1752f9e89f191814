/** A filter that is set. */
export interface Chip {
  readonly name: string;
  readonly value: string;
  /** The query without it. */
  readonly without: ReadonlyMap<string, readonly string[]>;
}
