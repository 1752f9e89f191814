/** What of the explorer stands in its address: behind the `#`, so that no server and no log sees it. */
export interface Place {
  readonly query: string;
  readonly variables: string;
  /** The open panel, by its title; empty where none is. */
  readonly panel: string;
}

const NAMES = ['query', 'variables', 'panel'] as const;

/** Reads the part of an address from the `#` on; what it does not name is empty. */
export function readPlace(hash: string): Place {
  const values = new URLSearchParams(hash.replace(/^#/, ''));
  const take = (name: (typeof NAMES)[number]): string => values.get(name) ?? '';
  return { query: take('query'), variables: take('variables'), panel: take('panel') };
}

/** The same, written: empty for the empty place. */
export function writePlace(place: Place): string {
  const values = new URLSearchParams(NAMES.filter((name) => place[name] !== '').map((name) => [name, place[name]]));
  return values.size > 0 ? `#${values.toString()}` : '';
}
