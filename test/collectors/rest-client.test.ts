import { accessToken } from '../../collectors/access-token.js';
import { inTurns } from '../../collectors/in-turns.js';
import { pagesOf } from '../../collectors/pages.js';
import { piecesOf, piecesOfLists } from '../../collectors/pieces.js';
import { Patience } from '../../collectors/patience.js';
import { CallFailed, createRestClient, type RestClientOptions } from '../../collectors/rest-client.js';
import { fixedClock } from '../../kit/base/clock.js';
import { createOutbound, ForbiddenTarget } from '../../kit/outbound/outbound.js';
import { openReceiver, type Received, type Receiver, type Reply } from '../support/receiver.js';

const NOW = '2026-03-01T12:00:00.000Z';
const outbound = createOutbound(['127.0.0.0/8']);
let receiver: Receiver;
let reply: (message: Received, n: number) => Reply;
beforeEach(async () => {
  reply = () => ({ status: 200, body: '{"a":1}' });
  receiver = await openReceiver((message, n) => reply(message, n));
});
afterEach(() => receiver.close());
afterAll(() => outbound.close());

const never = new AbortController().signal;
const client = (more: Partial<RestClientOptions> = {}) =>
  createRestClient({ outbound, clock: fixedClock(NOW), base: receiver.url, pauses: [10, 10], ...more });

describe('a call', () => {
  it('is made with the headers of its client, asked anew for each try, and a body as JSON or as a form', async () => {
    let n = 0;
    const made = client({ headers: () => ({ authorization: `Bearer ${++n}` }) });
    reply = (_, count) => (count === 1 ? 503 : { status: 200, body: '{"a":1}' });
    expect(await made.call({ path: '/x?y=1', method: 'POST', body: { b: 2 } }, never)).toMatchObject({
      status: 200,
      ok: true,
      body: { a: 1 },
    });
    await made.call({ path: '/f', method: 'POST', body: new URLSearchParams({ c: '3' }), headers: { 'x-own': 'yes' } }, never);
    expect(receiver.received.map(({ path, body, headers }) => [path, body, headers.authorization, headers['content-type']])).toEqual([
      ['/x?y=1', '{"b":2}', 'Bearer 1', 'application/json'],
      ['/x?y=1', '{"b":2}', 'Bearer 2', 'application/json'],
      ['/f', 'c=3', 'Bearer 3', 'application/x-www-form-urlencoded'],
    ]);
    expect(receiver.received[2]!.headers['x-own']).toBe('yes');
  });

  it('is made again while calls are throttled, and given up when none was let through for long', async () => {
    reply = (_, n) => (n < 20 ? { status: 429 } : { status: 200, body: '{}' });
    expect(await client().call({ path: '/' }, never)).toMatchObject({ status: 200 });
    expect(receiver.received).toHaveLength(20);
    reply = () => ({ status: 429, body: '{"error":{"code":"Busy"}}' });
    await expect(client({ patienceMs: 300 }).call({ path: '/' }, never)).rejects.toThrow(
      new CallFailed('Calls are throttled: none was let through for 0.3 seconds.'),
    );
    expect(receiver.received.length).toBeGreaterThan(23);
  });

  it('that is throttled is made again for as long as others are let through', async () => {
    let now = 0;
    const patience = new Patience(1_000, () => now);
    expect(patience.lasts(0)).toBe(true);
    now = 900;
    expect([patience.lasts(0), patience.lasts(200)]).toEqual([true, false]);
    patience.answered();
    now = 1_800;
    expect(patience.lasts(0)).toBe(true);
    now = 2_800;
    expect(patience.lasts(0)).toBe(false);
  });

  it.each([
    ['403, which time does not change', 403, 1],
    ['501, which time does not change', 501, 1],
    ['500', 500, 3],
  ])('that is answered with %s', async (_what, status, times) => {
    reply = () => status;
    expect(await client().call({ path: '/' }, never)).toMatchObject({ status });
    expect(receiver.received).toHaveLength(times);
  });

  it('is made again where a provider asks for patience in its own way', async () => {
    reply = (_, n) => ({ status: n === 1 ? 400 : 200, body: n === 1 ? '{"code":"Throttling"}' : '{}' });
    const isThrottled: RestClientOptions['isThrottled'] = ({ body }) => (body as { code?: string }).code === 'Throttling';
    expect(await client({ isThrottled }).call({ path: '/' }, never)).toMatchObject({ status: 200 });
  });

  it('waits until the date that it is asked to wait for, and not for one that is too far', async () => {
    reply = (_, n) => (n === 1 ? { status: 429, headers: { 'retry-after': new Date(Date.parse(NOW) + 1_000).toUTCString() } } : 200);
    const began = Date.now();
    await client().call({ path: '/' }, never);
    expect([receiver.received.length, Date.now() - began >= 1_000]).toEqual([2, true]);
    reply = () => ({ status: 429, headers: { 'retry-after': '3600' } });
    await expect(client().call({ path: '/' }, never)).rejects.toThrow('Calls are throttled: none was let through for 600 seconds.');
    expect(receiver.received).toHaveLength(3);
  });
});

