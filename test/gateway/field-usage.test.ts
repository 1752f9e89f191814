import type { FieldUsageReport } from '../../schema/explorer.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const usage = async (client: Client): Promise<FieldUsageReport> =>
  (await client.call<FieldUsageReport & Record<string, unknown>>('/gateway/explorer/usage.json')).body;

test('fields are counted by tenant, whichever way they were asked for, and told to who is signed in', async () => {
  const [one, other] = await Promise.all([world.tenant(), world.tenant()]);
  const [client, stranger] = await Promise.all([one.as('analyst'), other.as('analyst')]);
  await client.graphql('{ me { email } again: me { email role } }');
  await client.call('/api/v1/users/me');
  const { since, calls } = await usage(client);
  expect(Date.parse(since)).toBeLessThanOrEqual(Date.now());
  // once an operation, however often it names a field
  expect(calls).toMatchObject({ 'Query.me': 2, 'Me.email': 2 });
  expect(Object.keys(calls).filter((coordinate) => coordinate.startsWith('__') || coordinate.endsWith('.__typename'))).toEqual([]);
  expect((await usage(stranger)).calls).toEqual({});
  expect((await world.anonymous.call('/gateway/explorer/usage.json')).status).toBe(401);
});
