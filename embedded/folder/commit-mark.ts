import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { StoreDamagedError } from './errors.js';

/**
 * How many commits the disk holds, noted beside the database: one that holds fewer has lost some, whichever of its files was cut, removed or
 * replaced by an earlier one.
 */
export class CommitMark {
  readonly #fd: number;

  constructor(private readonly file: string) {
    this.#fd = openSync(file, existsSync(file) ? 'r+' : 'w+', 0o600);
  }

  /** @throws StoreDamagedError when it cannot be read */
  read(): number {
    const text = readFileSync(this.file, 'latin1').trim();
    if (text === '') return 0;
    const [commits, sum] = text.split(' ');
    if (sum !== String(crc32(commits!))) throw new StoreDamagedError('the number of commits cannot be read', this.file, 0);
    return Number(commits);
  }

  write(commits: number): void {
    const text = String(commits).padStart(16, '0');
    writeSync(this.#fd, `${text} ${crc32(text)}`.padEnd(32), 0, 'latin1');
  }

  close(): void {
    fsyncSync(this.#fd);
    closeSync(this.#fd);
  }
}
