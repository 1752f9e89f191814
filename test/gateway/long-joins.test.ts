import { defineEngine } from '../../kit/engine/engine.js';
import { createGraph } from '../../gateway/graph/graph.js';
import { otherCallers, sliceIsOver } from '../../kit/base/time-slice.js';
import type { Graph } from '../../gateway/graph/types.js';
import { createLocalCaller } from '../../gateway/transports/local.js';
import { authOf, fakeServices, recordingLogger } from './support-engines.js';

type Args = { count: number };
const things = (count: number) => Array.from({ length: count }, (_, id) => ({ id: String(id) }));

const lists = defineEngine({
  name: 'lists',
  label: 'Lists',
  description: 'Things.',
  prefixes: ['lists'],
  typeDefs: `
    type Thing @key(fields: "id") { id: ID! }
    type Query { things(count: Int!): [Thing!]! @permission(requires: "any") }
  `,
  resolvers: { Query: { things: (_: unknown, { count }: Args) => things(count) } },
});
const names = defineEngine({
  name: 'names',
  label: 'Names',
  description: 'Names of things.',
  prefixes: ['names'],
  typeDefs: `
    type Thing @key(fields: "id") { id: ID! name: String }
    type Query { names: Int @permission(requires: "any") }
  `,
  resolvers: { Thing: { __resolveReference: ({ id }: { id: string }) => ({ id, name: `thing ${id}` }) } },
});

let graph: Graph;
beforeAll(async () => {
  const { logger } = recordingLogger();
  const engines = [lists, names];
  const caller = createLocalCaller({ engines, services: fakeServices, logger, timeoutMs: 20_000 });
  graph = await createGraph({ engines, caller, logger });
});

const run = (query: string, variables: Record<string, unknown>) =>
  graph.execute(graph.prepare(query), { auth: authOf('viewer'), variables });
const NAMED = 'query($count: Int!) { things(count: $count) { id name } }';

/** Counts the turns of the event loop in which other callers could have run while `work` did. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let timer = setImmediate(function count() {
    turns += 1;
    timer = setImmediate(count);
  });
  await work();
  clearImmediate(timer);
  return turns;
}

/** A clock on which each look takes a millisecond, however busy the machine is. */
async function ownClock(): Promise<void> {
  let now = 1;
  jest.spyOn(performance, 'now').mockImplementation(() => (now += 1));
  // what was measured by the other clock ends with its turn
  await new Promise((resolve) => setImmediate(resolve));
}

describe('a long join', () => {
  afterEach(() => jest.restoreAllMocks());

  test('lets other callers in for every ten milliseconds of its work', async () => {
    const idle = await turnsOf(() => run(NAMED, { count: 900 }));
    await ownClock();
    let answer: unknown;
    const turns = await turnsOf(async () => (answer = await run(NAMED, { count: 900 })));
    expect(answer).toEqual({ data: { things: things(900).map(({ id }) => ({ id, name: `thing ${id}` })) } });
    // 900 rows are looked at to find the entities, to merge them, and to complete the answer
    expect(turns).toBeGreaterThan(2 * (900 / 12));
    expect(idle).toBeLessThan(turns / 2);
  });

  test('is one of several that take turns', async () => {
    await ownClock();
    const order: string[] = [];
    const worker = async (name: string) => {
      for (let step = 0; step < 60; step += 1) {
        if (sliceIsOver()) await otherCallers();
        order.push(name);
      }
    };
    await Promise.all([worker('a'), worker('b')]);
    // the first goes on once more before the second gets its first turn
    const [, ...pieces] = order.join('').match(/a+|b+/g)!;
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(12);
  });

  test('loads at most 20,000 entities', async () => {
    expect((await run(NAMED, { count: 20_000 })).errors).toBeUndefined();
    const { data, errors } = await run(NAMED, { count: 20_001 });
    expect(data).toBeUndefined();
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining('more than 20000 entities'),
      extensions: { code: 'BAD_REQUEST' },
    });
  });
});
