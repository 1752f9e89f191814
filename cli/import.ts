import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { Presets, SingleBar } from 'cli-progress';
import { importContext, importReport, type FollowedRun, type ImportParameters } from '../processes/import-report.js';
import { jobHandlersOf, openServices } from '../processes/services.js';
import { joinStore } from '../processes/store.js';
import { loadConfig } from '../kit/base/config.js';
import { Worker } from '../kit/engine/worker.js';
import { createLogger } from '../kit/base/logger.js';
import { command, text, UsageError } from './command-line.js';

const USAGE = `palisade import FILE... --tenant T [--format F] [--scan-run-id ID] [--account-id A] [--region R] [--artifact X] [--data DIR]
Imports reports into the store of the configuration, as POST /api/v1/scans/imports does. Exit code 1 when a report is
refused or fails, 3 when one was read only in part.`;

const OPTIONS = { tenant: text, format: text, 'scan-run-id': text, 'account-id': text, region: text, artifact: text, data: text } as const;
const EXIT = { ok: 0, failed: 1, partial: 3 } as const;

/** The command `palisade import`. */
export const run = command(USAGE, OPTIONS, async (values, files) => {
  if (!values.tenant || files.length === 0) throw new UsageError('name a FILE and a --tenant');
  if (values['scan-run-id'] && files.length > 1) throw new UsageError('--scan-run-id goes with one FILE');
  const { format, region, artifact } = values;
  const parameters = { scan_run_id: values['scan-run-id'], format, account_id: values['account-id'], region, artifact };
  try {
    return await importAll(files, values.tenant, parameters, values.data);
  } catch (error) {
    process.stderr.write(`palisade import: ${(error as Error).message}\n`);
    return EXIT.failed;
  }
});

async function importAll(
  files: readonly string[],
  tenant: string,
  parameters: ImportParameters,
  data: string | undefined,
): Promise<number> {
  const config = loadConfig(process.env, data ? ['--data', data] : []);
  const opened = await openServices(config, createLogger(config.LOG_LEVEL), { open: joinStore });
  const worker = new Worker(opened.services, jobHandlersOf(opened.engines), 1);
  let code: number = EXIT.ok;
  try {
    const auth = await importContext(opened.services, tenant);
    for (const file of files) {
      const bar = new SingleBar(
        { format: `${basename(file)} {bar} {value} records, {skipped} skipped, {state}`, stream: process.stderr, clearOnComplete: true },
        Presets.shades_classic,
      );
      bar.start(0, 0, { skipped: 0, state: 'QUEUED' });
      try {
        const report = (await open(file)).createReadStream();
        const run = await importReport(opened.services, auth, report, parameters, ({ counts, state }) => {
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
  } finally {
    await worker.stop();
    await opened.close();
  }
  return code;
}

function summary(file: string, { scan_run_id, format, state, counts, errors }: FollowedRun): string {
  const broken = errors.slice(0, 10).map(({ position, reason }) => `  ${position}: ${reason}\n`);
  const numbers = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return `${file}: ${state}, ${format}, ${numbers.join(', ')} (scan run ${scan_run_id})\n${broken.join('')}`;
}
