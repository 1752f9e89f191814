import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Slice } from '../storage/slice.js';
import { StoreDamagedError } from './errors.js';
import { liveTables } from './live-tables.js';

const CHUNK = 64 * 1024;
const TABLE = /\b\d+\.ldb$/;
const MANIFEST = /^MANIFEST-\d+$/;

interface Sums {
  readonly size: number;
  readonly changed: number;
  /** The CRC-32 of each 64 KiB. */
  readonly chunks: readonly number[];
}

/** Of every table and the manifest of a database: its size, when it was changed, and checksums. */
type SumsByFile = Readonly<Record<string, Sums>>;

/**
 * What the files of a database are known to hold. LevelDB reads tables without looking at their checksums, and takes a manifest that was cut
 * for an earlier state, whose later tables it then removes. So we keep checksums of our own, beside the database: a file that has changed behind
 * our back is looked at before LevelDB opens it, and each of the others now and then.
 */
export class Checksums {
  #known: SumsByFile;
  #turn = 0;

  constructor(
    private readonly rows: string,
    private readonly file: string,
  ) {
    this.#known = existsSync(file) ? readSums(file) : {};
  }

  /** Looks at the files that have changed since they were noted. @throws StoreDamagedError, naming file and offset */
  checkChanged(): void {
    // without these LevelDB begins anew, and removes the tables
    const names = readdirSync(this.rows);
    const begun = names.some((name) => TABLE.test(name)) || Object.keys(this.#known).length > 0;
    const missing = [names.includes('CURRENT') ? undefined : 'CURRENT', names.some((n) => MANIFEST.test(n)) ? undefined : 'MANIFEST'].find(
      Boolean,
    );
    if (begun && missing) throw new StoreDamagedError(`the file ${missing} is missing from ${this.rows}`);
    if (!begun) return;
    const noted = Object.keys(this.#known);
    for (const name of noted.filter((file) => MANIFEST.test(file))) this.#checkIfChanged(name);
    const live = liveTables(this.rows);
    for (const name of noted.filter((file) => live.has(file))) this.#checkIfChanged(name);
  }

  #checkIfChanged(name: string): void {
    const path = join(this.rows, name);
    const sums = this.#known[name]!;
    // LevelDB misses a table that it needs; a manifest that it has replaced is gone for good
    if (!existsSync(path)) return;
    const { size, mtimeMs } = statSync(path);
    if (size !== sums.size || mtimeMs !== sums.changed) check(path, sums);
  }

  /** Looks at one file more than the last time. @throws StoreDamagedError */
  checkNext(): void {
    const names = Object.keys(this.#known).filter((name) => TABLE.test(name));
    const name = names[this.#turn++ % Math.max(1, names.length)];
    if (name !== undefined && existsSync(join(this.rows, name))) check(join(this.rows, name), this.#known[name]!);
  }

  /** Notes the files that were written since, and forgets those that are gone. */
  async note(): Promise<void> {
    const slice = new Slice();
    const noted: Record<string, Sums> = {};
    let news = false;
    const live = liveTables(this.rows);
    for (const name of readdirSync(this.rows)) {
      if (!live.has(name) && !MANIFEST.test(name)) continue;
      const known = this.#known[name];
      const sums = sumsOf(join(this.rows, name), known);
      if (sums) noted[name] = sums;
      news ||= sums !== known;
      if (slice.over()) await slice.next();
    }
    if (!news && Object.keys(noted).length === Object.keys(this.#known).length) return;
    if (this.#replace(JSON.stringify(noted))) this.#known = noted;
  }

  /** @returns false where the disk is full: the next look notes it then, and what is noted stays as it was */
  #replace(text: string): boolean {
    const fresh = `${this.file}.new`;
    try {
      writeFileSync(fresh, text, { mode: 0o600, flush: true });
      renameSync(fresh, this.file);
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOSPC') throw error;
      rmSync(fresh, { force: true });
      return false;
    }
  }
}

function readSums(file: string): SumsByFile {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SumsByFile;
  } catch {
    throw new StoreDamagedError('the checksums cannot be read', file, 0);
  }
}

function chunksOf(bytes: Buffer): number[] {
  const chunks: number[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK) chunks.push(crc32(bytes.subarray(at, at + CHUNK)));
  return chunks;
}

/** The checksums of a file; those that are known of a table, which never changes, and undefined where the file is gone by now. */
function sumsOf(path: string, known: Sums | undefined): Sums | undefined {
  try {
    const { size, mtimeMs } = statSync(path);
    if (known && (TABLE.test(path) || (known.size === size && known.changed === mtimeMs))) return known;
    const bytes = readFileSync(path);
    return { size: bytes.length, changed: mtimeMs, chunks: chunksOf(bytes) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A manifest grows; what was noted of it stays. */
function check(path: string, { size, chunks }: Sums): void {
  const bytes = readFileSync(path);
  if (bytes.length < size) throw new StoreDamagedError(`the file ends there, and had ${size} bytes`, path, bytes.length);
  const present = chunksOf(bytes.subarray(0, size));
  const wrong = present.findIndex((sum, i) => sum !== chunks[i]);
  if (wrong >= 0) throw new StoreDamagedError('the checksum of the 64 KiB from there on does not match', path, wrong * CHUNK);
}
