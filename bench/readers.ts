// Memory and speed of the readers: a report of BENCH_MEGABYTES (200) of each kind that is read as a stream, each read by a process of its own.
// Ends with 1 when one takes 300 MiB or more.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { READER_KINDS, type ReaderKind } from './reader-kinds.js';

const MEGABYTES = Number(process.env['BENCH_MEGABYTES'] ?? 200);
const MOST_MEBIBYTES = 300;
const CHILD = fileURLToPath(new URL('./read-report.js', import.meta.url));

function write(path: string, { before, record, after }: ReaderKind): number {
  const fd = openSync(path, 'w');
  let written = writeSync(fd, before);
  let records = 0;
  while (written < MEGABYTES * 1e6) {
    const block: string[] = [];
    for (let i = 0; i < 1_000; i++) block.push(record(records++));
    written += writeSync(fd, block.join(''));
  }
  writeSync(fd, after);
  closeSync(fd);
  return records;
}

const folder = mkdtempSync(join(tmpdir(), 'palisade-bench-'));
try {
  for (const [name, kind] of Object.entries(READER_KINDS)) {
    const path = join(folder, 'report');
    const records = write(path, kind);
    const output = execFileSync(process.execPath, ['--max-old-space-size=160', CHILD, name, path], { encoding: 'utf8' });
    const { read, seconds, peak } = JSON.parse(output) as { read: number; seconds: number; peak: number };
    const isRight = read === records && peak < MOST_MEBIBYTES;
    process.stdout.write(
      `${name.padEnd(12)} ${read} of ${records} records, ${(MEGABYTES / seconds).toFixed(0)} MB/s, at most ${peak.toFixed(0)} MiB${isRight ? '' : '  <- not as it should be'}\n`,
    );
    if (!isRight) process.exitCode = 1;
    rmSync(path);
  }
} finally {
  rmSync(folder, { recursive: true });
}
