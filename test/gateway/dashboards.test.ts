import { readFileSync } from 'node:fs';
import { feed } from '../contract/feeds.js';
import { markedSamples } from '../contract/seeds.js';
import { openWorld, type Client, type World } from '../support/world.js';

const PAGE = readFileSync('docs/graphql.md', 'utf8');
const REQUESTS = [...PAGE.matchAll(/^```graphql\n([^]*?)^```$/gm)].map(([, text]): [string, string] => [
  /^query (\w+)/.exec(text!)![1]!,
  text!,
]);

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  client = await (await world.tenant()).as('analyst');
  await feed(client, 'check', markedSamples('board'), { source: 'scanner' });
});
afterAll(() => world.close());

/** Whether an answer holds anything but nulls, noughts and empty lists. */
const tells = (value: unknown): boolean =>
  value !== null && typeof value === 'object' ? Object.values(value).some(tells) : Boolean(value);

it('docs/graphql.md shows three dashboards', () => {
  expect(REQUESTS.map(([name]) => name)).toEqual(['PostureOverview', 'TopRiskyAssets', 'Trend']);
});

it.each(REQUESTS)('%s is one request, and each of its fields tells something of a tenant with findings', async (name, query) => {
  const { data, errors } = await client.graphql<Record<string, unknown>>(query, {});
  expect(errors).toBeUndefined();
  // nothing is overdue on the first day, and the first snapshot is a task's to take
  const silent = Object.keys(data!).filter((field) => !tells(data![field]));
  expect(silent.filter((field) => !['overdue', 'dashboard_trends'].includes(field))).toEqual([]);
  if (name === 'TopRiskyAssets') expect(data!['assets']).toMatchObject({ total: 3, items: [{ resource_name: 'board-bucket-1' }, {}, {}] });
});
