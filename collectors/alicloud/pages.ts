import { at, isObject, thingsAt } from '../listing/thing.js';

type Page = Readonly<Record<string, unknown>>;

/** Members that hold the token of the next page, with the parameter that takes it. */
const TOKENS = [
  ['NextToken', 'NextToken'],
  ['Marker', 'Marker'],
  ['ListAllMyBucketsResult.NextMarker', 'marker'],
] as const;
/** Members that tell how many there are of all, where pages have numbers; some as text. */
const TOTALS = ['TotalCount', 'TotalRecordCount', 'Total', 'Data.TotalRecords'];
/** The parameters for the number of a page and how much it has. */
const NUMBERS = [
  ['PageNumber', 'PageSize'],
  ['PageNo', 'PageSize'],
  ['CurrentPage', 'PageSize'],
  ['PageNumbers', 'MaxRecordsPerPage'],
] as const;

/** The path of the page behind one: products of Alibaba Cloud page by a token, by a marker, or by number and total. */
export function nextPath(path: string, page: Page): string | undefined {
  const url = new URL(path, 'https://path');
  const { searchParams } = url;
  const [token, parameter] = TOKENS.map(([from, to]) => [at(page, from), to] as const).find(([value]) => value !== undefined) ?? [];
  if (typeof token === 'string' && token !== '' && parameter !== undefined && isCut(page)) searchParams.set(parameter, token);
  else {
    const [name, width] = NUMBERS.find(([one]) => searchParams.has(one)) ?? NUMBERS[0];
    const [number, asked] = [Number(searchParams.get(name)), Number(searchParams.get(width))];
    // some products give less a page than they are asked for, and say so
    const size = typeof page['PageSize'] === 'number' && page['PageSize'] > 0 ? page['PageSize'] : asked;
    const total = TOTALS.map((member) => at(page, member)).find((value) => /^\d+$/.test(String(value)));
    if (total === undefined || number === 0 || number * size >= Number(total) || isEmpty(page)) return undefined;
    searchParams.set(name, String(number + 1));
  }
  return url.pathname + url.search;
}

/** A marker may be told although the list is at its end, which another member then says. */
const isCut = (page: Page): boolean =>
  ['IsTruncated', 'ListAllMyBucketsResult.IsTruncated'].every((name) => ![false, 'false'].some((no) => at(page, name) === no));

/** Whether no list of a page has anything: totals that are never reached end there. */
const isEmpty = (page: Page): boolean =>
  Object.values(page).every((value) => {
    if (Array.isArray(value)) return value.length === 0;
    return !isObject(value) || Object.keys(value).every((name) => thingsAt(value, name).length === 0);
  });
