import type { Sort } from '../store/query.js';
import { badRequest } from '../base/errors.js';
import type { ProjectionField } from './facet.js';

type Fields = Readonly<Record<string, ProjectionField>>;

/** Lists stand in this order when nothing else is asked. It tells rows apart, so that every order ends with it. */
export const DEFAULT_ORDER = 'resource_uid';

/** What a list can be sorted by. */
export const sortNames = (fields: Fields): string[] => [
  DEFAULT_ORDER,
  'resource_name',
  'first_seen_at',
  'last_seen_at',
  ...Object.entries(fields).flatMap(([name, { sort }]) => (sort ? [name] : [])),
];

/** The order of a list; descending is ascending reversed, and null is the smallest. @throws PalisadeError BAD_REQUEST for an unknown field */
export function listOrder(fields: Fields, sort: string | null | undefined): Sort {
  if (!sort) return { [DEFAULT_ORDER]: 1 };
  const way = sort.startsWith('-') ? -1 : 1;
  const name = way === -1 ? sort.slice(1) : sort;
  const names = sortNames(fields);
  if (!names.includes(name)) throw badRequest(`sort must be one of ${names.join(', ')}, with - in front for descending`);
  return { [name]: way, [DEFAULT_ORDER]: way };
}
