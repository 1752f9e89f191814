/** Where a person is in the console. It stands behind the `#`, where no server and no log sees it, and says everything that a page shows. */
export interface Address {
  /** The page, and what it is about: `['assets', <resource_uid>]`. */
  readonly path: readonly string[];
  readonly query: Query;
}

/** Filters, order, what is open: a name may have several values. */
export type Query = ReadonlyMap<string, readonly string[]>;

export type QueryValues = Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** A path segment as it was before it was written; one that nobody can have written stays as it is. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Reads the part of a URL from the `#` on. */
export function readAddress(hash: string): Address {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split(/\?(.*)/s);
  const values = new URLSearchParams(query);
  return {
    path: path.split('/').filter(Boolean).map(decoded),
    query: new Map([...new Set(values.keys())].map((name) => [name, values.getAll(name)])),
  };
}

/** The same, written. Names without a value are left out, so that what says the same is the same text. */
export function writeAddress({ path, query }: Address): string {
  const text = queryText(query);
  return `#/${path.map(encodeURIComponent).join('/')}${text && `?${text}`}`;
}

/** The query as a URL has it: also what the API understands, whose names for filters are the console's. */
export const queryText = (query: Query): string =>
  new URLSearchParams([...query].flatMap(([name, values]) => values.map((value) => [name, value]))).toString();

const mapOf = (values: QueryValues): Map<string, readonly string[]> =>
  new Map(
    Object.entries(values).flatMap(([name, value]) => {
      const list = value === null || value === undefined ? [] : typeof value === 'string' ? [value] : value;
      return list.length > 0 ? [[name, list] as const] : [];
    }),
  );

/** A link within the console. */
export const hrefOf = (path: readonly string[], values: QueryValues = {}): string => writeAddress({ path, query: mapOf(values) });

/** The query with some names set anew; null and an empty list take a name away. */
export function withValues(query: Query, values: QueryValues): Map<string, readonly string[]> {
  const changed = new Map([...query].filter(([name]) => !(name in values)));
  for (const [name, list] of mapOf(values)) changed.set(name, list);
  return changed;
}

/** The query with one value of a name put in, or taken out where it is in. */
export function toggled(query: Query, name: string, value: string): Map<string, readonly string[]> {
  const values = query.get(name) ?? [];
  return withValues(query, { [name]: values.includes(value) ? values.filter((one) => one !== value) : [...values, value] });
}

/** The one value of a name; null where it has none. */
export const valueOf = (query: Query, name: string): string | null => query.get(name)?.[0] ?? null;

/** The part of a query that has these names. */
export const picked = (query: Query, names: readonly string[]): Map<string, readonly string[]> =>
  new Map([...query].filter(([name]) => names.includes(name)));
