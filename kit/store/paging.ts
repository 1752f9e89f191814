import { badRequest } from '../base/errors.js';

/** Limits of the specification ("Limits"). */
export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 200;

export interface PageArguments {
  page?: number | null;
  page_size?: number | null;
}

/** PaginatedList of the specification. */
export interface Page<T> {
  items: T[];
  total: number;
  page: number;
  page_size: number;
  has_more: boolean;
}

export interface PageWindow {
  page: number;
  page_size: number;
  skip: number;
  limit: number;
}

/** Where a page lies. @throws PalisadeError BAD_REQUEST for a page under 1 or a page_size outside 1 to 200 (decision 9) */
export function pageWindow({ page, page_size }: PageArguments): PageWindow {
  const number = page ?? 1;
  const size = page_size ?? DEFAULT_PAGE_SIZE;
  if (!Number.isSafeInteger(number) || number < 1) throw badRequest('page must be an integer of at least 1');
  if (!Number.isSafeInteger(size) || size < 1 || size > MAX_PAGE_SIZE)
    throw badRequest(`page_size must be an integer from 1 to ${MAX_PAGE_SIZE}`);
  return { page: number, page_size: size, skip: (number - 1) * size, limit: size };
}

/** The envelope of one page, given the exact number of all rows. */
export function toPage<T>(items: T[], total: number, { page, page_size }: PageWindow): Page<T> {
  return { items, total, page, page_size, has_more: page * page_size < total };
}
