import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FromThread, ToThread } from './thread-side.js';

/** Milliseconds that a thread without work stays, warm, for the next caller. */
const IDLE_MS = 60_000;

/** The work was ended, or its thread failed, before it answered. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

/** Work of one caller in a thread of its own. */
export interface ThreadSession<Opened, Request, Reply> {
  /** What the thread answered when it began. */
  readonly opened: Opened;
  /** @throws what the thread throws; ThreadEnded, or the reason of the signal, when it ends before it has answered */
  ask(request: Request): Promise<Reply>;
  /** Gives the thread back; one that still works on a request is ended. */
  close(): void;
}

export interface ThreadPoolOptions {
  /** Threads that work at a time; callers beyond wait. Any number when absent. */
  readonly most?: number;
  /** Megabytes of memory that a thread may use before it is ended. The runtime's default when absent. */
  readonly memoryMb?: number;
}

interface Waiting {
  readonly tenantId: string;
  begin(): void;
}

/**
 * Worker threads of one entry file. Each does the work of one caller at a time, so that it can be ended in the middle of it. Where callers have to
 * wait, tenants take turns.
 */
export class ThreadPool {
  private readonly idle: PooledThread[] = [];
  private readonly threads = new Set<PooledThread>();
  private waiting: Waiting[] = [];
  private working = 0;

  /** @param entry the thread's file, beside the caller's module; it calls `serveThread` */
  constructor(
    private readonly entry: URL,
    private readonly options: ThreadPoolOptions = {},
  ) {}

  /**
   * Begins work in a thread that is free, or in a new one.
   * @param signal ends the work, and its thread, whatever it is doing
   * @throws what the thread throws when it begins; the reason of the signal
   */
  async open<Opened, Request, Reply>(
    tenantId: string,
    input: unknown,
    signal: AbortSignal,
  ): Promise<ThreadSession<Opened, Request, Reply>> {
    await this.place(tenantId, signal);
    const thread = this.idle.pop() ?? this.start();
    thread.hold();
    const end = () => thread.end(signal.reason as Error);
    signal.addEventListener('abort', end);
    let open = true;
    const close = () => {
      if (!open) return;
      open = false;
      signal.removeEventListener('abort', end);
      if (thread.busy) thread.end(new ThreadEnded('the work was closed'));
      else if (!thread.ended) this.keep(thread);
      this.leave();
    };
    try {
      const opened = (await thread.send({ open: input })) as Opened;
      return { opened, ask: (request) => thread.send({ ask: request }) as Promise<Reply>, close };
    } catch (error) {
      close();
      throw error;
    }
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    await Promise.all([...this.threads].map((thread) => thread.end(new ThreadEnded('the process ends'))));
  }

  private async place(tenantId: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.working < (this.options.most ?? Number.POSITIVE_INFINITY)) {
      this.working += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const own: Waiting = {
        tenantId,
        begin: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = () => {
        this.waiting = this.waiting.filter((one) => one !== own);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', leave);
      this.waiting.push(own);
    });
  }

  /** Hands the place of a caller that is done to the one who waits; the tenant's others go behind those of other tenants. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) {
      this.working -= 1;
      return;
    }
    const isOwn = ({ tenantId }: Waiting) => tenantId === next.tenantId;
    this.waiting = [...this.waiting.filter((one) => !isOwn(one)), ...this.waiting.filter(isOwn)];
    next.begin();
  }

  private start(): PooledThread {
    const { memoryMb } = this.options;
    const worker = new Worker(
      builtEntry(this.entry),
      memoryMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb } },
    );
    const thread = new PooledThread(worker, () => {
      this.threads.delete(thread);
      const at = this.idle.indexOf(thread);
      if (at >= 0) this.idle.splice(at, 1);
    });
    this.threads.add(thread);
    return thread;
  }

  private keep(thread: PooledThread): void {
    thread.endAfter(IDLE_MS);
    this.idle.push(thread);
  }
}

class PooledThread {
  private reason: Error | undefined;
  private count = 0;
  private readonly pending = new Map<number, { resolve(reply: unknown): void; reject(error: Error): void }>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly worker: Worker,
    private readonly onEnd: () => void,
  ) {
    worker.unref();
    worker.on('message', (message: FromThread) => {
      const request = this.pending.get(message.id);
      this.pending.delete(message.id);
      if ('reply' in message) request?.resolve(message.reply);
      else request?.reject(Object.assign(new Error(message.failure.message), message.failure));
    });
    worker.on('error', (error) => void this.end(error as Error));
    worker.on('exit', () => void this.end(new ThreadEnded('the thread ended')));
  }

  get ended(): boolean {
    return this.reason !== undefined;
  }

  get busy(): boolean {
    return this.pending.size > 0;
  }

  hold(): void {
    clearTimeout(this.timer);
  }

  endAfter(milliseconds: number): void {
    this.timer = setTimeout(() => void this.end(new ThreadEnded('the thread had no work')), milliseconds).unref();
  }

  send(message: { open: unknown } | { ask: unknown }): Promise<unknown> {
    if (this.reason) return Promise.reject(this.reason);
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.worker.postMessage({ id, ...message } satisfies ToThread);
    });
  }

  async end(reason: Error): Promise<void> {
    if (this.reason) return;
    this.reason = reason;
    clearTimeout(this.timer);
    this.onEnd();
    for (const { reject } of this.pending.values()) reject(reason);
    this.pending.clear();
    await this.worker.terminate();
  }
}

/** The entry as the build made it: where this module runs from its source (tests), the built file of the same place. */
function builtEntry(entry: URL): URL {
  const path = fileURLToPath(entry);
  if (existsSync(path)) return entry;
  let root = dirname(path);
  while (!existsSync(join(root, 'package.json'))) {
    if (root === dirname(root)) throw new Error(`${path} is not there`);
    root = dirname(root);
  }
  return pathToFileURL(join(root, 'dist', relative(root, path)));
}
