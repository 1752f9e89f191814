import { close, closeSync, fdatasync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import type { Document } from 'bson';
import type { ChangeLog, Store } from '../storage/store.js';
import { applyEntry } from './apply.js';
import { encodeRecord, type Entry } from './entries.js';
import { journalPath, listFiles, syncFolder } from './files.js';
import { replayFile } from './replay.js';
import { writeSnapshot } from './snapshot.js';

/** How often what was written is forced to the disk, as MongoDB's journal does (storage.journal.commitIntervalMs). */
const SYNC_INTERVAL_MS = 100;

/** When the journal is worth compacting: above this size, and more than twice the live data. */
export interface CompactionLimits {
  readonly minimumBytes: number;
  readonly liveFactor: number;
}

const LIMITS: CompactionLimits = { minimumBytes: 64 * 1024 * 1024, liveFactor: 2 };

/**
 * The journal of a store: an append-only file of records, each a length, a CRC-32 and a BSON payload.
 *
 * The changes of one turn of the event loop become one record, written with write(2) before their replies go out: an
 * acknowledged write survives the process being killed. The file is forced to the disk every 100 ms in the background, so
 * that a power failure loses no more than that. A transaction's changes are always in one record.
 */
export class Journal implements ChangeLog {
  readonly warnings: string[] = [];
  #fd = -1;
  #number = 0;
  #size = 0;
  #pending: Entry[] = [];
  #flush: Promise<void> | undefined;
  #unsynced = false;
  #syncing = false;
  #failure: Error | undefined;
  #compaction: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly dir: string,
    private readonly store: Store,
    private readonly onFailure: (error: Error) => void,
    private readonly limits: CompactionLimits,
  ) {}

  /** Replays the files of a folder that is locked into an empty store and goes on writing. Throws JournalCorruptError. */
  static open(dir: string, store: Store, onFailure: (error: Error) => void, limits: CompactionLimits = LIMITS): Journal {
    const journal = new Journal(dir, store, onFailure, limits);
    journal.#replay();
    store.log = journal;
    journal.#timer = setInterval(() => journal.#sync(), SYNC_INTERVAL_MS);
    return journal;
  }

  #replay(): void {
    const { snapshots, journals, leftovers } = listFiles(this.dir);
    const snapshot = snapshots[snapshots.length - 1];
    const apply = (entry: Entry): void => applyEntry(this.store, entry);
    if (snapshot) replayFile(snapshot.path, false, apply);
    const live = journals.filter((j) => j.number > (snapshot?.number ?? 0));
    live.forEach((file, i) => {
      const warning = replayFile(file.path, i === live.length - 1, apply);
      if (warning !== undefined) this.warnings.push(warning);
      this.#size += statSync(file.path).size;
    });
    for (const path of [
      ...leftovers,
      ...snapshots.slice(0, -1).map((s) => s.path),
      ...journals.filter((j) => !live.includes(j)).map((j) => j.path),
    ])
      rmSync(path, { force: true });
    this.#number = live[live.length - 1]?.number ?? (snapshot?.number ?? 0) + 1;
    this.#fd = openSync(journalPath(this.dir, this.#number), 'a', 0o600);
    syncFolder(this.dir);
  }

  put(namespace: string, bytes: Buffer): void {
    this.#add({ kind: 'put', namespace, bytes });
  }

  remove(namespace: string, bytes: Buffer): void {
    this.#add({ kind: 'remove', namespace, bytes });
  }

  catalog(change: Document): void {
    this.#add({ kind: 'catalog', change });
  }

  #add(entry: Entry): void {
    this.#pending.push(entry);
    this.#flush ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#flush = undefined;
        try {
          this.#write();
          resolve();
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
    this.#flush.catch(() => undefined);
  }

  /** Settles when everything so far has been handed to the operating system; undefined when it has been. */
  flushed(): Promise<void> | undefined {
    return this.#failure ? Promise.reject(this.#failure) : this.#flush;
  }

  #write(): void {
    if (this.#failure) throw this.#failure;
    if (this.#pending.length === 0) return;
    const record = encodeRecord(this.#pending);
    this.#pending = [];
    try {
      for (let at = 0; at < record.length;) at += writeSync(this.#fd, record, at);
    } catch (error) {
      // What is in memory is ahead of the disk now: nothing may be acknowledged any more.
      this.#failure = error instanceof Error ? error : new Error(String(error));
      this.onFailure(this.#failure);
      throw this.#failure;
    }
    this.#size += record.length;
    this.#unsynced = true;
    if (!this.#compaction && this.#size > this.limits.minimumBytes) this.#compactIfWorthwhile();
  }

  #sync(): void {
    if (!this.#unsynced || this.#syncing) return;
    this.#unsynced = false;
    this.#syncing = true;
    fdatasync(this.#fd, (error) => {
      this.#syncing = false;
      if (!error || error.code === 'EBADF') return;
      this.#failure = error;
      this.onFailure(error);
    });
  }

  #compactIfWorthwhile(): void {
    let live = 0;
    for (const collection of this.store.collections.values()) live += collection.dataSize;
    if (this.#size <= live * this.limits.liveFactor) return;
    this.#compaction = this.#compact().then(
      () => {
        this.#compaction = undefined;
      },
      (error: unknown) => {
        // The journals are all still there; the next attempt comes when the journal has grown further.
        this.#compaction = undefined;
        process.emitWarning(`Compacting ${this.dir} failed: ${String(error)}`, 'EmbeddedStoreWarning');
      },
    );
  }

  /** Starts a new journal, and writes what the store holds at this moment to a snapshot that replaces the older files. */
  async #compact(): Promise<void> {
    const finished = this.#number;
    const old = this.#fd;
    const oldSize = this.#size;
    fsyncSync(old);
    this.#fd = openSync(journalPath(this.dir, finished + 1), 'a', 0o600);
    this.#number = finished + 1;
    syncFolder(this.dir);
    close(old, () => undefined);
    await writeSnapshot(this.dir, finished, this.store);
    this.#size -= oldSize;
  }

  /** Writes and syncs everything. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#compaction;
    if (!this.#failure) this.#write();
    fsyncSync(this.#fd);
    closeSync(this.#fd);
  }
}
