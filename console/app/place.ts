import { computed, signal } from '@preact/signals';
import { queryText, readAddress, withValues, writeAddress, type Address, type QueryValues } from './address.js';

/** Where the person is now. */
export const address = signal<Address>(readAddress(location.hash));
/** The address as text, for what only has to know that it changed. */
export const addressText = computed(() => writeAddress(address.value));

const read = (): void => {
  address.value = readAddress(location.hash);
};
addEventListener('hashchange', read);
addEventListener('popstate', read);

/**
 * Goes somewhere.
 * @param how `replace` for what is no step that one would go back by: text that is being typed, another row of the same panel
 */
export function go(next: Address, how: 'push' | 'replace' = 'push'): void {
  history[how === 'push' ? 'pushState' : 'replaceState'](null, '', writeAddress(next));
  address.value = next;
}

/** The same page with some of its query set anew. */
export const goWith = (values: QueryValues, how: 'push' | 'replace' = 'push'): void =>
  go({ path: address.value.path, query: withValues(address.value.query, values) }, how);

/** A link to the same page with some of its query set anew. */
export const hrefWith = (values: QueryValues): string =>
  writeAddress({ path: address.value.path, query: withValues(address.value.query, values) });

/** A path of the API with the query of an address. */
export const withQuery = (path: string, query: ReadonlyMap<string, readonly string[]>): string => {
  const text = queryText(query);
  return text === '' ? path : `${path}?${text}`;
};
