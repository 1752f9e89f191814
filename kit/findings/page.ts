import { SEVERITIES } from '../../schema/model.js';
import { BoundedCache } from '../base/bounded-cache.js';
import type { EngineDatabase } from '../store/database.js';
import type { PageWindow } from '../store/paging.js';
import type { Filter, Sort } from '../store/query.js';
import type { TenantCollection } from '../store/tenant-collection.js';
import { sumCells } from './counters.js';
import { askedValues, listCondition, type FindingFilter } from './filters.js';
import { ITEM_FIELDS } from './item.js';
import { versionOf } from './kept.js';
import { reversed } from './order.js';
import { partsFrom, Places, type Approach, type Place } from './places.js';
import { countedCells } from './counted.js';
import { countFindings } from './query.js';
import { severityRank } from './risk-score.js';
import { findings, type FindingRow } from './row.js';

/** Findings that are passed over sooner than places are looked up. */
const NEAR = 200;

/** Places of the lists read last, over all tenants. */
const kept = new BoundedCache<Places>(200);

/** What is read of a finding: what a list shows, and what it is ordered by. */
const fieldsFor = (sort: Sort): string[] => [...new Set([...ITEM_FIELDS, ...Object.keys(sort)])];

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

async function placesOf(database: EngineDatabase, filter: FindingFilter, sort: Sort, version: string): Promise<Places> {
  const key = JSON.stringify([database.tenantId, database.engine, version, Object.entries(sort), askedValues(filter)]);
  const known = kept.get(key);
  if (known) return known;
  const [total, first] = await Promise.all([countFindings(database, filter), severityPlaces(database, filter, sort)]);
  return kept.set(key, new Places(total, first));
}

/** The `wanted` findings that an approach comes to, in the order of the list. */
async function readFrom(
  rows: TenantCollection<FindingRow>,
  condition: Filter,
  sort: Sort,
  approach: Approach,
  wanted: number,
): Promise<FindingRow[]> {
  const order = approach.way === 1 ? sort : reversed(sort);
  const found: FindingRow[] = [];
  let { skip } = approach;
  for (const part of partsFrom(sort, approach)) {
    const within = { $and: [condition, part] };
    const some = await rows.find(within, { sort: order, skip, limit: wanted - found.length, fields: fieldsFor(sort) });
    found.push(...some);
    if (found.length === wanted) break;
    skip = some.length > 0 || skip === 0 ? 0 : skip - (await rows.count(within));
  }
  return approach.way === 1 ? found : found.reverse();
}

/**
 * The findings of one page that a filter selects, in order. A page far behind is read from the nearest place that is known: where a page ended or
 * began that this process has read since the last change, where a severity begins, or the end of the list.
 */
export async function readPage(
  database: EngineDatabase,
  filter: FindingFilter,
  sort: Sort,
  { skip, limit }: Pick<PageWindow, 'skip' | 'limit'>,
): Promise<FindingRow[]> {
  const rows = database.collection(findings);
  const condition = listCondition(filter, sort);
  const plainly = () => rows.find(condition, { sort, skip, limit, fields: fieldsFor(sort) });
  const version = skip < NEAR ? undefined : await versionOf(database);
  if (version === undefined) return plainly();

  const places = await placesOf(database, filter, sort, version);
  const end = Math.min(skip + limit, places.total);
  if (skip >= end) return plainly();
  const found = await readFrom(rows, condition, sort, places.nearest(skip, end), end - skip);
  // what was read of several states is a page of none
  if (found.length < end - skip || (await versionOf(database)) !== version) return plainly();
  for (const n of new Set([0, found.length - 1]))
    places.meet({ at: skip + n, values: Object.keys(sort).map((field) => found[n]![field as keyof FindingRow]) });
  return found;
}
