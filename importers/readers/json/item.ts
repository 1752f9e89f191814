/** What stands at the wanted paths of a JSON report, in the order of the report. */
export type JsonItem =
  /** An array on the way to wanted values was entered, even an empty one. */
  | { kind: 'array'; path: string; position: string }
  /**
   * A wanted value; `indices` are those of the arrays around it, outermost first, `names` those of the members that a `*` of its path
   * stands for; `offset` is its first byte.
   */
  | { kind: 'value'; path: string; indices: number[]; names: string[]; position: string; value: unknown; offset: number }
  /** A value that cannot be read; the others go on. */
  | { kind: 'broken'; path: string; position: string; reason: string; offset: number }
  /** The report ends early, or is damaged so that nothing behind can be read. Always the last item. */
  | { kind: 'truncated'; position: string; reason: string; offset: number };

/** A wanted value together with its place. */
export type JsonValueItem = Extract<JsonItem, { kind: 'value' }>;
