import { ClassicLevel } from 'classic-level';
import { diskFull } from '../errors.js';
import { StoreDamagedError } from '../folder/errors.js';
import { COMMITS_KEY, SYNC_KEY } from './key-space.js';
import { errorOf, isOutOfSpace } from './level-errors.js';
import { bytesOf, readNumber, rowOf, valueOfNumber } from './values.js';
import { VersionedCache } from './versioned-cache.js';

type Level = ClassicLevel<string, Buffer>;
type Snapshot = ReturnType<Level['snapshot']>;
/** Gives entries of the database. Whoever opens one closes it. */
export interface EntryIterator {
  /** Up to `size` entries; none at the end. The values are undefined where they were not asked for. */
  nextv(size: number): Promise<[string, Buffer][]>;
  all(): Promise<[string, Buffer][]>;
  /** Goes on at a key, or at the next one behind it in the direction of the walk. */
  seek(key: string): void;
  close(): Promise<void>;
}

const MiB = 1024 * 1024;
/** Blocks that LevelDB keeps decompressed, what it gathers before it writes a table, and the rows that we keep. */
const BLOCK_CACHE = 16 * MiB;
const WRITE_BUFFER = 8 * MiB;
const ROW_CACHE = 24 * MiB;
const POINT_CACHE = 4 * MiB;
/** LevelDB maps the tables that it has open into memory; more of them read faster and count as ours. */
const OPEN_TABLES = 64;
const FILES_BESIDE_TABLES = 10;

/** Stands for no record in the cache of points: records are numbered from 1. */
const NOBODY = 0;

/** The state of the database after a number of commits. It stays as it was for as long as somebody uses it. */
export class View {
  #users = 1;

  constructor(
    /** How many commits the database has seen, in all its life. */
    readonly version: number,
    readonly snapshot: Snapshot,
  ) {}

  retain(): this {
    this.#users++;
    return this;
  }

  release(): void {
    if (--this.#users > 0) return;
    void this.snapshot.close().catch(() => undefined);
  }
}

/** Changes of keys, in their order: a value, or null to remove one. */
export type Changes = readonly (readonly [key: string, value: Buffer | null])[];

/** A range of keys, in either direction. */
export interface KeySpan {
  readonly gte: string;
  readonly lt: string;
  readonly reverse?: boolean;
}

/**
 * The database of a folder: LevelDB, with a cache of rows and of points of unique indexes before it. Keys are strings of characters below 256;
 * LevelDB holds them as UTF-8, whose bytes sort as the characters do. A row's value is a CRC-32 and its BSON.
 */
export class Database {
  readonly #rows = new VersionedCache<Buffer>(ROW_CACHE);
  readonly #points = new VersionedCache<number>(POINT_CACHE);
  #current: View;
  #refuses = false;
  #opening: Promise<void> | undefined;

  private constructor(private readonly level: Level) {
    this.#current = viewOf(level);
  }

  /**
   * Opens the database of a folder, made if it is not there.
   * @throws StoreDamagedError, and what LevelDB says when another process holds it
   */
  static async open(folder: string): Promise<Database> {
    const level: Level = new ClassicLevel<string, Buffer>(folder, {
      keyEncoding: 'utf8',
      valueEncoding: 'buffer',
      cacheSize: BLOCK_CACHE,
      writeBufferSize: WRITE_BUFFER,
      maxOpenFiles: OPEN_TABLES + FILES_BESIDE_TABLES,
      blockSize: 8192,
    });
    try {
      await level.open();
    } catch (error) {
      throw errorOf(error);
    }
    return new Database(level);
  }

  /** Whether LevelDB takes no writes until it is opened again: its disk was full when it wrote, be it a merged table or its log. */
  get refuses(): boolean {
    return this.#refuses;
  }

  /** Settles when the database can be read: at once, but while it is opened again. */
  async opened(): Promise<void> {
    await this.#opening?.catch(() => undefined);
  }

  /**
   * Closes the database and opens it again, so that it takes writes. Who reads meanwhile, or reads on from a view of before, is interrupted.
   * @throws StoreDamagedError when it does not hold every commit
   */
  async reopen(): Promise<void> {
    this.#opening = this.#reopen();
    await this.#opening;
    this.#opening = undefined;
  }

  async #reopen(): Promise<void> {
    const { version } = this.#current;
    await this.level.close();
    try {
      await this.level.open();
    } catch (error) {
      throw errorOf(error);
    }
    this.#current = viewOf(this.level);
    this.#refuses = false;
    if (this.#current.version !== version)
      throw new StoreDamagedError(`the database holds ${this.#current.version} commits, and ${version} were written`);
  }

  /** The state after the last commit, for as long as the caller does not wait. Who waits retains it. */
  get current(): View {
    return this.#current;
  }

