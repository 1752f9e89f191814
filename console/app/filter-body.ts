import { picked, type Query } from './address.js';

/** How the value of a filter stands in a body, where it is no list. */
export type Reading = (values: readonly string[]) => unknown;

export const asText: Reading = ([value]) => value;
export const asNumber: Reading = ([value]) => Number(value);
export const asFlag: Reading = ([value]) => value === 'true';

/**
 * The filters of an address as a body takes them, such as that of an export.
 * @param names those that the body knows
 * @param readings how it takes those that are no lists; a negation is taken as what it negates
 */
export const filterBody = (query: Query, names: readonly string[], readings: Readonly<Record<string, Reading>>): Record<string, unknown> =>
  Object.fromEntries([...picked(query, names)].map(([name, values]) => [name, readings[name.replace(/^not_/, '')]?.(values) ?? values]));