describe('a call that gets no answer', () => {
  it('fails with what people may know, and no address', async () => {
    const gone = await openReceiver();
    await gone.close();
    const failed = client({ base: gone.url }).call({ path: '/' }, never);
    await expect(failed).rejects.toThrow(CallFailed);
    await expect(failed).rejects.toThrow('The interface could not be reached (ECONNREFUSED).');
  });

  it('ends in time, and is made again', async () => {
    reply = (_, n) => (n < 3 ? null : { status: 200, body: '{"late":true}' });
    expect(await client({ timeoutMs: 1_000 }).call({ path: '/' }, never)).toMatchObject({ body: { late: true } });
    reply = () => null;
    await expect(client({ timeoutMs: 1_000 }).call({ path: '/' }, never)).rejects.toThrow('The interface did not answer within 1 seconds.');
  });

  it('ends at once when the work is aborted, also while it waits to be made again', async () => {
    reply = () => ({ status: 429, headers: { 'retry-after': '60' } });
    const abort = new AbortController();
    const call = client().call({ path: '/' }, abort.signal);
    setTimeout(() => abort.abort(new Error('cancelled')), 100);
    const began = Date.now();
    await expect(call).rejects.toThrow('cancelled');
    expect(Date.now() - began).toBeLessThan(20_000);
  });

  it('for its size or its form is not made again', async () => {
    reply = () => ({ status: 200, body: JSON.stringify({ text: 'x'.repeat(2_000) }) });
    await expect(client({ mostBytes: 1_000 }).call({ path: '/' }, never)).rejects.toThrow(
      'The interface answers with more than 1000 bytes.',
    );
    reply = () => ({ status: 200, body: '<html>' });
    await expect(client().call({ path: '/' }, never)).rejects.toThrow('something else than JSON');
    expect(receiver.received).toHaveLength(2);
  });

  it('never goes where the guard or the base does not let it', async () => {
    const call = client().call({ path: 'https://elsewhere.example/next' }, never);
    await expect(call).rejects.toThrow('The interface named a next page that is not its own.');
    await expect(client({ base: 'http://10.0.0.1' }).call({ path: '/' }, never)).rejects.toThrow(ForbiddenTarget);
    expect(await client().call({ path: `${receiver.url}/next` }, never)).toMatchObject({ ok: true });
  });
});

it('a token is asked for once by calls that go out together', async () => {
  reply = () => ({ status: 200, body: '{"access_token":"t","expires_in":3600}' });
  const headers = accessToken({ clock: fixedClock(NOW), ask: (signal) => client().call({ path: '/' }, signal), refused: () => '' });
  expect(await Promise.all([headers(never), headers(never)])).toEqual(Array(2).fill({ authorization: 'Bearer t' }));
  expect(receiver.received).toHaveLength(1);
});

describe('pages', () => {
  const read = async (nextOf: (n: number) => unknown, most?: number) => {
    let n = 0;
    const ask = () => Promise.resolve({ status: 200, ok: true, body: { next: nextOf(++n) } });
    const pages = [];
    for await (const page of pagesOf(ask, ({ next }) => next, most)) pages.push(page);
    return pages;
  };

  it('are read to the end, and no further than to their bound or to one that comes again', async () => {
    expect(await read((n) => (n < 3 ? `p${n}` : undefined))).toHaveLength(3);
    expect(await read((n) => (n < 3 ? `p${n}` : ''))).toHaveLength(3);
    await expect(read((n) => `p${n % 4}`)).rejects.toThrow('named a page again');
    await expect(read((n) => `p${n}`, 5)).rejects.toThrow('more than 5 pages');
  });

  it('are told whole where a record can hold them, and else in pieces with the same members', () => {
    const page = { next: 't', list: ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)] };
    expect([...piecesOf(page, 'list')]).toEqual([page]);
    expect([...piecesOf(page, 'list', 100)]).toEqual([
      { next: 't', list: page.list.slice(0, 2) },
      { next: 't', list: page.list.slice(2) },
    ]);
    expect([...piecesOf(page, 'list', 10)]).toHaveLength(3);
    expect([...piecesOf({ none: 1 }, 'list')]).toEqual([{ none: 1 }]);
  });

  it('are told list by list where several make them too large', () => {
    const page = { next: 't', users: ['a'.repeat(40), 'b'.repeat(40)], roles: ['c'.repeat(40)] };
    expect([...piecesOfLists(page)]).toEqual([page]);
    expect([...piecesOfLists(page, 100)]).toEqual([
      { next: 't', users: page.users },
      { next: 't', roles: page.roles },
    ]);
    expect([...piecesOfLists(page, 60)]).toHaveLength(3);
    expect([...piecesOfLists({ none: 'a'.repeat(200) }, 100)]).toHaveLength(1);
  });
});

describe('work in turns', () => {
  it('goes on some at once, and is told in order', async () => {
    let [running, most] = [0, 0];
    const results = [];
    const work = async (n: number) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 30 - n * 5));
      running--;
      return n;
    };
    for await (const result of inTurns([0, 1, 2, 3, 4], 3, never, work)) results.push(result);
    expect([results, most]).toEqual([[0, 1, 2, 3, 4], 3]);
  });

  it('ends what it has begun when one fails, or nobody wants the rest', async () => {
    let ended = 0;
    const work = (n: number, signal: AbortSignal) =>
      new Promise<number>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error(`ended ${++ended}`)));
        if (n === 0) resolve(n);
        if (n === 1) setTimeout(() => reject(new Error('one')), 10);
      });
    const all = async () => {
      for await (const _ of inTurns([0, 1, 2, 3], 3, never, work));
    };
    await expect(all()).rejects.toThrow('one');
    expect(ended).toBe(4);
    for await (const _ of inTurns([0, 2, 3], 3, never, work)) break;
    expect(ended).toBe(7);
  });
});
