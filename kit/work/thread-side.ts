// The side of a worker thread that runs in the thread; thread-pool.ts is the other one.
import { parentPort } from 'node:worker_threads';

/** What a thread is told: to begin with an input, or to answer a request. */
export type ToThread = { id: number; open: unknown } | { id: number; ask: unknown };
/** What it answers. */
export type FromThread = { id: number; reply: unknown } | { id: number; failure: { name: string; message: string; stack?: string } };

/** Work of one caller in a thread: what it answers to `open`, and how it answers what follows. */
export interface ThreadWork<Request, Reply> {
  readonly opened: unknown;
  ask(request: Request): Reply | Promise<Reply>;
}

/**
 * Answers a pool of threads: the whole of a thread's entry file. Nothing of one caller's work stays for the next one but what `begin` keeps.
 * Requests are begun in the order in which they come.
 * @param begin begins the work of one caller; what it throws is thrown at the caller, and so is what `ask` throws
 */
export function serveThread<Input, Request, Reply>(begin: (input: Input) => ThreadWork<Request, Reply>): void {
  const port = parentPort;
  if (!port) throw new Error('this file runs as a worker thread');
  let work: ThreadWork<Request, Reply> | undefined;
  const fail = (id: number, error: unknown): void => {
    const { name, message, stack } = error as Error;
    port.postMessage({ id, failure: { name, message, ...(stack && { stack }) } } satisfies FromThread);
  };
  const answer = (id: number, reply: unknown): void => port.postMessage({ id, reply } satisfies FromThread);
  port.on('message', (message: ToThread) => {
    const { id } = message;
    try {
      if ('open' in message) {
        work = begin(message.open as Input);
        return answer(id, work.opened);
      }
      const reply = work!.ask(message.ask as Request);
      if (!(reply instanceof Promise)) return answer(id, reply);
      reply.then((value) => answer(id, value)).catch((error: unknown) => fail(id, error));
    } catch (error) {
      fail(id, error);
    }
  });
}
