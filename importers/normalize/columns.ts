import { readJson } from '../readers/json/records.js';
import type { ReportSource } from '../types.js';

/** Some members of one record. */
export interface Columns<Name extends string> {
  /** The path of the list that it stands in. */
  list: string;
  indices: number[];
  names: string[];
  values: Partial<Record<Name, unknown>>;
}

/**
 * Reads some members of each record of these lists without the rest of it: what a first pass over a large report can hold in memory.
 * Records come in the order of the report; a member that is missing, or longer than a record may be, is undefined.
 */
export async function* readColumns<Name extends string>(
  source: ReportSource,
  lists: readonly string[],
  members: readonly Name[],
): AsyncGenerator<Columns<Name>, void, undefined> {
  const columns = new Map<string, { list: string; member: Name }>(
    lists.flatMap((list) => members.map((member) => [`${list}.${member}`, { list, member }] as const)),
  );
  let current: Columns<Name> | undefined;
  for await (const item of readJson(source, [...columns.keys()])) {
    if (item.kind !== 'value') continue;
    const { list, member } = columns.get(item.path) as { list: string; member: Name };
    const isSame = current?.list === list && isEqual(current.indices, item.indices) && isEqual(current.names, item.names);
    if (!isSame) {
      if (current !== undefined) yield current;
      current = { list, indices: item.indices, names: item.names, values: {} };
    }
    (current as Columns<Name>).values[member] = item.value;
  }
  if (current !== undefined) yield current;
}

const isEqual = <T>(one: readonly T[], other: readonly T[]): boolean =>
  one.length === other.length && one.every((value, i) => value === other[i]);
