import { badRequest } from '../../../kit/base/errors.js';
import type { Reader } from '../../../kit/findings/readers.js';
import { reversed } from '../../../kit/store/far-page.js';
import type { Sort } from '../../../kit/store/query.js';

/** What lists of assets are sorted by: a name -> its columns, before the identifier that tells assets apart. Sums are those of a role. */
const COLUMNS = {
  resource_uid: [],
  risk: ['risk.{reader}.max', 'risk.{reader}.sum'],
  open_findings: ['risk.{reader}.open'],
  last_seen_at: ['last_seen_at'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type AssetSort = keyof typeof COLUMNS;

const NAMES = Object.keys(COLUMNS) as AssetSort[];

/** How a list of assets is sorted. Descending is ascending reversed. */
export interface AssetOrder {
  readonly by: AssetSort;
  readonly descending: boolean;
}

/** @throws PalisadeError BAD_REQUEST for an unknown name */
export function assetOrder(sort: string | null | undefined): AssetOrder {
  const descending = sort?.startsWith('-') ?? false;
  const name = (descending ? sort!.slice(1) : sort) || 'resource_uid';
  const by = NAMES.find((known) => known === name);
  if (!by) throw badRequest(`sort must be one of ${NAMES.join(', ')}, with - in front for descending`);
  return { by, descending };
}

/** Whether an order goes by findings, so that it depends on who reads it. */
export const isByFindings = ({ by }: AssetOrder): boolean => by === 'risk' || by === 'open_findings';

/** The database's sort for an order. @param reader whose sums it goes by */
export function sortOf({ by, descending }: AssetOrder, reader: Reader): Sort {
  const columns = [...COLUMNS[by].map((column) => column.replace('{reader}', reader)), 'resource_uid'];
  const ascending: Sort = Object.fromEntries(columns.map((column) => [column, 1] as const));
  return descending ? reversed(ascending) : ascending;
}
