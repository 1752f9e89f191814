/** A technique of an emulation plan, what of ATT&CK it plays, and the records by which its log tells of it. */
export type Emulated = readonly [name: string, techniques: readonly string[], records: object];

/** So many records, whether they come alone, as a list, or as a log of CloudTrail. */
export const many = (records: (n: number) => object, count: number): object[] =>
  Array.from({ length: count }, (_, n) => (records(n) as { Records?: object[] }).Records ?? records(n)).flat();
