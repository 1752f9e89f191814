import { openServers, type Client, type ServersWorld } from '../support/world.js';

const LONG = 600_000;
let world: ServersWorld;
beforeAll(async () => {
  world = await openServers('pair');
}, LONG);
afterAll(() => world?.close(), LONG);

const PATH = '/api/v1/secops/findings';

/** Asks again and again until told to stop; when each call was sent, and its status. */
function poll(client: Client): { stop(): Promise<{ sent: number; status: number }[]> } {
  const calls: { sent: number; status: number }[] = [];
  let stopped = false;
  const polling = (async () => {
    while (!stopped) {
      const sent = performance.now();
      calls.push({ sent, status: (await client.call(PATH)).status });
    }
  })();
  return {
    async stop() {
      stopped = true;
      await polling;
      return calls;
    },
  };
}

describe('J5', () => {
  it('from the next call on the role is the new one, at every server, while clients poll', async () => {
    const { as } = await world.tenant();
    const [admin, analyst] = [await as('tenant_admin'), await as('analyst')];
    const pollers = [0, 0, 1, 1].map((server) => poll(world.at(analyst, server)));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const setRole = async (role: string) => {
      const { status } = await admin.call(`/api/v1/users/${analyst.user!._id}/role`, { method: 'PATCH', body: { role } });
      expect(status).toBe(200);
      return performance.now();
    };
    const before = performance.now();
    const lowered = await setRole('viewer');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const calls = (await Promise.all(pollers.map((poller) => poller.stop()))).flat();
    const of = (from: number, to: number) => [
      ...new Set(calls.filter(({ sent }) => sent >= from && sent < to).map(({ status }) => status)),
    ];
    expect(of(0, before - 100)).toEqual([200]);
    expect(of(lowered, Infinity)).toEqual([403]);
    await setRole('analyst');
    for (const server of [0, 1]) expect((await world.at(analyst, server).call(PATH)).status).toBe(200);
  });
});
