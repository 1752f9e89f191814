import { SEVERITIES } from '../../schema/model.js';
import type { EngineDatabase } from '../store/database.js';
import { readPageOf } from '../store/far-page.js';
import type { PageWindow } from '../store/paging.js';
import type { Place } from '../store/places.js';
import type { Sort } from '../store/query.js';
import { sumCells } from './counters.js';
import { askedValues, listCondition, type FindingFilter } from './filters.js';
import { ITEM_FIELDS } from './item.js';
import { versionOf } from './kept.js';
import { countedCells } from './counted.js';
import { countFindings } from './query.js';
import { severityRank } from './risk-score.js';
import { findings, type FindingRow } from './row.js';

/** Places that counters tell: where each severity begins. */
async function severityPlaces(database: EngineDatabase, filter: FindingFilter, sort: Sort): Promise<Place[]> {
  const way = sort['severity_rank'];
  const cells = way && (await countedCells(database, filter));
  if (!cells) return [];
  const { severity } = sumCells(cells);
  let at = 0;
  return [...SEVERITIES]
    .sort((one, other) => way * (severityRank(one) - severityRank(other)))
    .map((name) => {
      const place = { at, values: [severityRank(name)] };
      at += severity[name];
      return place;
    });
}

/** The findings of one page that a filter selects, in order. */
export const readPage = (
  database: EngineDatabase,
  filter: FindingFilter,
  sort: Sort,
  window: Pick<PageWindow, 'skip' | 'limit'>,
): Promise<FindingRow[]> =>
  readPageOf(
    {
      rows: database.collection(findings),
      condition: listCondition(filter, sort),
      sort,
      // what a list shows, and what it is ordered by
      fields: [...new Set([...ITEM_FIELDS, ...Object.keys(sort)])],
      key: [database.tenantId, database.engine, askedValues(filter)],
      version: () => versionOf(database),
      total: () => countFindings(database, filter),
      first: () => severityPlaces(database, filter, sort),
    },
    window,
  );
