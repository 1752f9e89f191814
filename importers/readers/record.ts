/** A record lacks what it must have, or has it in another type: it becomes a `broken` item with this message. */
export class BrokenRecord extends Error {
  override readonly name = 'BrokenRecord';
}

/** A record as a reader gives it. */
export interface ReadRecord<Value> {
  kind: 'value';
  value: Value;
  /** Where it stands, as people look for it: `matches[3]`, `line 12`, `/issues/issue[2] (line 40)`. */
  position: string;
  /** Its first byte, where the reader counts bytes. */
  offset?: number;
}

/** What cannot be read. */
export type ReadFault =
  /** A record that cannot be read; the others go on. */
  | { kind: 'broken'; position: string; reason: string; offset?: number }
  /** The report ends early, or is damaged so that nothing behind can be read. Always the last item. */
  | { kind: 'truncated'; position: string; reason: string; offset?: number };

/** What every reader of records gives, in the order of the report. */
export type ReadItem<Value> = ReadRecord<Value> | ReadFault;
