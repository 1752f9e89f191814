import { signal } from '@preact/signals';

const read = (): string => decodeURIComponent(location.hash.slice(1));

/** What the address names: an endpoint by its id, `schema-<name>`, or a page of words. */
export const place = signal(read());
addEventListener('hashchange', () => (place.value = read()));

/** The address of a named schema. */
export const hrefOfSchema = (name: string): string => `#schema-${encodeURIComponent(name)}`;