  /** The BSON of a row. @throws StoreDamagedError */
  row(view: View, key: string): Buffer | undefined {
    const cached = this.#rows.get(key, view.version);
    if (cached) return cached;
    const value = this.value(view, key);
    if (!value) return undefined;
    const bytes = rowOf(key, value);
    if (view === this.#current) this.#rows.set(key, bytes, view.version, bytes.length + key.length);
    return bytes;
  }

  /** The record number under a key of a unique index. */
  point(view: View, key: string): number | undefined {
    const cached = this.#points.get(key, view.version);
    if (cached !== undefined) return cached === NOBODY ? undefined : cached;
    const value = this.value(view, key);
    const number = value ? readNumber(value) : NOBODY;
    // nobody, too: what an insert looks for is looked for again until it is there
    if (view === this.#current) this.#points.set(key, number, view.version, 2 * key.length);
    return value && number;
  }

  /** What is stored under a key. @throws StoreDamagedError */
  value(view: View, key: string): Buffer | undefined {
    try {
      return this.level.getSync(key, { snapshot: view.snapshot });
    } catch (error) {
      throw errorOf(error);
    }
  }

  /** Walks keys in order. The caller closes the iterator, whose reads throw StoreDamagedError. */
  walk(view: View, { gte, lt, reverse = false }: KeySpan, values: boolean): EntryIterator {
    const iterator = this.level.iterator<string, Buffer>({
      gte,
      lt,
      reverse,
      values,
      snapshot: view.snapshot,
      fillCache: true,
      highWaterMarkBytes: MiB,
    });
    const tell = (error: unknown): never => {
      throw errorOf(error);
    };
    return {
      nextv: (size) => iterator.nextv(size).catch(tell),
      all: () => iterator.all().catch(tell),
      seek: (key) => iterator.seek(key),
      close: () => iterator.close(),
    };
  }

  /** All entries of a range that is known to be small. */
  async entries(span: KeySpan): Promise<[string, Buffer][]> {
    const iterator = this.walk(this.#current, span, true);
    try {
      return await iterator.all();
    } finally {
      await iterator.close();
    }
  }

  /**
   * Writes changes, all or none; then they are the current state, and the operating system has them.
   * @throws OutOfDiskSpace, StoreDamagedError
   * @param pause is waited for now and then while the changes are gathered
   */
  async write(changes: Changes, pause: () => Promise<void> | undefined): Promise<void> {
    this.#assertTaken();
    const batch = this.level.batch();
    try {
      for (const [key, value] of changes) {
        if (value) batch.put(key, value);
        else batch.del(key);
        const pausing = pause();
        if (pausing) await pausing;
      }
      batch.put(COMMITS_KEY, valueOfNumber(this.#current.version + 1));
      await batch.write();
    } catch (error) {
      await batch.close();
      throw this.#refusalOf(error);
    }
    this.#advance(changes);
  }

  #advance(changes: Changes): void {
    const before = this.#current;
    this.#current = new View(before.version + 1, this.level.snapshot());
    before.release();
    for (const [key, value] of changes) {
      if (key.startsWith('r')) {
        // rows that nobody reads do not push out those that somebody does
        if (!this.#rows.has(key)) continue;
        if (value) this.#rows.set(key, bytesOf(value), this.#current.version, value.length + key.length);
        else this.#rows.delete(key);
      } else if (value?.length !== 0 && this.#points.has(key)) {
        // what has no value is an entry of an index that is not unique
        if (value) this.#points.set(key, readNumber(value), this.#current.version, 2 * key.length);
        else this.#points.delete(key);
      }
    }
  }

  /** Waits until everything that was written is on the disk: LevelDB brings it there with the next thing that is to be. @throws OutOfDiskSpace */
  async sync(): Promise<void> {
    this.#assertTaken();
    try {
      await this.level.put(SYNC_KEY, Buffer.alloc(0), { sync: true });
    } catch (error) {
      throw this.#refusalOf(error);
    }
  }

  /** Removes a range that nobody reads any more. @throws OutOfDiskSpace */
  async clear({ gte, lt }: KeySpan): Promise<void> {
    this.#assertTaken();
    try {
      await this.level.clear({ gte, lt });
    } catch (error) {
      throw this.#refusalOf(error);
    }
  }

  /** What LevelDB writes behind a record that it has written in part is lost. */
  #assertTaken(): void {
    if (this.#refuses) throw diskFull();
  }

  /** The error to tell for one of LevelDB as it wrote: OutOfDiskSpace after which the database `refuses`, or what is wrong. */
  #refusalOf(error: unknown): unknown {
    if (!isOutOfSpace(error)) return errorOf(error);
    this.#refuses = true;
    return diskFull();
  }

  async close(): Promise<void> {
    this.#current.release();
    await this.level.close();
  }
}

function viewOf(level: Level): View {
  const commits = level.getSync(COMMITS_KEY);
  return new View(commits ? readNumber(commits) : 0, level.snapshot());
}
