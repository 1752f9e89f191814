import { MongoClient, type Collection, type Document } from 'mongodb';
import { openEmbeddedStore, type EmbeddedStore } from '../../embedded/index.js';
import type { ProjectionField } from '../../kit/projections/facet.js';
import { listCondition, listFilters } from '../../kit/projections/filters.js';
import { listOrder, sortNames } from '../../kit/projections/order.js';
import type { Projection } from '../../kit/projections/rows.js';
import { PROVIDERS } from '../../schema/model.js';
import { engines } from '../../subgraphs/index.js';
import { random } from './list-model.js';

// Every projection that an engine declares finds its pages along an index: a new one edits nothing here.

const PAGE = 50;
/** What the planner sorts in memory rather than walking an index: a constant of the embedded store. */
const FEW = 1_000;
const ROWS = 12_000;
const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);

const projections = engines.flatMap((engine) =>
  engine.projections.map((projection) => [projection.name, projection as Projection] as const),
);

let store: EmbeddedStore;
let client: MongoClient;
beforeAll(async () => {
  store = await openEmbeddedStore({ dir: null });
  client = await new MongoClient(store.uri).connect();
});
afterAll(async () => {
  await client.close();
  await store.close();
});

type Value = (share: number) => unknown;

/** A value of a field from a share of 0 (what most rows have) to 1 (what few have). */
function valueOf({ type, values }: ProjectionField): Value {
  switch (type) {
    case 'boolean':
      return (share) => share > 0.95;
    case 'integer':
      return (share) => Math.floor(4_096 * share);
    case 'moment':
      return (share) => new Date(START + Math.floor(900 * share) * DAY);
    case 'enum': {
      const names = Object.keys(values!);
      return (share) => names[Math.min(names.length - 1, Math.floor(names.length * share))];
    }
    case 'text':
      return (share) => `text-${Math.floor(40 * share)}`;
  }
}
const COMMON: Readonly<Record<string, Value>> = {
  resource_type: (share) => `type-${Math.floor(60 * share)}`,
  resource_name: (share) => `name-${Math.floor(ROWS * share)}`,
  provider: (share) => PROVIDERS[Math.floor(6.99 * share)],
  account_id: (share) => `account-${Math.floor(40 * share)}`,
  region: (share) => `region-${Math.floor(20 * share)}`,
  first_seen_at: (share) => new Date(START + Math.floor(90 * share) * DAY),
  last_seen_at: (share) => new Date(START + Math.floor(90 * share) * DAY),
  planned: (share) => (share > 0.9 ? true : undefined),
};

describe.each(projections)('a page of the projection %s', (name, { definition, rows }) => {
  const { fields } = definition.facet;
  const columns = { ...COMMON, ...Object.fromEntries(Object.entries(fields).map(([field, declared]) => [field, valueOf(declared)])) };
  const filters = listFilters(definition);
  let collection: Collection;

  beforeAll(async () => {
    collection = client.db('test').collection(name);
    await collection.createIndexes(rows.indexes.map(({ key, options }) => ({ key, ...options })));
    const next = random(11);
    const all = Array.from({ length: ROWS }, (_, n): Document => {
      const told = Object.entries(columns).flatMap(([column, value]) => {
        const one = value(next() ** 3);
        return one === undefined ? [] : [[column, one]];
      });
      return { _id: `${n}`, tenant_id: 't', resource_uid: `r-${n}`, ...Object.fromEntries(told) };
    });
    for (let n = 0; n < ROWS; n += 1_000) await collection.insertMany(all.slice(n, n + 1_000));
  });

  /** Values of a filter that many rows have, and that few have. */
  function asked(filter: string): unknown[] {
    const [, column = filter, bound] = /^(.*)_(min|max|after|before)$/.exec(filter) ?? [];
    if (filter === 'resource_uid') return [['r-1'], ['r-2', 'r-3']];
    if (filter === 'planned') return [false, true];
    const value = columns[column]!;
    if (bound !== undefined) return [value(0.1), value(bound === 'max' || bound === 'before' ? 0.0001 : 0.97)];
    return fields[column]?.type === 'boolean' ? [false, true] : [[value(0)], [value(0), value(0.5)], [value(0.99)]];
  }

  async function examined(args: Record<string, unknown>, sort: string): Promise<number> {
    const plan = await collection
      .find({ ...listCondition(filters, args), tenant_id: 't' })
      .sort(listOrder(fields, sort) as never)
      .limit(PAGE)
      .explain('executionStats');
    const { totalKeysExamined, totalDocsExamined } = plan['executionStats'] as Record<string, number>;
    return Math.max(totalKeysExamined!, totalDocsExamined!);
  }

  const sorts = sortNames(fields).flatMap((sort) => [sort, `-${sort}`]);

  it('is found along an index in every order', async () => {
    const beyond: unknown[] = [];
    for (const sort of sorts) {
      const keys = await examined({}, sort);
      // what only a plan tells of stands between the others
      if (keys > 2 * PAGE) beyond.push([sort, keys]);
    }
    expect(beyond).toEqual([]);
  });

  it('is found along an index under every filter alone, in the order of lists', async () => {
    const beyond: unknown[] = [];
    for (const filter of filters.keys()) {
      if (filter === 'q') continue;
      for (const value of asked(filter)) {
        const keys = await examined({ [filter]: value }, '');
        if (keys > FEW) beyond.push([filter, value, keys]);
      }
    }
    expect(beyond).toEqual([]);
  });

  it('costs no more under a filter in another order than the rows that the filter selects', async () => {
    const beyond: unknown[] = [];
    for (const filter of filters.keys()) {
      if (filter === 'q') continue;
      for (const value of asked(filter)) {
        const selected = await collection.countDocuments({ ...listCondition(filters, { [filter]: value }), tenant_id: 't' });
        for (const sort of sorts) {
          const keys = await examined({ [filter]: value }, sort);
          if (keys > Math.max(FEW, selected)) beyond.push([filter, value, sort, keys, selected]);
        }
      }
    }
    expect(beyond).toEqual([]);
  });
});
