/** A line of settings: `key=value`, or an element of a list: `key[]=value`. */
export interface KeyValue {
  readonly key: string;
  readonly value: string;
  readonly isList: boolean;
}

/** Reads a line of the kind `key=value` (Lynis' report.dat); undefined for a comment, a blank line and any other. */
export function parseKeyValue(line: string): KeyValue | undefined {
  const [, key, brackets, value] = /^\s*([A-Za-z_][\w.-]*)(\[\])?\s*=(.*)$/s.exec(line) ?? [];
  if (key === undefined || value === undefined) return undefined;
  return { key, value: value.trim(), isList: brackets !== undefined };
}
