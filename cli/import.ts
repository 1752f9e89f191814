import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Presets, SingleBar } from 'cli-progress';
import type { FollowedRun, ImportParameters } from '../processes/import-report.js';
import { command, text, UsageError } from './command-line.js';

const USAGE = `palisade import FILE... --tenant T [--data DIR] [PARAMETERS]
palisade import FILE... --server URL [--key-file FILE] [PARAMETERS]
PARAMETERS, as POST /api/v1/scans/imports has them: [--format F] [--scan-run-id ID] [--account-id A] [--region R] [--artifact X] [--provider P]
[--observed-at TIME]
Imports reports as POST /api/v1/scans/imports does: into the store of the configuration, or at a running server with the API key of PALISADE_API_KEY or
--key-file, into the key's tenant. Waits for the end of each run and prints its counts. Exit code 1 when a report is refused or fails, 2 for wrong
usage, 3 when one was read only in part.`;

const OPTIONS = {
  tenant: text,
  server: text,
  'key-file': text,
  format: text,
  'scan-run-id': text,
  'account-id': text,
  region: text,
  artifact: text,
  provider: text,
  'observed-at': text,
  data: text,
} as const;
const EXIT = { ok: 0, failed: 1, partial: 3 } as const;

/** Sends one report to where it goes, and follows its run. */
type Send = (file: string, parameters: ImportParameters, onProgress: (run: FollowedRun) => void) => Promise<FollowedRun>;

/** The command `palisade import`. */
export const run = command(USAGE, OPTIONS, async (values, files) => {
  const { tenant, server, format, region, artifact, provider, data, 'key-file': keyFile } = values;
  if (files.length === 0 || (!tenant && !server)) throw new UsageError('name a FILE, and a --tenant or a --server');
  if (server && (tenant || data)) throw new UsageError('a --server takes neither --tenant nor --data: the key says which tenant');
  if (keyFile && !server) throw new UsageError('--key-file goes with --server');
  if (values['scan-run-id'] && files.length > 1) throw new UsageError('--scan-run-id goes with one FILE');
  const named = { scan_run_id: values['scan-run-id'], account_id: values['account-id'], observed_at: values['observed-at'] };
  const parameters = { ...named, format, region, artifact, provider };
  const { send, close } = server ? await toServer(server, keyFile) : await toStore(tenant!, data);
  try {
    return await importAll(files, parameters, send);
  } finally {
    await close();
  }
});

/** Loaded only when wanted: an upload needs nothing of the server's code. */
async function toServer(server: string, keyFile: string | undefined): Promise<{ send: Send; close(): Promise<void> }> {
  const { targetOf, Uploader } = await import('./upload.js');
  const uploader = new Uploader(targetOf(server, keyFile, process.env));
  return { send: (...report) => uploader.send(...report), close: () => uploader.close() };
}

async function toStore(tenant: string, data: string | undefined): Promise<{ send: Send; close(): Promise<void> }> {
  const { openImport } = await import('./import-here.js');
  return openImport(tenant, data);
}

/** Tells of a file that is not there, or a folder, before anything is sent. @throws the system's error */
async function assertReadable(file: string): Promise<void> {
  const stats = await stat(file);
  // a pipe is read once only
  if (!stats.isFile() && !stats.isDirectory()) return;
  const handle = await open(file);
  await handle.read(Buffer.alloc(1), 0, 1, 0).finally(() => handle.close());
}

async function importAll(files: readonly string[], parameters: ImportParameters, send: Send): Promise<number> {
  let code: number = EXIT.ok;
  for (const file of files) {
    const bar = new SingleBar(
      { format: `${basename(file)} {bar} {value} records, {skipped} skipped, {state}`, stream: process.stderr, clearOnComplete: true },
      Presets.shades_classic,
    );
    bar.start(0, 0, { skipped: 0, state: 'QUEUED' });
    try {
      await assertReadable(file);
      const run = await send(file, parameters, ({ counts, state }) => {
        bar.setTotal(counts.records);
        bar.update(counts.records, { skipped: counts.skipped, state });
      });
      bar.stop();
      process.stdout.write(summary(file, run));
      if (run.state === 'PARTIAL') code ||= EXIT.partial;
      else if (run.state !== 'COMPLETED') code = EXIT.failed;
    } catch (error) {
      bar.stop();
      process.stderr.write(`${file}: ${(error as Error).message}\n`);
      code = EXIT.failed;
    }
  }
  return code;
}

function summary(file: string, { scan_run_id, format, state, counts, errors }: FollowedRun): string {
  const broken = errors.slice(0, 10).map(({ position, reason }) => `  ${position}: ${reason}\n`);
  const numbers = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return `${file}: ${state}, ${format}, ${numbers.join(', ')} (scan run ${scan_run_id})\n${broken.join('')}`;
}
