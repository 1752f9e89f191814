import { backUp } from '../processes/backup/backup.js';
import { BackupError } from '../processes/backup/manifest.js';
import { loadConfig } from '../kit/base/config.js';
import { PalisadeError } from '../kit/base/errors.js';
import { command, text, UsageError } from './command-line.js';

const USAGE = `palisade backup DIR [--data D]
Backs the data folder D up into the empty folder DIR, beside a running server or without one. The master key is not in it: keep it apart.`;

/** The command `palisade backup`. */
export const run = command(USAGE, { data: text }, async ({ data }, [folder, ...more]) => {
  if (!folder || more.length > 0) throw new UsageError('name one folder');
  try {
    const { files, master_key } = await backUp(loadConfig(process.env, data ? ['--data', data] : []), folder);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    process.stdout.write(`${files.length} files, ${bytes} bytes, under the master key ${master_key}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof BackupError) && !(error instanceof PalisadeError)) throw error;
    process.stderr.write(`palisade backup: ${error.message}\n`);
    return 1;
  }
});
