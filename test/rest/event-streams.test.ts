import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import type { AuthContext } from '../../kit/base/auth-context.js';
import { forbidden, notFound, unauthenticated } from '../../kit/base/errors.js';
import type { Outcome } from '../../rest/envelopes.js';
import { EventStreams, type EventCall, type EventStreamTimes } from '../../rest/event-streams.js';
import type { RestRoute } from '../../rest/routes.js';

const route = { headers: { 'last-event-id': 'after' }, status: 200 } as unknown as RestRoute;
const caller = (tenant_id = 't1') => ({ tenant_id }) as AuthContext;
const event = (position: number, state: string) => ({ position, type: 'state', state });
const answer = (items: object[], is_final = false): Outcome => ({ ok: true, value: { items, is_final } });

const open: FastifyInstance[] = [];
afterEach(async () => void (await Promise.all(open.splice(0).map((app) => app.close()))));

/** Serves one stream, whose field answers as it is told, and reads it to its end. */
async function serve(call: Partial<EventCall>, times: Partial<EventStreamTimes> = {}) {
  const app = fastify();
  open.push(app);
  const streams = new EventStreams(app, { poll: [1, 4], heartbeat: 60_000, whole: 60_000, ...times });
  const whole = { auth: caller(), variables: { after: 0 }, authenticate: async () => caller(), ask: async () => answer([]), ...call };
  app.get('/', (_request, reply) => streams.send(reply, route, whole));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return { app, url, text: async () => (await fetch(url)).text() };
}

test('a stream sends events as they come, asks behind the last one, and ends after the final one', async () => {
  const asked: unknown[] = [];
  const answers = [answer([event(4, 'QUEUED')]), answer([]), answer([event(5, 'RUNNING'), event(6, 'COMPLETED')], true)];
  const { text } = await serve({
    variables: { after: 3, scan_run_id: 'r' },
    ask: async (_auth, variables) => {
      asked.push(variables);
      return answers.shift()!;
    },
  });
  const frames = (await text()).split('\n\n').filter(Boolean);
  expect(frames[0]).toBe('retry: 2000');
  expect(frames.slice(1)).toEqual(
    [event(4, 'QUEUED'), event(5, 'RUNNING'), event(6, 'COMPLETED')].map(
      (one) => `id: ${one.position}\nevent: state\ndata: ${JSON.stringify(one)}`,
    ),
  );
  expect(asked).toEqual([3, 4, 4].map((after) => ({ after, scan_run_id: 'r' })));
});

test('what is wrong with the first answer is answered as anywhere, with its status', async () => {
  const { url } = await serve({ ask: async () => ({ ok: false, error: notFound('Scan run'), degraded: [] }) });
  const response = await fetch(url);
  expect([response.status, response.headers.get('content-type')]).toEqual([404, expect.stringContaining('application/json')]);
});

test('an engine that is away for a moment is asked again', async () => {
  const away = { ok: false, error: { extensions: { code: 'UPSTREAM_UNAVAILABLE' } }, degraded: ['scans'] } as const;
  const answers: Outcome[] = [answer([]), away, answer([event(1, 'FAILED')], true)];
  const { text } = await serve({ ask: async () => answers.shift()! });
  expect(await text()).toContain('id: 1\n');
});

describe('at each heartbeat', () => {
  it('a comment is sent, and what comes is read with the rights of then', async () => {
    const rights: AuthContext[] = [];
    const lessened = { ...caller(), permissions: [] };
    const { text } = await serve(
      {
        authenticate: async () => lessened,
        ask: async (auth) => {
          rights.push(auth);
          return answer([], rights.length > 30);
        },
      },
      { heartbeat: 20 },
    );
    expect(await text()).toContain(': heartbeat\n\n');
    expect(rights[0]).not.toBe(lessened);
    expect(rights.at(-1)).toBe(lessened);
  });

  it.each([
    ['the session is over', { authenticate: () => Promise.reject(unauthenticated()) }],
    ['the session is another tenant’s', { authenticate: async () => caller('t2') }],
  ])('the stream ends when %s', async (_case, call) => {
    const { text } = await serve(call, { heartbeat: 10 });
    expect(await text()).toBe('retry: 2000\n\n');
  });

  it('the stream ends when the permission is gone', async () => {
    const lessened = { ...caller(), permissions: [] };
    const { text } = await serve(
      {
        authenticate: async () => lessened,
        ask: (auth) => (auth === lessened ? Promise.reject(forbidden('Missing permission: scans:read')) : Promise.resolve(answer([]))),
      },
      { heartbeat: 10 },
    );
    expect(await text()).toBe('retry: 2000\n\n: heartbeat\n\n');
  });
});

test('a stream ends when its time is up, and when the process ends', async () => {
  const { text } = await serve({}, { whole: 10 });
  expect(await text()).toBe('retry: 2000\n\n');
  const { app, url } = await serve({});
  const response = await fetch(url);
  const [read] = await Promise.all([response.text(), app.close()]);
  expect(read).toBe('retry: 2000\n\n');
});

test('a client that leaves is asked for no more, and makes room for another stream of its tenant', async () => {
  let asked = 0;
  const { url } = await serve({ ask: async () => (asked++, answer([])) });
  for (let n = 0; n < 101; n++) {
    const leaving = new AbortController();
    const response = await fetch(url, { signal: leaving.signal });
    expect(response.status).toBe(200);
    leaving.abort();
    // the server hears of it a moment later
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await new Promise((resolve) => setTimeout(resolve, 30));
  const before = asked;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(asked).toBe(before);
});
