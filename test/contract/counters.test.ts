import { FINDING_STATUSES, MANUAL_MOVES, PROVIDERS, SEVERITIES } from '../../schema/model.js';
import { openWorld, type Client, type World } from '../support/world.js';
import { findingEngines } from './registry-facts.js';
import {
  ALL,
  feedInRuns,
  isModelled,
  listOf,
  mixture,
  pick,
  random,
  rowsOf,
  setStatus,
  summarized,
  summaryOf,
  type Row,
} from './list-model.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const FIELDS = ['severity', 'status', 'provider', 'account_id', 'region', 'resource_type'] as const;

/** Random filters of what is counted, the first of them none: each with its query and what it selects. */
function filters(next: () => number, rows: readonly Row[], count: number): { query: string; selects: (row: Row) => boolean }[] {
  const values = { severity: SEVERITIES, status: FINDING_STATUSES, provider: PROVIDERS } as Record<string, readonly string[]>;
  const valuesOf = (field: (typeof FIELDS)[number]) =>
    values[field] ?? [...new Set(rows.map((row) => row[field]).filter((value) => value !== null))].sort();
  return Array.from({ length: count }, (_, n) => {
    const chosen = FIELDS.filter(() => next() < (n === 0 ? 0 : 0.35)).map(
      (field) => [field, [...new Set([pick(next, valuesOf(field)), pick(next, valuesOf(field))])]] as const,
    );
    const asksStatus = chosen.some(([field]) => field === 'status');
    return {
      query: chosen.flatMap(([field, some]) => some.map((value) => `${field}=${encodeURIComponent(value)}`)).join('&'),
      selects: (row: Row) =>
        (asksStatus || row.status !== 'SUPPRESSED') && chosen.every(([field, some]) => some.includes(row[field] as string)),
    };
  });
}

async function expectCounted(client: Client, prefix: string, next: () => number, count = 12): Promise<Row[]> {
  const rows = await rowsOf(client, prefix, ALL);
  for (const { query, selects } of filters(next, rows, count)) {
    const [page, summary] = await Promise.all([listOf(client, prefix, `${query}&page_size=1`), summaryOf(client, prefix, query)]);
    const wanted = summarized(rows.filter(selects));
    expect({ query, total: page.total }).toEqual({ query, total: wanted.total });
    expect({ query, ...summary }).toMatchObject({ query, ...wanted });
  }
  return rows;
}

const named = (engines: typeof findingEngines) => engines.map(({ viewSegment, prefix }) => [viewSegment, prefix] as const);

/** Runs and people change findings at once, `rounds` times; the counts are those of the rows after each. @returns the rows of the last */
async function changeAndCount(segment: string, prefix: string, size: { count: number; rounds: number; moves: number; filters: number }) {
  const next = random(segment.length * 101);
  const client = await (await world.tenant()).as('analyst');
  const samples = mixture(size.count, 11);
  await feedInRuns(client, segment, samples);
  let rows = await expectCounted(client, prefix, next, size.filters);
  for (let round = 0; round < size.rounds; round++) {
    const some = samples
      .filter(() => next() < 0.7)
      .map((sample) => (next() < 0.2 ? { ...sample, severity: pick(next, SEVERITIES) } : sample));
    const moves = Array.from({ length: size.moves }, () => {
      const row = pick(next, rows);
      return setStatus(client, segment, row.finding_id, pick(next, MANUAL_MOVES[row.status]));
    });
    const [, ...answers] = await Promise.all([feedInRuns(client, segment, some), ...moves]);
    // a finding that was picked twice, or that the run moved first, may stand where the move is not allowed
    expect(answers.filter(({ status }) => ![200, 422].includes(status)).map(({ status, text }) => ({ status, text }))).toEqual([]);
    rows = await expectCounted(client, prefix, next, size.filters);
  }
  expect(rows.length).toBe(size.count);
  return rows;
}

describe.each(named(findingEngines.filter((one) => !isModelled(one))))('the counts of %s', (segment, prefix) => {
  it('stay those of the rows after runs and moves', async () => {
    const rows = await changeAndCount(segment, prefix, { count: 12, rounds: 1, moves: 4, filters: 3 });
    expect(new Set(rows.map(({ status }) => status)).size).toBeGreaterThan(1);
  });
});

describe.each(named(findingEngines.filter(isModelled)))('the counts of %s', (segment, prefix) => {
  it('stay those of the rows, whatever people and runs do, also at once', async () => {
    const rows = await changeAndCount(segment, prefix, { count: 60, rounds: 4, moves: 12, filters: 12 });
    expect(new Set(rows.map(({ status }) => status)).size).toBeGreaterThan(3);
  });

  it('take any text of a report for what it is', async () => {
    const client = await (await world.tenant()).as('analyst');
    const [first] = mixture(1, 3);
    const texts = ['a|b', 'a.b', '$a', 'a%7Cb', '__proto__', '\ud800'];
    const samples = texts.map((text, n) => ({
      ...first!,
      provider: 'aws' as const,
      rule: `rule_${n}`,
      resource: `resource:${n}`,
      account: `account ${text}`,
      region: text,
    }));
    await feedInRuns(client, segment, samples, 1);
    const rows = await expectCounted(client, prefix, random(5));
    expect(rows).toHaveLength(texts.length);
  });
});
