/** What one record of a report may be (decision 54): past it the record is broken, and the others go on. */
export const RECORD_LIMITS = {
  /** Bytes of one record. */
  maxRecordBytes: 4 * 1024 ** 2,
  /** Bytes of one text in it, as UTF-8. */
  maxTextBytes: 1024 ** 2,
  /** Levels of nesting. */
  maxDepth: 200,
  /** Attributes of one XML element, columns of one CSV row. */
  maxFields: 2_000,
} as const;

/** The limits of a reader. */
export type RecordLimits = { readonly [Name in keyof typeof RECORD_LIMITS]: number };

/** Whether a text is longer than `maxTextBytes` as UTF-8. */
export const isTooLong = (text: string, { maxTextBytes }: Pick<RecordLimits, 'maxTextBytes'>): boolean =>
  text.length > maxTextBytes / 3 && Buffer.byteLength(text) > maxTextBytes;

const NUL = '\u0000';

/**
 * What a value breaks of the limits, as the end of a sentence about the record; null when it keeps to them. A member name with a NUL
 * cannot be stored. Its size is estimated, for values that no reader has measured as bytes.
 */
export function faultOfValue(value: unknown, { maxRecordBytes, maxTextBytes, maxDepth }: RecordLimits = RECORD_LIMITS): string | null {
  const stack: [value: unknown, depth: number][] = [[value, 1]];
  let bytes = 0;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [inner, depth] = next;
    if (typeof inner === 'string') {
      const size = inner.length > maxTextBytes / 3 ? Buffer.byteLength(inner) : inner.length;
      if (size > maxTextBytes) return `holds a text of more than ${maxTextBytes} bytes`;
      bytes += size;
    } else if (typeof inner === 'object' && inner !== null) {
      if (depth > maxDepth) return `is nested deeper than ${maxDepth} levels`;
      for (const [key, member] of Object.entries(inner)) {
        if (key.includes(NUL)) return 'has a member name with a NUL character';
        if (key.length > maxTextBytes) return `has a member name of more than ${maxTextBytes} bytes`;
        bytes += key.length;
        stack.push([member, depth + 1]);
      }
    } else bytes += 4;
    if (bytes > maxRecordBytes) return `is larger than ${maxRecordBytes} bytes`;
  }
  return null;
}
