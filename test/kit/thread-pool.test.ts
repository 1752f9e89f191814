import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ThreadPool, type ThreadSession } from '../../kit/work/thread-pool.js';

const ENTRY = pathToFileURL(join(__dirname, 'working-thread.mjs'));
const pools: ThreadPool[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

const poolOf = (most?: number): ThreadPool => {
  const pool = new ThreadPool(ENTRY, most === undefined ? {} : { most });
  pools.push(pool);
  return pool;
};
const never = () => new AbortController().signal;
const open = (pool: ThreadPool, tenant = 'a', signal = never()): Promise<ThreadSession<number, string, unknown>> =>
  pool.open(tenant, 'begin', signal);

it('a thread answers in order, and serves the next caller when it is given back', async () => {
  const pool = poolOf();
  const first = await open(pool);
  expect(await Promise.all(['a', 'b', 'c'].map((text) => first.ask(text)))).toEqual(['a', 'b', 'c']);
  first.close();
  const second = await open(pool);
  expect(second.opened).toBe(first.opened);
  // two callers at a time have a thread each
  expect((await open(pool)).opened).not.toBe(second.opened);
});

it('what a thread throws is thrown at its caller, and the thread goes on', async () => {
  const session = await open(poolOf());
  await expect(session.ask('fail')).rejects.toMatchObject({ name: 'RangeError', message: 'it failed' });
  expect(await session.ask('a')).toBe('a');
  await expect(poolOf().open('a', 'fail', never())).rejects.toThrow('it failed');
});

it('work without an end is ended by its signal, with the reason, and the place is free again', async () => {
  const pool = poolOf(1);
  const stop = new AbortController();
  const session = await open(pool, 'a', stop.signal);
  const endless = session.ask('spin');
  const queued = session.ask('a');
  stop.abort(new Error('stopped by a person'));
  await expect(endless).rejects.toThrow('stopped by a person');
  await expect(queued).rejects.toThrow('stopped by a person');
  // what is asked later fails for the same reason
  await expect(session.ask('a')).rejects.toThrow('stopped by a person');
  session.close();
  const next = await open(pool);
  expect(next.opened).not.toBe(session.opened);
  expect(await next.ask('a')).toBe('a');
});

it('work that is closed while it goes on is ended', async () => {
  const pool = poolOf(1);
  const session = await open(pool);
  const endless = session.ask('spin');
  session.close();
  await expect(endless).rejects.toThrow('the work was closed');
  expect((await open(pool)).opened).not.toBe(session.opened);
});

it('a thread that ends by itself fails its caller alone', async () => {
  const pool = poolOf();
  const [one, other] = [await open(pool), await open(pool)];
  await expect(one.ask('crash')).rejects.toThrow('the thread ended');
  expect(await other.ask('a')).toBe('a');
  one.close();
  expect(await (await open(pool)).ask('a')).toBe('a');
});

it('where callers have to wait, tenants take turns', async () => {
  const pool = poolOf(1);
  const order: string[] = [];
  const work = async (tenant: string): Promise<void> => {
    const session = await open(pool, tenant[0]);
    order.push(tenant);
    await session.ask('x');
    session.close();
  };
  await Promise.all(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(work));
  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});

it('who waits and is called off gives the turn on', async () => {
  const pool = poolOf(1);
  const first = await open(pool);
  const stop = new AbortController();
  const waiting = open(pool, 'b', stop.signal);
  const third = open(pool, 'c');
  stop.abort(new Error('called off'));
  await expect(waiting).rejects.toThrow('called off');
  first.close();
  expect(await (await third).ask('a')).toBe('a');
});
