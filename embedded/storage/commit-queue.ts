import { CommandError } from '../errors.js';
import type { Changes, Database } from './database.js';
import { Slice } from './slice.js';

/** Milliseconds after which what was written is forced to the disk, as MongoDB's journal does (storage.journal.commitIntervalMs). */
const SYNC_INTERVAL_MS = 100;

/** Gathers changes of keys. A key that is both removed and set is set. */
export interface Batch {
  set(key: string, value: Buffer): void;
  remove(key: string): void;
}

/** Work whose changes are written together, all or none. */
export interface Write {
  /** Adds its changes to the batch, in pieces where they are many. What it throws is its own end only. */
  gather(batch: Batch): void | Promise<void>;
  /** The changes are the current state: called before anybody else reads it. */
  done?(): void;
  /** Whether it reads what others may be changing in the same batch: then it gets one of its own. */
  readonly alone?: boolean;
}

interface Queued {
  readonly write: Write;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** No more work than this in one batch: of what comes in fast, the first need not wait for the last. */
const MOST_TOGETHER = 64;

/**
 * Writes one batch after another. What is asked for while one is being written goes into the next, so that many clients share the way to the
 * disk. The operating system has a batch before it is acknowledged, and the disk within 100 ms.
 */
export class CommitQueue {
  readonly #queued: Queued[] = [];
  readonly #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #unsynced = false;
  #failure: Error | undefined;

  /**
   * @param synced is told how many commits the disk holds; null where nothing need outlive a power failure
   * @param admit throws while nothing may be written, as when the disk is full
   * @param onFailure is told of an error after which nobody knows what is on the disk
   */
  constructor(
    private readonly database: Database,
    private readonly synced: ((commits: number) => void) | null,
    private readonly admit: () => void,
    private readonly onFailure: (error: Error) => void,
  ) {
    if (synced) this.#timer = setInterval(() => void this.#sync(), SYNC_INTERVAL_MS);
  }

  /** Settles when the work's changes are the current state and the operating system has them. */
  write(write: Write): Promise<void> {
    const settled = new Promise<void>((resolve, reject) => this.#queued.push({ write, resolve, reject }));
    this.#running ??= this.#run();
    return settled;
  }

  async #run(): Promise<void> {
    // what is asked for in this turn goes together
    await Promise.resolve();
    while (this.#queued.length > 0) await this.#writeTogether(this.#take());
    this.#running = undefined;
  }

  #take(): Queued[] {
    const alone = this.#queued.findIndex(({ write }) => write.alone === true);
    const most = alone === 0 ? 1 : alone > 0 ? Math.min(alone, MOST_TOGETHER) : MOST_TOGETHER;
    return this.#queued.splice(0, most);
  }

  async #writeTogether(taken: readonly Queued[]): Promise<void> {
    const changes: [string, Buffer | null][] = [];
    const slice = new Slice();
    const pause = (): Promise<void> | undefined => (slice.over() ? slice.next() : undefined);
    const written: Queued[] = [];
    try {
      await this.#assertWritable();
    } catch (error) {
      for (const { reject } of taken) reject(error);
      return;
    }
    for (const queued of taken) {
      try {
        for (const change of await changesOf(queued.write)) changes.push(change);
        written.push(queued);
      } catch (error) {
        queued.reject(error);
      }
      await pause();
    }
    try {
      if (changes.length > 0) {
        this.admit();
        await this.#put(changes, pause);
      }
    } catch (error) {
      for (const { reject } of written) reject(error);
      return;
    }
    for (const { write, resolve } of written) {
      write.done?.();
      resolve();
    }
  }

  /** Opens the database again where it refuses to be written to and there is room. */
  async #assertWritable(): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (!this.database.refuses) return;
    this.admit();
    await this.#orFail(() => this.database.reopen());
  }

  async #put(changes: Changes, pause: () => Promise<void> | undefined): Promise<void> {
    await this.#orFail(() => this.database.write(changes, pause));
    this.#unsynced = true;
  }

  /** After OutOfDiskSpace the database is as it was; after any other error nobody knows what is on the disk. */
  async #orFail(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof CommandError) throw error;
      this.#failure = error instanceof Error ? error : new Error(String(error));
      this.onFailure(this.#failure);
      throw this.#failure;
    }
  }

  /** LevelDB forces what came before to the disk with what it writes. */
  async #sync(): Promise<void> {
    if (!this.#unsynced || this.#failure || !this.#isAdmitted()) return;
    this.#unsynced = false;
    const { version } = this.database.current;
    try {
      await this.#orFail(async () => {
        await this.database.sync();
        this.synced?.(version);
      });
    } catch {
      this.#unsynced = true;
    }
  }

  #isAdmitted(): boolean {
    try {
      this.admit();
      return true;
    } catch {
      return false;
    }
  }

  /** Writes what is queued, and forces it to the disk. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
    if (this.synced) {
      this.#unsynced = true;
      await this.#sync();
    }
  }
}

/** What is removed, then what is set: of several changes of a key the last one counts. */
async function changesOf(write: Write): Promise<[string, Buffer | null][]> {
  const removed: [string, null][] = [];
  const set: [string, Buffer][] = [];
  await write.gather({ set: (key, value) => void set.push([key, value]), remove: (key) => void removed.push([key, null]) });
  return [...removed, ...set];
}
